package formats

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

var lineNumber = regexp.MustCompile(` line=\d+`)

// inPieces gives the states of a dump whose lines come in pieces of so many bytes.
func inPieces(t *testing.T, f fixture, size int) []string {
	t.Helper()
	d, err := f.format.New(headOf(f.data), f.options)
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	line := uint64(0)
	for text := range bytes.Lines(f.data) {
		line++
		for text = bytes.TrimRight(text, "\r\n"); len(text) > 0; {
			n := min(size, len(text))
			if text[0] == '$' { // a command before the dump
				n = len(text)
			}
			d.Decode(&ingest.Record{Data: padded(text[:n]), At: ingest.Position{Line: line}, Cut: n < len(text)}, &sink)
			text = text[n:]
		}
	}
	d.(ingest.Closer).Close(&sink)
	var states []string
	for _, s := range sink.said {
		if !strings.HasPrefix(s, "skip") {
			states = append(states, lineNumber.ReplaceAllString(s, ""))
		}
	}
	return states
}

// A partition may be larger than any record: its line is cut wherever a piece ends.
func TestDumpsSayTheSameInPieces(t *testing.T) {
	for _, format := range []*ingest.Format{&SSTableDump, &ScyllaDump} {
		files, _ := filepath.Glob("../../fixtures/formats/" + format.Name + "/layout-*.json")
		for _, path := range files {
			t.Run(filepath.Base(path), func(t *testing.T) {
				f := readFixture(t, format, path)
				want := inPieces(t, f, 1<<20)
				if len(want) == 0 {
					t.Fatal("the dump tells nothing")
				}
				for size := 1; size < 200; size += 1 + size/20 {
					if diff := cmp.Diff(inPieces(t, f, size), want); diff != "" {
						t.Fatalf("in pieces of %d (-got +want):\n%s", size, diff)
					}
				}
			})
		}
	}
}

func TestADumpHoldsNoLongValue(t *testing.T) {
	d := &dump{}
	var sink recorder
	begin := `[{"partition":{"key":["k"],"position":0},"rows":[{"type":"row","clustering":[1],"cells":[{"name":"v","value":"`
	piece := bytes.Repeat([]byte("x"), 1<<20)
	d.Decode(&ingest.Record{Data: padded([]byte(begin)), Cut: true}, &sink)
	for range 20 {
		d.Decode(&ingest.Record{Data: piece[: len(piece)-64 : len(piece)], Cut: true}, &sink)
	}
	if cap(d.held) > 2*maxHeld {
		t.Errorf("%d bytes of a value are held, want %d at most", cap(d.held), 2*maxHeld)
	}
	d.Decode(&ingest.Record{Data: padded([]byte(`"}]},{"type":"row","clustering":[2],"deletion_info":{"marked_deleted":"x"},"cells":[]}]}]`))}, &sink)
	want := []string{
		`state store=cassandra key="k" keyknown=true source="sstabledump" measure=partition_rows value=2 atleast=true`,
		`state store=cassandra key="k" keyknown=true source="sstabledump" measure=partition_tombstones value=1 atleast=true kinds={2 1 0 0 0 0 0}`,
	}
	if diff := cmp.Diff(sink.said[len(sink.said)-2:], want); diff != "" {
		t.Errorf("dump (-got +want):\n%s", diff)
	}
}

func TestTheTableOfADumpIsFoundInASchemaIfOneFits(t *testing.T) {
	const text = `[{"partition":{"key":["a","b"],"position":0},"rows":[{"type":"row","clustering":[7],"cells":[{"name":"v","value":1}]}]}]`
	for _, c := range []struct{ name, schema, want string }{
		{"one", "CREATE TABLE ks.t (a text, b text, c int, v int, w int, PRIMARY KEY ((a, b), c)); CREATE TABLE ks.u (a text, c int, v int, PRIMARY KEY (a, c));", "ks.t"},
		{"two alike", "CREATE TABLE ks.t (a text, b text, c int, v int, PRIMARY KEY ((a, b), c)); CREATE TABLE ks.u (d text, e text, f int, v int, PRIMARY KEY ((d, e), f));", ""},
		{"none with the column", "CREATE TABLE ks.t (a text, b text, c int, w int, PRIMARY KEY ((a, b), c));", ""},
		{"none with so many clustering columns", "CREATE TABLE ks.t (a text, b text, v int, PRIMARY KEY ((a, b)));", ""},
		{"no schema", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, _ := cql.ParseSchema([]byte(c.schema))
			said := auditSays(t, &SSTableDump, text, ingest.DecodeOptions{Schema: schema})
			got := ""
			if _, after, ok := strings.Cut(said[0], `table="`); ok {
				got, _, _ = strings.Cut(after, `"`)
			}
			if got != c.want {
				t.Errorf("got table %q, want %q: %v", got, c.want, said)
			}
		})
	}
}

func FuzzDumps(f *testing.F) {
	f.Add(`[{"partition":{"key":["a"],"position":0},"rows":[{"type":"row","cells":[{"name":"v","deletion_info":{}}]}]}]`, 7)
	f.Add(`{"sstables":{"/d/ks/t-97ec2e40ec9b11f184405958fce208e7/me-3-big-Data.db":[{"key":{"token":"1","raw":"0001","value":"\\"}}]}}`, 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		for _, format := range []*ingest.Format{&SSTableDump, &ScyllaDump} {
			fx := fixture{format: format, data: []byte(text)}
			inPieces(t, fx, 1+int(uint(size)%64))
		}
	})
}
