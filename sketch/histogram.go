package sketch

import (
	"math/bits"
	"slices"
)

const (
	mantissaBits  = 5
	mantissa      = 1 << mantissaBits
	buckets       = (64 - mantissaBits + 1) * mantissa
	sparseBuckets = 64
)

// bucketOf numbers the log-linear buckets: values below 32 have their own, above each power of two has 32.
func bucketOf(v uint64) int {
	if v < mantissa {
		return int(v)
	}
	e := bits.Len64(v) - 1 - mantissaBits
	return e<<mantissaBits + int(v>>e)
}

// bucketEdges gives the smallest and the largest value of a bucket.
func bucketEdges(bucket int) (low, high uint64) {
	if bucket < 2*mantissa {
		return uint64(bucket), uint64(bucket)
	}
	e := bucket>>mantissaBits - 1
	low = uint64(bucket-e<<mantissaBits) << e
	return low, low + 1<<e - 1
}

// A Histogram counts values in log-linear buckets, each at most 1/32 of its lower edge wide. Counts
// saturate. The zero Histogram is empty. It costs little until 64 buckets are in use.
type Histogram struct {
	few          []bucketCount // sorted; used while dense is nil
	dense        []uint64      // up to the highest bucket in use
	count, sum   uint64
	lowest, most uint64
}

type bucketCount struct {
	bucket uint16
	n      uint64
}

// Add counts value v n times.
func (h *Histogram) Add(v, n uint64) {
	if n == 0 {
		return
	}
	if bucket := bucketOf(v); bucket < len(h.dense) {
		h.dense[bucket] = addSat(h.dense[bucket], n)
	} else {
		h.addBucket(bucket, n)
	}
	h.note(v, v, n, mulSat(v, n))
}

// note takes in n values between low and high of that sum.
func (h *Histogram) note(low, high, n, sum uint64) {
	if h.count == 0 || low < h.lowest {
		h.lowest = low
	}
	h.most = max(h.most, high)
	h.count = addSat(h.count, n)
	h.sum = addSat(h.sum, sum)
}

func (h *Histogram) addBucket(bucket int, n uint64) {
	if bucket < len(h.dense) {
		h.dense[bucket] = addSat(h.dense[bucket], n)
		return
	}
	if h.dense != nil {
		h.growDense(bucket)
		h.dense[bucket] = n
		return
	}
	at, found := h.findFew(uint16(bucket))
	switch {
	case found:
		h.few[at].n = addSat(h.few[at].n, n)
	case len(h.few) < sparseBuckets:
		h.few = slices.Insert(h.few, at, bucketCount{uint16(bucket), n})
	default:
		h.growDense(max(bucket, int(h.few[len(h.few)-1].bucket)))
		for _, b := range h.few {
			h.dense[b.bucket] = b.n
		}
		h.few = nil
		h.dense[bucket] = n
	}
}

// findFew gives where a bucket is or belongs in few. The halving has no branch that depends on the bucket.
func (h *Histogram) findFew(bucket uint16) (at int, found bool) {
	for n := len(h.few); n > 0; {
		half := (n + 1) / 2
		step := 0
		if h.few[at+half-1].bucket < bucket {
			step = half
		}
		at += step
		n -= half
	}
	return at, at < len(h.few) && h.few[at].bucket == bucket
}

func (h *Histogram) growDense(bucket int) {
	h.dense = slices.Grow(h.dense, bucket+1-len(h.dense))[:bucket+1]
}

// each calls f for each bucket in use, in order, until f gives false.
func (h *Histogram) each(f func(bucket int, n uint64) bool) {
	for _, b := range h.few {
		if !f(int(b.bucket), b.n) {
			return
		}
	}
	for bucket, n := range h.dense {
		if n != 0 && !f(bucket, n) {
			return
		}
	}
}

// Merge adds o to h.
func (h *Histogram) Merge(o *Histogram) {
	if o.count == 0 {
		return
	}
	o.each(func(bucket int, n uint64) bool { h.addBucket(bucket, n); return true })
	h.note(o.lowest, o.most, o.count, o.sum)
}

// Count gives the number of values.
func (h *Histogram) Count() uint64 { return h.count }

// Sum gives the sum of the values, at most MaxUint64.
func (h *Histogram) Sum() uint64 { return h.sum }

// Min gives the smallest value, 0 when there is none.
func (h *Histogram) Min() uint64 { return h.lowest }

// Max gives the largest value, 0 when there is none.
func (h *Histogram) Max() uint64 { return h.most }

// Quantile gives the edges, both inclusive, of the bucket that holds the value of rank ceil(count*num/den),
// at least the first and at most the last; 0, 0 when there is no value. den must not be 0.
func (h *Histogram) Quantile(num, den uint64) (low, high uint64) {
	rank := h.rank(num, den)
	h.each(func(bucket int, n uint64) bool {
		if rank > n {
			rank -= n
			return true
		}
		low, high = bucketEdges(bucket)
		return false
	})
	return max(low, h.lowest), min(high, h.most)
}

func (h *Histogram) rank(num, den uint64) uint64 {
	if num >= den {
		return h.count
	}
	hi, lo := bits.Mul64(h.count, num)
	rank, rest := bits.Div64(hi, lo, den)
	if rest > 0 || rank == 0 {
		rank++
	}
	return rank
}

// Above gives the number of values that are surely at least limit: those of buckets whose lower edge is,
// or all when the smallest value is.
func (h *Histogram) Above(limit uint64) (count uint64) {
	if h.lowest >= limit {
		return h.count
	}
	h.each(func(bucket int, n uint64) bool {
		if low, _ := bucketEdges(bucket); low >= limit {
			count = addSat(count, n)
		}
		return true
	})
	return count
}

// Clone gives an independent copy.
func (h *Histogram) Clone() *Histogram {
	c := *h
	c.few = slices.Clone(h.few)
	c.dense = slices.Clone(h.dense)
	return &c
}

// Reset empties h and keeps its memory.
func (h *Histogram) Reset() {
	clear(h.dense)
	*h = Histogram{few: h.few[:0], dense: h.dense}
}
