package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/ingest"
)

// An eager counter counts each part when it comes, so that none is joined as its events.
type eager struct{ *ExactCounter }

func (c eager) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	c.fold.add(chunk.Input.ID, chunk.Index, c.counted(c.end(chunk, s, st)))
}

func TestCountsOfSmallInputsAreTheSameWhetherHeldOrCountedAtOnce(t *testing.T) {
	s := smallSettings()
	for _, l := range loads {
		l.events, l.sortKey, l.nodes = 2000, true, 3
		whole := NewCollector(s)
		l.feed(7, 50, 1, whole)
		p := whole.Profile()
		n := Nominate(p)
		held, counted := NewCounter(p, n), NewCounter(p, n)
		l.feed(7, 50, 1, held)
		l.feed(7, 50, 1, eager{counted})
		a, b := held.Exact(), counted.Exact()
		for i := range a.Keys {
			if d := cmp.Diff(a.Keys[i], b.Keys[i], cmpopts.IgnoreFields(ExactKey{}, "sortTop", "TopSort", "SortKeys", "Latency")); d != "" {
				t.Errorf("%s: key %q, held (-), counted (+):\n%s", l.name, n.Keys[i].Key, d)
			}
			if a.Keys[i] != nil && !overlap(a.Keys[i].TopSort, b.Keys[i].TopSort) {
				t.Errorf("%s: bounds of the busiest sort key %v and %v exclude each other", l.name, a.Keys[i].TopSort, b.Keys[i].TopSort)
			}
		}
		if d := cmp.Diff(a.Sizes, b.Sizes); d != "" {
			t.Errorf("%s: sizes held (-), counted (+):\n%s", l.name, d)
		}
	}
}

func overlap(a, b Range) bool { return a.Low <= b.High && b.Low <= a.High }

func TestTheOrderOfSortKeysIsThatWithinAnInput(t *testing.T) {
	p := whole(smallSettings())
	n := &Nominees{Width: minute, Targets: []Target{{Store: ingest.DynamoDB, Table: "orders"}}, Keys: []Nominee{{Key: []byte("a")}}}
	c := NewCounter(p, n)
	format := &ingest.Format{Coverage: ingest.Traffic}
	for file, sortKeys := range [][]string{{"2", "3"}, {"1", "4"}} {
		chunk := ingest.Chunk{Input: &ingest.Input{ID: ingest.InputID{File: file}, Format: format}}
		sink := c.Begin(chunk)
		for _, key := range sortKeys {
			sink.Event(&ingest.Event{Store: ingest.DynamoDB, Table: []byte("orders"), Op: ingest.OpWrite, KeyKnown: true, Key: []byte("a"), SortKey: []byte(key)})
		}
		c.End(chunk, sink, ingest.ChunkStats{})
		c.EndInput(chunk.Input, 1)
		c.EndFile(file, 1)
	}
	k := c.Exact().Keys[0]
	if got, want := [3]uint64{k.SortKnown, k.Ordered, k.Ascending}, [3]uint64{4, 2, 2}; got != want {
		t.Errorf("got %v known, ordered and ascending, want %v", got, want)
	}
}

func whole(s Settings) *Profile { return NewCollector(s).Profile() }
