package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// A heard is Streams of one input.
type heard struct {
	recorder
	inputs []ingest.LiveInput
}

func (h *heard) Open(in ingest.LiveInput) ingest.Sink {
	h.inputs = append(h.inputs, in)
	return &h.recorder
}

func (h *heard) Note(string) {}

// eventsTable has two rows of all kinds of cells.
func eventsTable() *columnar.Table {
	one, many, second, units := uint64(1), uint64(20), int64(1780567200), 2.5
	return &columnar.Table{Columns: []columnar.Column{
		{Name: "PK", Values: columnar.Keys{[]byte("CUSTOMER#42"), []byte("\xff\x00")}},
		{Name: "ts", Values: columnar.Times{&second, nil}},
		{Name: "table", Values: columnar.Texts{"orders", ""}},
		{Name: "op", Values: columnar.Texts{"query", "put"}},
		{Name: "bytes", Values: columnar.Counts{&many, nil}},
		{Name: "wcu", Values: columnar.Numbers{nil, &units}},
		{Name: "failed", Values: columnar.Flags{true, false}},
		{Name: "requests", Values: columnar.Counts{&one, &many}},
		{Name: "throttled", Values: columnar.Counts{nil, &one}},
		{Name: "colour", Values: columnar.Texts{"red", "blue"}},
	}}
}

// stored gives the bytes of a table as a file.
func stored(t *testing.T, write func(*bytes.Buffer) error) *ingest.Stored {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b.Bytes())
	return &ingest.Stored{Name: "nodes/10.0.0.1/x", Node: "10.0.0.1", All: bytes.NewReader(b.Bytes()), At: r, Size: r.Size()}
}

func bothForms(t *testing.T, of *columnar.Table) map[string]*ingest.Stored {
	return map[string]*ingest.Stored{
		"parquet": stored(t, func(b *bytes.Buffer) error { return of.WriteParquet(b) }),
		"arrow":   stored(t, func(b *bytes.Buffer) error { return of.WriteArrow(b) }),
	}
}

func TestATableTellsWhatItsColumnsSay(t *testing.T) {
	zone := time.FixedZone("zone", 3600)
	want, err := newNDJSON(nil, ingest.DecodeOptions{Location: zone})
	if err != nil {
		t.Fatal(err)
	}
	var lines recorder
	for _, line := range []string{
		`{"pk":"CUSTOMER#42","ts":"2026-06-04T10:00:00Z","table":"orders","op":"query","bytes":20,"failed":true,"requests":1}`,
		`{"pk":"` + "\xff\x00" + `","op":"put","wcu":2.5,"requests":20,"throttled":1}`,
	} {
		want.Decode(&ingest.Record{Data: padded([]byte(line))}, &lines)
	}
	for form, file := range bothForms(t, eventsTable()) {
		live, err := openTable(file, ingest.DecodeOptions{Location: zone})
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		got := &heard{}
		if err := live.Collect(t.Context(), got); err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		if d := cmp.Diff(got.said, lines.said); d != "" || len(got.said) != 3 {
			t.Errorf("%s: of the table (-), of lines (+):\n%s", form, d)
		}
		if in := got.inputs[0]; in.Name != file.Name || in.Node != file.Node || in.Format != &KeyEventsTable {
			t.Errorf("%s: input %+v", form, in)
		}
	}
}

func TestATableIsMapped(t *testing.T) {
	for form, file := range bothForms(t, eventsTable()) {
		live, err := openTable(file, ingest.DecodeOptions{Map: map[string]string{"pk": "table+colour"}})
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		got := &heard{}
		if err := live.Collect(t.Context(), got); err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		if all := strings.Join(got.said, "\n"); !strings.Contains(all, "orders") || !strings.Contains(all, "red") {
			t.Errorf("%s: the key is not composed:\n%s", form, all)
		}
	}
}

func TestATableThatIsNoTrafficIsRefused(t *testing.T) {
	of := func(names ...string) *columnar.Table {
		table := &columnar.Table{}
		for _, name := range names {
			table.Columns = append(table.Columns, columnar.Column{Name: name, Values: columnar.Texts{"a"}})
		}
		return table
	}
	many := []string{}
	for i := range 40 {
		many = append(many, fmt.Sprint("c", i))
	}
	output := eventsTable()
	output.Meta = map[string]string{"schema": "keyheat.findings/1"}
	for _, tt := range []struct {
		name  string
		table *columnar.Table
		o     ingest.DecodeOptions
		want  string
	}{
		{"other columns", of("id", "name\x1b[2J"), ingest.DecodeOptions{}, `no column with a partition key (pk, key, partition_key, or that of --map); the columns are "id", "name\x1b[2J"`},
		{"many columns", of(many...), ingest.DecodeOptions{}, `"c29" and 10 more`},
		{"two keys", of("pk", "key"), ingest.DecodeOptions{}, `the column "key" and another one may both be the field pk`},
		{"half of a composed key", of("tenant"), ingest.DecodeOptions{Map: map[string]string{"pk": "tenant+day"}}, `the columns are "tenant"`},
		{"an output of keyheat", output, ingest.DecodeOptions{}, "is an output of keyheat (keyheat.findings/1), not traffic"},
	} {
		for form, file := range bothForms(t, tt.table) {
			if _, err := openTable(file, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %v", tt.name, form, err)
			}
		}
	}
	file := bothForms(t, eventsTable())["parquet"]
	file.At = nil
	if _, err := openTable(file, ingest.DecodeOptions{}); err == nil || !strings.Contains(err.Error(), "it must lie on disk") {
		t.Errorf("Parquet in an archive: %v", err)
	}
}

func TestTimesWithoutAZoneAreOfTheZoneThatIsGiven(t *testing.T) {
	table := &eventTable{location: time.FixedZone("zone", 2*3600)}
	noon := time.Date(2026, 6, 4, 12, 0, 0, 5, time.UTC).UnixNano()
	if got, want := table.inZone(noon, false), noon-2*3600e9; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := table.inZone(noon, true); got != noon {
		t.Errorf("a time with a zone: got %d, want %d", got, noon)
	}
}
