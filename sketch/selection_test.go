package sketch

import "testing"

func TestSelectionEqualsSorting(t *testing.T) {
	r := seeded(t, 1)
	for range 300 {
		values := make([]uint64, 1+r.IntN(2000))
		spread := 1 + r.IntN(64)
		for i := range values {
			values[i] = r.Uint64() >> (64 - spread) << r.IntN(1+64-spread)
		}
		order := largestFirst(values)
		for range 20 {
			rank := r.IntN(len(values))
			if got, want := selectLargest(values, rank), values[order[rank]]; got != want {
				t.Fatalf("rank %d of %d: %d, want %d", rank, len(values), got, want)
			}
		}
	}
}
