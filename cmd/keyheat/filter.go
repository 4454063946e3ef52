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

// A wanted says which events are read. Filtering each event makes all figures of a report agree.
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

// A nameSink passes on the events of wanted tables and nodes, and the others as skips.
type nameSink struct {
	ingest.Sink
	wanted *wanted
	node   string // of the input: of events that name none
}

// Event passes e on when it is wanted.
func (s *nameSink) Event(e *ingest.Event) {
	switch {
	case len(s.wanted.tables) > 0 && !slices.ContainsFunc(s.wanted.tables, func(t string) bool { return names(t, e.Table) }):
		s.Skip(skipTable)
	case len(s.wanted.nodes) > 0 && !s.wantsNode(e.Node):
		s.Skip(skipNode)
	default:
		s.Sink.Event(e)
	}
}

func (s *nameSink) wantsNode(node []byte) bool {
	if len(node) == 0 {
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
