package formats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

// spaced writes JSON with a blank behind each bracket, colon and comma: a form that no fast way foresees.
func spaced(data []byte) []byte {
	var out []byte
	inside := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		out = append(out, c)
		switch {
		case inside && c == '\\' && i+1 < len(data):
			i++
			out = append(out, data[i])
		case c == '"':
			inside = !inside
		case !inside && (c == '{' || c == '[' || c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// A causeSink writes down what is said but for the texts of problems, which are as the record is written.
type causeSink struct{ recorder }

func (s *causeSink) Problem(p ingest.Problem) {
	p.Text = ""
	s.recorder.Problem(p)
}

func causes(d ingest.Decoder, data []byte) []string {
	var sink causeSink
	d.Decode(&ingest.Record{Data: padded(data)}, &sink)
	return sink.said
}

// forget makes a decoder leave out no record for those that it has read.
func forget(d ingest.Decoder) {
	switch d := d.(type) {
	case *dynamoStream:
		d.seen = awsSeen{}
	case *cloudTrail:
		d.seen = awsSeen{}
	}
}

// FuzzAWSInAnyForm holds what a decoder that has read another record says of one against what a new one says of
// the same JSON in another form.
func FuzzAWSInAnyForm(f *testing.F) {
	formats := []*ingest.Format{&DynamoStream, &DynamoExport, &DynamoScan, &CloudTrail}
	var seeds [][]byte
	for _, format := range formats {
		files, err := filepath.Glob(filepath.Join("../../fixtures/formats", format.Name, "*.*json"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if seeds = append(seeds, data); filepath.Ext(path) == ".ndjson" {
				seeds = append(seeds, bytes.Split(data, []byte("\n"))...)
			}
		}
	}
	for i := range seeds {
		f.Add(seeds[(i+1)%len(seeds)], seeds[i])
		f.Add(seeds[i], seeds[i])
	}
	f.Fuzz(func(t *testing.T, before, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) {
			return
		}
		for _, format := range formats {
			used, err := format.New(headOf(data), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + sameOften {
				causes(used, before)
			}
			forget(used)
			fresh, err := format.New(headOf(data), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(causes(used, data), causes(fresh, spaced(data))); diff != "" {
				t.Errorf("%s, after %q, %q (-as it is +in another form):\n%s", format.Name, before, data, diff)
			}
		}
	})
}
