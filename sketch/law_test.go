package sketch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A summary is any structure of the package as the law test sees it.
type summary interface {
	add(e *event)
	shrink(r *rand.Rand)               // lowers a limit that may fall midway
	merge(o summary) summary           // the sum; o is not used again
	trip(t *testing.T) summary         // through bytes
	check(t *testing.T, truth *oracle) // against the exact truth of all updates
}

// A subject makes empty summaries of one kind; interval is that of the part that it will see.
type subject struct {
	name string
	make func(interval uint32) summary
}

func subjects() []subject {
	all := []subject{
		{"distinct", func(uint32) summary { return &distinctSummary{NewDistinct(12)} }},
		{"sample", func(uint32) summary { return &sampleSummary{NewSample(256)} }},
		{"histogram", func(uint32) summary { return &histogramSummary{new(Histogram)} }},
	}
	everything := Quota{}
	usual := Quota{Top: [Weights]int{64, 16, 16}, PerGroup: [Weights]int{3, 1, 1}}
	tiny := Quota{Top: [Weights]int{2}}
	for _, budget := range []int{16 << 10, 64 << 10, 4 << 20} {
		for _, q := range []Quota{everything, usual, tiny} {
			all = append(all, subject{fmt.Sprintf("table of %d KiB, quota %v", budget>>10, q), func(interval uint32) summary {
				return &tableSummary{table: NewTable(budget), quota: q, interval: interval}
			}})
		}
	}
	return all
}

// TestLaws holds every structure against the truth: for streams of every shape, cut into parts, each
// summarised, some shrunk midway, merged in a random tree and taken through bytes at random steps.
func TestLaws(t *testing.T) {
	n := 8_000
	if testing.Short() {
		n = 3_000
	}
	for i, s := range streams() {
		for _, groups := range []int{1, 20, 500} {
			t.Run(fmt.Sprintf("%s, %d groups", s.name, groups), func(t *testing.T) {
				r := seeded(t, uint64(1000*i+groups))
				events := s.make(r, n, groups)
				for _, x := range subjects() {
					t.Run(x.name, func(t *testing.T) { holdLaws(t, r, events, x) })
				}
			})
		}
	}
}

func holdLaws(t *testing.T, r *rand.Rand, events []event, x subject) {
	truth := newOracle()
	parts := make([]summary, 1+r.IntN(9))
	for i := range parts {
		parts[i] = x.make(interval(i))
	}
	mixed, mayShrink := r.IntN(2) == 0, r.IntN(2) == 0
	for i := range events {
		part := i * len(parts) / len(events)
		if mixed {
			part = r.IntN(len(parts))
		}
		parts[part].add(&events[i])
		truth.add(&events[i], interval(part))
		if mayShrink && r.IntN(len(events)/4) == 0 {
			parts[part].shrink(r)
		}
		if r.IntN(len(events)/2) == 0 {
			parts[part] = parts[part].trip(t)
		}
	}
	for len(parts) > 1 {
		i := r.IntN(len(parts) - 1)
		parts[i] = parts[i].merge(parts[i+1])
		parts = slices.Delete(parts, i+1, i+2)
		if r.IntN(2) == 0 {
			parts[i] = parts[i].trip(t)
		}
	}
	parts[0].check(t, truth)
	parts[0].trip(t).check(t, truth)
}

func interval(part int) uint32 { return 60 * uint32(1+part%3) }

// tripped takes x through bytes and back, and wants the same bytes again.
func tripped[T any, P interface {
	*T
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}](t *testing.T, x P) P {
	t.Helper()
	b, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	y := P(new(T))
	if err := y.UnmarshalBinary(b); err != nil {
		t.Fatalf("reading what was written: %v", err)
	}
	if again, _ := y.MarshalBinary(); !bytes.Equal(again, b) {
		t.Fatal("bytes differ after a round trip")
	}
	return y
}

// tableSummary is an open table until its first merge, and a Top from then on.
type tableSummary struct {
	table    *Table
	top      *Top
	quota    Quota
	interval uint32
}

func (s *tableSummary) add(e *event) { e.addTo(s.table) }

func (s *tableSummary) shrink(r *rand.Rand) { s.table.SetBudget(s.table.budget >> (1 + r.IntN(3))) }

func (s *tableSummary) sealed() *Top {
	if s.top == nil {
		return s.table.Seal(s.quota, s.interval)
	}
	return s.top
}

func (s *tableSummary) merge(o summary) summary {
	return &tableSummary{top: MergeTops(s.sealed(), o.(*tableSummary).sealed(), s.quota), quota: s.quota}
}

func (s *tableSummary) trip(t *testing.T) summary {
	c := *s
	if s.top != nil {
		c.top = tripped(t, s.top)
	} else {
		c.table = tripped(t, s.table)
	}
	return &c
}

func (s *tableSummary) check(t *testing.T, truth *oracle) {
	t.Helper()
	if s.top == nil {
		checkTable(t, s.table, truth)
	}
	checkTop(t, s.sealed(), truth)
}

func checkTable(t *testing.T, x *Table, truth *oracle) {
	t.Helper()
	for k, f := range truth.keys {
		low, high := x.Bounds(k.group, truth.hashes[k], []byte(k.key))
		if !low.within(f) || !f.within(high) {
			t.Fatalf("group %d, key %q: bounds [%v, %v], true %v", k.group, k.key, low, high, f)
		}
		if x.Exact(k.group) && low != high {
			t.Fatalf("group %d, key %q: exact, but bounds [%v, %v]", k.group, k.key, low, high)
		}
	}
	for g, total := range truth.totals {
		if got := x.Total(g); got != total {
			t.Fatalf("group %d: total %v, want %v", g, got, total)
		}
	}
	if limit := slotLimit(x.budget); x.Len() > limit {
		t.Fatalf("%d slots, the budget allows %d", x.Len(), limit)
	}
}

func checkTop(t *testing.T, x *Top, truth *oracle) {
	t.Helper()
	for k, f := range truth.keys {
		low, high := Vector{}, x.Off(k.group)
		if e, found := x.Find(k.group, []byte(k.key)); found {
			low, high = e.Count, e.High()
			checkEntry(t, &e, truth)
		}
		if !low.within(f) || !f.within(high) {
			t.Fatalf("group %d, key %q: bounds [%v, %v], true %v", k.group, k.key, low, high, f)
		}
		if x.Exact(k.group) && low != high {
			t.Fatalf("group %d, key %q: exact, but bounds [%v, %v]", k.group, k.key, low, high)
		}
	}
	for g, total := range truth.totals {
		if got := x.Total(g); got != total {
			t.Fatalf("group %d: total %v, want %v", g, got, total)
		}
	}
	checkCertified(t, x, truth)
}

// checkEntry holds the peaks of an entry against the truth of the very span that they name.
func checkEntry(t *testing.T, e *Entry, truth *oracle) {
	t.Helper()
	k := groupKey{e.Group, string(e.Key)}
	for _, p := range []struct {
		name string
		got  Peak
		want uint64
	}{
		{"Second", e.Second, truth.seconds[atTime{k, e.Second.At}][0]},
		{"CostSecond", e.CostSecond, truth.seconds[atTime{k, e.CostSecond.At}][1]},
		{"Interval", e.Interval, truth.intervals[atTime{k, e.Interval.At}]},
	} {
		if p.got.N > p.want {
			t.Fatalf("key %q: %s %v, but only %d then", e.Key, p.name, p.got, p.want)
		}
	}
}

// checkCertified wants every entry whose low passes all other uppers to be truly the first.
func checkCertified(t *testing.T, x *Top, truth *oracle) {
	t.Helper()
	for g := range truth.totals {
		others := x.Off(g)[0]
		first, end := x.Group(g)
		var best Entry
		for i := first; i < end; i++ {
			e := x.At(i)
			if e.Count[0] > best.Count[0] {
				best, e = e, best
			}
			others = max(others, e.High()[0])
		}
		if best.Count[0] <= others {
			continue
		}
		for k, f := range truth.keys {
			if k.group == g && f[0] > truth.keys[groupKey{g, string(best.Key)}][0] {
				t.Fatalf("group %d: %q is certified, but %q has more", g, best.Key, k.key)
			}
		}
	}
}

type distinctSummary struct{ *Distinct }

func (s *distinctSummary) add(e *event)        { s.Add(e.hash) }
func (s *distinctSummary) shrink(r *rand.Rand) { s.Fold(uint8(8 + r.IntN(5))) }
func (s *distinctSummary) trip(t *testing.T) summary {
	return &distinctSummary{tripped(t, s.Distinct)}
}
func (s *distinctSummary) merge(o summary) summary {
	s.Merge(o.(*distinctSummary).Distinct)
	return s
}

func (s *distinctSummary) check(t *testing.T, truth *oracle) {
	t.Helper()
	n := uint64(len(truth.perHash))
	if value, low, high := s.Estimate(); low > n || n > high {
		t.Fatalf("%d in [%d, %d] at p = %d, true %d", value, low, high, s.Precision(), n)
	}
	direct := NewDistinct(s.Precision())
	for h := range truth.perHash {
		direct.Add(h)
	}
	if !bytes.Equal(direct.AppendBinary(nil), s.AppendBinary(nil)) {
		t.Fatal("differs from one that saw all hashes itself")
	}
}

type sampleSummary struct{ *Sample }

func (s *sampleSummary) add(e *event)              { s.Add(e.hash, e.w[0], e.w[1]) }
func (s *sampleSummary) shrink(r *rand.Rand)       { s.SetCap(256 >> r.IntN(5)) }
func (s *sampleSummary) trip(t *testing.T) summary { return &sampleSummary{tripped(t, s.Sample)} }
func (s *sampleSummary) merge(o summary) summary {
	s.Merge(o.(*sampleSummary).Sample)
	return s
}

func (s *sampleSummary) check(t *testing.T, truth *oracle) {
	t.Helper()
	want := 0
	for h := range truth.perHash {
		if h>>(64-s.Theta()) == 0 {
			want++
		}
	}
	last := uint64(0)
	s.Each(func(hash, requests, bytes uint64) {
		if f := truth.perHash[hash]; hash <= last || f[0] != requests || f[1] != bytes {
			t.Fatalf("hash %x after %x: %d, %d, true %v", hash, last, requests, bytes, f)
		}
		last = hash
	})
	if s.Len() != want || s.Len() > s.Cap() {
		t.Fatalf("%d keys at 1/2^%d, want %d, at most %d", s.Len(), s.Theta(), want, s.Cap())
	}
}

type histogramSummary struct{ *Histogram }

func (s *histogramSummary) add(e *event)      { s.Add(e.w[1], 1) }
func (s *histogramSummary) shrink(*rand.Rand) {}
func (s *histogramSummary) trip(t *testing.T) summary {
	return &histogramSummary{tripped(t, s.Histogram)}
}
func (s *histogramSummary) merge(o summary) summary {
	s.Merge(o.(*histogramSummary).Histogram)
	return s
}

func (s *histogramSummary) check(t *testing.T, truth *oracle) {
	t.Helper()
	values := slices.Sorted(slices.Values(truth.values))
	sum := uint64(0)
	for _, v := range values {
		sum += v
	}
	n := len(values)
	got := []uint64{s.Count(), s.Sum(), s.Min(), s.Max()}
	if want := []uint64{uint64(n), sum, values[0], values[n-1]}; !slices.Equal(got, want) {
		t.Fatalf("count, sum, min, max %v, want %v", got, want)
	}
	for _, percent := range []uint64{0, 1, 50, 90, 99, 100} {
		v := values[max((n*int(percent)+99)/100, 1)-1]
		low, high := s.Quantile(percent, 100)
		if v < low || v > high || high-low > low/32 {
			t.Fatalf("quantile %d %%: [%d, %d], true %d", percent, low, high, v)
		}
		at, _ := slices.BinarySearch(values, v)
		below, _ := slices.BinarySearch(values, v+v/31+1)
		if above := s.Above(v); above > uint64(n-at) || above < uint64(n-below) {
			t.Fatalf("above %d: %d, true %d", v, above, n-at)
		}
	}
}
