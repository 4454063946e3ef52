package sketch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// A form is one kind of summary as the tests of the codec see it.
type form struct {
	name   string
	sample []appender // of every form that the kind has
	read   func(b []byte) (appender, []byte, error)
	load   func(b []byte) error // UnmarshalBinary
}

func formOf[T any, P interface {
	*T
	appender
	UnmarshalBinary([]byte) error
}](name string, read func([]byte) (*T, []byte, error), sample ...P) form {
	f := form{name: name}
	for _, s := range sample {
		f.sample = append(f.sample, s)
	}
	f.read = func(b []byte) (appender, []byte, error) {
		x, rest, err := read(b)
		return P(x), rest, err
	}
	f.load = func(b []byte) error { return P(new(T)).UnmarshalBinary(b) }
	return f
}

func forms() []form {
	r := rand.New(rand.NewPCG(1, 1))
	events := streams()[8].make(r, 3000, 5)
	full, exact := replay(events, 0), replay(events[:20], 0)
	few, some, many := NewDistinct(12), NewDistinct(10), NewDistinct(4)
	sample, histogram, wide := NewSample(50), new(Histogram), new(Histogram)
	for i := range events {
		h := events[i].hash
		if i < 10 {
			few.Add(h)
		}
		if i < 60 {
			some.Add(h)
		}
		many.Add(h)
		sample.Add(h, 1, events[i].w[1])
		histogram.Add(events[i].w[1]/10, 2)
		wide.Add(r.Uint64()>>r.IntN(64), 1)
	}
	usual := Quota{Top: [Weights]int{20, 5, 5}, PerGroup: [Weights]int{2, 1, 1}}
	return []form{
		formOf("table", ReadTable, NewTable(0), exact, full),
		formOf("top", ReadTop, new(Top), exact.Seal(Quota{}, 60), full.Seal(usual, 0), MergeTops(full.Seal(usual, 60), exact.Seal(usual, 120), usual)),
		formOf("distinct", ReadDistinct, NewDistinct(4), few, some, many),
		formOf("sample", ReadSample, NewSample(3), sample),
		formOf("histogram", ReadHistogram, new(Histogram), histogram, wide),
	}
}

func TestFormsReadBackAndLeaveTheRest(t *testing.T) {
	for _, f := range forms() {
		for i, x := range f.sample {
			b := x.AppendBinary([]byte("before"))
			y, rest, err := f.read(append(bytes.Clone(b[6:]), "after"...))
			if err != nil || string(rest) != "after" {
				t.Errorf("%s %d: rest %q, error %v", f.name, i, rest, err)
				continue
			}
			if again := y.AppendBinary(nil); !bytes.Equal(again, b[6:]) {
				t.Errorf("%s %d: other bytes after reading", f.name, i)
			}
		}
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	for _, f := range forms() {
		for i, x := range f.sample {
			b := x.AppendBinary(nil)
			for n := 0; n < len(b); n += 1 + n/200 {
				if _, _, err := f.read(b[:n:n]); !errors.Is(err, ErrCorrupt) {
					t.Fatalf("%s %d cut at %d of %d: error %v, want %v", f.name, i, n, len(b), err, ErrCorrupt)
				}
			}
		}
	}
}

func TestEveryChangedBitOfAFrameIsRefused(t *testing.T) {
	for k, f := range forms() {
		x := f.sample[len(f.sample)-1]
		b, _ := frame(kind(k+1), x)
		if err := f.load(b); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for i := 0; i < len(b); i += 1 + i/100 {
			b[i] ^= 1 << (i % 8)
			if err := f.load(b); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnlike) {
				t.Errorf("%s, byte %d of %d: error %v", f.name, i, len(b), err)
			}
			b[i] ^= 1 << (i % 8)
		}
		if err := f.load(append(b[:len(b)-4:len(b)-4], binary.LittleEndian.AppendUint32([]byte{0}, checksum(append(b[:len(b)-4:len(b)-4], 0)))...)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s with a byte more: error %v", f.name, err)
		}
	}
}

func numbers(n ...uint64) (b []byte) {
	for _, v := range n {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// row gives the numbers of a Top's row after the key: counts of weight 0 and its err, peaks, mark.
func rowOf(count, err uint64) []uint64 { return []uint64{count, 0, 0, err, 0, 0, 0, 0, 0, 0} }

func topOf(parts ...[]uint64) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, numbers(p...)...)
	}
	return append(b, make([]byte, 64)...) // room, so that no count fails for the bytes left
}

func TestTrap19WhatNoWriterMadeIsRefused(t *testing.T) {
	const most = math.MaxUint64
	group := func(total, off uint64, rows uint64) []uint64 { return []uint64{1, 0, total, 0, 0, off, 0, 0, rows} }
	key := func(shared uint64, rest ...uint64) []uint64 {
		return append([]uint64{shared, uint64(len(rest))}, rest...)
	}
	top := func(b []byte) error { _, _, err := ReadTop(b); return err }
	table := func(b []byte) error { _, _, err := ReadTable(b); return err }
	distinct := func(b []byte) error { _, _, err := ReadDistinct(b); return err }
	sample := func(b []byte) error { _, _, err := ReadSample(b); return err }
	histogram := func(b []byte) error { _, _, err := ReadHistogram(b); return err }
	tests := []struct {
		name string
		read func([]byte) error
		b    []byte
	}{
		{"a top of 2^60 groups", top, numbers(1 << 60)},
		{"a group with 2^60 rows", top, topOf(group(9, 0, 1<<60))},
		{"a key of 2^60 bytes", top, topOf(group(9, 0, 1), []uint64{0, 1 << 60})},
		{"a group over the largest", top, topOf([]uint64{1, MaxGroups, 9, 0, 0, 0, 0, 0, 0})},
		{"a group without traffic", top, topOf(group(0, 0, 0))},
		{"a number not in its shortest form", top, []byte{0x80, 0}},
		{"the same key twice", top, topOf(group(9, 0, 2), key(0, 'a'), rowOf(1, 0), key(1), rowOf(1, 0))},
		{"keys out of order", top, topOf(group(9, 0, 2), key(0, 'b'), rowOf(1, 0), key(0, 'a'), rowOf(1, 0))},
		{"a key that shares more than it says", top, topOf(group(9, 0, 2), key(0, 'a'), rowOf(1, 0), key(0, 'a', 'b'), rowOf(1, 0))},
		{"a key that shares what is not there", top, topOf(group(9, 0, 1), key(1, 'a'), rowOf(1, 0))},
		{"a key that was not counted", top, topOf(group(9, 0, 1), key(0, 'a'), rowOf(0, 0))},
		{"counts over the total", top, topOf(group(9, 0, 1), key(0, 'a'), rowOf(10, 0))},
		{"an err over the off", top, topOf(group(9, 1, 1), key(0, 'a'), rowOf(1, 2))},
		{"an off over what is not counted", top, topOf(group(9, 5, 1), key(0, 'a'), rowOf(5, 0))},
		{"a count and err that overflow", top, topOf(group(most, most, 1), key(0, 'a'), rowOf(most, 1))},
		{"a peak over the count", top, topOf(group(9, 0, 1), key(0, 'a'), []uint64{1, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0})},
		{"a peak before 1970", top, topOf(group(9, 0, 1), key(0, 'a'), []uint64{1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0})},
		{"a table of no budget", table, numbers(0, 0, 0)},
		{"a filter of 2^36 bytes", table, numbers(maxBudget, 1, 0)},
		{"an off without a filter", table, append(numbers(minBudget, 0, 1, 0, 9, 0, 0, 1, 0, 0, 0), make([]byte, 64)...)},
		{"a cell over every off", table, append(numbers(minBudget, 1, 0, 1), make([]byte, 3*cellLimit(minBudget))...)},
		{"a precision of 3", distinct, []byte{3, formFew, 0}},
		{"a precision of 17", distinct, []byte{17, formFew, 0}},
		{"an unknown form", distinct, []byte{4, 9, 0}},
		{"17 hashes in the form of few", distinct, append([]byte{4, formFew, 17}, bytes.Repeat([]byte{1}, 17)...)},
		{"the same hash twice", distinct, []byte{4, formFew, 2, 5, 0}},
		{"a packed form that should be a list", distinct, append([]byte{4, formPacked}, make([]byte, 12)...)},
		{"a rank over 61", distinct, append([]byte{4, formPacked}, bytes.Repeat([]byte{0xff}, 12)...)},
		{"a register past the end", distinct, []byte{4, formList, 1, 16, 1}},
		{"more keys than the cap", sample, numbers(1, 0, 2, 5, 1, 1, 1, 1, 1)},
		{"a hash over theta", sample, append(append(numbers(9), 64), numbers(1, 1, 1, 1)...)},
		{"a cap of 2^60", sample, numbers(1<<60, 0, 0)},
		{"2^60 keys", sample, numbers(9, 0, 1<<60)},
		{"a bucket past the end", histogram, numbers(1, buckets, 1, 1, 1, 1)},
		{"an empty bucket", histogram, numbers(1, 3, 0, 3, 3, 0)},
		{"a largest value of another bucket", histogram, numbers(1, 3, 1, 3, 4, 3)},
		{"a sum that the buckets cannot have", histogram, numbers(1, 3, 2, 3, 3, 7)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.read(tt.b); !errors.Is(err, ErrCorrupt) {
				t.Errorf("error %v, want %v", err, ErrCorrupt)
			}
		})
	}
	good := topOf(group(9, 4, 2), key(0, 'a'), rowOf(3, 4), key(1, 'b'), rowOf(2, 0))
	if err := top(good); err != nil {
		t.Errorf("a good top: %v", err)
	}
}

// checkForm wants of any bytes: an error, or a value that writes the very bytes that were read and works.
func checkForm(t *testing.T, f *form, b []byte) {
	t.Helper()
	x, rest, err := f.read(b)
	if err != nil {
		return
	}
	if got, want := x.AppendBinary(nil), b[:len(b)-len(rest)]; !bytes.Equal(got, want) {
		t.Fatalf("%s: wrote %x, read %x", f.name, got, want)
	}
	x = use(x)
	if _, _, err := f.read(x.AppendBinary(nil)); err != nil {
		t.Fatalf("%s after use: %v", f.name, err)
	}
}

// use does with x what may be done with any summary.
func use(x appender) appender {
	switch x := x.(type) {
	case *Table:
		for i := range 200 {
			e := eventOf(0, i, Vector{1 << 63, uint64(i), 1})
			e.addTo(x)
		}
		x.Seal(Quota{Top: [Weights]int{5, 5}}, 60)
		x.SetBudget(x.budget / 2)
	case *Top:
		return MergeTops(x, x, Quota{PerGroup: [Weights]int{2, 1, 1}})
	case *Distinct:
		x.Add(1 << 40)
		x.Merge(x.Clone())
		x.Estimate()
		x.Fold(4)
	case *Sample:
		x.Add(1, 1, 1)
		x.Merge(x.Clone())
		x.SetCap(1)
	case *Histogram:
		x.Merge(x.Clone())
		x.Add(77, 5)
		x.Quantile(1, 2)
	}
	return x
}

func TestChangedBytesAreRefusedOrMeanWhatTheySay(t *testing.T) {
	r := seeded(t, 19)
	for _, f := range forms() {
		for _, x := range f.sample {
			b := x.AppendBinary(nil)
			for range 3000 {
				c := bytes.Clone(b)
				for range 1 + r.IntN(3) {
					c[r.IntN(min(len(c), 300))] = byte(r.Uint64N(256) >> r.IntN(8))
				}
				checkForm(t, &f, c)
			}
		}
	}
}

func fuzzForm(f *testing.F, which int) {
	kind := forms()[which]
	for _, s := range kind.sample {
		f.Add(s.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkForm(t, &kind, b) })
}

func FuzzTable(f *testing.F)     { fuzzForm(f, 0) }
func FuzzTop(f *testing.F)       { fuzzForm(f, 1) }
func FuzzDistinct(f *testing.F)  { fuzzForm(f, 2) }
func FuzzSample(f *testing.F)    { fuzzForm(f, 3) }
func FuzzHistogram(f *testing.F) { fuzzForm(f, 4) }
