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
				t.Add(0, Hash(key), key, Vector{1, uint64(sizes[at] >> 1), uint64(sizes[at] & 1)}, 1+uint32(i>>12), uint64(i))
			}
			b.ReportMetric(float64(t.Off(0)[0])/float64(t.Total(0)[0]), "off/N")
		})
	}
}
