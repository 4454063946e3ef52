package detect

import "math/bits"

// A Range is a count with bounds: Low <= truth <= High.
type Range struct{ Low, High uint64 }

// Middle is the estimate between the bounds, by which keys are ranked.
func (r Range) Middle() uint64 { return r.Low + (r.High-r.Low)/2 }

// Exact reports whether the count is known.
func (r Range) Exact() bool { return r.Low == r.High }

// Plus adds two ranges, saturating.
func (r Range) Plus(o Range) Range { return Range{AddSat(r.Low, o.Low), AddSat(r.High, o.High)} }

// Meet gives the bounds that hold when both do.
func (r Range) Meet(o Range) Range { return Range{max(r.Low, o.Low), min(r.High, o.High)} }

// AddSat adds two counts; what would not fit is the largest count.
func AddSat(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// MulSat multiplies two counts as AddSat adds them.
func MulSat(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}

func subFloor(a, b uint64) uint64 { return a - min(a, b) }

// mulDiv gives a*b/c without overflow, rounded down; it saturates, and is 0 when c is.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	switch {
	case c == 0:
		return 0
	case hi >= c:
		return ^uint64(0)
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}
