package detect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// warned gives a Profile of a log with a warning of each of two keys in each of these minutes.
func warned(minutes []int) *Profile {
	b := NewBuilder(smallSettings())
	b.inputContext = inputContext{coverage: ingest.Selected, node: "a", role: "system"}
	for _, m := range minutes {
		for i := range 2 {
			e := &ingest.Event{Op: ingest.OpRead, Table: []byte("t"), Key: fmt.Appendf(nil, "k%d", i), KeyKnown: true, Warned: true}
			e.SetTime((testStart + int64(m)*60) * second)
			e.SetTombstones(1500)
			b.Event(e)
		}
	}
	return b.seal([]InputStats{{}})
}

// every gives n minutes, each step after the one before.
func every(step, n int) []int {
	var minutes []int
	for i := range n {
		minutes = append(minutes, i*step)
	}
	return minutes
}

func TestPanesOfSelectedRecordsStayFew(t *testing.T) {
	year := every(7, 365*1440/7)
	half := len(year) / 2
	merged, err := Merge(warned(year[:half]), warned(year[half:]))
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*Profile{"one chunk": warned(year), "two chunks": merged} {
		for _, s := range p.Targets[0].Selected {
			sum := uint64(0)
			for i := range s.Panes.At {
				t := s.Panes.Totals(i)
				sum += t[SelectedWarned]
			}
			if s.Panes.Len() > MaxPanes || sum != uint64(len(year)) {
				t.Errorf("%s: %d records in %d panes, want %d in at most %d", name, sum, s.Panes.Len(), len(year), MaxPanes)
			}
		}
		raw, _ := p.MarshalBinary()
		if _, err := ReadProfile(raw); err != nil {
			t.Errorf("%s: does not read back: %v", name, err)
		}
	}
}

func TestASeriesTellsWhenSelectedRecordsCame(t *testing.T) {
	traffic := func(minutes ...int) *Profile {
		b := NewBuilder(smallSettings())
		for _, m := range minutes {
			e := &ingest.Event{Op: ingest.OpRead, Table: []byte("t"), Key: []byte("k0"), KeyKnown: true}
			e.SetTime((testStart + int64(m)*60) * second)
			b.Event(e)
		}
		return b.seal([]InputStats{{}})
	}
	tests := []struct {
		name    string
		traffic []int
		told    []int
		width   uint32
		want    []uint64 // warnings of a key by pane
	}{
		{"a log alone", nil, []int{1, 1, 3}, 60, []uint64{2, 1}},
		{"a long log alone", nil, every(1, 200), 120, slices.Repeat([]uint64{2}, 100)},
		{"minutes that traffic has, and others", []int{1, 2}, []int{2, 5, 5}, 60, []uint64{0, 1, 2}},
		{"a log too long for the minutes of traffic", []int{1, 2}, every(1, 200), 60, nil},
		{"more minutes than a view has panes", every(2, 100), every(1, 99), 60, slices.Concat(slices.Repeat([]uint64{1}, 50), make([]uint64, 50))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := Merge(traffic(test.traffic...), warned(test.told))
			if err != nil {
				t.Fatal(err)
			}
			v := NewView(p, nil, DefaultLimits(), Rate{})
			s := v.Targets[0].Selected[0]
			var got []uint64
			for i := range v.Panes {
				if told := s.Series.Of(uint32(i)); s.Series.Len() > 0 {
					got = append(got, told[SelectedWarned])
				}
			}
			if !slices.Equal(got, test.want) || v.Width != test.width {
				t.Errorf("got %v in panes of %d s, want %v in %d s", got, v.Width, test.want, test.width)
			}
			if n := len(v.Panes); len(v.Targets[0].Panes) != n {
				t.Errorf("%d panes, but a series of %d", n, len(v.Targets[0].Panes))
			}
			if got, want := s.Counts[SelectedWarned].Low, uint64(len(test.told)); got != want {
				t.Errorf("%d warnings, want %d", got, want)
			}
		})
	}
}
