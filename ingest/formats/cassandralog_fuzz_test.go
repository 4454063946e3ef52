package formats

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

// A boundedSink fails when a decoder hands over what no record can hold.
type boundedSink struct {
	t     *testing.T
	calls int
}

func (s *boundedSink) Event(e *ingest.Event) {
	s.calls++
	if e.KeyKnown && len(e.Key) == 0 && len(e.Table) == 0 {
		s.t.Error("a key of no table")
	}
}
func (s *boundedSink) State(*ingest.State) { s.calls++ }
func (s *boundedSink) Problem(p ingest.Problem) {
	if s.calls++; p.Cause == "" || len(p.Text) > ingest.MaxProblemText {
		s.t.Errorf("problem without cause, or with %d bytes of text", len(p.Text))
	}
}
func (s *boundedSink) Skip(kind string) {
	if s.calls++; kind == "" {
		s.t.Error("a skip without kind")
	}
}
func (s *boundedSink) Fact(*ingest.Fact)   { s.calls++ }
func (s *boundedSink) Point(*ingest.Point) { s.calls++ }

// Any text is read by both formats: each record yields a call, and a quiet line is one in which the
// slower way finds no message either.
func FuzzCassandraLog(f *testing.F) {
	for _, folder := range []string{"cassandra-log", "cassandra-client"} {
		files, err := filepath.Glob("../../fixtures/formats/" + folder + "/*[tg]")
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []*ingest.Format{&CassandraLog, &CassandraClient} {
			format.Sniff(headOf(data), ingest.DecodeOptions{})
			d, err := format.New(headOf(data), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for rest := data; len(rest) > 0; {
				end := clRecordEnd(rest, format.Begins)
				text := bytes.TrimRight(rest[:end], "\r\n")
				rest = rest[end:]
				sink := boundedSink{t: t}
				rec := ingest.Record{Data: padded(text)}
				if d.Decode(&rec, &sink); sink.calls == 0 {
					t.Errorf("%s: a record yields nothing: %q", format.Name, text)
				}
				if head, at := cassandraLine(text); quietLine(text) && at >= 0 && cassandraMessage(text[at:]) != clNone {
					t.Errorf("a quiet line with a message at %d (head %+v): %q", at, head, text)
				}
			}
		}
	})
}

// A saidByChunk handler writes down what one worker reads.
type saidByChunk struct{ recorder }

func (s *saidByChunk) Event(e *ingest.Event) {
	s.recorder.Event(e)
	s.said = append(s.said, fmt.Sprint("at byte ", e.At.Byte))
}
func (s *saidByChunk) Begin(c ingest.Chunk) ingest.Sink { return s }
func (s *saidByChunk) End(c ingest.Chunk, _ ingest.Sink, st ingest.ChunkStats) {
	s.said = append(s.said, fmt.Sprintf("chunk %d: %+v", c.Index, st))
}
func (*saidByChunk) EndInput(*ingest.Input, int) {}
func (*saidByChunk) EndFile(int, int)            {}

// FuzzCassandraQuietRuns holds a log whose quiet lines are passed over in runs against the same log read line by
// line, whatever the sizes of chunks and buffers.
func FuzzCassandraQuietRuns(f *testing.F) {
	all, _ := cassandraLines(1000, 5)
	var log []byte // of the quiet lines, a few
	for i, line := range bytes.SplitAfter(all, []byte("\n")) {
		if i%70 < 3 || !bytes.HasPrefix(line, []byte("INFO")) {
			log = append(log, line...)
		}
	}
	f.Add(log, uint16(9000), uint16(700))
	f.Add(bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")), uint16(100), uint16(0))
	f.Add(bytes.ReplaceAll(log, []byte("INFO"), []byte("\n\tat x.Y(Z.java:1)\nINFO")), uint16(3000), uint16(90))
	read := func(t *testing.T, format ingest.Format, data []byte, chunk, buffer uint16) []string {
		format.Sniff = func([]byte, ingest.DecodeOptions) ingest.Verdict { return ingest.Verdict{Fit: ingest.Certain} }
		o := ingest.Options{
			Formats: []*ingest.Format{&format}, Files: noFiles{}, Stdin: bytes.NewReader(data), Workers: 1,
			Chunk: 64 + int64(chunk), ReadBuffer: 512 + int(buffer),
		}
		var h saidByChunk
		if _, err := ingest.Read(t.Context(), []ingest.Source{{Name: "-", Stdin: true}}, o, &h); err != nil {
			t.Fatal(err)
		}
		return h.said
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk, buffer uint16) {
		oneByOne := CassandraLog
		oneByOne.Quiet = nil
		got, want := read(t, CassandraLog, data, chunk, buffer), read(t, oneByOne, data, chunk, buffer)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%q (-in runs +one by one):\n%s", data, diff)
		}
	})
}

// noFiles is a file system of a run that reads its standard input.
type noFiles struct{ ingest.Files }
