package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// heard notes what reaches a handler.
type heard struct {
	ingest.Handler
	events []string
	skips  []string
	other  []string // states, points and facts
	ended  bool
}

func (h *heard) Begin(ingest.Chunk) ingest.Sink { return h }
func (h *heard) End(_ ingest.Chunk, to ingest.Sink, _ ingest.ChunkStats) {
	h.ended = to == ingest.Sink(h)
}
func (h *heard) Event(e *ingest.Event)  { h.events = append(h.events, string(e.Key)) }
func (h *heard) Problem(ingest.Problem) {}
func (h *heard) Skip(kind string)       { h.skips = append(h.skips, kind) }

func TestOnlyWantedEventsReachTheProfile(t *testing.T) {
	type request struct {
		table, node string
		at          int64
	}
	requests := []request{
		{"shop.orders", "n1", 10}, {"shop.carts", "n1", 10}, {"orders", "n2", 20}, {"shop.orders", "", 30},
	}
	for _, tt := range []struct {
		name   string
		wanted wanted
		want   string
	}{
		{"no filter", wanted{}, "0 1 2 3"},
		{"a table by its whole name", wanted{tables: []string{"shop.orders"}}, "0 3"},
		{"a table without its keyspace", wanted{tables: []string{"orders"}}, "0 2 3"},
		{"two tables", wanted{tables: []string{"shop.carts", "orders"}}, "0 1 2 3"},
		{"the end of a name is no name", wanted{tables: []string{"ders"}}, ""},
		{"a node, and the input's node where a record names none", wanted{nodes: []string{"n9"}}, "3"},
		{"a node of records", wanted{nodes: []string{"n1"}}, "0 1"},
		{"a span", wanted{window: ingest.Window{Since: 15, Until: 30}}, "2"},
		{"all filters at once", wanted{window: ingest.Window{Until: 30}, tables: []string{"orders"}, nodes: []string{"n1"}}, "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &heard{}
			handler := tt.wanted.over(h)
			chunk := ingest.Chunk{Input: &ingest.Input{Node: "n9"}}
			sink := handler.Begin(chunk)
			for i, r := range requests {
				e := ingest.Event{Table: []byte(r.table), Node: []byte(r.node), Key: []byte{byte('0' + i)}}
				e.SetTime(r.at)
				sink.Event(&e)
			}
			handler.End(chunk, sink, ingest.ChunkStats{})
			if diff := cmp.Diff(strings.Fields(tt.want), slices.Clip(append([]string{}, h.events...))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if len(h.events)+len(h.skips) != len(requests) {
				t.Errorf("%d events and %d skips of %d records", len(h.events), len(h.skips), len(requests))
			}
			if !h.ended {
				t.Error("the handler did not get its own sink back")
			}
		})
	}
}

func (h *heard) State(s *ingest.State) { h.other = append(h.other, "state "+string(s.Table)) }
func (h *heard) Point(p *ingest.Point) { h.other = append(h.other, "point "+string(p.Table)) }
func (h *heard) Fact(f *ingest.Fact)   { h.other = append(h.other, "fact "+string(f.Table)) }

func TestOnlyWhatIsSaidOfWantedTablesAndNodesReachesTheProfile(t *testing.T) {
	h := &heard{}
	w := &wanted{tables: []string{"orders"}, nodes: []string{"n1"}}
	sink := w.over(h).Begin(ingest.Chunk{Input: &ingest.Input{Node: "n1"}})
	for _, table := range []string{"shop.orders", "shop.carts", ""} {
		for _, node := range []string{"n1", "", "n2"} {
			sink.State(&ingest.State{Table: []byte(table), Node: []byte(node)})
			sink.Point(&ingest.Point{Table: []byte(table), Node: []byte(node)})
			sink.Fact(&ingest.Fact{Table: []byte(table), Node: []byte(node)})
		}
	}
	want := []string{
		"state shop.orders", "point shop.orders", "fact shop.orders",
		"state shop.orders", "point shop.orders", "fact shop.orders",
		"fact ", "fact ",
	}
	if diff := cmp.Diff(want, h.other); diff != "" {
		t.Errorf("reached (-want +got):\n%s", diff)
	}
	if got, want := len(h.skips), 27-len(want); got != want {
		t.Errorf("%d skips, want %d", got, want)
	}
}

func TestFilteringAnEventAllocatesNothing(t *testing.T) {
	sink := (&wanted{tables: []string{"orders", "shop.carts"}, nodes: []string{"n1"}}).over(silent{}).Begin(ingest.Chunk{Input: &ingest.Input{}})
	e := &ingest.Event{Table: []byte("shop.orders"), Node: []byte("n1")}
	if n := testing.AllocsPerRun(100, func() { sink.Event(e) }); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// silent takes everything.
type silent struct {
	ingest.EventsOnly
	ingest.Handler
}

func (s silent) Begin(ingest.Chunk) ingest.Sink { return &s }
func (silent) Event(*ingest.Event)              {}
func (silent) Problem(ingest.Problem)           {}
func (silent) Skip(string)                      {}
