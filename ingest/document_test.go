package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A summing decoder counts lines until its input ends.
type summing struct{ records int }

func (d *summing) Decode(r *Record, to Sink) {
	d.records++
	to.Skip(fmt.Sprintf("%d bytes", len(r.Data)))
}

func (d *summing) Close(to Sink) { to.Skip(fmt.Sprintf("closed after %d", d.records)) }

// A skipSink remembers the kinds of skips, by chunk.
type skipSink struct {
	EventsOnly
	chunks   [][]string
	problems []string
}

func (s *skipSink) Begin(Chunk) Sink            { s.chunks = append(s.chunks, nil); return s }
func (s *skipSink) End(Chunk, Sink, ChunkStats) {}
func (s *skipSink) EndInput(*Input, int)        {}
func (s *skipSink) EndFile(int, int)            {}
func (s *skipSink) Event(*Event)                {}
func (s *skipSink) Problem(p Problem)           { s.problems = append(s.problems, p.Cause) }
func (s *skipSink) Skip(kind string) {
	last := len(s.chunks) - 1
	s.chunks[last] = append(s.chunks[last], kind)
}

func readSkips(t *testing.T, f Format, text string, chunk int64) *skipSink {
	t.Helper()
	f.Name = "test"
	f.Sniff = func([]byte, DecodeOptions) Verdict { return Verdict{Fit: Certain} }
	f.New = func([]byte, DecodeOptions) (Decoder, error) { return &summing{}, nil }
	sink := &skipSink{}
	_, err := Read(t.Context(), []Source{{Name: "-", Stdin: true, Named: true}}, Options{
		Formats: []*Format{&f}, Files: noFiles{}, Stdin: strings.NewReader(text), Chunk: chunk, Workers: 1,
	}, sink)
	if err != nil {
		t.Fatal(err)
	}
	return sink
}

type noFiles struct{ Files }

func TestADocumentIsOneRecordHoweverLong(t *testing.T) {
	text := strings.Repeat("a line\n\n", 500_000)
	got := readSkips(t, Format{Document: true}, text, 1<<20)
	want := []string{fmt.Sprintf("%d bytes", len(text)-2), "closed after 1"}
	if diff := cmp.Diff(want[:1], got.chunks[0]); diff != "" {
		t.Errorf("first chunk (-want +got):\n%s", diff)
	}
	got = readSkips(t, Format{Document: true}, strings.Repeat("x", MaxDocument+10), 1<<30)
	if diff := cmp.Diff([]string{CauseLong}, got.problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestASequentialFormatHasOneDecoderForAllChunks(t *testing.T) {
	got := readSkips(t, Format{Sequential: true}, strings.Repeat("0123456789012345\n", 10), 64)
	if len(got.chunks) < 3 {
		t.Fatalf("%d chunks, want several", len(got.chunks))
	}
	last := got.chunks[len(got.chunks)-1]
	if diff := cmp.Diff("closed after 10", last[len(last)-1]); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
}
