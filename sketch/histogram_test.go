package sketch

import (
	"math"
	"testing"
)

func TestBucketsCoverEveryValueOnce(t *testing.T) {
	next := uint64(0)
	for b := range buckets {
		low, high := bucketEdges(b)
		if low != next || bucketOf(low) != b || bucketOf(high) != b {
			t.Fatalf("bucket %d: [%d, %d] after %d", b, low, high, next)
		}
		if high-low > low/mantissa {
			t.Fatalf("bucket %d: [%d, %d] is too wide", b, low, high)
		}
		next = high + 1
	}
	if next != 0 {
		t.Errorf("the last bucket ends before %d", uint64(math.MaxUint64))
	}
}

func TestAHistogramIsSparseUntil64BucketsAreUsed(t *testing.T) {
	h := new(Histogram)
	for v := range uint64(64) {
		h.Add(v, 1)
	}
	if h.dense != nil {
		t.Error("dense with 64 buckets")
	}
	h.Add(1<<20, 1)
	if h.dense == nil || h.few != nil {
		t.Error("sparse with 65 buckets")
	}
	h.Reset()
	if h.Count() != 0 || h.Max() != 0 || h.Above(0) != 0 {
		t.Error("not empty after a reset")
	}
	h.Add(3, 2)
	if low, high := h.Quantile(1, 2); low != 3 || high != 3 {
		t.Errorf("[%d, %d] after a reset, want [3, 3]", low, high)
	}
}

func TestAnEmptyHistogramGivesZeros(t *testing.T) {
	h := new(Histogram)
	h.Add(5, 0)
	low, high := h.Quantile(99, 100)
	if got := [...]uint64{low, high, h.Count(), h.Sum(), h.Min(), h.Max(), h.Above(0)}; got != [7]uint64{} {
		t.Errorf("got %v", got)
	}
}
