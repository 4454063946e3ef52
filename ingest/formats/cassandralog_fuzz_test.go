package formats

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

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
