package ingest

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestMixedInputsGiveTheSameForAnyWorkers(t *testing.T) {
	rng := seedOf(t)
	rounds := 8
	if os.Getenv("KEYHEAT_LONG") != "" {
		rounds = 200
	}
	for range rounds {
		files := map[string][]byte{}
		for i := range 2 + rng.IntN(40) {
			data := randomText(rng, 1<<rng.IntN(9), 200)
			switch name := fmt.Sprintf("%02d", i); rng.IntN(5) {
			case 0:
				files[name] = gzipped(t, data)
			case 1:
				files[name] = gzipped(t, tarred(t, member{"a", data}, member{"b", []byte{0}}, member{"c", data[:len(data)/2]}))
			case 2:
				files[name] = zipped(t, member{"a", zstded(t, data)}, member{"b", data})
			default:
				files[name] = data
			}
		}
		dir, _ := write(t, files)
		src, err := Expand([]string{dir}, disk{})
		if err != nil {
			t.Fatal(err)
		}
		s := shapes[rng.IntN(len(shapes))]
		o := Options{Formats: []*Format{s.format()}, Chunk: int64(minChunk + rng.IntN(2000)), MaxRecord: 300, Sums: true}
		var first *recorder
		var want *Result
		for _, workers := range []int{1, 2, 3, 8} {
			o.Workers, o.ReadBuffer = workers, minReadBuffer<<rng.IntN(8)
			h, res := read(t, src, o)
			if first == nil {
				first, want = h, res
				first.all()
				continue
			}
			if d := gocmp.Diff(h.all(), first.all()); d != "" {
				t.Fatalf("%s, %d workers: %s", s.name, workers, d)
			}
			if d := gocmp.Diff(h.stats(), first.stats()); d != "" {
				t.Fatalf("%s, %d workers: %s", s.name, workers, d)
			}
			if got, want := summary(res), summary(want); got != want {
				t.Fatalf("%s, %d workers: got\n%s\nwant\n%s", s.name, workers, got, want)
			}
		}
	}
}

// summary tells of a result what must not depend on how it was come by.
func summary(res *Result) string {
	var b bytes.Buffer
	for i, s := range res.Sources {
		fmt.Fprintln(&b, i, s.Err, s.Size, s.Skipped, s.SkippedMore)
		for _, in := range s.Inputs {
			fmt.Fprintln(&b, " ", in.Input.Name, in.Input.ID, in.Input.Compression, in.Chunks, in.Bytes, in.Records, in.Sums, in.Err)
		}
	}
	return b.String()
}
