package sketch

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

func TestUpTo16HashesAreCountedExactly(t *testing.T) {
	d := NewDistinct(14)
	for i := range 16 {
		for range 3 {
			d.Add(Hash(keyNamed(i)))
		}
		if value, low, high := d.Estimate(); value != uint64(i+1) || low != value || high != value {
			t.Errorf("%d in [%d, %d], want exactly %d", value, low, high, i+1)
		}
	}
	if got := len(d.AppendBinary(nil)); got > 16*10+3 {
		t.Errorf("16 hashes take %d bytes", got)
	}
	d.Reset()
	if value, _, _ := d.Estimate(); value != 0 {
		t.Errorf("%d after a reset", value)
	}
}

// The plain estimator is 2 % too high near 2.6 times the registers; this one must not be.
func TestTheEstimateHasNoBias(t *testing.T) {
	for _, p := range []uint8{8, 10, 12} {
		for _, perRegister := range []float64{0.1, 0.5, 1, 2, 2.6, 3, 4, 10} {
			t.Run(fmt.Sprintf("p = %d, %.1f a register", p, perRegister), func(t *testing.T) {
				r := seeded(t, uint64(p))
				m := float64(uint64(1) << p)
				n, trials := int(perRegister*m), 100
				sum, squares := 0.0, 0.0
				for range trials {
					d := NewDistinct(p)
					for range n {
						d.Add(r.Uint64())
					}
					value, _, _ := d.Estimate()
					relative := float64(value)/float64(n) - 1
					sum += relative
					squares += relative * relative
				}
				mean, deviation := sum/float64(trials), math.Sqrt(squares/float64(trials))
				standard := 1.04 / math.Sqrt(m)
				if math.Abs(mean) > 3.5*standard/math.Sqrt(float64(trials)) {
					t.Errorf("mean error %.2f %%", 100*mean)
				}
				if deviation > 1.25*standard {
					t.Errorf("standard error %.2f %%, want at most %.2f %%", 100*deviation, 100*standard)
				}
			})
		}
	}
}

func TestFoldingEqualsHavingHadThePrecision(t *testing.T) {
	for _, n := range []int{10, 100, 100_000} {
		for from := uint8(5); from <= 16; from++ {
			wide, narrow := NewDistinct(from), NewDistinct(4)
			for i := range n {
				h := Hash(keyNamed(i))
				wide.Add(h)
				narrow.Add(h)
			}
			wide.Fold(4)
			if !bytes.Equal(wide.AppendBinary(nil), narrow.AppendBinary(nil)) {
				t.Errorf("%d hashes: p = %d folded to 4 differs from p = 4", n, from)
			}
		}
	}
}

func TestPrecisionIsMovedIntoItsRange(t *testing.T) {
	for _, tt := range [][2]uint8{{0, 4}, {4, 4}, {16, 16}, {64, 16}} {
		if got := NewDistinct(tt[0]).Precision(); got != tt[1] {
			t.Errorf("precision %d, want %d", got, tt[1])
		}
	}
}
