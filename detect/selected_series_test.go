package detect

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestASeriesHoldsWhatAMapOfTotalsHolds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		var series SelectedSeries
		want := map[uint32]SelectedTotals{}
		for range r.IntN(60) {
			var told SelectedTotals
			for range r.IntN(4) {
				told[r.IntN(SelectedCounters)] = uint64(r.IntN(5))
			}
			at := uint32(r.IntN(20))
			sum := want[at]
			if r.IntN(2) == 0 {
				series.Add(at, &told)
				sum.add(&told)
			} else {
				other := SelectedSeries{}
				other.Add(at, &told)
				series.raise(&other)
				sum.max(&told)
			}
			want[at] = sum
		}
		if got := slices.Sorted(maps.Keys(want)); !slices.Equal(series.At, got) {
			t.Fatalf("got places %v, want %v", series.At, got)
		}
		for at := range uint32(21) {
			if diff := gocmp.Diff(series.Of(at), want[at]); diff != "" {
				t.Fatalf("place %d: (-got +want):\n%s", at, diff)
			}
		}
	}
}

func TestAWiderSeriesHoldsTheSums(t *testing.T) {
	var s, want SelectedSeries
	for at := uint32(60); at < 1200; at += 60 {
		told := SelectedTotals{SelectedRecords: 1, SelectedWarned: uint64(at % 7)}
		s.Add(at, &told)
		want.Add(at-at%240, &told)
	}
	s.widen(240)
	if diff := gocmp.Diff(s, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestASeriesKeepsNoCounterThatNoPlaceCounts(t *testing.T) {
	var s SelectedSeries
	s.Add(7, &SelectedTotals{SelectedRecords: 1})
	s.Add(9, &SelectedTotals{SelectedRecords: 2, SelectedWarned: 2})
	if diff := gocmp.Diff(s.Counts, []uint64{1, 0, 2, 2}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestJoinedListsAreSortedAndAddedUp(t *testing.T) {
	type counted struct{ key, n int }
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	order := func(a, b counted) int { return cmp.Compare(a.key, b.key) }
	any := func(from, keys int) (list []counted, sums map[int]int) {
		sums = map[int]int{}
		for range r.IntN(12) {
			sums[from+r.IntN(keys)] = 1 + r.IntN(9)
		}
		for k, n := range sums {
			list = append(list, counted{k, n})
		}
		slices.SortFunc(list, order)
		return list, sums
	}
	for range 2000 {
		a, sums := any(0, 15)
		b, more := any(r.IntN(18), 15)
		whole := slices.Clone(b)
		for k, n := range more {
			sums[k] += n
		}
		want := []counted{}
		for k, n := range sums {
			want = append(want, counted{k, n})
		}
		slices.SortFunc(want, order)
		got := joinSorted(a, b, order, func(a *counted, b counted) { a.n += b.n })
		if !slices.Equal(got, want) || !slices.Equal(b, whole) {
			t.Fatalf("got %v, want %v; the second list is %v, was %v", got, want, b, whole)
		}
	}
}
