package capture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

var traffic = &ingest.Format{Name: "traffic", Coverage: ingest.Traffic}

// readPages is a source of three parts, each an endless row of numbers: it goes on behind the positions that
// are kept, and hands over some pages.
func readPages(r *rand.Rand, to ingest.Streams, flush func()) {
	sink := to.Open(ingest.LiveInput{Name: "stream", Format: traffic})
	metrics := to.Open(ingest.LiveInput{Name: "metrics", Format: &ingest.Format{Name: "metrics", Coverage: ingest.StateOnly}})
	positions := sink.(ingest.Positions)
	next := map[string]int{}
	for part := range 3 {
		name := fmt.Sprint("shard ", part)
		next[name], _ = strconv.Atoi(positions.Position(name))
	}
	for range 1 + r.IntN(30) {
		name := fmt.Sprint("shard ", r.IntN(3))
		for range r.IntN(20) {
			var e ingest.Event
			e.Key, e.KeyKnown = fmt.Appendf(nil, "%s %d", name, next[name]), true
			sink.Event(&e)
			next[name]++
			if r.IntN(20) == 0 {
				flush() // a moment in which a page is half handed over
			}
		}
		positions.Reached(name, strconv.Itoa(next[name]))
		metrics.Point(&ingest.Point{Name: []byte("m")})
		if r.IntN(3) == 0 {
			flush()
		}
	}
}

func TestACaptureThatIsGoneOnWithHasEachRecordOnce(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		var file []byte
		for range 2 + r.IntN(5) {
			before, err := ReadBefore(bytes.NewReader(file), "test://host")
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			out := bytes.NewBuffer(slices.Clone(file[:before.End]))
			w, err := before.Continue(out, "test://host", unexpected(t))
			if err != nil {
				t.Fatal(err)
			}
			readPages(r, w, w.Flush)
			if err := w.Close(nil); err != nil {
				t.Fatal(err)
			}
			file = out.Bytes()
			if r.IntN(2) == 0 { // it was killed
				file = file[:int(before.End)+r.IntN(len(file)-int(before.End))]
			}
		}
		got := &tape{}
		in, err := newReader(bytes.NewReader(file), nil)
		if err != nil {
			continue // killed at its very beginning
		}
		_ = in.Collect(t.Context(), got) // breaks off, or not
		checkParts(t, seed, got)
	}
}

// checkParts checks that the numbers of each part follow each other from 0 on.
func checkParts(t *testing.T, seed uint64, got *tape) {
	t.Helper()
	next := map[string]int{}
	for _, rec := range got.records {
		e, ok := rec.(recorded).Record.(ingest.Event)
		if !ok {
			continue
		}
		part, number, _ := strings.Cut(string(e.Key[len("shard "):]), " ")
		if n, err := strconv.Atoi(number); err != nil || n != next[part] {
			t.Fatalf("seed %d: shard %s has record %s where %d must follow", seed, part, number, next[part])
		}
		next[part]++
	}
	if names := []string{}; len(got.inputs) > 0 {
		for _, in := range got.inputs {
			names = append(names, in.Name)
		}
		if d := cmp.Diff(names, []string{"stream", "metrics"}[:len(names)]); d != "" {
			t.Fatalf("seed %d: inputs: got (-), want (+):\n%s", seed, d)
		}
	}
}

func TestWhatCannotBeGoneOnWith(t *testing.T) {
	event := func(to ingest.Sink) { to.Event(&ingest.Event{Key: []byte("a"), KeyKnown: true}) }
	for _, tt := range []struct {
		name   string
		source string
		fill   func(w *Writer)
		want   string
	}{
		{"another source", "test://other", func(*Writer) {}, "is a capture of test://other"},
		{"a source that tells no positions", "test://host", func(w *Writer) {
			event(w.Open(ingest.LiveInput{Name: "traces", Format: traffic}))
		}, "traces does not tell how far it was read, so records would be there twice"},
		{"records behind the last position", "test://host", func(w *Writer) {
			to := w.Open(ingest.LiveInput{Name: "stream", Format: traffic})
			to.(ingest.Positions).Reached("shard", "1")
			event(to)
		}, "stream ends between two positions, so records would be there twice"},
	} {
		var file bytes.Buffer
		w, err := NewWriter(&file, tt.source, unexpected(t))
		if err != nil {
			t.Fatal(err)
		}
		tt.fill(w)
		if err := w.Close(nil); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBefore(&file, "test://host"); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := ReadBefore(strings.NewReader("a log of something else"), "test://host"); err == nil {
		t.Error("text is gone on with")
	}
}
