package detect

import (
	"math/bits"
	"slices"
)

// A SelectedSeries is counts of selected records at places in time, in order: the seconds at which panes begin, or
// numbers of panes. Of the counters only those are kept that any place counts: of warnings of tombstones 6 of 23.
type SelectedSeries struct {
	At     []uint32
	Kinds  uint32   // a bit for each SelectedCounter that is kept
	Counts []uint64 // of each place those, in order of SelectedCounter
}

// Len gives the number of places.
func (s *SelectedSeries) Len() int { return len(s.At) }

// Totals gives the counts of the place with this number, of Len.
func (s *SelectedSeries) Totals(i int) (t SelectedTotals) {
	row := s.row(i)
	for c := range t {
		if s.Kinds>>c&1 != 0 {
			t[c], row = row[0], row[1:]
		}
	}
	return t
}

// Of gives the counts at a place; there may be none.
func (s *SelectedSeries) Of(at uint32) SelectedTotals {
	i, found := s.place(at)
	if !found {
		return SelectedTotals{}
	}
	return s.Totals(i)
}

// Add adds to the counts at a place.
func (s *SelectedSeries) Add(at uint32, t *SelectedTotals) { s.put(at, t, AddSat) }

// raise makes each count at least what the other series has at its place.
func (s *SelectedSeries) raise(o *SelectedSeries) {
	for i, at := range o.At {
		t := o.Totals(i)
		s.put(at, &t, func(a, b uint64) uint64 { return max(a, b) })
	}
}

// put changes the counts at a place, with what is counted on the right.
func (s *SelectedSeries) put(at uint32, t *SelectedTotals, change func(a, b uint64) uint64) {
	s.keep(t)
	i, found := s.place(at)
	if !found {
		var none SelectedTotals
		s.At = slices.Insert(s.At, i, at)
		s.Counts = slices.Insert(s.Counts, i*s.kept(), none[:s.kept()]...)
	}
	row := s.row(i)
	for c := range t {
		if s.Kinds>>c&1 != 0 {
			row[0], row = change(row[0], t[c]), row[1:]
		}
	}
}

// widen joins panes into ones of a width, where they lie.
func (s *SelectedSeries) widen(width uint32) {
	n := 0
	for i, start := range s.At {
		row := s.row(i)
		start -= start % width
		if n > 0 && s.At[n-1] == start {
			for c, told := range s.row(n - 1) {
				s.row(n - 1)[c] = AddSat(told, row[c])
			}
			continue
		}
		s.At[n] = start
		copy(s.row(n), row)
		n++
	}
	s.At, s.Counts = s.At[:n], s.Counts[:n*s.kept()]
}

// keep makes room for the counters that t counts.
func (s *SelectedSeries) keep(t *SelectedTotals) {
	kinds := s.Kinds
	for c, n := range t {
		if n != 0 {
			kinds |= 1 << c
		}
	}
	if kinds == s.Kinds {
		return
	}
	wider := SelectedSeries{At: s.At, Kinds: kinds}
	for i := range s.At {
		old := s.Totals(i)
		for c, n := range old {
			if kinds>>c&1 != 0 {
				wider.Counts = append(wider.Counts, n)
			}
		}
	}
	*s = wider
}

// kept gives the number of counters of a place.
func (s *SelectedSeries) kept() int { return bits.OnesCount32(s.Kinds) }

func (s *SelectedSeries) row(i int) []uint64 { return s.Counts[i*s.kept() : (i+1)*s.kept()] }

func (s *SelectedSeries) place(at uint32) (i int, found bool) {
	n := len(s.At)
	switch {
	case n == 0 || s.At[n-1] < at: // records mostly come in order of time
		return n, false
	case s.At[n-1] == at:
		return n - 1, true
	}
	return slices.BinarySearch(s.At, at)
}
