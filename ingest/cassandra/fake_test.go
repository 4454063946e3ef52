package cassandra

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A record is one row of an answer: values as cqlsh prints them, by column.
type record map[string]string

// A fakeCluster answers queries from tables of rows.
type fakeCluster struct {
	mu     sync.Mutex
	tables map[string]func(address string, q *query) ([]record, error)
	down   map[string]bool // addresses that cannot be reached
	asked  map[string]int  // pages, by address
}

// table gives the same rows to everybody.
func table(rows ...record) func(string, *query) ([]record, error) {
	return func(string, *query) ([]record, error) { return rows, nil }
}

// newFake gives a cluster of one node with a table shop.carts.
func newFake() *fakeCluster {
	f := &fakeCluster{down: map[string]bool{}, asked: map[string]int{}, tables: map[string]func(string, *query) ([]record, error){
		"system.peers_v2":         table(),
		"system_schema.keyspaces": table(record{"keyspace_name": "shop", "replication": "{'class': 'org.apache.cassandra.locator.SimpleStrategy', 'replication_factor': '1'}"}),
		"system_schema.tables": table(record{"keyspace_name": "shop", "table_name": "carts", "gc_grace_seconds": "864000", "default_time_to_live": "0"},
			record{"keyspace_name": "system_traces", "table_name": "sessions"}, record{"keyspace_name": "system_traces", "table_name": "events"}),
		"system_schema.columns":  table(record{"keyspace_name": "shop", "table_name": "carts", "column_name": "user_id", "kind": "partition_key", "position": "0", "type": "text"}),
		"system_traces.sessions": table(),
		"system_traces.events":   table(),
	}}
	f.local(record{"release_version": "5.0.9", "broadcast_address": "10.0.0.1", "data_center": "dc1", "rack": "r1", "tokens": "{'0'}"})
	return f
}

// local sets what system.local holds beside the clock, which is the test's.
func (f *fakeCluster) local(r record) {
	f.tables["system.local"] = func(_ string, q *query) ([]record, error) {
		if strings.Contains(q.cols, "now()") {
			return []record{{"now": clock(time.Now())}}, nil
		}
		return []record{r}, nil
	}
}

// virtual makes tables known that system_schema does not have.
func (f *fakeCluster) virtual(names ...[2]string) {
	rows := []record{}
	for _, n := range names {
		rows = append(rows, record{"keyspace_name": n[0], "table_name": n[1]})
	}
	f.tables["system_virtual_schema.tables"] = table(rows...)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type fakeConn struct {
	of      *fakeCluster
	address string
}

func (f *fakeCluster) dial(_ context.Context, address string) (conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down[address] {
		return nil, errors.New("connection refused")
	}
	return fakeConn{f, address}, nil
}

func (fakeConn) close() {}

// page gives two rows at a time.
func (c fakeConn) page(_ context.Context, q *query, from []byte, each func(*systable.Row)) ([]byte, error) {
	c.of.mu.Lock()
	c.of.asked[c.address]++
	down := c.of.down[c.address]
	c.of.mu.Unlock()
	if down {
		return nil, errors.New("connection closed")
	}
	answer := c.of.tables[q.table]
	if answer == nil {
		return nil, &refusal{text: "unconfigured table " + q.table}
	}
	rows, err := answer(c.address, q)
	if err != nil {
		return nil, err
	}
	start, _ := strconv.Atoi(string(from))
	end := min(start+2, len(rows))
	for _, r := range rows[start:end] {
		row := &systable.Row{From: q.table, Names: slices.Sorted(maps.Keys(r))}
		for _, name := range row.Names {
			row.Values = append(row.Values, []byte(r[name]))
		}
		each(row)
	}
	if end < len(rows) {
		return []byte(strconv.Itoa(end)), nil
	}
	return nil, nil
}

// server gives a reader of the fake.
func (f *fakeCluster) server(t *testing.T, address string) *server {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(u, ingest.LiveOptions{
		Now: time.Now, Getenv: func(string) string { return "" },
		Wait: func(ctx context.Context, d time.Duration) {
			select {
			case <-ctx.Done():
			case <-time.After(d):
			}
		},
		LoadLimit: 1000, Formats: formats.Catalogue(),
	})
	if err != nil {
		t.Fatal(err)
	}
	r := s.(*server)
	r.dial = f.dial
	if u.Query().Get("interval") == "" {
		r.config.interval = 10 * time.Second // what the tests' times are made for
	}
	return r
}

// told is what a reader hands over, a line each.
type told struct {
	mu    sync.Mutex
	lines []string
	notes []string
	skips map[string]int
}

func (s *told) Open(in ingest.LiveInput) ingest.Sink { return &toldBy{s, in.Name} }

func (s *told) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// of gives the lines that begin so, in order.
func (s *told) of(kind string) []string {
	lines := []string{}
	for _, l := range s.lines {
		if len(l) > len(kind) && l[:len(kind)] == kind {
			lines = append(lines, l)
		}
	}
	return lines
}

type toldBy struct {
	to    *told
	input string
}

func (s *toldBy) add(format string, args ...any) {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	s.to.lines = append(s.to.lines, fmt.Sprintf(format, args...))
}

func (s *toldBy) Event(e *ingest.Event) {
	line := fmt.Sprintf("event %s %s %s %q", cmp.Or(e.Coverage.String(), "-"), e.Op, e.Table, ingest.ParseKey(e.Key).Parts)
	if n, ok := e.Tombstones(); ok {
		line += fmt.Sprintf(" tombstones=%d", n)
	}
	if n, ok := e.Latency(); ok {
		line += fmt.Sprintf(" µs=%d", n)
	}
	if len(e.Node) > 0 {
		line += " node=" + string(e.Node)
	}
	s.add("%s", line)
}

func (s *toldBy) State(st *ingest.State) {
	s.add("state %s %s %q %d node=%s", st.Table, st.Measure, ingest.ParseKey(st.Key).Parts, st.Value, st.Node)
}

func (s *toldBy) Fact(f *ingest.Fact) {
	s.add("fact %s %s %s node=%s", f.Table, f.Name, f.Value, f.Node)
}

func (s *toldBy) Point(p *ingest.Point) {
	s.add("point %s %s %s %d s=%d node=%s", p.Table, p.Name, p.Stat, p.Milli, p.Seconds, p.Node)
}

func (s *toldBy) Problem(p ingest.Problem) { s.add("problem %s: %s", p.Cause, p.Text) }

func (s *toldBy) Skip(kind string) {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	if s.to.skips == nil {
		s.to.skips = map[string]int{}
	}
	s.to.skips[kind]++
}

// collect reads for a time of the test's clock.
func collect(t *testing.T, s *server, d time.Duration) (*told, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	to := &told{}
	err := s.Collect(ctx, to)
	return to, err
}
