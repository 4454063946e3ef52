package cassandra

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
	"github.com/keyheat/keyheat/ingest/systable"
)

const (
	// traceOverlap is read again at each poll: rows come late, and clocks of nodes differ.
	traceOverlap = 30 * time.Second
	// traceSettle is how long nodes may take to write the events of a finished request: they write them
	// apart from the request, within a second or so.
	traceSettle = 2 * time.Second
	// tracePatience is how long a request without a duration is taken for unfinished. Its coordinator may
	// have died.
	tracePatience = 2 * time.Minute
	// maxTraces are held at a time, told or not.
	maxTraces = 1 << 16
	// traceBatch are the sessions whose events are asked for at once: of more at once each costs less. Each counts
	// as traceCost requests (docs/live-cassandra.md).
	traceBatch = 25
	traceCost  = 4
	// traceRest is how long sessions are not looked for after a look, in times of what that took: the server
	// goes through all that are stored, some of a day ago. It has to: they have no order by time.
	traceRest = 600
)

// A traceReader reads system_traces, each session once: when it is finished, and its events are written.
// The sessions of a window of time are known by id; what began before it was told or is held.
type traceReader struct {
	server  *server
	cluster *cluster
	to      *scoped
	notes   ingest.Streams
	schema  *schemaWatch
	decoder *cqltrace.Decoder

	at       int       // member that is asked
	rest     time.Time // until when sessions are not looked for
	since    int64     // of the next look
	found    int64     // when sessions were looked for last; as since, by the clock of the node that was asked
	sessions map[string]*traced
	wide     bool   // the server cannot filter by time
	lost     uint64 // sessions beyond maxTraces
	open     uint64 // told without a duration
	slow     map[string]int64

	positions ingest.Positions // nil: nobody keeps them
	before    tracePosition    // of an earlier run
}

// A traced is a session of the window.
type traced struct {
	id       string
	names    []string
	values   [][]byte
	started  int64 // Unix nanoseconds, its coordinator's clock
	seen     int64 // when it was first found, the clock of the node that was asked
	finished int64 // when it was first found finished; 0: it is not
	micros   uint64
	told     bool
	events   []traceRow
}

type traceRow struct {
	names  []string
	values [][]byte
}

// newTraceReader reads traces into a sink, from the position on that it keeps.
func newTraceReader(s *server, c *cluster, sink ingest.Sink, notes ingest.Streams, schema *schemaWatch) (*traceReader, error) {
	t := &traceReader{
		server: s, cluster: c, to: &scoped{Sink: sink, config: s.config, cluster: c}, notes: notes, schema: schema,
		sessions: map[string]*traced{}, slow: map[string]int64{}, positions: positionsOf(sink),
	}
	t.typed()
	if t.positions == nil {
		return t, nil
	}
	var err error
	t.before, err = parseTracePosition(t.positions.Position(partRequests))
	return t, err
}

// typed makes the decoder know the tables of the cluster.
func (t *traceReader) typed() {
	store := ingest.Cassandra
	if t.cluster.scylla {
		store = ingest.Scylla
	}
	t.decoder = cqltrace.New(store, nil, ingest.DecodeOptions{Schema: t.cluster.types()})
}

// poll asks one node, and the next one when that cannot be talked to.
func (t *traceReader) poll(ctx context.Context, last bool) error {
	errs := []error{}
	members := t.cluster.members()
	for range members {
		m := members[t.at%len(members)]
		err := t.pollOf(ctx, t.server.linkOf(way{m.address, true}), last)
		var said *refusal
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return err
		case errors.As(err, &said) && said.lacking:
			t.notes.Note("traces were not read: " + said.text)
			return nil
		}
		errs = append(errs, err)
		t.at++
	}
	return errors.Join(errs...)
}

func (t *traceReader) pollOf(ctx context.Context, l *link, last bool) error {
	now, err := t.server.now(ctx, l)
	if err != nil {
		return err
	}
	changed, err := t.schema.look(ctx, l, t.cluster, now)
	if err != nil {
		return err
	}
	if changed {
		t.typed()
	}
	if !t.cluster.tables["system_traces.sessions"] {
		return nil
	}
	if t.since == 0 {
		t.resume(now)
	}
	if before := t.server.o.Now(); last || !before.Before(t.rest) {
		if err := t.find(ctx, l, now); err != nil {
			return err
		}
		after := t.server.o.Now()
		t.rest = after.Add(traceRest * after.Sub(before))
		t.found = now
	}
	if err := t.slowLog(ctx, l); err != nil {
		return err
	}
	if last && t.waiting(now, true) != nil {
		t.server.o.Wait(ctx, traceSettle)
	}
	if err := t.follow(ctx, l, now); err != nil {
		return err
	}
	if err := t.tell(ctx, l, t.waiting(now, last)); err != nil {
		return err
	}
	t.forget()
	return nil
}

// find reads the sessions of the window.
func (t *traceReader) find(ctx context.Context, l *link, now int64) error {
	q := &query{table: "system_traces.sessions"}
	if !t.wide {
		q.rest, q.args = "WHERE started_at >= ? ALLOW FILTERING", []any{time.Unix(0, t.since).UTC()}
	}
	err := l.rows(ctx, q, func(r *systable.Row) { t.take(r, now) })
	var said *refusal
	if !t.wide && errors.As(err, &said) && !said.lacking && !said.gone { // before 3.6
		t.wide = true
		return t.find(ctx, l, now)
	}
	return err
}

// take notes a row of sessions.
func (t *traceReader) take(r *systable.Row, now int64) {
	started, cause := ingest.ParseTime(r.Of("started_at"), nil)
	if cause != "" || started < t.since {
		return
	}
	id := string(r.Of("session_id"))
	s := t.sessions[id]
	if s == nil {
		if len(t.sessions) >= maxTraces {
			t.lost++
			return
		}
		s = &traced{id: id, started: started, seen: now}
		t.sessions[id] = s
		// Our own requests, and preparations of any, are no traffic.
		s.told = bytes.Contains(r.Of("parameters"), []byte(mark)) || t.before.told[hashOf(id)]
	}
	if s.told || s.finished != 0 {
		return
	}
	s.names, s.values = slices.Clone(r.Names), clones(r.Values)
	s.ended(r, now)
}

// ended notes that a row has a duration.
func (s *traced) ended(r *systable.Row, now int64) {
	if n, ok := systable.Count(r.Of("duration")); ok {
		s.micros, s.finished = n, now
	}
}

func clones(values [][]byte) [][]byte {
	all := make([][]byte, len(values))
	for i, v := range values {
		all[i] = bytes.Clone(v)
	}
	return all
}

// follow reads the unfinished sessions that began before the window again.
func (t *traceReader) follow(ctx context.Context, l *link, now int64) error {
	ids := []string{}
	for id, s := range t.sessions {
		if !s.told && s.finished == 0 && s.started < t.since {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for batch := range slices.Chunk(ids, traceBatch) {
		err := l.rows(ctx, &query{table: "system_traces.sessions", rest: "WHERE session_id IN ?", args: []any{batch}}, func(r *systable.Row) {
			if s := t.sessions[string(r.Of("session_id"))]; s != nil && len(r.Of("duration")) > 0 {
				s.names, s.values = slices.Clone(r.Names), clones(r.Values)
				s.ended(r, now)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// waiting gives the sessions that may be told, oldest first: those whose events are written, and at the
// end of the run all.
func (t *traceReader) waiting(now int64, last bool) []*traced {
	var list []*traced
	for _, s := range t.sessions {
		settled := s.finished != 0 && now-s.finished >= int64(traceSettle)
		if !s.told && (settled || last || now-s.seen >= int64(tracePatience)) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *traced) int { return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.id, b.id)) })
	return list
}

// tell reads the events of the sessions and hands over what they say. Those that took longest come first:
// when there are too many to be read, they tell most.
func (t *traceReader) tell(ctx context.Context, l *link, list []*traced) error {
	var reads, writes []*traced
	for _, s := range list {
		if s.writes() {
			writes = append(writes, s) // whose events count nothing
		} else {
			reads = append(reads, s)
		}
	}
	slices.SortStableFunc(reads, func(a, b *traced) int { return cmp.Compare(b.micros, a.micros) })
	for batch := range slices.Chunk(reads, traceBatch) {
		ids := make([]string, len(batch))
		for i, s := range batch {
			ids[i], s.events = s.id, nil
		}
		q := &query{table: "system_traces.events", rest: "WHERE session_id IN ?", args: []any{ids}, cost: traceCost * len(ids)}
		err := l.rows(ctx, q, func(r *systable.Row) {
			if s := t.sessions[string(r.Of("session_id"))]; s != nil {
				s.events = append(s.events, traceRow{slices.Clone(r.Names), clones(r.Values)})
			}
		})
		if err != nil {
			return err
		}
		for _, s := range batch {
			t.tellOne(s)
		}
		t.reached()
	}
	for _, s := range writes {
		t.tellOne(s)
	}
	if len(writes) > 0 {
		t.reached()
	}
	return nil
}

// writing is how the parameters of a session begin whose statement writes.
var writing = regexp.MustCompile(`(?i)'query(?:\[0\])?': '\s*(?:INSERT|UPDATE|DELETE)\b`)

// writes reports whether the request is known to write.
func (s *traced) writes() bool {
	r := systable.Row{Names: s.names, Values: s.values}
	return bytes.HasPrefix(r.Of("request"), []byte("Execute batch")) || writing.Match(r.Of("parameters"))
}

func (t *traceReader) tellOne(s *traced) {
	if s.finished == 0 {
		t.open++
	}
	told := t.decoder.Row(s.names, s.values, ingest.Position{}, t.to)
	for _, e := range s.events {
		told = t.decoder.Row(e.names, e.values, ingest.Position{}, t.to) && told
	}
	if !told {
		t.to.Skip(skipSilent)
	}
	t.decoder.Close(t.to)
	*s = traced{id: s.id, started: s.started, told: true}
}

// forget moves the window on.
func (t *traceReader) forget() {
	t.since = max(t.since, t.found-int64(traceOverlap+t.server.skew()))
	kept := t.kept()
	for id, s := range t.sessions {
		if s.told && s.started < kept {
			delete(t.sessions, id)
		}
	}
}

// slowLog reads ScyllaDB's log of slow requests, each row once.
func (t *traceReader) slowLog(ctx context.Context, l *link) error {
	if !t.cluster.tables["system_traces.node_slow_log"] {
		return nil
	}
	told := false
	err := l.rows(ctx, &query{
		table: "system_traces.node_slow_log", rest: "WHERE date >= ? ALLOW FILTERING", args: []any{time.Unix(0, t.since).UTC()},
	}, func(r *systable.Row) {
		id := string(r.Of("start_time")) + " " + string(r.Of("node_ip")) + " " + string(r.Of("shard"))
		date, _ := ingest.ParseTime(r.Of("date"), nil)
		if _, met := t.slow[id]; met || len(t.slow) >= maxTraces || bytes.Contains(r.Of("parameters"), []byte(mark)) {
			return
		}
		t.slow[id] = date
		if t.before.slow[hashOf(id)] {
			return
		}
		told = true
		if !t.decoder.Row(r.Names, r.Values, ingest.Position{}, t.to) {
			t.to.Skip(skipSilent)
		}
	})
	if told {
		t.reached()
	}
	kept := t.kept()
	for id, date := range t.slow {
		if date < kept {
			delete(t.slow, id)
		}
	}
	return err
}

// end tells the requests whose events could not be read before the end, and says what is not whole.
func (t *traceReader) end() {
	left := t.waiting(0, true)
	uncounted := uint64(0)
	for _, s := range left {
		if !s.writes() {
			uncounted++
		}
		s.events = nil
		t.tellOne(s)
	}
	if len(left) > 0 {
		t.reached()
	}
	for _, n := range []struct {
		of   uint64
		text string
	}{
		{uncounted, "rows and tombstones of %d traced requests were not read before the end: trace fewer requests (nodetool settraceprobability), or raise --load-limit"},
		{t.lost, "traces came faster than they were read: %d were left out; trace fewer requests (nodetool settraceprobability), or raise --load-limit"},
		{t.open, "%d traced requests had no end yet, or the server dropped it: they are told without latency"},
	} {
		if n.of > 0 {
			t.notes.Note(fmt.Sprintf(n.text, n.of))
		}
	}
}
