package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/google/go-cmp/cmp"
)

// everyType has columns of each type that is read, and three that are not.
var everyType = []arrow.Field{
	{Name: "text", Type: arrow.BinaryTypes.String},
	{Name: "bytes", Type: arrow.BinaryTypes.Binary},
	{Name: "uuid", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}},
	{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "int8", Type: arrow.PrimitiveTypes.Int8},
	{Name: "uint16", Type: arrow.PrimitiveTypes.Uint16},
	{Name: "int32", Type: arrow.PrimitiveTypes.Int32},
	{Name: "uint32", Type: arrow.PrimitiveTypes.Uint32},
	{Name: "int64", Type: arrow.PrimitiveTypes.Int64},
	{Name: "uint64", Type: arrow.PrimitiveTypes.Uint64},
	{Name: "float32", Type: arrow.PrimitiveTypes.Float32},
	{Name: "float64", Type: arrow.PrimitiveTypes.Float64},
	{Name: "date", Type: arrow.FixedWidthTypes.Date32},
	{Name: "millis", Type: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}},
	{Name: "nanos", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}},
	{Name: "small decimal", Type: &arrow.Decimal128Type{Precision: 7, Scale: 2}},
	{Name: "decimal", Type: &arrow.Decimal128Type{Precision: 30, Scale: 9}},
	{Name: "time of day", Type: arrow.FixedWidthTypes.Time32ms},
	{Name: "half", Type: arrow.FixedWidthTypes.Float16},
	{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)},
}

const readColumns = 17 // of everyType

// anyCell appends a random value of the column's type, or null.
func anyCell(r *rand.Rand, b array.Builder, nulls bool) {
	if nulls && r.IntN(4) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append([]string{"", "a", "ключ", fmt.Sprint("key-", r.IntN(1000))}[r.IntN(4)])
	case *array.BinaryBuilder:
		b.Append([]byte{0xff, byte(r.IntN(256))}[:r.IntN(3)])
	case *array.FixedSizeBinaryBuilder:
		b.Append(fmt.Appendf(nil, "%016x", r.Uint64()))
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(r.Int64()))
	case *array.Uint16Builder:
		b.Append(uint16(r.Uint64()))
	case *array.Int32Builder:
		b.Append(int32(r.Int64()))
	case *array.Uint32Builder:
		b.Append(uint32(r.Uint64()))
	case *array.Int64Builder:
		b.Append(int64(r.Uint64()))
	case *array.Uint64Builder:
		b.Append(r.Uint64() | 1<<63)
	case *array.Float32Builder:
		b.Append(float32(r.NormFloat64()))
	case *array.Float64Builder:
		b.Append(r.NormFloat64())
	case *array.Date32Builder:
		b.Append(arrow.Date32(r.IntN(40_000) - 20_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(r.Int64N(math.MaxInt64 / 1_000_000)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(r.Int64N(2_000_000) - 1_000_000))
	default:
		b.AppendNull()
	}
}

// parquetOf writes the rows of a record as package pqarrow does, in row groups of so many.
func parquetOf(t *testing.T, rec arrow.Record, group int64, more ...parquet.WriterProperty) []byte {
	t.Helper()
	var b bytes.Buffer
	props := parquet.NewWriterProperties(append(more, parquet.WithMaxRowGroupLength(group), parquet.WithDataPageSize(700))...)
	w, err := pqarrow.NewFileWriter(rec.Schema(), &b, props, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// textOf gives the cells of columns as text, row by row; null is "-".
func textOf(b *Batch, columns int) (rows [][]string) {
	for row := range b.Rows() {
		var cells []string
		for c := range columns {
			cell, ok := b.AppendText(nil, c, row)
			if !ok {
				cell = []byte("-")
			}
			cells = append(cells, string(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

// readRows gives all rows of some columns of a Parquet file.
func readRows(b []byte, columns []int) (rows [][]string, err error) {
	r, err := NewParquetReader(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if err := r.Choose(columns); err != nil {
		return nil, err
	}
	for {
		batch, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, textOf(batch, len(columns))...)
	}
}

func recordOf(r *rand.Rand, fields []arrow.Field, rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	for i, f := range fields {
		for range rows {
			anyCell(r, b.Field(i), f.Nullable)
		}
	}
	return b.NewRecord()
}

func TestParquetReadsAsArrowsOwnReaderHasIt(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for name, props := range map[string][]parquet.WriterProperty{
		"dictionaries":               nil,
		"no dictionaries, zstd":      {parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd)},
		"pages of version 2, brotli": {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Brotli)},
	} {
		for _, nullable := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", nullable ", nullable), func(t *testing.T) {
				fields := append([]arrow.Field(nil), everyType[:readColumns]...)
				columns := make([]int, len(fields))
				for i := range fields {
					fields[i].Nullable, columns[i] = nullable, i
				}
				rec := recordOf(r, fields, 1+r.IntN(2*parquetRows))
				var want Batch
				if err := want.take(int(rec.NumRows()), rec.Columns()); err != nil {
					t.Fatal(err)
				}
				got, err := readRows(parquetOf(t, rec, 1+r.Int64N(2*parquetRows), props...), columns)
				if err != nil {
					t.Fatal(err)
				}
				if all := textOf(&want, len(columns)); !slices.EqualFunc(got, all, slices.Equal[[]string]) { // cmp takes seconds
					t.Errorf("(-got +want):\n%.2000s", cmp.Diff(got, all))
				}
			})
		}
	}
}

func TestParquetOfOtherWritersIsRead(t *testing.T) {
	naive := schema.NewTimestampLogicalType(false, schema.TimeUnitMicros)
	spark := parquet.Int96{}
	spark.SetNanoSeconds(1)
	binary.LittleEndian.PutUint32(spark[8:], 2440588) // the Julian day of 1970-01-01
	var fields schema.FieldList
	for _, f := range []struct {
		name     string
		logical  schema.LogicalType
		physical parquet.Type
	}{
		{"price", schema.NewDecimalLogicalType(7, 2), parquet.Types.Int32},
		{"units", schema.NewDecimalLogicalType(15, 3), parquet.Types.Int64},
		{"naive", naive, parquet.Types.Int64},
		{"spark", schema.NoLogicalType{}, parquet.Types.Int96},
		{"state", schema.EnumLogicalType{}, parquet.Types.ByteArray},
	} {
		fields = append(fields, schema.MustPrimitive(schema.NewPrimitiveNodeLogical(f.name, parquet.Repetitions.Optional, f.logical, f.physical, 0, -1)))
	}
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Repeated, fields, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	rows, levels := w.AppendRowGroup(), []int16{1, 0}
	for range fields {
		c, err := rows.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		switch c := c.(type) {
		case *file.Int32ColumnChunkWriter:
			_, err = c.WriteBatch([]int32{-12345}, levels, nil)
		case *file.Int64ColumnChunkWriter:
			_, err = c.WriteBatch([]int64{1500}, levels, nil)
		case *file.Int96ColumnChunkWriter:
			_, err = c.WriteBatch([]parquet.Int96{spark}, levels, nil)
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch([]parquet.ByteArray{[]byte("hot")}, levels, nil)
		}
		if err := errors.Join(err, c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(rows.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := readRows(b.Bytes(), []int{4, 3, 2, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"hot", "1970-01-01T00:00:00.000000001Z", "1970-01-01T00:00:00.0015", "1.500", "-123.45"}, {"-", "-", "-", "-", "-"}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestParquetColumnsThatAreNotReadAreOther(t *testing.T) {
	rec := recordOf(rand.New(rand.NewPCG(1, 1)), everyType, 0)
	b := parquetOf(t, rec, 100)
	r, err := NewParquetReader(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Fields() {
		if got, want := f.Kind == Other, i >= readColumns; got != want {
			t.Errorf("column %s: other %v, want %v", f.Name, got, want)
		}
	}
	if err := r.Choose([]int{len(everyType) - 1}); err == nil {
		t.Error("a list was chosen")
	}
}

func TestBrokenPagesOfParquetAreAnError(t *testing.T) {
	rec := recordOf(rand.New(rand.NewPCG(2, 1)), everyType[:2], 3000)
	whole := parquetOf(t, rec, 1000, parquet.WithCompression(compress.Codecs.Zstd))
	from, err := file.NewParquetReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for group := range from.NumRowGroups() {
		chunk, err := from.MetaData().RowGroup(group).ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(whole)
		at := chunk.DataPageOffset()
		clear(b[at : at+chunk.TotalCompressedSize()/2])
		if rows, err := readRows(b, []int{0, 1}); err == nil {
			t.Errorf("row group %d: %d rows and no error", group, len(rows))
		}
	}
}
