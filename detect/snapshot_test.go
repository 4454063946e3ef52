package detect

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// A snapper takes a snapshot after each chunk that a Collector is given.
type snapper struct {
	*Collector
	after func(c *Collector, chunks int)
	n     int
}

func (s *snapper) End(chunk ingest.Chunk, to ingest.Sink, st ingest.ChunkStats) {
	s.Collector.End(chunk, to, st)
	s.n++
	s.after(s.Collector, s.n)
}

// A stopper ends a Collector's input after so many chunks, and what follows goes nowhere.
type stopper struct {
	*Collector
	left int
}

func (s *stopper) End(chunk ingest.Chunk, to ingest.Sink, st ingest.ChunkStats) {
	if s.left > 0 {
		s.Collector.End(chunk, to, st)
		s.left--
	}
}

func (s *stopper) EndInput(in *ingest.Input, chunks int) {
	if s.left > 0 {
		s.Collector.EndInput(in, chunks)
	}
}

func (s *stopper) EndFile(file, members int) {
	if s.left > 0 {
		s.Collector.EndFile(file, members)
	}
}

func TestSnapshotsAreOfWhatWasReadAndChangeNothing(t *testing.T) {
	for _, l := range loads {
		for _, chunk := range []int{100, 900, 5_000} { // held as events, both, Profiles
			t.Run(fmt.Sprintf("%s, chunks of %d", l.name, chunk), func(t *testing.T) {
				l.events = min(l.events, 10_000)
				seed, s := uint64(chunk), smallSettings()
				undisturbed := NewCollector(s)
				l.feed(seed, chunk, 3, undisturbed)
				want, _ := undisturbed.Profile().MarshalBinary()
				snapped := &snapper{Collector: NewCollector(s), after: func(c *Collector, n int) {
					if n%7 != 1 {
						return
					}
					got, _ := c.Snapshot().MarshalBinary()
					part := &stopper{NewCollector(s), n}
					l.feed(seed, chunk, 3, part)
					if want, _ := part.Profile().MarshalBinary(); !bytes.Equal(got, want) {
						t.Fatalf("the snapshot after %d chunks is not the Profile of them", n)
					}
				}}
				l.feed(seed, chunk, 3, snapped)
				if got, _ := snapped.Profile().MarshalBinary(); !bytes.Equal(got, want) {
					t.Error("snapshots changed the Profile")
				}
			})
		}
	}
}

func TestASnapshotOfNothingIsEmpty(t *testing.T) {
	if p := NewCollector(smallSettings()).Snapshot(); len(p.Targets) > 0 || len(p.Inputs) > 0 {
		t.Errorf("got %d targets of %d inputs", len(p.Targets), len(p.Inputs))
	}
}
