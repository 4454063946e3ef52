package sketch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The tests of this file are named after the traps that sketches of this kind have fallen into elsewhere.

func TestTrap1AnUpdateOfWeight2To40IsOneStep(t *testing.T) {
	const w = 1 << 40 // a step per unit would never end
	x, sample, histogram := NewTable(0), NewSample(4), new(Histogram)
	for i := range 5000 {
		e := eventOf(0, i, Vector{w, w, w})
		e.addTo(x)
		sample.Add(e.hash, w, w)
		histogram.Add(w, w)
	}
	if got := x.Total(0); got != (Vector{5000 * w, 5000 * w, 5000 * w}) {
		t.Errorf("total %v", got)
	}
	if got := histogram.Count(); got != 5000*w {
		t.Errorf("count %d", got)
	}
}

func TestTrap2ATableThatIsNotFullAddsNoErrorInAMerge(t *testing.T) {
	a, b := NewTable(64<<10), NewTable(64<<10)
	for i := range 100 {
		e := eventOf(1, i, Vector{2, 1, 0})
		e.addTo(a)
		if i%2 == 0 {
			e.addTo(b)
		}
	}
	merged := MergeTops(tripped(t, a.Seal(Quota{}, 0)), tripped(t, tripped(t, b).Seal(Quota{}, 0)), Quota{})
	if !merged.Exact(1) || merged.Len() != 100 {
		t.Fatalf("exact %v, %d entries of 100", merged.Exact(1), merged.Len())
	}
	for i := range merged.Len() {
		if e := merged.At(i); !e.Err.IsZero() {
			t.Errorf("key %q: err %v", e.Key, e.Err)
		}
	}
}

func TestTrap5CountersSaturateAndNeverOverflow(t *testing.T) {
	const most = math.MaxUint64
	x := NewTable(0)
	for range 3 {
		x.Add(0, 1, []byte("k"), &Vector{most, most / 2, 1}, 9, 0)
	}
	top := x.Seal(Quota{}, 60)
	for range 2 {
		top = tripped(t, MergeTops(top, top, Quota{}))
	}
	e := top.At(0)
	if want := (Vector{most, most, 12}); e.Count != want || top.Total(0) != want {
		t.Errorf("count %v, total %v, want %v", e.Count, top.Total(0), want)
	}
	// A second is counted in 32 bits; four summaries of it add up.
	if want := uint64(4 * math.MaxUint32); e.Second.N != want || e.CostSecond.N != want {
		t.Errorf("busiest seconds %d, %d, want %d", e.Second.N, e.CostSecond.N, want)
	}

	h, s := new(Histogram), NewSample(1)
	for range 2 {
		h.Add(most, most-1)
		s.Add(7, most-1, most)
	}
	h.Merge(h.Clone())
	h, s = tripped(t, h), tripped(t, s)
	s.Merge(s.Clone())
	if h.Count() != most || h.Sum() != most || h.Above(1) != most {
		t.Errorf("count %d, sum %d, above 1 %d", h.Count(), h.Sum(), h.Above(1))
	}
	if low, high := h.Quantile(most-1, most); low > most || high != most {
		t.Errorf("quantile [%d, %d]", low, high)
	}
	s.Each(func(_, requests, bytes uint64) {
		if requests != most || bytes != most {
			t.Errorf("sample holds %d, %d", requests, bytes)
		}
	})
}

// A saturated count beside an error must not make bytes that no reader takes.
func TestTrap5SaturatedEvictionsRoundTrip(t *testing.T) {
	x := NewTable(0)
	for i := range 1000 {
		e := eventOf(0, i, Vector{math.MaxUint64 - uint64(i), 1 << 63, uint64(i)})
		e.addTo(x)
		e.addTo(x)
	}
	x = tripped(t, x)
	top := tripped(t, MergeTops(x.Seal(Quota{}, 0), x.Seal(Quota{Top: [Weights]int{3}}, 0), Quota{}))
	if got := top.Off(0)[0]; got != math.MaxUint64 {
		t.Errorf("off %d", got)
	}
}

func TestTrap6SummariesOfAnotherHashAreRefused(t *testing.T) {
	const published = 0xda855addcb6af45f
	if got := Hash([]byte("CUSTOMER#42")); got != published {
		t.Errorf("the published hash of CUSTOMER#42 is %#x, was %#x", got, uint64(published))
	}
	b, _ := NewDistinct(8).MarshalBinary()
	other := bytes.Replace(b, []byte(HashName), []byte(strings.Replace(HashName, "6b65", "6b66", 1)), 1)
	binary.LittleEndian.PutUint32(other[len(other)-4:], checksum(other[:len(other)-4]))
	if err := new(Distinct).UnmarshalBinary(other); !errors.Is(err, ErrUnlike) {
		t.Errorf("another hash: error %v, want %v", err, ErrUnlike)
	}
	if err := new(Sample).UnmarshalBinary(b); !errors.Is(err, ErrUnlike) {
		t.Errorf("another kind: error %v, want %v", err, ErrUnlike)
	}
}

// floodKey gives keys of one hash: both products of XXH3 for 17 to 32 bytes have a factor 0, whatever the last 8 bytes.
func floodKey(i int) []byte {
	seed := uint64(hashSeed)
	key := binary.LittleEndian.AppendUint64(nil, 0xbe4ba423396cfeb8+seed)
	key = binary.LittleEndian.AppendUint64(key, 0xdb979083e96dd4de+seed)
	return binary.LittleEndian.AppendUint64(key, uint64(i))
}

func TestTrap7AFloodOfEqualHashesIsNoSlower(t *testing.T) {
	const n = 20_000
	x := NewTable(8 << 20)
	for i := range n {
		key := floodKey(i)
		if Hash(key) != Hash(floodKey(0)) {
			t.Fatal("the keys do not collide: the test attacks nothing")
		}
		x.Add(0, Hash(key), key, &Vector{1}, 0, 0)
		x.Add(0, Hash(key), key, &Vector{1}, 0, 0)
	}
	if !x.keyed || x.Len() != n {
		t.Fatalf("keyed %v, %d slots, want %d", x.keyed, x.Len(), n)
	}
	probes := 0
	for i := range x.slots {
		probes += probesOf(x, uint32(i))
	}
	if probes > 3*n {
		t.Errorf("%d probes for %d keys", probes, n)
	}
	if low, high := x.Bounds(0, Hash(floodKey(0)), floodKey(77)); low[0] != 2 || high[0] != 2 {
		t.Errorf("bounds [%d, %d], want [2, 2]", low[0], high[0])
	}
	x.SetBudget(0)
	if low, high := x.Bounds(0, Hash(floodKey(0)), floodKey(77)); low[0] > 2 || high[0] < 2 {
		t.Errorf("after a purge: bounds [%d, %d], true 2", low[0], high[0])
	}
}

// probesOf counts the places of the index that finding slot i looks at.
func probesOf(x *Table, i uint32) int {
	s := &x.slots[i]
	mask := uint32(len(x.index) - 1)
	at := uint32(s.hash)
	if x.keyed {
		at = uint32(x.spread(s.group, x.keyOf(s)))
	}
	for step := uint32(1); ; step++ {
		if x.index[at&mask]&mask == i+1 {
			return int(step)
		}
		at += step
	}
}

func TestTrap7OneKeyInManyGroupsNeedsNoCombinedHash(t *testing.T) {
	x := NewTable(1 << 20)
	for g := range uint32(1000) {
		x.Add(g, Hash([]byte("k")), []byte("k"), &Vector{uint64(g + 1)}, 0, 0)
	}
	for g := range uint32(1000) {
		if low, _ := x.Bounds(g, Hash([]byte("k")), []byte("k")); low[0] != uint64(g+1) {
			t.Errorf("group %d has %d", g, low[0])
		}
	}
}

func TestTrap8NothingOfTheReadBufferIsKept(t *testing.T) {
	x := NewTable(0)
	buffer := make([]byte, 100)
	for i := range 3000 {
		size := 10 + i%91
		for j := range buffer {
			buffer[j] = byte(i % 7)
		}
		binary.BigEndian.PutUint32(buffer, uint32(i%300))
		x.Add(0, Hash(buffer[:size]), buffer[:size], &Vector{1}, 0, 0)
	}
	clear(buffer)
	top := x.Seal(Quota{}, 0)
	for i := range top.Len() {
		key := top.At(i).Key
		if !bytes.Equal(key[4:], bytes.Repeat(key[4:5], len(key)-4)) {
			t.Fatalf("key %x was overwritten", key)
		}
	}
}

func TestTrap8LongKeysLeaveNoGarbage(t *testing.T) {
	x := NewTable(256 << 10)
	for i := range 20_000 {
		key := bytes.Repeat([]byte(fmt.Sprintf("%08d", i)), 128)
		x.Add(0, Hash(key), key, &Vector{1}, 0, 0)
		if got := x.Bytes(); got > 256<<10*3/2 {
			t.Fatalf("%d bytes after %d keys of 1 KiB", got, i+1)
		}
	}
	held := 0
	for i := range x.slots {
		held += int(x.slots[i].size)
	}
	if len(x.arena) != held {
		t.Errorf("arena of %d bytes for keys of %d", len(x.arena), held)
	}
}

func TestTrap9KeysThatDifferInTheirLastByteAreTwo(t *testing.T) {
	tests := []struct {
		name string
		size int
	}{
		{"of 1 byte", 1}, {"of 7 bytes", 7}, {"of 8 bytes", 8}, {"of 9 bytes", 9}, {"of 16 bytes", 16}, {"of 17 bytes", 17},
		{"of 24 bytes", 24}, {"of 25 bytes", 25}, {"of 1 KiB", 1024}, {"of 100 KiB", 100 << 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := NewTable(0)
			base := bytes.Repeat([]byte("x"), tt.size)
			for at := range min(tt.size, 40) {
				key := bytes.Clone(base)
				key[tt.size-1-at] = 'y'
				x.Add(0, 42, key, &Vector{1}, 0, 0) // one hash for all: only the bytes tell them apart
				x.Add(0, 42, key[:tt.size-1], &Vector{1}, 0, 0)
			}
			x.Add(0, 42, base, &Vector{5}, 0, 0)
			if low, high := x.Bounds(0, 42, base); low[0] > 5 || high[0] < 5 || x.Exact(0) && low[0] != 5 {
				t.Errorf("bounds [%d, %d], true 5", low[0], high[0])
			}
		})
	}
}

func TestTrap11TiesAreBrokenByKeyAndErrorsAreGiven(t *testing.T) {
	x := NewTable(0)
	for _, key := range []string{"d", "b", "c", "a"} {
		x.Add(0, Hash([]byte(key)), []byte(key), &Vector{3}, 0, 0)
	}
	top := x.Seal(Quota{Top: [Weights]int{2}}, 0)
	if got := string(top.At(0).Key) + string(top.At(1).Key); top.Len() != 2 || got != "ab" {
		t.Errorf("%d entries, first %q, want 2, \"ab\"", top.Len(), got)
	}
	if got := top.Off(0); got != (Vector{3}) {
		t.Errorf("off %v, want 3: c and d were dropped with 3", got)
	}
}

func TestTrap12ARandomLayoutDoesNotShow(t *testing.T) {
	events := streams()[0].make(seeded(t, 12), 8000, 20)
	want := replay(events, 0).Seal(Quota{Top: [Weights]int{50, 20, 20}}, 60).AppendBinary(nil)
	for range 3 {
		x := NewTable(0)
		x.rekey(-1) // a new random seed
		for i := range events {
			events[i].addTo(x)
		}
		if got := x.Seal(Quota{Top: [Weights]int{50, 20, 20}}, 60).AppendBinary(nil); !bytes.Equal(got, want) {
			t.Fatal("the result depends on the seed")
		}
	}
}

func TestTrap14DistinctCountsUniteAndDoNotAddUp(t *testing.T) {
	a, b := NewDistinct(14), NewDistinct(14)
	for i := range 30_000 {
		h := Hash(keyNamed(i))
		if i < 20_000 {
			a.Add(h)
		}
		if i >= 10_000 {
			b.Add(h)
		}
	}
	a.Merge(b)
	if value, low, high := a.Estimate(); low > 30_000 || high < 30_000 || value > 31_000 {
		t.Errorf("%d in [%d, %d], true 30000", value, low, high)
	}
}

func TestTrap16AWeightThatIsAlwaysZeroDoesNotBlockEviction(t *testing.T) {
	x := NewTable(0)
	for i := range 10_000 {
		e := eventOf(0, i, Vector{1, 0, 0})
		e.addTo(x)
	}
	if got := x.Off(0); got[0] == 0 || got[0] > 10_000/uint64(slotLimit(minBudget)*3/4) || got[1] != 0 || got[2] != 0 {
		t.Errorf("off %v", got)
	}
}

func TestTrap16AnUpdateOfNoWeightCountsAsSeenOnly(t *testing.T) {
	x, distinct, sample := NewTable(0), NewDistinct(4), NewSample(4)
	before := x.AppendBinary(nil)
	x.Add(0, 9, []byte("k"), &Vector{}, 5, 0)
	distinct.Add(9)
	sample.Add(9, 0, 0)
	if !bytes.Equal(x.AppendBinary(nil), before) {
		t.Error("the table changed")
	}
	if n, _, _ := distinct.Estimate(); n != 1 || sample.Len() != 1 {
		t.Errorf("distinct %d, sample %d, want 1, 1", n, sample.Len())
	}
}
