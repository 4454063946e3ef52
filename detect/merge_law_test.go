package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// dealt gives the Profiles of hosts that each saw some of the events.
func (l *load) dealt(t *testing.T, r *rand.Rand, seed uint64, hosts int) []*Profile {
	t.Helper()
	events := make([][]*ingest.Event, hosts)
	l.each(seed, func(e *ingest.Event) {
		i := r.IntN(hosts)
		e.At.Line = uint64(len(events[i]) + 1)
		events[i] = append(events[i], e)
	})
	profiles := make([]*Profile, hosts)
	for i, list := range events {
		c := NewCollector(smallSettings())
		in := &ingest.Input{Name: fmt.Sprint("host ", i), Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
		sink := c.Begin(ingest.Chunk{Input: in})
		for _, e := range list {
			sink.Event(e)
		}
		c.End(ingest.Chunk{Input: in}, sink, ingest.ChunkStats{Records: uint64(len(list)), Lines: uint64(len(list))})
		c.EndInput(in, 1)
		c.EndFile(0, 1)
		profiles[i] = c.Profile()
	}
	return profiles
}

// joined merges Profiles in a random tree, of neighbours or not, some of them taken through bytes.
func joined(t *testing.T, r *rand.Rand, parts []*Profile) *Profile {
	t.Helper()
	trip := func(p *Profile) *Profile {
		form, _ := p.MarshalBinary()
		p, err := ReadProfile(form)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i] = trip(parts[i]) // a merge takes what it is given apart
	}
	for len(parts) > 1 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		p, err := Merge(parts[0], parts[1])
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			p = trip(p)
		}
		parts = append(parts[2:], p)
	}
	return parts[0]
}

// Whatever the tree and the order in which Profiles are merged, bounds hold, and what is counted exactly is the same.
func TestProfilesThatAreMergedInAnyTreeTellTheTruth(t *testing.T) {
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			hosts := l.dealt(t, r, 11, 2+r.IntN(9))
			var totals []string
			for range 3 {
				p := joined(t, r, hosts)
				checkBounds(t, p, l.oracle(11))
				totals = append(totals, exactly(p))
			}
			for _, other := range totals[1:] {
				if d := cmp.Diff(other, totals[0]); d != "" {
					t.Errorf("of one tree (-), of another (+):\n%s", d)
				}
			}
		})
	}
}

// exactly gives the totals of a Profile, which have no bounds.
func exactly(p *Profile) string {
	text := fmt.Sprintf("from %d to %d, panes of %d\n", p.First, p.Last, p.Width)
	for i := range p.Targets {
		text += fmt.Sprintln(p.Targets[i].Target, p.Targets[i].Totals)
	}
	for i := range p.Panes {
		text += fmt.Sprintln(p.Panes[i].Start, p.Panes[i].Nodes)
		for j := range p.Panes[i].Targets {
			text += fmt.Sprintln(p.Panes[i].Targets[j].ID, p.Panes[i].Targets[j].Totals)
		}
	}
	return text
}
