package cqltrace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

// heard writes down the events of an input, and counts the rest.
type heard struct {
	ingest.EventsOnly
	events   []string
	problems int
	calls    int
}

func (h *heard) Event(e *ingest.Event) {
	rows, _ := e.Rows()
	tombs, counted := e.Tombstones()
	line := fmt.Sprintf("%s %s %s %q", e.Coverage, e.Op, e.Table, e.Key)
	if counted {
		line += fmt.Sprintf(" %d/%d", rows, tombs)
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{{e.Warned, "warned"}, {e.Aborted, "aborted"}, {e.TimedOut, "timed-out"}, {e.Throttle > 0, "throttled"}} {
		if flag.on {
			line += " " + flag.name
		}
	}
	h.events = append(h.events, fmt.Sprintf("%s @%d", line, e.At.Line))
	h.calls++
}
func (h *heard) Problem(ingest.Problem) { h.problems++; h.calls++ }
func (h *heard) Skip(string)            { h.calls++ }

func hear(t testing.TB, store ingest.Store, text string) *heard {
	t.Helper()
	return hearWith(t, store, ingest.DecodeOptions{}, text)
}

func hearWith(t testing.TB, store ingest.Store, o ingest.DecodeOptions, text string) *heard {
	t.Helper()
	d, h := New(store, []byte(text), o), &heard{}
	at := ingest.Position{Line: 1}
	for line := range strings.Lines(text) {
		if data := strings.TrimRight(line, "\r\n"); data != "" {
			before := h.calls
			d.Decode(&ingest.Record{Data: []byte(data), At: at}, h)
			if h.calls == before {
				t.Errorf("line %d yields nothing: %q", at.Line, data)
			}
		}
		at.Byte, at.Line = at.Byte+uint64(len(line)), at.Line+1
	}
	d.Close(h)
	return h
}

const (
	idA = "10fbd970-ec9c-11f1-8440-5958fce208e7"
	idB = "10fbd971-ec9c-11f1-8440-5958fce208e7"
)

func event(id, activity, source string) string {
	return id + "," + idB + `,"` + activity + `",` + source + ",100,17000,ReadStage-1\n"
}

const sessionsHeader = "session_id,client,command,coordinator,coordinator_port,duration,parameters,request,started_at\n"

const eventsHeader = "session_id,event_id,activity,source,source_elapsed,source_port,thread\n"

func TestSessions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"roles that the server looks up in between are not counted", sessionsHeader +
			idA + ",127.0.0.1,QUERY,127.0.0.1,17000,305,{'query': 'SELECT * FROM shop.jobs WHERE queue = ''q'''},Execute CQL3 query,2026-11-30 08:56:52.655+0000\n" + eventsHeader +
			event(idA, "Executing single-partition query on roles", "10.0.0.1") + event(idA, "Read 1 live rows and 9 tombstone cells", "10.0.0.1") +
			event(idA, "Executing single-partition query on jobs", "10.0.0.1") + event(idA, "Read 5 live rows and 2 tombstone cells", "10.0.0.1"),
			[]string{`traffic read shop.jobs "q" 5/2 @2`}},
		{"of a statement that is prepared, roles are no read", sessionsHeader +
			idA + ",127.0.0.1,QUERY,127.0.0.1,17000,305,{'query': 'SELECT * FROM shop.jobs WHERE queue = ?'},Preparing CQL3 query,2026-11-30 08:56:52.655+0000\n" + eventsHeader +
			event(idA, "Executing single-partition query on roles", "10.0.0.1") + event(idA, "Read 1 live rows and 0 tombstone cells", "10.0.0.1"), nil},
		{"replicas of one read count the same data", eventsHeader +
			event(idA, "Executing single-partition query on jobs", "10.0.0.1") + event(idA, "Read 3 live rows and 40 tombstone cells", "10.0.0.1") +
			event(idA, "Executing single-partition query on jobs", "10.0.0.2") + event(idA, "Read 3 live rows and 42 tombstone cells", "10.0.0.2"),
			[]string{`selected read jobs "" 3/42 @2`}},
		{"pages on one node add up", eventsHeader +
			event(idA, "Read 3 live rows and 40 tombstone cells", "10.0.0.1") + event(idA, "Read 1 live rows and 2 tombstone cells", "10.0.0.1"),
			[]string{`selected read  "" 4/42 @2`}},
		{"sessions may be mixed", eventsHeader +
			event(idA, "Executing single-partition query on a", "n") + event(idB, "Executing single-partition query on b", "n") +
			event(idA, "Read 1 live and 2 tombstoned cells", "n") + event(idB, "Read 3 live and 4 tombstone cells", "n"),
			[]string{`selected read a "" 1/2 @2`, `selected read b "" 3/4 @3`}},
		{"an aborted read is warned of and counted once", eventsHeader +
			event(idA, "Scanned over 2000 tombstones for query SELECT * FROM shop.jobs WHERE queue = 'a' LIMIT 5 ALLOW FILTERING; query aborted (see tombstone_failure_threshold)", "n") +
			event(idA, "Read 0 live rows and 2001 tombstone cells (see tombstone_warn_threshold)", "n"),
			[]string{`selected read shop.jobs "a" 0/2001 warned aborted @2`}},
		{"events without a count say nothing", eventsHeader + event(idA, "Executing single-partition query on jobs", "n"), nil},
		{"a read through an index is a scan", eventsHeader +
			event(idA, "Executing read on shop.users using index by_mail", "n") + event(idA, "Read 1 live rows and 0 tombstone cells", "n"),
			[]string{`selected scan shop.users "" 1/0 @2`}},
		{"statements that were prepared are no requests",
			"session_id;command;duration;parameters;request;started_at\n" + idA + ";QUERY;300;\"{'query': 'SELECT * FROM ks.t WHERE a = ?'}\";Preparing CQL3 query;2026-11-30 08:56:52.655+0000\n", nil},
		{"a query over several lines of a CSV",
			"session_id,command,duration,parameters,request,started_at\n" + idA + ",QUERY,300,\"{'query': 'SELECT *\nFROM ks.t\nWHERE a = ''x \\\"y\\\"'''}\",Execute CQL3 query,2026-11-30 08:56:52.655+0000\n",
			[]string{`traffic read ks.t "x \"y\"" @4`}},
		{"the error of a client is the read that its trace shows", "Tracing session: " + idA + "\nScanned over 9 tombstones; query aborted (see tombstone_failure_threshold)\nerror: READ_TOO_MANY_TOMBSTONES from /n\n",
			[]string{`traffic read  "" @1`, `selected read  "" 0/9 aborted @1`}},
		{"an error without a trace is a read", "Tracing session: " + idA + "\nRead 1 live rows and 2 tombstone cells\nerror: READ_TOO_MANY_TOMBSTONES from /n\n",
			[]string{`traffic read  "" 1/2 @1`, `selected read  "" aborted @3`}},
		{"a warning whose read has no trace", "Tracing session: " + idA + "\nDetermining replicas for mutation\n\nRead 3 live rows and 1150 tombstone cells for query SELECT * FROM ks.t WHERE a = 'x' LIMIT 3; token -7 (see tombstone_warn_threshold)\n",
			[]string{`traffic write  "" @1`, `selected read ks.t "x" 3/1150 warned @4`}},
		{"a time-out", "Tracing session: " + idA + "\nExecuting single-partition query on jobs\nTimed out; received 0 of 1 responses\n",
			[]string{`traffic read jobs "" timed-out @2`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := hear(t, ingest.Cassandra, c.text)
			if diff := cmp.Diff(got.events, c.want); diff != "" || got.problems > 0 {
				t.Errorf("%d problems, events (-got +want):\n%s", got.problems, diff)
			}
		})
	}
}

func TestScyllaSessions(t *testing.T) {
	const header = "session_id,command,duration,parameters,request,request_size,response_size,started_at,username\n"
	row := func(parameters string) string {
		return header + idA + `,QUERY,300,"` + parameters + `",Execute CQL3 prepared query,1,2,2026-11-30 08:56:52.655+0000,app` + "\n"
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a value of 64 characters is whole", row("{'param[0]': '" + strings.Repeat("a", 64) + "', 'query': 'SELECT * FROM ks.t WHERE k = ?'}"),
			[]string{`traffic read ks.t "` + strings.Repeat("a", 64) + `" @2`}},
		{"a longer one is cut", row("{'param[0]': '" + strings.Repeat("a", 64) + "...', 'query': 'SELECT * FROM ks.t WHERE k = ?'}"),
			[]string{`traffic read ks.t "" @2`}},
		{"null is no key", row("{'param[0]': 'null', 'query': 'SELECT * FROM ks.t WHERE k = ?'}"), []string{`traffic read ks.t "" @2`}},
		{"a write that was refused for its rate", row("{'query': 'INSERT INTO t (k) VALUES (1)', 'table': 'ks.t'}") + eventsHeader +
			event(idA, "Mutation failed: rate limit exceeded", "n"), []string{`traffic write ks.t "" throttled @2`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := hear(t, ingest.Scylla, c.text)
			if diff := cmp.Diff(got.events, c.want); diff != "" || got.problems > 0 {
				t.Errorf("%d problems, events (-got +want):\n%s", got.problems, diff)
			}
		})
	}
}

func TestEventsTakeTheirRequestFromAnotherInput(t *testing.T) {
	const sessions = "session_id,command,duration,parameters,request,started_at\n" +
		idA + `,QUERY,300,"{'bound_var_0_queue': '''mail-out''', 'query': 'SELECT * FROM shop.jobs WHERE queue = ?'}",Execute CQL3 prepared query,2026-11-30 08:56:52.655+0000` + "\n" +
		idB + `,QUERY,300,"{'query': 'SELECT * FROM shop.jobs WHERE queue = ?'}",Preparing CQL3 query,2026-11-30 08:56:52.655+0000` + "\n"
	if !HoldsHeads([]byte(sessions)) || HoldsHeads([]byte(eventsHeader)) {
		t.Error("sessions have heads, events have none")
	}
	heads, silent := map[string]ingest.TraceHead{}, &heard{}
	learner := Learn([]byte(sessions), ingest.DecodeOptions{}, heads)
	for i, line := range strings.Split(strings.TrimSuffix(sessions, "\n"), "\n") {
		learner.Decode(&ingest.Record{Data: []byte(line), At: ingest.Position{Line: uint64(i + 1)}}, silent)
	}
	learner.Close(silent)
	want := map[string]ingest.TraceHead{strings.ReplaceAll(idA, "-", ""): {
		Op: ingest.OpRead, Table: "shop.jobs", Key: "mail-out", Shape: "SELECT * FROM shop.jobs WHERE queue = ?", KeyKnown: true}}
	if diff := cmp.Diff(heads, want); diff != "" || len(silent.events) > 0 {
		t.Errorf("%d events, heads (-got +want):\n%s", len(silent.events), diff)
	}
	got := hearWith(t, ingest.Cassandra, ingest.DecodeOptions{Traces: heads}, eventsHeader+
		event(idA, "Executing single-partition query on jobs", "n")+event(strings.ToUpper(idA), "Read 3 live rows and 40 tombstone cells", "n")+
		event(idB, "Read 3 live rows and 41 tombstone cells", "n"))
	if diff := cmp.Diff(got.events, []string{`selected read shop.jobs "mail-out" 3/40 @2`, `selected read  "" 3/41 @4`}); diff != "" {
		t.Errorf("events (-got +want):\n%s", diff)
	}
}

func TestHeldSessionsAreBounded(t *testing.T) {
	d, h := New(ingest.Cassandra, nil, ingest.DecodeOptions{}), &heard{}
	send := func(text string, at ingest.Position) {
		d.Decode(&ingest.Record{Data: []byte(strings.TrimSuffix(text, "\n")), At: at}, h)
	}
	send(eventsHeader, ingest.Position{Line: 1})
	const sessions = maxSessions + 10
	for i := range uint64(sessions) {
		id := fmt.Sprintf("%08x-ec9c-11f1-8440-5958fce208e7", i)
		send(event(id, "Read 1 live rows and 2 tombstone cells", "n"), ingest.Position{Byte: 200 * i, Line: i + 2})
	}
	if len(d.order) != maxSessions || len(d.held) != maxSessions || len(h.events) != sessions-maxSessions {
		t.Errorf("got %d held and %d told, want %d and %d", len(d.order), len(h.events), maxSessions, sessions-maxSessions)
	}
	send(eventsHeader, ingest.Position{Byte: 1 << 30, Line: 1}) // another chunk
	d.Close(h)
	if last := h.events[len(h.events)-1]; len(h.events) != sessions || !strings.HasSuffix(last, "@0") {
		t.Errorf("got %d events, the last %q, want %d, without a line of a chunk before", len(h.events), last, sessions)
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		text string
		want ingest.Store
	}{
		{"Tracing session: " + idA + "\n", ingest.Cassandra},
		{"a note\n\nTracing session " + strings.ReplaceAll(idA, "-", "") + " (coordinator: 10.0.0.1, duration: 3ms):\n", ingest.Cassandra},
		{eventsHeader + event(idA, "Executing single-partition query on jobs", "n"), ingest.Cassandra},
		{idA + " | " + idB + " | Querying is done | 0 | 55 | 10.0.0.1 | 12 | shard 0/sl:default\n", ingest.Scylla},
		{"Executing single-partition query on t [ReadStage-1]\nRead 1 live rows and 0 tombstone cells [ReadStage-1]\n", ingest.Cassandra},
		{"Tracing session: is what cqlsh prints\n", ingest.StoreUnknown},
		{"The line `Executing single-partition query on t` tells the table.\n", ingest.StoreUnknown},
		{"| a | b |\n|---|---|\n| activity | of users |\n", ingest.StoreUnknown},
		{"session_id,user,page\n1,a,b\n", ingest.StoreUnknown},
		{`{"session_id":"1","user":"a"}` + "\n", ingest.StoreUnknown},
		{"Read 3 live rows and 1150 tombstone cells for query SELECT * FROM ks.t; token 1 (see tombstone_warn_threshold)\nRead 3 live rows and 1150 tombstone cells for query SELECT * FROM ks.t; token 1 (see tombstone_warn_threshold)\n", ingest.StoreUnknown},
		{"", ingest.StoreUnknown},
	} {
		if got, why := Sniff([]byte(c.text)); got != c.want {
			t.Errorf("%q: got %v (%s), want %v", c.text, got, why, c.want)
		}
	}
}

func FuzzTraces(f *testing.F) {
	f.Add(eventsHeader + event(idA, "Read 1 live rows and 2 tombstone cells", "n"))
	f.Add("Tracing session: " + idA + "\n activity | timestamp | source | source_elapsed\n---+---\n Execute CQL3 query | 2026-11-30 08:57:21.529000 | n | 0\n")
	f.Add("@ Row 1\n---+---\n session_id | " + idA + "\n parameters | {'query': 'SELECT * FROM t WHERE k = ?', 'param[0]': 'x'}\n request | Execute CQL3 query\n")
	f.Add(`[{"session_id":"` + idA + `","parameters":{"query":"SELECT * FROM t"}},` + "\n" + `{"session_id":"` + idA + `","activity":"Page stats: 1 partition(s), 0 static row(s) (0 live, 0 dead), 1 clustering row(s) (1 live, 0 dead) and 0 range tombstone(s)"}]`)
	f.Add(idA + ";" + idB + ";\"a\nb\";n;1;shard 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, store := range []ingest.Store{ingest.Cassandra, ingest.Scylla} {
			hear(t, store, text)
		}
		Sniff([]byte(text))
	})
}
