package sketch

import "math/bits"

// Weights is the number of weights that each update carries.
const Weights = 3

// A Vector holds one amount for each weight. Its arithmetic saturates.
type Vector [Weights]uint64

// Add gives v+w, each weight at most MaxUint64.
func (v Vector) Add(w Vector) Vector {
	for i := range v {
		v[i] = satAdd(v[i], w[i])
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

func satAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}
