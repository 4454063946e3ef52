package detect

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

type liveFunc func(ctx context.Context, to ingest.Streams) error

func (f liveFunc) Collect(ctx context.Context, to ingest.Streams) error { return f(ctx, to) }

// noFiles is what a Live is read without.
type noFiles struct{ ingest.Files }

const liveInputs = 50 // more than have open chunks at a time

// An origin is the place of a record in one of the inputs of a Live.
type origin struct {
	input uint32
	byte  uint64
}

// feedLive hands the events of a load to a handler, in bursts of inputs that take turns at random. One input more
// has nothing to tell. It gives the key of each record.
func (l load) feedLive(t *testing.T, seed uint64, h ingest.Handler) (keys map[origin]string, records []uint64) {
	t.Helper()
	keys, records = map[origin]string{}, make([]uint64, liveInputs+1)
	live := liveFunc(func(_ context.Context, to ingest.Streams) error {
		r := rand.New(rand.NewPCG(seed, 5))
		sinks := make([]ingest.Sink, liveInputs+1)
		for i := range sinks {
			sinks[i] = to.Open(ingest.LiveInput{Name: fmt.Sprint("input ", i), Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}})
		}
		i := 0
		l.each(seed, func(e *ingest.Event) {
			if r.IntN(20) == 0 {
				i = r.IntN(liveInputs)
			}
			keys[origin{uint32(i), records[i]}] = string(e.Table) + "/" + string(e.Key)
			records[i]++
			sinks[i].Event(e)
		})
		return nil
	})
	o := ingest.Options{Formats: []*ingest.Format{{Name: "test"}}, Files: noFiles{}}
	if _, err := ingest.Read(t.Context(), []ingest.Source{{Name: "test", Size: -1, Live: live}}, o, h); err != nil {
		t.Fatal(err)
	}
	return keys, records
}

func TestTheInputsOfALiveAreFoldedTogether(t *testing.T) {
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			l.events, l.sortKey = min(l.events, 20_000), true
			seed, s := rand.Uint64(), smallSettings()
			t.Logf("seed %d", seed)
			c := NewCollector(s)
			keys, records := l.feedLive(t, seed, c)
			p := c.Profile()
			for i, n := range records {
				in := p.Inputs[i]
				if want := fmt.Sprint("input ", i); in.Name != want || in.Records != n || in.Events != n || in.Lines != n {
					t.Errorf("%s: %d records, %d events, %d lines; want %s, %d of each", in.Name, in.Records, in.Events, in.Lines, want, n)
				}
			}
			o := l.oracle(seed)
			for i := range p.Run.Len() {
				e := p.Run.At(i)
				name := p.Targets[e.Group].Target.Table + "/" + string(e.Key)
				at, ok := markPosition(e.Mark)
				if !ok || keys[origin{at.Input, at.Byte}] != name {
					t.Fatalf("the record of %s is said to be at %+v, where %q is", name, at, keys[origin{at.Input, at.Byte}])
				}
				if truth := o.run[name]; truth < e.Count[ByRequests] || truth > e.High()[ByRequests] {
					t.Errorf("%s: %d requests, want between %d and %d", name, truth, e.Count[ByRequests], e.High()[ByRequests])
				}
			}
			for i := range p.Targets {
				for _, shape := range p.Targets[i].Shapes {
					if shape.Largest.Tombstones > 0 {
						checkPlace(t, shape.Largest.At, keys)
					}
				}
			}
			checkLiveCounts(t, &l, seed, p, o, keys)
		})
	}
}

// checkPlace holds the line of a position against its number of records.
func checkPlace(t *testing.T, at ingest.Position, keys map[origin]string) {
	t.Helper()
	if _, ok := keys[origin{at.Input, at.Byte}]; !ok || at.Line != at.Byte+1 {
		t.Errorf("position %+v is of no record, or its line is not the next number", at)
	}
}

// checkLiveCounts holds the second pass against the oracle.
func checkLiveCounts(t *testing.T, l *load, seed uint64, p *Profile, o oracle, keys map[origin]string) {
	t.Helper()
	n := Nominate(p)
	counter := NewCounter(p, n)
	l.feedLive(t, seed, counter)
	for i, k := range counter.Exact().Keys {
		name := n.Targets[n.Keys[i].Target].Table + "/" + string(n.Keys[i].Key)
		if k == nil || k.Totals[Requests] != o.run[name] {
			t.Fatalf("%s: counted %+v, want %d requests", name, k, o.run[name])
		}
		for _, at := range k.Positions {
			checkPlace(t, at, keys)
			if got := keys[origin{at.Input, at.Byte}]; got != name {
				t.Errorf("an example of %s is one of %q", name, got)
			}
		}
	}
}

func TestALiveThatWasCarriedGivesTheProfileOfOneProcess(t *testing.T) {
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			l.events, l.sortKey = min(l.events, 20_000), true
			const seed = 11
			s := smallSettings()
			whole, parts := NewCollector(s), NewCollector(s)
			l.feedLive(t, seed, whole)
			want := whole.Profile()
			c := &carrier{}
			l.feedLive(t, seed, NewPartMaker(s, c.give))
			if len(c.forms) != 1 {
				t.Fatalf("%d parts of one Live", len(c.forms))
			}
			c.deliver(t, seed, parts)
			a, _ := want.MarshalBinary()
			if b, _ := parts.Profile().MarshalBinary(); !bytes.Equal(a, b) {
				t.Error("the Profile that was carried differs from the one of one process")
			}
			n := Nominate(want)
			counter, merged := NewCounter(want, n), NewCounter(want, n)
			l.feedLive(t, seed, counter)
			c = &carrier{}
			l.feedLive(t, seed, NewCountMaker(s, n, c.give))
			c.deliver(t, seed, merged)
			x, y := counter.Exact(), merged.Exact()
			for i := range x.Keys {
				if d := diffExact(y.Keys[i], x.Keys[i]); d != "" {
					t.Fatalf("key %q, carried (-), of one process (+):\n%s", n.Keys[i].Key, d)
				}
			}
			if d := cmp.Diff(y.Sizes, x.Sizes); d != "" {
				t.Errorf("sizes carried (-), of one process (+):\n%s", d)
			}
		})
	}
}

func TestWhatALiveHoldsDoesNotGrowWithItsInputs(t *testing.T) {
	c := NewCollector(smallSettings())
	most := 0
	h := &held{c, func() {
		n := 0
		for _, in := range c.fold.open {
			for _, l := range in.tree.levels {
				n += min(l.count, 1)
			}
		}
		most = max(most, n+len(c.fold.done))
	}}
	l := loads[0]
	l.feedLive(t, 3, h)
	if most == 0 || most > 3 {
		t.Errorf("%d Profiles were held at a time, want at most 3: the levels of a tree of some 3,000 chunks", most)
	}
}

// A held looks after each chunk.
type held struct {
	*Collector
	look func()
}

func (h *held) End(c ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	h.Collector.End(c, s, st)
	h.look()
}
