package sketch

import (
	"math"
	"math/bits"
	"slices"
)

const (
	minPrecision   = 4
	maxPrecision   = 16
	sparseDistinct = 16
)

// A Distinct estimates the number of distinct hashes: up to 16 it holds them and is exact, then it is a
// HyperLogLog of 2^p registers (Flajolet et al. 2007) with standard error 1.04/sqrt(2^p), 0.81 % at p = 14.
// It depends on the set of hashes and on p alone.
type Distinct struct {
	p         uint8
	few       []uint64 // sorted; used while registers is nil
	registers []uint8  // highest rank of a hash with that prefix, 0 to 65-p
}

// NewDistinct makes an empty one; p is moved into 4 to 16.
func NewDistinct(p uint8) *Distinct {
	return &Distinct{p: min(max(p, minPrecision), maxPrecision)}
}

// Add counts a hash.
func (d *Distinct) Add(hash uint64) {
	if d.registers == nil {
		d.addFew(hash)
		return
	}
	d.addDense(hash)
}

func (d *Distinct) addDense(hash uint64) {
	r := &d.registers[hash>>(64-d.p)]
	if rank := uint8(bits.LeadingZeros64(hash<<d.p|1<<(d.p-1))) + 1; rank > *r {
		*r = rank
	}
}

func (d *Distinct) addFew(hash uint64) {
	at, found := slices.BinarySearch(d.few, hash)
	if found {
		return
	}
	if len(d.few) < sparseDistinct {
		d.few = slices.Insert(d.few, at, hash)
		return
	}
	d.registers = make([]uint8, 1<<d.p)
	for _, h := range d.few {
		d.addDense(h)
	}
	d.few = nil
	d.addDense(hash)
}

// Merge makes d the union of d and o, at the smaller precision of the two. o is not changed.
func (d *Distinct) Merge(o *Distinct) {
	d.Fold(o.p)
	if o.registers == nil {
		for _, h := range o.few {
			d.Add(h)
		}
		return
	}
	few := d.few
	if d.registers == nil {
		d.few, d.registers = nil, make([]uint8, 1<<d.p)
	}
	for i, rank := range o.registers {
		d.foldRegister(i, rank, o.p)
	}
	for _, h := range few {
		d.addDense(h)
	}
}

// Fold lowers the precision to p, as if d had always had it; a higher p changes nothing.
func (d *Distinct) Fold(p uint8) {
	p = max(p, minPrecision)
	if p >= d.p {
		return
	}
	old, from := d.registers, d.p
	d.p = p
	if old == nil {
		return
	}
	d.registers = make([]uint8, 1<<p)
	for i, rank := range old {
		d.foldRegister(i, rank, from)
	}
}

// foldRegister takes over register i of precision from >= d.p. The bits that it has more are the first of the
// rest of the hash: a 1 among them decides the rank.
func (d *Distinct) foldRegister(i int, rank, from uint8) {
	if rank == 0 {
		return
	}
	more := from - d.p
	if rest := i & (1<<more - 1); rest != 0 {
		rank = more - uint8(bits.Len(uint(rest))) + 1
	} else {
		rank += more
	}
	r := &d.registers[i>>more]
	*r = max(*r, rank)
}

// Precision gives p.
func (d *Distinct) Precision() uint8 { return d.p }

// Estimate gives the number of distinct hashes. Up to 16 it is exact; beyond, low and high are 3 standard
// errors away: the number is outside about once in 400 streams. The estimator is Ertl's improved
// one (arXiv 1702.01284, algorithm 6), which has no bias at any number.
func (d *Distinct) Estimate() (value, low, high uint64) {
	if d.registers == nil {
		n := uint64(len(d.few))
		return n, n, n
	}
	estimate, used := d.improved()
	bound := 3 * 1.04 / math.Sqrt(float64(len(d.registers)))
	low = max(toUint(estimate/(1+bound)), used)
	value = max(toUint(estimate), low)
	return value, low, max(toUint(math.Ceil(estimate/(1-bound))), value)
}

// improved gives the estimate and the number of registers in use. The conversions keep products and sums
// apart, so that all processors give the same.
func (d *Distinct) improved() (estimate float64, used uint64) {
	var counts [66]int
	for _, rank := range d.registers {
		counts[rank]++
	}
	m := float64(len(d.registers))
	q := 64 - int(d.p)
	z := float64(m * tau(1-float64(counts[q+1])/m))
	for k := q; k >= 1; k-- {
		z = float64(0.5 * float64(z+float64(counts[k])))
	}
	z += float64(m * sigma(float64(counts[0])/m))
	return float64(m*m) / float64(2*math.Ln2*z), uint64(len(d.registers) - counts[0])
}

// sigma gives x + the sum over k >= 1 of x^(2^k) 2^(k-1).
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z, last := 1.0, x, -1.0
	for z != last {
		x = float64(x * x)
		last = z
		z += float64(x * y)
		y *= 2
	}
	return z
}

// tau gives (1 - x - the sum over k >= 1 of (1-x^(2^-k))^2 2^-k) / 3.
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z, last := 1.0, 1-x, -1.0
	for z != last {
		x = math.Sqrt(x)
		last = z
		y *= 0.5
		z -= float64(float64((1-x)*(1-x)) * y)
	}
	return z / 3
}

func toUint(x float64) uint64 {
	if x >= math.MaxUint64 {
		return math.MaxUint64
	}
	return uint64(x)
}

// Clone gives an independent copy.
func (d *Distinct) Clone() *Distinct {
	return &Distinct{p: d.p, few: slices.Clone(d.few), registers: slices.Clone(d.registers)}
}

// Reset empties d and keeps its precision.
func (d *Distinct) Reset() { d.few, d.registers = d.few[:0], nil }
