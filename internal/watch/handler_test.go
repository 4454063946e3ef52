package watch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// readAll hands records to a handler as a Live does, with do after each.
func readAll(h ingest.Handler, records int, do func(i int)) {
	in := &ingest.Input{Name: "live", Format: &ingest.Format{Name: "f", Coverage: ingest.Traffic}}
	c := ingest.Chunk{Input: in}
	to := h.Begin(c)
	for i := range records {
		at := ingest.Position{Byte: uint64(i), Line: uint64(i + 1)}
		switch i % 5 {
		case 3:
			to.Skip("quiet")
		case 4:
			to.Problem(ingest.Problem{Cause: "bad", Text: "x", At: at})
		default:
			e := &ingest.Event{Op: ingest.OpRead, Table: []byte("t"), Key: []byte("k"), KeyKnown: true, At: at}
			e.SetTime(start.UnixNano() + int64(i)*int64(time.Second))
			to.Event(e)
		}
		do(i)
	}
	h.End(c, to, ingest.ChunkStats{Lines: uint64(records), Records: uint64(records), Bytes: 1000})
	h.EndInput(in, 1)
	h.EndFile(0, 1)
}

func TestCutsShowWhatCameAndChangeNothing(t *testing.T) {
	settings := detect.DefaultSettings()
	whole := detect.NewCollector(settings)
	readAll(whole, 100, func(int) {})
	want := whole.Profile()

	c := detect.NewCollector(settings)
	w := New(10 * time.Minute)
	h := w.Over(c, func(*ingest.Input) bool { return true })
	readAll(h, 100, func(i int) {
		if i%30 != 10 {
			return
		}
		h.Cut()
		h.Cut()
		snapshot := c.Snapshot()
		if got, want := snapshot.Inputs[0].Records, uint64(i+1); got != want {
			t.Errorf("after %d records a snapshot has %d", want, got)
		}
	})
	got := c.Profile()
	if d := cmp.Diff(got.Inputs, want.Inputs); d != "" {
		t.Errorf("inputs:\n%s", d)
	}
	if d := cmp.Diff(got.Problems, want.Problems); d != "" {
		t.Errorf("positions of problems:\n%s", d)
	}
	if d := cmp.Diff(got.Targets[0].Totals, want.Targets[0].Totals); d != "" {
		t.Errorf("totals:\n%s", d)
	}
	if got, want := w.Seen(), uint64(60); got != want {
		t.Errorf("the Watch has seen %d, want %d", got, want)
	}
}

func TestWhatIsNotCutIsHandedOnAsItIs(t *testing.T) {
	c := detect.NewCollector(detect.DefaultSettings())
	h := New(10*time.Minute).Over(c, func(*ingest.Input) bool { return false })
	readAll(h, 50, func(int) {
		h.Cut()
		if p := c.Snapshot(); len(p.Inputs) > 0 {
			t.Fatal("a chunk was cut")
		}
	})
	if got := c.Profile().Inputs[0].Records; got != 50 {
		t.Errorf("%d records, want 50", got)
	}
}
