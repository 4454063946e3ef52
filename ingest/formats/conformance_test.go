package formats

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A fixture is a file of fixtures/formats/NAME, where NAME is that of a format. FILE.golden beside it
// holds what its records say, and FILE.map, if there, the --map settings it is read with, one a line.
type fixture struct {
	format  *ingest.Format
	path    string
	data    []byte
	options ingest.DecodeOptions
}

func fixtures(t *testing.T) (all []fixture) {
	t.Helper()
	for _, format := range Catalogue() {
		files, err := filepath.Glob(filepath.Join("../../fixtures/formats", format.Name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		n := len(all)
		for _, path := range files {
			if ext := filepath.Ext(path); ext != ".golden" && ext != ".map" && ext != ".md" {
				all = append(all, readFixture(t, format, path))
			}
		}
		if len(all) == n {
			t.Errorf("fixtures/formats/%s holds no example", format.Name)
		}
	}
	return all
}

func readFixture(t *testing.T, format *ingest.Format, path string) fixture {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{format: format, path: path, data: data}
	mapping, err := os.ReadFile(path + ".map")
	if err != nil {
		return f
	}
	f.options.Map = map[string]string{}
	for line := range strings.Lines(string(mapping)) {
		generic, from, _ := strings.Cut(strings.TrimSpace(line), "=")
		f.options.Map[generic] = from
	}
	return f
}

// eachFixture runs check for each fixture, under its path.
func eachFixture(t *testing.T, check func(t *testing.T, f fixture)) {
	for _, f := range fixtures(t) {
		t.Run(f.format.Name+"/"+filepath.Base(f.path), func(t *testing.T) { check(t, f) })
	}
}

// frame cuts data into records as the format says, without those that begin at or after the last cut.
// What stands in memory behind a record is made to look like more of it.
func frame(f *ingest.Format, data []byte) (recs []ingest.Record) {
	if f.Document {
		return []ingest.Record{{Data: padded(bytes.TrimRight(data, "\r\n")), At: ingest.Position{Line: 1}}}
	}
	var starts []int
	quoted, number := false, 0
	for start := 0; start < len(data); {
		size := bytes.IndexByte(data[start:], '\n') + 1
		if size == 0 {
			size = len(data) - start
		}
		line := data[start : start+size]
		if !quoted && (f.Begins == nil || number == 0 || f.Begins(bytes.TrimRight(line, "\r\n"))) {
			starts = append(starts, start)
		}
		quoted = quoted != (f.Quoted && bytes.Count(line, []byte{'"'})%2 == 1)
		start, number = start+size, number+1
	}
	for i, start := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		text := bytes.TrimRight(data[start:end], "\r\n")
		if f.Sequential && len(text) == 0 {
			continue
		}
		at := ingest.Position{Byte: uint64(start), Line: uint64(1 + bytes.Count(data[:start], []byte{'\n'}))}
		recs = append(recs, ingest.Record{Data: padded(text), At: at})
	}
	return recs
}

// padded copies a record and puts behind it what a decoder must not take for a part of it.
func padded(text []byte) []byte {
	junk := bytes.Repeat([]byte("\",\"0}\\\n;\t"), 1+pastRecord/8)
	return append(bytes.Clone(text), junk...)[:len(text)]
}

// decode gives what the records of data say, by record.
func decode(t *testing.T, f fixture, data []byte) (said [][]string, ok bool) {
	t.Helper()
	d, err := f.format.New(headOf(data), f.options)
	if err != nil {
		return nil, false
	}
	for _, rec := range frame(f.format, data) {
		var sink recorder
		d.Decode(&rec, &sink)
		if len(sink.said) == 0 {
			t.Errorf("the record at byte %d yields nothing: %q", rec.At.Byte, rec.Data)
		}
		said = append(said, sink.said)
	}
	if c, ok := d.(ingest.Closer); ok {
		var sink recorder
		c.Close(&sink)
		said = append(said, sink.said)
	}
	return said, true
}

func headOf(data []byte) []byte {
	return data[:min(len(data), ingest.SniffBytes)]
}

func TestFixturesSayWhatTheirGoldensSay(t *testing.T) {
	eachFixture(t, func(t *testing.T, f fixture) {
		said, ok := decode(t, f, f.data)
		if !ok {
			t.Fatal("no decoder for its own fixture")
		}
		var got strings.Builder
		for _, lines := range said {
			for _, line := range lines {
				got.WriteString(line + "\n")
			}
		}
		golden := f.path + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")); diff != "" {
			t.Errorf("records (-got +want):\n%s", diff)
		}
	})
}

func TestOneFormatIsCertainOfEachFixture(t *testing.T) {
	eachFixture(t, func(t *testing.T, f fixture) {
		for _, format := range Catalogue() {
			v := format.Sniff(headOf(f.data), f.options)
			if want := format == f.format; (v.Fit == ingest.Certain) != want {
				t.Errorf("%s: fit %d (%s), want certain: %v", format.Name, v.Fit, v.Why, want)
			}
		}
	})
}

// A record that is cut off may say something else than the whole one, where nothing marks its end; the
// records before it must say the same. What a record says must not depend on how many went before it.
func TestEveryTruncationSaysTheSameAsFarAsItGoes(t *testing.T) {
	const before = 6 // records decoded ahead of the one that is cut
	eachFixture(t, func(t *testing.T, f fixture) {
		whole, _ := decode(t, f, f.data)
		header := 0
		if f.format.Header {
			header = bytes.IndexByte(f.data, '\n') + 1
		}
		step := 1
		if f.format.Sequential || f.format.Document {
			step += len(f.data) / 200 // all that is before the cut is decoded each time
		}
		for cut := header; cut < len(f.data); cut += step {
			recs := frame(f.format, f.data[:cut])
			d, err := f.format.New(headOf(f.data[:cut]), f.options)
			if err != nil {
				continue
			}
			first := max(0, len(recs)-before)
			if f.format.Sequential {
				first = 0
			}
			for i := first; i < len(recs); i++ {
				var sink recorder
				d.Decode(&recs[i], &sink)
				if i < len(recs)-1 && !slices.Equal(sink.said, whole[i]) {
					t.Fatalf("cut at byte %d (-got +want):\n%s", cut, cmp.Diff(sink.said, whole[i]))
				}
			}
		}
	})
}

func TestTruncatedBeginningsAreSniffedSafely(t *testing.T) {
	eachFixture(t, func(t *testing.T, f fixture) {
		for cut := range min(len(f.data), 600) {
			for _, format := range Catalogue() {
				if v := format.Sniff(f.data[:cut], f.options); v.Why == "" {
					t.Errorf("%s at byte %d: a verdict without a reason", format.Name, cut)
				}
			}
		}
	})
}

// Decoders of traffic allocate nothing for a usual record, unless they hold on to what they read to join
// it; those of logs and states only must not for what they skip, which their own tests say.
func TestDecodersAllocateNothing(t *testing.T) {
	eachFixture(t, func(t *testing.T, f fixture) {
		if f.format.Coverage != ingest.Traffic || f.format.Sequential {
			return
		}
		d, err := f.format.New(headOf(f.data), f.options)
		if err != nil {
			t.Fatal(err)
		}
		usual := slices.DeleteFunc(frame(f.format, f.data), func(rec ingest.Record) bool {
			var sink recorder
			d.Decode(&rec, &sink)
			return sink.problems > 0 || sink.longKeys > 0 // a problem quotes the record, a long key is hashed
		})
		var sink countingSink
		allocations := testing.AllocsPerRun(10, func() {
			for i := range usual {
				d.Decode(&usual[i], &sink)
			}
		})
		if allocations != 0 || len(usual) == 0 {
			t.Errorf("got %v allocations for %d records, want none for some", allocations, len(usual))
		}
	})
}

func TestTheCatalogueListsEachFormatOnce(t *testing.T) {
	var declared []string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				declared = append(declared, formatsOf(d)...)
			}
		}
	}
	var listed []string
	for _, f := range Catalogue() {
		listed = append(listed, f.Name)
		if f.Name == "" || f.Title == "" || f.Doc == "" || f.Sniff == nil || f.New == nil || f.Coverage == ingest.CoverageNone {
			t.Errorf("%s: a name, title, text, coverage, sniffer or decoder is missing", f.Name)
		}
	}
	for _, f := range Tables() {
		listed = append(listed, f.Name)
		if f.Name == "" || f.Title == "" || f.Doc == "" || f.Sniff == nil || f.Open == nil || f.Coverage == ingest.CoverageNone {
			t.Errorf("%s: a name, title, text, coverage, sniffer or opener is missing", f.Name)
		}
	}
	if len(declared) != len(listed) {
		t.Errorf("got %d formats listed (%v), want the %d declared (%v)", len(listed), listed, len(declared), declared)
	}
	if slices.Sort(listed); len(slices.Compact(listed)) != len(declared) {
		t.Errorf("a format is listed twice: %v", listed)
	}
}

// formatsOf gives the variables of type ingest.Format that d declares.
func formatsOf(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		for i, value := range spec.(*ast.ValueSpec).Values {
			literal, ok := value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if s, ok := literal.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Format" {
				names = append(names, spec.(*ast.ValueSpec).Names[i].Name)
			}
		}
	}
	return names
}

// A recorder writes down what a decoder hands over, a line each: the fields that are not zero.
type recorder struct {
	said     []string
	problems int
	longKeys int
}

func (r *recorder) Event(e *ingest.Event) {
	line := fieldsOf(*e)
	if n, ok := e.Growth(); ok {
		line += fmt.Sprintf(" growth=%d", n)
	}
	for _, m := range []struct {
		name  string
		value func() (uint64, bool)
	}{
		{"bytes", e.Bytes}, {"read-milli", e.ReadUnits}, {"write-milli", e.WriteUnits}, {"rows", e.Rows},
		{"tombstones", e.Tombstones}, {"latency-us", e.Latency},
	} {
		if v, ok := m.value(); ok {
			line += fmt.Sprintf(" %s=%d", m.name, v)
		}
	}
	if at, ok := e.UnixNano(); ok {
		line += " time=" + time.Unix(0, at).UTC().Format(time.RFC3339Nano)
	}
	if k := ingest.ParseKey(e.Key); k.Cut {
		r.longKeys++
	}
	r.said = append(r.said, "event"+line)
}

func (r *recorder) Problem(p ingest.Problem) {
	r.problems++
	r.said = append(r.said, "problem"+fieldsOf(p))
}
func (r *recorder) Skip(kind string)      { r.said = append(r.said, "skip "+kind) }
func (r *recorder) State(s *ingest.State) { r.said = append(r.said, "state"+fieldsOf(*s)) }
func (r *recorder) Fact(f *ingest.Fact)   { r.said = append(r.said, "fact"+fieldsOf(*f)) }
func (r *recorder) Point(p *ingest.Point) { r.said = append(r.said, "point"+fieldsOf(*p)) }

// fieldsOf writes the exported fields that are not zero, in their order.
func fieldsOf(record any) string {
	var b strings.Builder
	v := reflect.ValueOf(record)
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() || f.IsZero() {
			continue
		}
		name := strings.ToLower(v.Type().Field(i).Name)
		switch value := f.Interface().(type) {
		case []byte:
			fmt.Fprintf(&b, " %s=%q", name, value)
		case string:
			fmt.Fprintf(&b, " %s=%q", name, value)
		case ingest.Position:
			fmt.Fprintf(&b, " line=%d", value.Line)
		default:
			fmt.Fprintf(&b, " %s=%v", name, value)
		}
	}
	return b.String()
}
