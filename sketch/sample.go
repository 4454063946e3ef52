package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// A Sample holds a uniform sample of keys, by their hashes, with the exact totals of each: all keys whose
// hash is below 2^(64-k), with the smallest k that leaves at most the cap. It depends on the stream's
// totals and on the cap alone, not on the order of updates. A hash of 0 counts as 1.
type Sample struct {
	cap   int
	k     uint8
	n     int
	table []sampled // open addressing by the low bits of the hash; hash 0 is free
}

type sampled struct{ hash, requests, bytes uint64 }

const (
	minSampleTable = 8
	maxSample      = 1 << 24
)

// NewSample makes an empty sample of at most cap keys; cap is moved into 1 to 2^24.
func NewSample(cap int) *Sample {
	return &Sample{cap: min(max(cap, 1), maxSample)}
}

// Add counts requests and bytes for the key of that hash. Totals saturate.
func (s *Sample) Add(hash uint64, requests, bytes uint64) {
	if hash>>(64-s.k) == 0 { // inlined: few hashes get further
		s.add(hash, requests, bytes)
	}
}

func (s *Sample) add(hash uint64, requests, bytes uint64) {
	hash = max(hash, 1)
	if hash>>(64-s.k) != 0 {
		return
	}
	if len(s.table) > 0 {
		if e := s.slot(hash); e.hash != 0 {
			e.requests = addSat(e.requests, requests)
			e.bytes = addSat(e.bytes, bytes)
			return
		}
	}
	s.insert(sampled{hash, requests, bytes})
}

// slot gives the entry of a hash or the free one where it belongs.
func (s *Sample) slot(hash uint64) *sampled {
	mask := uint64(len(s.table) - 1)
	for i, step := hash&mask, uint64(1); ; i, step = (i+step)&mask, step+1 {
		if e := &s.table[i]; e.hash == hash || e.hash == 0 {
			return e
		}
	}
}

func (s *Sample) insert(e sampled) {
	if s.n == s.cap {
		s.halve(e.hash)
		if e.hash>>(64-s.k) != 0 {
			return
		}
	}
	if (s.n+1)*3 > len(s.table)*2 {
		s.rebuild(max(2*len(s.table), minSampleTable))
	}
	*s.slot(e.hash) = e
	s.n++
}

// halve raises k until less than cap keys, or as many without the new hash, are left.
func (s *Sample) halve(hash uint64) {
	for s.n == s.cap && hash>>(64-s.k) == 0 {
		s.k++
		s.drop()
	}
}

// drop forgets the keys that are no longer sampled.
func (s *Sample) drop() {
	s.n = 0
	for i := range s.table {
		if e := &s.table[i]; e.hash>>(64-s.k) != 0 {
			*e = sampled{}
		} else if e.hash != 0 {
			s.n++
		}
	}
	s.rebuild(len(s.table))
}

// rebuild enters all keys into a new table.
func (s *Sample) rebuild(size int) {
	old := s.table
	s.table = make([]sampled, size)
	for _, e := range old {
		if e.hash != 0 {
			*s.slot(e.hash) = e
		}
	}
}

// Merge adds o to s. The smaller cap and the larger k hold for the sum. o is not changed.
func (s *Sample) Merge(o *Sample) {
	s.SetCap(o.cap)
	if o.k > s.k {
		s.k = o.k
		s.drop()
	}
	for _, e := range o.table {
		if e.hash != 0 {
			s.Add(e.hash, e.requests, e.bytes)
		}
	}
}

// SetCap lowers the number of keys held, at least 1; a higher one is ignored.
func (s *Sample) SetCap(n int) {
	s.cap = min(s.cap, max(n, 1))
	for s.n > s.cap {
		s.k++
		s.drop()
	}
	if size := s.fitting(); size < len(s.table) {
		s.rebuild(size)
	}
}

// fitting gives the size of a table that can hold the cap.
func (s *Sample) fitting() int {
	return max(minSampleTable, 1<<bits.Len(uint(s.cap*3/2)))
}

// Len gives the number of keys held.
func (s *Sample) Len() int { return s.n }

// Cap gives the largest number of keys held.
func (s *Sample) Cap() int { return s.cap }

// Theta gives k: each key is in the sample with probability 1/2^k.
func (s *Sample) Theta() uint8 { return s.k }

// Each calls f for each key held, in order of hash.
func (s *Sample) Each(f func(hash, requests, bytes uint64)) {
	for _, e := range s.sorted() {
		f(e.hash, e.requests, e.bytes)
	}
}

func (s *Sample) sorted() []sampled {
	all := make([]sampled, 0, s.n)
	for _, e := range s.table {
		if e.hash != 0 {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b sampled) int { return cmp.Compare(a.hash, b.hash) })
	return all
}

// Clone gives an independent copy.
func (s *Sample) Clone() *Sample {
	c := *s
	c.table = slices.Clone(s.table)
	return &c
}

// Reset empties s and keeps its cap and memory.
func (s *Sample) Reset() {
	clear(s.table)
	s.k, s.n = 0, 0
}
