package capture

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A shelf keeps the captures of a recording that are whole, as S3 does: what a killed collector had begun is gone.
type shelf struct {
	whole [][]byte
	begun *bytes.Buffer
}

func (s *shelf) next(part uint64) (io.Writer, error) {
	s.whole = append(s.whole, s.begun.Bytes())
	s.begun = &bytes.Buffer{}
	return s.begun, nil
}

func TestARecordingThatIsGoneOnWithHasEachRecordOnce(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		kept := &shelf{}
		for range 2 + r.IntN(5) {
			before := &Before{}
			if n := len(kept.whole); n > 0 {
				var err error
				if before, err = ReadBefore(bytes.NewReader(kept.whole[n-1]), "test://host"); err != nil || before.Part() != uint64(n) {
					t.Fatalf("seed %d: capture %d of %d: %v", seed, before.Part(), n, err)
				}
			}
			kept.begun = &bytes.Buffer{}
			w, err := before.Next(kept.begun, "test://host", "s3://traffic/host1/", unexpected(t))
			if err != nil {
				t.Fatal(err)
			}
			readPages(r, w, func() {
				if r.IntN(2) == 0 {
					w.Flush()
					return
				}
				w.Turn(kept.next)
			})
			if r.IntN(2) == 0 { // it was killed
				continue
			}
			blank := w.Blank()
			if err := w.Close(nil); err != nil {
				t.Fatal(err)
			}
			if !blank {
				kept.whole = append(kept.whole, kept.begun.Bytes())
			}
		}
		checkParts(t, seed, readAll(t, seed, kept.whole))
	}
}

// readAll gives the records of all captures as if they were of one, whose inputs are those of the first that has them.
func readAll(t *testing.T, seed uint64, captures [][]byte) *tape {
	t.Helper()
	all := &tape{}
	for i, text := range captures {
		one := &tape{}
		in, err := newReader(bytes.NewReader(text), nil)
		if err == nil {
			err = in.Collect(t.Context(), one)
		}
		if err != nil {
			t.Fatalf("seed %d: capture %d: %v", seed, i+1, err)
		}
		for _, input := range one.inputs {
			if d := cmp.Diff(input.Recording, ingest.Recording{Name: "s3://traffic/host1/", Part: uint64(i + 1)}); d != "" {
				t.Fatalf("seed %d: got (-), want (+):\n%s", seed, d)
			}
		}
		if len(one.records) == 0 || len(one.inputs) == 0 {
			t.Errorf("seed %d: capture %d: %d inputs, %d records", seed, i+1, len(one.inputs), len(one.records))
		}
		if i == 0 {
			all.inputs = one.inputs
		}
		all.records = append(all.records, one.records...)
	}
	return all
}

func TestACaptureOfNotesAloneIsOneOfItsRecording(t *testing.T) {
	kept := &shelf{begun: &bytes.Buffer{}}
	w, err := (&Before{}).Next(kept.begun, "test://host", "s3://traffic/host1/", unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	w.Open(ingest.LiveInput{Name: "traces", Format: traffic}).Skip("x")
	if !w.Turn(kept.next) || !w.Blank() || w.Turn(kept.next) {
		t.Error("a capture that holds nothing is ended")
	}
	w.Note("gap: some were lost")
	if w.Blank() || w.Turn(kept.next) {
		t.Error("a note is nothing, or is worth a capture")
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, 0, kept.whole)
	last := &tape{}
	in, err := newReader(kept.begun, nil)
	if err == nil {
		err = in.Collect(t.Context(), last)
	}
	if err != nil || len(got.records) != 1 || len(last.inputs) != 1 || last.inputs[0].Recording.Part != 2 || len(last.notes) != 1 {
		t.Errorf("error %v, records %v, then inputs %v, notes %v", err, got.records, last.inputs, last.notes)
	}
}
