package sketch

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
)

// shortKeys gives the events keys that fit a slot, so that a purge always begins at the same number of slots.
func shortKeys(events []event) []event {
	for i := range events {
		events[i].key = fmt.Sprintf("%016x", events[i].hash)
	}
	return events
}

func TestOffStaysWithinTheBoundKnownBeforehand(t *testing.T) {
	for i, s := range streams() {
		for _, groups := range []int{1, 20, 500} {
			t.Run(fmt.Sprintf("%s, %d groups", s.name, groups), func(t *testing.T) {
				x := NewTable(32 << 10)
				total, most := Vector{}, Vector{}
				for _, e := range shortKeys(s.make(seeded(t, uint64(i)), 20_000, groups)) {
					e.addTo(x)
					total = total.Add(e.w)
				}
				for g := range uint32(groups) {
					most = most.Max(x.Off(g))
				}
				k := uint64(slotLimit(32 << 10))
				for w := range Weights {
					gotHi, gotLo := bits.Mul64(most[w], 3*k)
					wantHi, wantLo := bits.Mul64(total[w], 4*Weights)
					if gotHi > wantHi || gotHi == wantHi && gotLo > wantLo {
						t.Errorf("weight %d: off %d over %d * %d / (3/4 * %d)", w, most[w], Weights, total[w], k)
					}
				}
			})
		}
	}
}

func TestATableThatNeverFilledIsExactAndSaysSo(t *testing.T) {
	events := streams()[0].make(seeded(t, 3), 4000, 20)
	truth := newOracle()
	x := NewTable(4 << 20)
	for i := range events {
		events[i].addTo(x)
		truth.add(&events[i], 0)
	}
	for g := range truth.totals {
		if !x.Exact(g) {
			t.Errorf("group %d is not exact: off %v", g, x.Off(g))
		}
	}
	if got, want := x.Seal(Quota{}, 0).Len(), len(truth.keys); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}

// replay adds events to a new table.
func replay(events []event, budget int) *Table {
	x := NewTable(budget)
	for i := range events {
		events[i].addTo(x)
	}
	return x
}

func TestEqualStateGivesEqualBytes(t *testing.T) {
	r := seeded(t, 5)
	events := streams()[6].make(r, 12_000, 20)
	for i := range events {
		events[i].second, events[i].mark = 0, 7
	}
	want := replay(events, 16<<10).AppendBinary(nil)
	tests := []struct {
		name string
		make func() *Table
	}{
		{"a table that was used before and reset", func() *Table {
			x := replay(streams()[0].make(r, 9000, 500), 16<<10)
			x.Reset()
			for i := range events {
				events[i].addTo(x)
			}
			return x
		}},
		{"a table under a keyed hash from the start", func() *Table {
			x := NewTable(16 << 10)
			x.rekey(-1)
			for i := range events {
				events[i].addTo(x)
			}
			return x
		}},
		{"a table that is read back from bytes every 1000 updates", func() *Table {
			x := NewTable(16 << 10)
			for i := range events {
				events[i].addTo(x)
				if i%1000 == 0 {
					x = tripped(t, x)
				}
			}
			return x
		}},
		{"a clone, while the original goes on", func() *Table {
			x := replay(events[:6000], 16<<10)
			c := x.Clone()
			for i := range events[6000:] {
				events[i].addTo(x)
				events[6000+i].addTo(c)
			}
			return c
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.make().AppendBinary(nil); !bytes.Equal(got, want) {
				t.Errorf("%d bytes differ from the %d of a new table", len(got), len(want))
			}
		})
	}
}

func TestTheOrderOfUpdatesDoesNotShowInAnExactTable(t *testing.T) {
	r := seeded(t, 6)
	events := streams()[0].make(r, 3000, 20)
	for i := range events {
		events[i].second, events[i].mark = 0, 0
	}
	want := replay(events, 4<<20)
	r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	got := replay(events, 4<<20)
	if !bytes.Equal(got.AppendBinary(nil), want.AppendBinary(nil)) {
		t.Error("the tables differ")
	}
	if !bytes.Equal(got.Seal(Quota{}, 0).AppendBinary(nil), want.Seal(Quota{}, 0).AppendBinary(nil)) {
		t.Error("the sealed forms differ")
	}
}

func TestShrinkingTakesEffectAtOnceAndGrowingRaisesTheCap(t *testing.T) {
	events := streams()[0].make(seeded(t, 7), 40_000, 20)
	x := replay(events[:20_000], 1<<20)
	for _, budget := range []int{512 << 10, 128 << 10, 100_000, 16 << 10, 0} {
		x.SetBudget(budget)
		if got, want := x.Bytes(), max(budget, minBudget)*11/10+cap(x.groups)*64; got > want {
			t.Errorf("%d bytes at a budget of %d", got, budget)
		}
		if got, want := x.Len(), slotLimit(max(budget, minBudget)); got > want {
			t.Errorf("%d slots at a budget of %d, which allows %d", got, budget, want)
		}
	}
	small := x.Len()
	x.SetBudget(256 << 10)
	for i := range events[20_000:] {
		events[20_000+i].addTo(x)
	}
	if x.Len() <= 4*small {
		t.Errorf("%d slots after growing, %d before", x.Len(), small)
	}
	truth := newOracle()
	for i := range events {
		truth.add(&events[i], 0)
	}
	checkTable(t, x, truth)
}

func TestFoldingAFilterKeepsTheBoundOfEveryHash(t *testing.T) {
	r := seeded(t, 8)
	for _, sizes := range [][2]int{{512, 256}, {512, 128}, {100, 37}, {37, 100}, {264, 1}} {
		old := make([]Vector, sizes[0])
		for i := range old {
			old[i] = Vector{r.Uint64N(100), r.Uint64N(100), r.Uint64N(100)}
		}
		before, after := &Table{cells: old}, &Table{cells: resample(old, sizes[1])}
		for range 10_000 {
			hash := r.Uint64()
			if !before.cell(hash).within(*after.cell(hash)) {
				t.Fatalf("from %d cells to %d: hash %x had %v, has %v", sizes[0], sizes[1], hash, *before.cell(hash), *after.cell(hash))
			}
		}
	}
}

// A small group's heavy key must survive a purge for its neighbours' sake, also where there are
// more groups than protected slots.
func TestAHeavyKeyOfASmallGroupIsHeld(t *testing.T) {
	for _, groups := range []int{20, 64} {
		t.Run(fmt.Sprintf("%d groups", groups), func(t *testing.T) {
			r := seeded(t, uint64(groups))
			z := newZipf(0.8, 100_000)
			x := NewTable(512 << 10)
			hot := uint64(0)
			for i := range 400_000 {
				e := eventOf(r.IntN(groups-1), z.draw(r), Vector{1, 10, 0})
				if i%10_000 == 9_999 {
					e = eventOf(groups-1, r.IntN(30_000), Vector{1, 10, 0})
					if i/10_000%5 < 2 {
						e = eventOf(groups-1, 1, Vector{1, 10, 0})
						hot++
					}
				}
				e.addTo(x)
			}
			e := eventOf(groups-1, 1, Vector{})
			low, high := x.Bounds(e.group, e.hash, []byte(e.key))
			if low[0] != hot || high[0] > hot+1 {
				t.Errorf("bounds [%d, %d] of a key with %d of 40", low[0], high[0], hot)
			}
		})
	}
}

func TestEveryPurgeFreesAnEighthOfTheSlots(t *testing.T) {
	for _, groups := range []int{1, 20, 240, 500, 5000} {
		t.Run(fmt.Sprintf("%d groups", groups), func(t *testing.T) {
			r := seeded(t, uint64(groups))
			x := NewTable(64 << 10)
			for i := 0; x.Len() < slotLimit(64<<10); i++ {
				e := eventOf(r.IntN(groups), i, Vector{1 + r.Uint64N(9), r.Uint64N(9), r.Uint64N(9)})
				x.Add(e.group, e.hash, []byte(e.key)[:min(len(e.key), inlineKey)], &e.w, 0, 0)
			}
			n := x.Len()
			x.purge(n * 3 / 4)
			if x.Len() > n*7/8 {
				t.Errorf("%d of %d slots stay", x.Len(), n)
			}
		})
	}
}

func TestTheBusiestSecondIsKept(t *testing.T) {
	x := NewTable(0)
	key := []byte("k")
	for _, u := range []struct {
		second uint32
		w      Vector
	}{{5, Vector{2, 1}}, {6, Vector{1, 9}}, {6, Vector{2, 9}}, {8, Vector{3, 18}}, {0, Vector{50, 50}}, {7, Vector{3, 18}}} {
		x.Add(0, 1, key, &u.w, u.second, 0)
	}
	e := x.Seal(Quota{}, 60).At(0)
	got := [3]Peak{e.Second, e.CostSecond, e.Interval}
	if want := [3]Peak{{6, 3}, {6, 18}, {60, 61}}; got != want {
		t.Errorf("second, cost second, interval %v, want %v", got, want)
	}
}

// TestTheFirst100AreFound is the recall gate: all of the true first 100, by each weight, at 1 MiB.
func TestTheFirst100AreFound(t *testing.T) {
	distinct, n, part := 1_000_000, 2_000_000, uint64(5000)
	if os.Getenv("KEYHEAT_LONG") != "" {
		distinct, n, part = 10_000_000, 20_000_000, 10_000
	} else if testing.Short() {
		t.Skip("needs 2 M updates")
	}
	for _, s := range []float64{0.8, 1.1, 1.5} {
		t.Run(fmt.Sprintf("zipf %.1f", s), func(t *testing.T) {
			seeded(t, 1)
			z, r := newZipf(s, distinct), rand.New(rand.NewPCG(1, 1))
			x := NewTable(1 << 20)
			var counts [Weights][]uint64
			for w := range counts {
				counts[w] = make([]uint64, distinct)
			}
			for range n {
				rank := z.draw(r)
				key := keyNamed(rank)
				w := weightsOf(key)
				x.Add(0, Hash(key), key, &w, 0, 0)
				for i := range w {
					counts[i][rank] += w[i]
				}
			}
			top := x.Seal(Quota{Top: [Weights]int{200, 200, 200}}, 0)
			for w := range Weights {
				if found := recall(top, counts[w], w, 100); found != 100 {
					t.Errorf("weight %d: %d of the first 100 found", w, found)
				}
				off, total := x.Off(0)[w], x.Total(0)[w]
				t.Logf("weight %d: off/N %.1e", w, float64(off)/float64(total))
				if off > total/part {
					t.Errorf("weight %d: off %d over 1/%d of %d", w, off, part, total)
				}
			}
		})
	}
}

// recall counts how many of the first n entries of top by a weight have a true count of at least the n-th.
func recall(top *Top, counts []uint64, w, n int) (found int) {
	least := counts[largestFirst(counts)[n-1]]
	middles := make([]uint64, top.Len())
	for i := range middles {
		middles[i] = top.rows[i].middle(w)
	}
	first := map[string]bool{}
	for _, i := range largestFirst(middles)[:min(n, len(middles))] {
		first[string(top.key(i))] = true
	}
	for rank, count := range counts {
		if count >= least && first[string(keyNamed(rank))] {
			found++
		}
	}
	return found
}
