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

func TestTheLargestRequestAndStrongReadsOfAKeyAreCounted(t *testing.T) {
	p := whole(smallSettings())
	n := &Nominees{Width: minute, Targets: []Target{{Store: ingest.DynamoDB, Table: "orders"}}, Keys: []Nominee{{Key: []byte("a")}}}
	c := NewCounter(p, n)
	format := &ingest.Format{Coverage: ingest.Traffic}
	for file, of := range [][]struct {
		op          ingest.Op
		n           uint64
		milli       uint64
		consistency ingest.Consistency
	}{
		{{ingest.OpRead, 1, 2000, ingest.Strong}, {ingest.OpRead, 4, 10_001, ingest.Eventual}, {ingest.OpWrite, 1, 3000, ingest.ConsistencyUnknown}},
		{{ingest.OpRead, 3, 6000, ingest.Strong}, {ingest.OpRead, 1, 500, ingest.ConsistencyUnknown}, {ingest.OpWrite, 2, 7000, ingest.ConsistencyUnknown}},
	} {
		chunk := ingest.Chunk{Input: &ingest.Input{ID: ingest.InputID{File: file}, Format: format}}
		sink := c.Begin(chunk)
		for _, x := range of {
			e := ingest.Event{Store: ingest.DynamoDB, Table: []byte("orders"), Op: x.op, KeyKnown: true, Key: []byte("a"), Requests: x.n, Consistency: x.consistency}
			if x.op == ingest.OpRead {
				e.SetReadUnits(x.milli)
			} else {
				e.SetWriteUnits(x.milli)
			}
			sink.Event(&e)
		}
		c.End(chunk, sink, ingest.ChunkStats{})
		c.EndInput(chunk.Input, 1)
		c.EndFile(file, 1)
	}
	k := c.Exact().Keys[0]
	// 10,001 of four reads are 2,501 of one; 7,000 of two writes are 3,500; 2,000 and 6,000 are strong, of 1 + 4 + 3 reads that tell.
	if got, want := [4]uint64{k.MostRead, k.MostWrite, k.Strong, k.ConsistencyKnown}, [4]uint64{2501, 3500, 8000, 8}; got != want {
		t.Errorf("got %v largest read, largest write, strong units and reads that tell, want %v", got, want)
	}
}
