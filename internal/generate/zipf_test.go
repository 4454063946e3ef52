package generate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestZipfDrawsEachNumberAsOftenAsItsWeightSays(t *testing.T) {
	const draws = 400_000
	for _, tc := range []struct {
		n    uint64
		skew float64
	}{{100, 0}, {100, 0.5}, {1000, 0.9}, {1000, 1}, {1000, 1 + 1e-13}, {50, 1.5}, {10, 4}} {
		s := &source{random: rand.NewPCG(3, 4)}
		z := newZipf(tc.n, tc.skew)
		got := make([]float64, tc.n)
		for range draws {
			got[z.draw(s)]++
		}
		sum := 0.0
		for k := range tc.n {
			sum += math.Pow(float64(k+1), -tc.skew)
		}
		for k := range tc.n {
			want := draws * math.Pow(float64(k+1), -tc.skew) / sum
			if math.Abs(got[k]-want) > 5*math.Sqrt(want)+3 {
				t.Errorf("n %d, skew %g: number %d drawn %g times, want about %.0f", tc.n, tc.skew, k, got[k], want)
			}
		}
	}
}

func TestZipfStaysInRangeForHugeRanges(t *testing.T) {
	s := &source{random: rand.NewPCG(5, 6)}
	for _, skew := range []float64{0, 0.01, 0.8, 1, 1.1, 4} {
		z := newZipf(maxKeys, skew)
		for range 10_000 {
			if k := z.draw(s); k >= maxKeys {
				t.Fatalf("skew %g: drew %d", skew, k)
			}
		}
	}
}
