package ingest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// splitsOf gives a source for each split that a plan makes.
func splitsOf(t *testing.T, src []Source, o Options) (all []Source) {
	t.Helper()
	o.Files = disk{}
	plan, err := Plan(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range plan {
		for first := range max(l.Chunks, 1) {
			s := src[i]
			s.Split = &Split{Size: l.Size}
			if l.Chunks > 0 {
				s.Split.First, s.Split.Chunks = first, 1
			}
			all = append(all, s)
		}
	}
	return all
}

func TestTheSplitsOfAPlanHoldWhatOneRunReads(t *testing.T) {
	rng := seedOf(t)
	for round := range 60 {
		s := shapes[round%len(shapes)]
		data := randomText(rng, 60, 120)
		_, src := write(t, map[string][]byte{"a": data, "b.gz": gzipped(t, data), "c": data[:min(40, len(data))]})
		o := Options{Formats: []*Format{s.format()}, Chunk: int64(minChunk + rng.IntN(700)), MaxRecord: 120, Sums: true}
		whole, _ := read(t, src, o)
		splits := splitsOf(t, src, o)
		o.Workers = 1 + rng.IntN(3)
		parts, _ := read(t, splits, o)
		if d := gocmp.Diff(parts.all(), whole.all()); d != "" {
			t.Fatalf("round %d, %d splits, the splits' records (-), those of one run (+):\n%s", round, len(splits), d)
		}
		if d := gocmp.Diff(parts.stats(), whole.stats()); d != "" {
			t.Fatalf("round %d, the splits' counts (-), those of one run (+):\n%s", round, d)
		}
	}
}

func TestASplitReadsWhatWasThereWhenThePlanWasMade(t *testing.T) {
	data := lines110(40_000)
	_, src := write(t, map[string][]byte{"a": data})
	o := lineOptions()
	o.Chunk = 3000
	before, _ := read(t, src, o)
	splits := splitsOf(t, src, o)
	for name, c := range map[string]struct {
		now []byte
		err string
	}{
		"grown":                    {append(data[:len(data):len(data)], "more\n"...), ""},
		"shorter":                  {data[:30_000], "has 30000 bytes, where its split says"},
		"now read in another way":  {gzipped(t, append(noise(100_000), data...)), "its split does not fit"},
		"no longer of any format ": {append([]byte{0}, data[1:]...), "no format knows it"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(src[0].Path, c.now, 0o644); err != nil {
				t.Fatal(err)
			}
			h, res := read(t, splits, o)
			for i := range res.Sources {
				err := res.Sources[i].Err
				if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
					t.Fatalf("split %d: error %v, want %q", i, err, c.err)
				}
			}
			if c.err == "" {
				if d := gocmp.Diff(h.all(), before.all()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// noise gives bytes that gzip does not make smaller: no line ends in them.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint32(1)
	for i := range out {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		out[i] = '0' + byte(x)&63
	}
	return out
}

func TestASplitThatIsOfNoChunkIsRefused(t *testing.T) {
	_, src := write(t, map[string][]byte{"a": lines110(40_000)})
	o := lineOptions()
	o.Chunk = 3000
	for _, s := range []Split{{First: 1}, {First: 13, Chunks: 2}, {First: 1 << 40, Chunks: 1}, {First: -1, Chunks: 1}, {Chunks: 15}} {
		s.Size = src[0].Size
		src[0].Split = &s
		_, res := read(t, src, o)
		if err := res.Sources[0].Err; err == nil || !strings.Contains(err.Error(), "its split does not fit") {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

func TestAPlanNamesStreamsAndFaults(t *testing.T) {
	o := lineOptions()
	o.Files = disk{}
	_, err := Plan(t.Context(), []Source{{Name: "-", Size: -1, Stdin: true}}, o)
	if err == nil || !strings.Contains(err.Error(), "-: is a stream") {
		t.Errorf("error %v", err)
	}
	o.Chunk = 3
	if _, err := Plan(t.Context(), nil, o); err == nil {
		t.Error("a chunk of 3 bytes is planned")
	}
	o.Chunk = 3000
	_, src := write(t, map[string][]byte{"a": lines110(40_000)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Plan(ctx, src, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled plan", err)
	}
}
