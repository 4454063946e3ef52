package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
)

func pointer[T any](v T) *T { return &v }

func sample() *Table {
	return &Table{Meta: map[string]string{"schema": "test/1"}, Columns: []Column{
		{"text", Texts{"a", "", "a"}},
		{"key", Keys{[]byte("k\xff\x00"), nil, {}}},
		{"count", Counts{pointer(uint64(1<<64 - 1)), nil, pointer(uint64(0))}},
		{"number", Numbers{pointer(0.5), nil, pointer(-1.0)}},
		{"time", Times{pointer(int64(1780531200)), nil, pointer(int64(0))}},
		{"flag", Flags{true, false, true}},
	}}
}

// cells gives a record as text, column by column.
func cells(rec arrow.Record) [][]string {
	var out [][]string
	for i := range int(rec.NumCols()) {
		var column []string
		for row := range int(rec.NumRows()) {
			column = append(column, rec.Column(i).ValueStr(row))
		}
		out = append(out, column)
	}
	return out
}

func TestWhatIsWrittenReadsAsItWas(t *testing.T) {
	want := [][]string{
		{"a", "", "a"}, {"a/8A", "(null)", ""}, {"18446744073709551615", "(null)", "0"}, {"0.5", "(null)", "-1"},
		{"2026-06-04T00:00:00Z", "(null)", "1970-01-01T00:00:00Z"}, {"true", "false", "true"},
	}
	read := map[string]func(*testing.T, []byte) arrow.Record{"arrow": readArrow, "parquet": readParquet}
	write := map[string]func(*Table, io.Writer) error{"arrow": (*Table).WriteArrow, "parquet": (*Table).WriteParquet}
	for name := range read {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write[name](sample(), &b); err != nil {
				t.Fatal(err)
			}
			got := cells(read[name](t, b.Bytes()))
			for i := range got[4] { // readers differ in how they print a time
				got[4][i] = strings.Replace(strings.TrimSuffix(got[4][i], ".000Z"), " ", "T", 1)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func readArrow(t *testing.T, b []byte) arrow.Record {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Record(0)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func readParquet(t *testing.T, b []byte) arrow.Record {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(b), file.WithReadProps(parquet.NewReaderProperties(memory.NewGoAllocator())))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 100}, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.GetRecordReader(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !all.Next() {
		t.Fatal("no record")
	}
	return all.Record()
}

func TestStatisticsOfParquetAreTrue(t *testing.T) { // readers leave out rows by them
	table := &Table{Columns: []Column{{"count", Counts{pointer(uint64(9)), nil, pointer(uint64(5))}}, {"text", Texts{"b", "a", "c"}}}}
	var b bytes.Buffer
	if err := table.WriteParquet(&b); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range table.Columns {
		chunk, err := f.MetaData().RowGroup(0).ColumnChunk(i)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := chunk.Statistics()
		if err != nil {
			t.Fatal(err)
		}
		switch s := stats.(type) {
		case *metadata.Int64Statistics:
			got = append(got, fmt.Sprint(s.Min(), s.Max(), s.NullCount()))
		case *metadata.ByteArrayStatistics:
			got = append(got, fmt.Sprintf("%s %s %d", s.Min(), s.Max(), s.NullCount()))
		}
	}
	if diff := cmp.Diff(got, []string{"5 9 1", "a c 0"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestATableWithoutRowsIsWhole(t *testing.T) {
	table := &Table{Columns: []Column{{"text", Texts{}}, {"key", Keys{}}, {"count", Counts{}}}}
	var b bytes.Buffer
	if err := table.WriteParquet(&b); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.NumRows(); got != 0 {
		t.Errorf("%d rows, want none", got)
	}
	b.Reset()
	if err := table.WriteArrow(&b); err != nil {
		t.Fatal(err)
	}
	if got := readArrow(t, b.Bytes()).NumRows(); got != 0 {
		t.Errorf("%d rows, want none", got)
	}
}

func TestALongTableIsWritten(t *testing.T) {
	const rows = 100_000
	texts, keys := make(Texts, rows), make(Keys, rows)
	for i := range rows {
		texts[i], keys[i] = fmt.Sprint("t", i%300), fmt.Append(nil, i%3000)
	}
	table := &Table{Columns: []Column{{"text", texts}, {"key", keys}}}
	for name, write := range map[string]func(io.Writer) error{"arrow": table.WriteArrow, "parquet": table.WriteParquet} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "parquet" && b.Len() > rows {
			t.Errorf("%d bytes, want under one a row", b.Len())
		}
	}
}

func TestColumnsOfDifferentLengthsAreRefused(t *testing.T) {
	table := &Table{Columns: []Column{{"a", Flags{true}}, {"b", Flags{}}}}
	for name, write := range map[string]func(io.Writer) error{"arrow": table.WriteArrow, "parquet": table.WriteParquet} {
		if err := write(io.Discard); err == nil || !strings.Contains(err.Error(), "column b has 0 rows") {
			t.Errorf("%s: error %v, want one that names the column", name, err)
		}
	}
}

// A full is a disk with room for so many bytes.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	for name, write := range map[string]func(*Table, io.Writer) error{"arrow": (*Table).WriteArrow, "parquet": (*Table).WriteParquet} {
		for _, room := range []full{0, 10, 300} {
			t.Run(fmt.Sprint(name, int(room)), func(t *testing.T) {
				if err := write(sample(), &room); err == nil {
					t.Error("no error")
				}
			})
		}
	}
}
