package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// seeded gives the random source of a test and prints its seed when the test fails.
func seeded(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0x6b657968656174))
}

// zipf draws ranks 0 to n-1 with probability proportional to 1/(rank+1)^s; unlike rand.Zipf for any s >= 0.
type zipf struct{ cumulative []float64 }

func newZipf(s float64, n int) *zipf {
	z := &zipf{make([]float64, n)}
	sum := 0.0
	for i := range z.cumulative {
		sum += math.Pow(float64(i+1), -s)
		z.cumulative[i] = sum
	}
	return z
}

func (z *zipf) draw(r *rand.Rand) int {
	n := len(z.cumulative)
	return min(sort.SearchFloat64s(z.cumulative, r.Float64()*z.cumulative[n-1]), n-1)
}

// keyNamed gives the key of a rank: 24 bytes, in no order of rank.
func keyNamed(rank int) []byte {
	x := uint64(rank+1) * 0x9e3779b97f4a7c15
	return fmt.Appendf(nil, "T0042#U#%016x", x^x>>29)
}

// keyStream gives n keys of 24 bytes in one buffer, drawn by Zipf s from that many distinct ones.
func keyStream(r *rand.Rand, s float64, distinct, n int) []byte {
	names := make([]byte, 0, distinct*inlineKey)
	for i := range distinct {
		names = append(names, keyNamed(i)...)
	}
	z := newZipf(s, distinct)
	keys := make([]byte, 0, n*inlineKey)
	for range n {
		i := z.draw(r) * inlineKey
		keys = append(keys, names[i:i+inlineKey]...)
	}
	return keys
}

// weightsOf gives weights like requests, bytes and marks on every tenth key, from the key's bytes.
func weightsOf(key []byte) Vector {
	x := binary.LittleEndian.Uint32(key[inlineKey-4:])
	w := Vector{1, uint64(100 + x%900)}
	if x%10 == 0 {
		w[2] = 1
	}
	return w
}

// largestFirst sorts the ranks of counts by count, ties by rank.
func largestFirst(counts []uint64) []int {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case counts[a] > counts[b]:
			return -1
		case counts[a] < counts[b]:
			return 1
		}
		return 0
	})
	return order
}
