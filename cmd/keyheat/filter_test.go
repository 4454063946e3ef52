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
	ingest.EventsOnly
	ingest.Handler
	events []string
	skips  []string
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
