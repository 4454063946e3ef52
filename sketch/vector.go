package sketch

import (
	"math"
	"math/bits"
)

// Weights is the number of weights that each update carries.
const Weights = 3

// A Vector holds one amount for each weight. Its arithmetic saturates.
type Vector [Weights]uint64

// Add gives v+w, each weight at most MaxUint64.
func (v Vector) Add(w Vector) Vector {
	for i := range v {
		v[i] = addSat(v[i], w[i])
	}
	return v
}

// Sub gives v-w, each weight at least 0.
func (v Vector) Sub(w Vector) Vector {
	for i := range v {
		v[i] -= min(v[i], w[i])
	}
	return v
}

// Min gives the smaller amount of each weight.
func (v Vector) Min(w Vector) Vector {
	for i := range v {
		v[i] = min(v[i], w[i])
	}
	return v
}

// Max gives the larger amount of each weight.
func (v Vector) Max(w Vector) Vector {
	for i := range v {
		v[i] = max(v[i], w[i])
	}
	return v
}

// IsZero reports whether all amounts are 0.
func (v Vector) IsZero() bool { return v == Vector{} }

// within reports whether no amount of v is larger than that of w.
func (v Vector) within(w Vector) bool {
	return v[0] <= w[0] && v[1] <= w[1] && v[2] <= w[2]
}

// room gives the largest w for which v+w does not overflow.
func (v Vector) room() Vector {
	for i := range v {
		v[i] = ^v[i]
	}
	return v
}

// residual bounds what a total leaves for keys beyond the counted sum. A saturated total bounds nothing.
func residual(total, counted Vector) Vector {
	left := total.Sub(counted)
	for i := range left {
		if total[i] == math.MaxUint64 {
			left[i] = math.MaxUint64
		}
	}
	return left
}

func addSat(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

func mulSat(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}
