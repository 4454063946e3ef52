// Package cassandra reads running clusters of Cassandra, DSE and ScyllaDB through CQL: schema, settings,
// topology, query traces, virtual tables and the tables in which nodes keep their largest partitions. It
// only reads, and gives what an export of the same tables would. It must not know how requests are judged.
package cassandra

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// Schemes are the schemes of the URLs that Open takes.
var Schemes = []string{"cassandra", "scylla"}

// lastPoll bounds what is still read after the end of a run.
const lastPoll = 15 * time.Second

// Open gives the reader of a cluster, one of whose nodes is named by a URL:
//
//	cassandra://user@host:9042/keyspace.table?interval=15s&since=15m&timeout=10s
//
// Keyspace and table may be left out. ca=FILE checks the server, cert=FILE&key=FILE is a client's
// certificate, tls=true alone uses the system's authorities. The password comes from PasswordEnv or
// from the file of password-file=FILE. Nothing is connected yet; the error names every fault of the URL.
func Open(u *url.URL, o ingest.LiveOptions) (ingest.Server, error) {
	c, err := configOf(u, &o)
	if err != nil {
		return nil, err
	}
	return &server{config: c, o: o, dial: c.dial}, nil
}

type server struct {
	config *config
	o      ingest.LiveOptions
	dial   func(ctx context.Context, address string) (conn, error)

	mu    sync.Mutex
	links map[way]*link
}

// A way is to a node, for its own tables or for traces. Each has half of the requests that may be sent, so
// that many traces do not hold up the rest.
type way struct {
	address string
	traces  bool
}

// link gives the way to a node, the same for all who ask it.
func (s *server) link(address string) *link { return s.linkOf(way{address, false}) }

func (s *server) linkOf(w way) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links == nil {
		s.links = map[way]*link{}
	}
	if s.links[w] == nil {
		every := time.Duration(2 * float64(time.Second) / s.config.rate)
		s.links[w] = &link{address: w.address, dial: s.dial, o: &s.o, every: every}
	}
	return s.links[w]
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.close()
	}
	s.links = nil
}

// Collect implements ingest.Live.
func (s *server) Collect(ctx context.Context, to ingest.Streams) error {
	defer s.close()
	name := s.config.scheme + "://" + s.config.address
	formats := &cassandraFormats
	if s.config.scheme == "scylla" {
		formats = &scyllaFormats
	}
	sink := to.Open(ingest.LiveInput{Name: name + "/system_schema", Format: &formats.tables})
	c, err := s.readCluster(ctx, s.link(s.config.address), sink)
	if err != nil {
		if ended := ctx.Err(); ended != nil {
			err = fmt.Errorf("it was not read before the end: %w", ended)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	s.remark(c, to.Note)
	requests := to.Open(ingest.LiveInput{Name: name + "/system_traces", Format: &formats.traces})
	traces, err := newTraceReader(s, c, requests, to, newSchemaWatch(s, c, sink, to.Note))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w := &watchers{server: s, cluster: c, to: to, name: name, formats: formats, topology: sink}
	for _, m := range c.members() {
		w.start(ctx, m)
	}
	parts := []*part{{name: "system_traces", poll: traces.poll}, {name: "the list of nodes", poll: w.poll, every: membersEvery}}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() { s.run(ctx, p, to) })
	}
	wg.Wait()
	errs := []error{}
	for _, p := range append(w.end(), parts...) {
		if p.err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", name, p.name, p.err))
		}
	}
	traces.end()
	return errors.Join(errs...)
}

// remark says what a reader of the report must know of the cluster.
func (s *server) remark(c *cluster, note func(string)) {
	switch {
	case c.scylla || s.config.scheme == "scylla":
		note("the live reader of ScyllaDB was tested against recorded answers only, never against a running server")
	case c.dse:
		note("the live reader of DSE was tested against recorded answers only, never against a running server")
	}
}

// A part is what is read apart from the rest: one node's own tables, or the traces of all.
type part struct {
	name  string
	every int         // how many looks at a node pass between two polls; 0: one
	left  atomic.Bool // what it is read of left the cluster
	// poll reads once; last is the end of the run.
	poll func(ctx context.Context, last bool) error
	err  error // of the last poll
	// missed is what is lost of a time in which the part could not be read.
	missed string
}

// run polls until the context ends, and once more.
func (s *server) run(ctx context.Context, p *part, to ingest.Streams) {
	for {
		err := p.poll(ctx, false)
		s.turned(p, err, to, ctx.Err() != nil)
		if ctx.Err() == nil {
			s.o.Wait(ctx, s.config.interval*time.Duration(max(p.every, 1)))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if p.left.Load() {
		return
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPoll)
	defer cancel()
	err := p.poll(end, true)
	cut := end.Err() != nil
	if cut {
		to.Note("the last look at " + p.name + " was cut short")
	}
	s.turned(p, err, to, cut)
}

// turned notes that a part cannot be read any more, or again; over: the run ended meanwhile.
func (s *server) turned(p *part, err error, to ingest.Streams, over bool) {
	switch {
	case err != nil && over:
		return
	case err != nil && p.err == nil:
		to.Note(fmt.Sprintf("%s could not be read for a time: %s", p.name, firstLine(err)))
	case err == nil && p.err != nil:
		to.Note(p.name + " was read again" + p.missed)
	}
	p.err = err
}

// scoped sees to it that only what is asked for is told, and fills in what all rows of a part have in
// common.
type scoped struct {
	ingest.Sink
	config  *config
	cluster *cluster // of requests, whose node the key tells; nil: of nothing else
	node    []byte
	now     int64 // Unix nanoseconds of the server's clock, at the poll
}

const (
	skipOwn   = "row about the server's own tables"
	skipOther = "row about a table that is not asked for"
)

// left reports a table that is left out, and counts that.
func (s *scoped) left(table []byte) bool {
	switch {
	case ownKeyspace(string(table)):
		s.Skip(skipOwn)
	case !s.config.wants(string(table)):
		s.Skip(skipOther)
	default:
		return false
	}
	return true
}

// Event implements ingest.Sink. The node of a request is the first replica of its key.
func (s *scoped) Event(e *ingest.Event) {
	if s.left(e.Table) {
		return
	}
	if s.cluster != nil && len(e.Node) == 0 && e.KeyKnown {
		e.Node = s.cluster.first(string(e.Table), e.Key)
	}
	s.Sink.Event(e)
}

// State implements ingest.Sink.
func (s *scoped) State(st *ingest.State) {
	if s.left(st.Table) {
		return
	}
	if st.Node = s.node; st.UnixNano == 0 {
		st.UnixNano = s.now
	}
	s.Sink.State(st)
}

// Fact implements ingest.Sink.
func (s *scoped) Fact(f *ingest.Fact) {
	if f.Node == nil {
		f.Node = s.node
	}
	s.Sink.Fact(f)
}

// Point implements ingest.Sink.
func (s *scoped) Point(p *ingest.Point) {
	if s.left(p.Table) {
		return
	}
	if p.Node = s.node; p.UnixNano == 0 {
		p.UnixNano = s.now
	}
	s.Sink.Point(p)
}

// clockHolds is how long a node's clock is taken to run as ours does.
const clockHolds = time.Minute

// now gives a node's clock, in Unix nanoseconds. It is asked for now and then.
func (s *server) now(ctx context.Context, l *link) (unixNano int64, err error) {
	before := s.o.Now()
	l.mu.Lock()
	known := l.timed && before.Sub(l.asked) < clockHolds
	unixNano = before.Add(l.ahead).UnixNano()
	l.mu.Unlock()
	if known {
		return unixNano, nil
	}
	err = l.rows(ctx, &query{table: "system.local", cols: "toTimestamp(now()) AS now", rest: "WHERE key = 'local'"}, func(r *systable.Row) {
		unixNano, _ = ingest.ParseTime(r.Of("now"), nil)
	})
	if err == nil {
		l.mu.Lock()
		l.ahead, l.timed, l.asked = time.Unix(0, unixNano).Sub(before), true, before
		l.mu.Unlock()
	}
	return unixNano, err
}

// skew gives how far the clocks of the nodes are apart, as far as they were asked.
func (s *server) skew() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ahead []time.Duration
	for _, l := range s.links {
		l.mu.Lock()
		if l.timed {
			ahead = append(ahead, l.ahead)
		}
		l.mu.Unlock()
	}
	if len(ahead) == 0 {
		return 0
	}
	return slices.Max(ahead) - slices.Min(ahead)
}
