package sketch

import (
	"math/bits"
	"slices"
)

// selectLargest gives the value of a rank, 0 being the largest. It is exact, and takes a few linear
// passes: each narrows the range of the answer by counting values in buckets. values is not changed.
func selectLargest(values []uint64, rank int) uint64 {
	low, width := uint64(0), uint(64)
	if len(values) <= fewValues {
		return selectFew(values, low, width, rank)
	}
	for {
		var count int
		low, width, rank, count = narrow(values, low, width, rank)
		if width == 0 {
			return low
		}
		if count <= fewValues {
			return selectFew(values, low, width, rank)
		}
	}
}

const (
	fewValues  = 64
	narrowBits = 10
)

// narrow gives the bucket with the value of that rank among the values from low to low+2^width-1:
// where it begins, its width, the rank within and the number of values in it.
func narrow(values []uint64, low uint64, width uint, rank int) (uint64, uint, int, int) {
	var counts [1 << narrowBits]uint32
	if width == 64 {
		return narrowLog(values, rank)
	}
	shift := width - min(width, narrowBits)
	for _, v := range values {
		if (v-low)>>width == 0 {
			counts[(v-low)>>shift]++
		}
	}
	bucket, rest, n := fromTop(counts[:1<<(width-shift)], rank)
	return low + uint64(bucket)<<shift, shift, rest, n
}

// narrowLog is the first step, over all values: its buckets are those of a Histogram.
func narrowLog(values []uint64, rank int) (uint64, uint, int, int) {
	var counts [buckets]uint32
	most := 0
	for _, v := range values {
		bucket := bucketOf(v)
		counts[bucket]++
		most = max(most, bucket)
	}
	bucket, rest, n := fromTop(counts[:most+1], rank)
	low, high := bucketEdges(bucket)
	return low, uint(bits.Len64(high - low)), rest, n
}

// fromTop finds the bucket of a rank, counted from the last bucket on.
func fromTop(counts []uint32, rank int) (bucket, rest, count int) {
	i := len(counts) - 1
	for ; rank >= int(counts[i]); i-- {
		rank -= int(counts[i])
	}
	return i, rank, int(counts[i])
}

func selectFew(values []uint64, low uint64, width uint, rank int) uint64 {
	var few [fewValues]uint64
	n := 0
	for _, v := range values {
		if (v-low)>>width == 0 {
			few[n] = v
			n++
		}
	}
	slices.Sort(few[:n])
	return few[n-1-rank]
}
