package generate

import "math"

// A zipf draws numbers 0 .. n-1 with probability proportional to 1/(number+1)^skew, in constant time
// and memory, by rejection-inversion (W. Hörmann and G. Derflinger, Rejection-inversion to generate
// variates from monotone discrete distributions, ACM TOMACS 6(3), 1996). It inverts the integral of
// the hat function x^-skew, so a draw costs a logarithm and an exponential and is rarely repeated.
//
// It is the one place that uses floating point: on another architecture a last bit may differ, and
// with it, once in some billions of draws, a number.
type zipf struct {
	n     uint64
	skew  float64
	first float64 // integral of the hat at 1.5, less 1: the left end of what is drawn
	last  float64 // integral of the hat at n + 0.5: the right end
	near  float64 // numbers this near to their point are accepted at once
}

func newZipf(n uint64, skew float64) zipf {
	z := zipf{n: n, skew: skew}
	z.first = z.integral(1.5) - 1
	z.last = z.integral(float64(n) + 0.5)
	z.near = 2 - z.inverse(z.integral(2.5)-z.hat(2))
	return z
}

func (z *zipf) draw(s *source) uint64 {
	if z.skew == 0 {
		return s.below(z.n)
	}
	for {
		unit := float64(s.random.Uint64()>>11) * 0x1p-53
		u := z.last + float64(unit*(z.first-z.last))
		x := z.inverse(u)
		k := min(max(math.Floor(x+0.5), 1), float64(z.n))
		if k-x <= z.near || u >= z.integral(k+0.5)-z.hat(k) {
			return uint64(k) - 1
		}
	}
}

func (z *zipf) hat(x float64) float64 { return math.Exp(-z.skew * math.Log(x)) }

// integral is the integral of hat from 1 to x: (x^(1-skew) - 1) / (1-skew), and log(x) when skew is 1.
func (z *zipf) integral(x float64) float64 {
	l := math.Log(x)
	return overX(math.Expm1, (1-z.skew)*l) * l
}

// inverse is the inverse function of integral.
func (z *zipf) inverse(y float64) float64 {
	t := max(y*(1-z.skew), -1)
	return math.Exp(overX(math.Log1p, t) * y)
}

// overX gives f(x)/x for expm1 and log1p, which both tend to 1 at 0.
func overX(f func(float64) float64, x float64) float64 {
	if math.Abs(x) < 1e-12 {
		return 1
	}
	return f(x) / x
}
