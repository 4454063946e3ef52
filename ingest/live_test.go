package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// liveFunc is a Live that is a function.
type liveFunc func(ctx context.Context, to Streams) error

func (f liveFunc) Collect(ctx context.Context, to Streams) error { return f(ctx, to) }

var liveFormat = &Format{Name: "live", Coverage: Traffic}

// give hands over n events with keys name0, name1, ...
func give(to Sink, name string, n int) {
	var e Event
	for i := range n {
		e.Reset()
		e.Key = fmt.Appendf(nil, "%s%d", name, i)
		to.Event(&e)
	}
}

func liveSource(f liveFunc) Source {
	return Source{Name: "test://host", Size: -1, Named: true, Live: f}
}

func liveOptions() Options {
	return Options{Formats: []*Format{shapes[0].format()}, Files: disk{}, Workers: 1}
}

func TestALiveIsReadLikeFiles(t *testing.T) {
	h := &recorder{}
	res, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
		b := to.Open(LiveInput{Name: "b", Format: liveFormat, Node: "10.0.0.2"})
		empty := to.Open(LiveInput{Name: "empty", Format: liveFormat})
		a := to.Open(LiveInput{Name: "a", Format: liveFormat})
		give(a, "a", 1)
		give(b, "b", 1)
		a.Problem(Problem{Cause: "torn", Text: "x"})
		a.Skip("ping")
		to.Note("one node was away")
		to.Note("a note that sorts before")
		to.Note("one node was away")
		_ = empty
		return nil
	})}, liveOptions(), h)
	if err != nil {
		t.Fatal(err)
	}
	want := []seen{
		{Input: "b", Text: "b0", Line: 1},
		{Input: "a", Text: "a0", Line: 1},
		{Input: "a", Text: "x", Problem: "torn", Byte: 1, Line: 2},
		{Input: "a", Text: "ping", Problem: "skip"},
	}
	if d := gocmp.Diff(h.all(), want); d != "" {
		t.Errorf("records: got (-), want (+):\n%s", d)
	}
	if d := gocmp.Diff(h.inputs, map[InputID]int{{0, 0}: 1, {0, 1}: 0, {0, 2}: 1}); d != "" {
		t.Errorf("chunks of inputs: got (-), want (+):\n%s", d)
	}
	if d := gocmp.Diff(h.files, map[int]int{0: 3}); d != "" {
		t.Errorf("inputs of files: got (-), want (+):\n%s", d)
	}
	s := res.Sources[0]
	if d := gocmp.Diff(s.Notes, []string{"a note that sorts before", "one node was away"}); d != "" {
		t.Errorf("notes: got (-), want (+):\n%s", d)
	}
	if !s.Stream || s.Size != -1 || s.Err != nil || s.Inputs[2].Records != 3 || s.Inputs[0].Input.Node != "10.0.0.2" {
		t.Errorf("result: %+v", s)
	}
}

func TestALiveIsCutByItsRecords(t *testing.T) {
	h := &recorder{}
	_, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
		give(to.Open(LiveInput{Name: "long", Format: liveFormat}), "", liveChunk+2)
		return nil
	})}, liveOptions(), h)
	if err != nil {
		t.Fatal(err)
	}
	all := h.all()
	if len(h.chunks) != 2 || h.chunks[1].c.Start != liveChunk || h.chunks[1].st != (ChunkStats{Lines: 2, Records: 2}) {
		t.Errorf("%d chunks, the second from %d with %+v", len(h.chunks), h.chunks[1].c.Start, h.chunks[1].st)
	}
	want := seen{Input: "long", Chunk: 1, Byte: liveChunk + 1, Line: liveChunk + 2, Text: fmt.Sprint(liveChunk + 1)}
	if d := gocmp.Diff(all[len(all)-1], want); d != "" {
		t.Errorf("the last record: got (-), want (+):\n%s", d)
	}
}

func TestManyInputsOfALiveHoldFewOpenChunks(t *testing.T) {
	const weight = liveRecord + 40 // bytes of an event
	for _, tt := range []struct {
		name                  string
		inputs, burst, bursts int
		measured              bool // each record is a state
		open, chunks          int  // at most; the former of heavy ones
	}{
		{"a thousand that come in bursts", 1000, 100, 4, false, liveHeavy, 2 * 1000 * 400 / (liveHeld / 1000 / weight)},
		{"a thousand that come one record at a time", 1000, 1, 200, false, liveHeavy, 2 * 1000 * 200 / (liveHeld / 1000 / weight)},
		{"thirty that come one record at a time", 30, 1, 3000, false, liveHeavy, 30 * 3000 / (liveLight / weight)},
		{"thirty that tell states", 30, 1, 3000, true, liveHeavy, 30 * 3000 / (liveLight / liveTold)},
		{"three that never end", 3, 1024, 200, false, 3, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			heavy, records, held, chunks := 0, uint64(0), 0, 0
			var s *streams
			look := func() { heavy, records, held = max(heavy, s.heavy.Len()), max(records, s.records), max(held, s.held) }
			h := &chunkCounter{begin: func(Chunk) {}, end: func(Chunk, ChunkStats) { chunks++ }}
			_, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
				s = to.(*streams)
				sinks := []Sink{}
				for i := range tt.inputs {
					sinks = append(sinks, to.Open(LiveInput{Name: fmt.Sprint(i), Format: liveFormat}))
				}
				for range tt.bursts {
					for _, sink := range sinks {
						for range tt.burst {
							if tt.measured {
								sink.State(&State{})
							} else {
								sink.Event(&Event{Key: make([]byte, 40)})
							}
						}
						look()
					}
				}
				return nil
			})}, liveOptions(), h)
			if err != nil || s.light.Len() != 0 || s.heavy.Len() != 0 || s.records != 0 || s.held != 0 {
				t.Errorf("%d and %d chunks of %d records, %d bytes, are open at the end: %v", s.light.Len(), s.heavy.Len(), s.records, s.held, err)
			}
			if heavy > tt.open || records > liveOpen || held > liveHeld || chunks > tt.chunks {
				t.Errorf("at most %d heavy chunks, %d records, %d light bytes were open, %d chunks in all; want at most %d, %d, %d and %d",
					heavy, records, held, chunks, tt.open, liveOpen, liveHeld, tt.chunks)
			}
		})
	}
}

// A chunkCounter is a Handler that is told of chunks only.
type chunkCounter struct {
	begin func(Chunk)
	end   func(Chunk, ChunkStats)
}

func (h *chunkCounter) Begin(c Chunk) Sink                 { h.begin(c); return unread{} }
func (h *chunkCounter) End(c Chunk, _ Sink, st ChunkStats) { h.end(c, st) }
func (*chunkCounter) EndInput(*Input, int)                 {}
func (*chunkCounter) EndFile(int, int)                     {}

func TestSinksOfALiveAreUsedAtTheSameTime(t *testing.T) {
	h := &recorder{}
	_, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
		var all sync.WaitGroup
		for i := range 8 {
			sink := to.Open(LiveInput{Name: fmt.Sprint(i), Format: liveFormat})
			all.Go(func() { give(sink, "k", 20_000); to.Note("done") })
		}
		all.Wait()
		return nil
	})}, liveOptions(), h)
	if got := len(h.all()); err != nil || got != 160_000 {
		t.Errorf("%d records, error %v", got, err)
	}
}

func TestPartsOfALiveThatFailLeaveTheOthers(t *testing.T) {
	h := &recorder{}
	res, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
		give(to.Open(LiveInput{Name: "well", Format: liveFormat}), "k", 1)
		return errors.Join(errors.New("10.0.0.1: refused"), errors.Join(errors.New("10.0.0.2: refused")))
	})}, liveOptions(), h)
	if err != nil || len(h.all()) != 1 {
		t.Fatalf("%d records, error %v", len(h.all()), err)
	}
	if got := res.Sources[0].Err.Error(); got != "10.0.0.1: refused\n10.0.0.2: refused" {
		t.Errorf("error %q", got)
	}
}

func TestInputsOfALiveBeyondTheMostAreAnError(t *testing.T) {
	h := &recorder{}
	res, err := Read(t.Context(), []Source{liveSource(func(_ context.Context, to Streams) error {
		for range MaxLiveInputs + 2 {
			give(to.Open(LiveInput{Name: "x", Format: liveFormat}), "k", 1)
		}
		return nil
	})}, liveOptions(), h)
	if err != nil || len(h.all()) != MaxLiveInputs {
		t.Fatalf("%d records, error %v", len(h.all()), err)
	}
	if got := fmt.Sprint(res.Sources[0].Err); !strings.Contains(got, "more than 4096 inputs, 2 more were not read") {
		t.Errorf("error %q", got)
	}
}

func TestTheEndOfALiveIsNoError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	never, writer := io.Pipe()
	defer writer.Close()
	for _, tt := range []struct {
		name   string
		before []Source
		ends   int // of those before
		want   error
	}{
		{"when it is alone", nil, 0, nil},
		{"when the files were read", []Source{{Name: "log", Path: file, Size: 2, Named: true}}, 1, nil},
		{"but that of a stream which still goes on", []Source{{Name: "-", Size: -1, Stdin: true}}, 0, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h := &fileEnds{recorder: &recorder{}, ended: make(chan int, 2)}
			live := liveSource(func(ctx context.Context, to Streams) error {
				give(to.Open(LiveInput{Name: "live", Format: liveFormat}), "k", 1)
				for range tt.ends {
					await(t, h.ended, "the end of a file")
				}
				cancel()
				<-ctx.Done()
				return nil
			})
			o := liveOptions()
			o.Stdin = never
			res, err := Read(ctx, append(tt.before, live), o, h)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if got := len(res.Sources[len(tt.before)].Inputs); got != 1 {
				t.Errorf("%d inputs of the Live", got)
			}
		})
	}
}

// fileEnds tells when files end.
type fileEnds struct {
	*recorder
	ended chan int
}

func (h *fileEnds) EndFile(file, members int) {
	h.recorder.EndFile(file, members)
	h.ended <- file
}
