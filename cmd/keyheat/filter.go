package main

import (
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// The kinds of skipped records that --table and --node make.
const (
	skipTable = "of another table than --table"
	skipNode  = "of another node than --node"
)

// A wanted says what of the records is read. Filtering each event makes all figures of a report agree.
type wanted struct {
	window ingest.Window
	tables []string
	nodes  []string
}

func (w *wanted) all() bool {
	return w.window == ingest.Window{} && len(w.tables) == 0 && len(w.nodes) == 0
}

// over lets only wanted events reach h.
func (w *wanted) over(h ingest.Handler) ingest.Handler {
	if w.all() {
		return h
	}
	return &filter{h, w}
}

type filter struct {
	ingest.Handler
	wanted *wanted
}

// Begin wraps the sink of a chunk.
func (f *filter) Begin(c ingest.Chunk) ingest.Sink {
	inner := f.Handler.Begin(c)
	names := &nameSink{Sink: inner, wanted: f.wanted, node: c.Input.Node}
	return &filteredSink{Sink: f.wanted.window.Filter(names), inner: inner}
}

// End hands the chunk's own sink back.
func (f *filter) End(c ingest.Chunk, to ingest.Sink, st ingest.ChunkStats) {
	f.Handler.End(c, to.(*filteredSink).inner, st)
}

// A filteredSink remembers the sink behind its filters.
type filteredSink struct {
	ingest.Sink
	inner ingest.Sink
}

// A nameSink passes on what is said of wanted tables and nodes, and the rest as skips.
type nameSink struct {
	ingest.Sink
	wanted *wanted
	node   string // of the input: of records that name none
}

// Event passes e on when it is wanted.
func (s *nameSink) Event(e *ingest.Event) {
	if kind := s.unwanted(e.Table, e.Node); kind != "" {
		s.Skip(kind)
		return
	}
	s.Sink.Event(e)
}

// State passes st on when it is wanted.
func (s *nameSink) State(st *ingest.State) {
	if kind := s.unwanted(st.Table, st.Node); kind != "" {
		s.Skip(kind)
		return
	}
	s.Sink.State(st)
}

// Point passes p on when it is wanted.
func (s *nameSink) Point(p *ingest.Point) {
	if kind := s.unwanted(p.Table, p.Node); kind != "" {
		s.Skip(kind)
		return
	}
	s.Sink.Point(p)
}

// Fact passes f on when it is wanted. One that names no table, or no node, holds for all of them.
func (s *nameSink) Fact(f *ingest.Fact) {
	switch {
	case len(f.Table) > 0 && !s.wantsTable(f.Table):
		s.Skip(skipTable)
	case len(f.Node) > 0 && !s.wantsNode(f.Node):
		s.Skip(skipNode)
	default:
		s.Sink.Fact(f)
	}
}

// unwanted gives the kind of skip of what is said of a table and a node; empty when it is wanted.
func (s *nameSink) unwanted(table, node []byte) string {
	switch {
	case !s.wantsTable(table):
		return skipTable
	case !s.wantsNode(node):
		return skipNode
	}
	return ""
}

func (s *nameSink) wantsTable(table []byte) bool {
	return len(s.wanted.tables) == 0 || slices.ContainsFunc(s.wanted.tables, func(t string) bool { return names(t, table) })
}

func (s *nameSink) wantsNode(node []byte) bool {
	switch {
	case len(s.wanted.nodes) == 0:
		return true
	case len(node) == 0:
		return slices.Contains(s.wanted.nodes, s.node)
	}
	return slices.ContainsFunc(s.wanted.nodes, func(n string) bool { return n == string(node) })
}

// names reports whether name means table: the whole name, or the table's without its keyspace. It
// allocates nothing: it is asked for each event.
func names(name string, table []byte) bool {
	if string(table) == name {
		return true
	}
	before := len(table) - len(name) - 1
	return before > 0 && table[before] == '.' && string(table[before+1:]) == name && !strings.Contains(name, ".")
}
