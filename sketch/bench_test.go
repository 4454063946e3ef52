package sketch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const benchEvents = 1 << 21

// BenchmarkTable measures an update of a joint table of 1 MiB, the hash included, over 1 M keys of 24 bytes.
func BenchmarkTable(b *testing.B) {
	for _, s := range []float64{0.8, 1.1, 1.5} {
		b.Run(fmt.Sprintf("zipf%.1f", s), func(b *testing.B) {
			keys := keyStream(rand.New(rand.NewPCG(1, 2)), s, 1_000_000, benchEvents)
			sizes := make([]uint16, benchEvents)
			for i := range sizes {
				w := weightsOf(keys[i*inlineKey : (i+1)*inlineKey])
				sizes[i] = uint16(w[1]<<1 | w[2])
			}
			t := NewTable(1 << 20)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				at := i % benchEvents
				key := keys[at*inlineKey : (at+1)*inlineKey]
				t.Add(0, Hash(key), key, &Vector{1, uint64(sizes[at] >> 1), uint64(sizes[at] & 1)}, 1+uint32(i>>12), uint64(i))
			}
			b.ReportMetric(float64(t.Off(0)[0])/float64(t.Total(0)[0]), "off/N")
		})
	}
}

// BenchmarkTableGroups is BenchmarkTable with the keys spread over groups of unequal size.
func BenchmarkTableGroups(b *testing.B) {
	for _, groups := range []int{20, 500} {
		b.Run(fmt.Sprintf("%d", groups), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			z, g := newZipf(1.1, 300_000), newZipf(1.5, groups)
			keys := make([]byte, 0, benchEvents*inlineKey)
			ids, names := make([]uint32, benchEvents), make([]uint64, groups)
			for i := range names {
				names[i] = r.Uint64()
			}
			for i := range ids {
				ids[i] = uint32(g.draw(r))
				keys = append(keys, keyNamed(z.draw(r))...)
			}
			t := NewTable(1 << 20)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				at := i % benchEvents
				key := keys[at*inlineKey : (at+1)*inlineKey]
				t.Add(ids[at], Combine(Hash(key), names[ids[at]]), key, &Vector{1, 500, uint64(at & 1)}, 1+uint32(i>>12), 0)
			}
		})
	}
}

func BenchmarkDistinct(b *testing.B) {
	d := NewDistinct(14)
	for i := range b.N {
		d.Add(uint64(i) * 0x9e3779b97f4a7c15)
	}
}

func BenchmarkSample(b *testing.B) {
	s := NewSample(1024)
	b.ReportAllocs()
	for i := range b.N {
		s.Add(uint64(i%1_000_000)*0x9e3779b97f4a7c15, 1, 100)
	}
}

func BenchmarkHistogram(b *testing.B) {
	for _, values := range []uint64{50, 1 << 20} {
		b.Run(fmt.Sprintf("values to %d", values), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			v := make([]uint64, 1<<12)
			for i := range v {
				v[i] = r.Uint64N(values)
			}
			h := new(Histogram)
			b.ReportAllocs()
			for i := range b.N {
				h.Add(v[i%len(v)], 1)
			}
		})
	}
}

// benchTables gives two full tables of 512 KiB over 20 groups and the quota of a usual pane.
func benchTables() (a, b *Table, q Quota) {
	r := rand.New(rand.NewPCG(1, 2))
	events := streams()[7].make(r, 400_000, 20)
	q = Quota{Top: [Weights]int{256, 64, 64}, PerGroup: [Weights]int{12, 6, 6}}
	return replay(events[:200_000], 512<<10), replay(events[200_000:], 512<<10), q
}

func BenchmarkSeal(b *testing.B) {
	x, _, q := benchTables()
	b.ReportAllocs()
	for b.Loop() {
		x.Seal(q, 60)
	}
}

func BenchmarkMergeTops(b *testing.B) {
	x, y, q := benchTables()
	s, t := x.Seal(q, 60), y.Seal(q, 120)
	b.ReportAllocs()
	for b.Loop() {
		MergeTops(s, t, q)
	}
	b.ReportMetric(float64(s.Len()+t.Len()), "entries")
}

func BenchmarkTopCodec(b *testing.B) {
	x, _, q := benchTables()
	form := x.Seal(q, 60).AppendBinary(nil)
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		top, _, err := ReadTop(form)
		if err != nil {
			b.Fatal(err)
		}
		form = top.AppendBinary(form[:0])
	}
}
