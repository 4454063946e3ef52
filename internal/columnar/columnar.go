// Package columnar writes tables as Arrow IPC and as Parquet. It is the only importer of Arrow; it knows
// no report: it is handed columns.
package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// A Table is rows in columns of one length.
type Table struct {
	Columns []Column
	Meta    map[string]string // of the file: what made it, in which form
}

// A Column is one of Texts, Keys, Counts, Numbers, Times and Flags, with its name.
type Column struct {
	Name   string
	Values Values
}

// Values are the cells of a column; nil pointers and nil bytes are null.
type Values interface {
	Len() int
	kind() arrow.DataType // in Arrow
	fill(b array.Builder)
	leaf() (schema.LogicalType, parquet.Type) // in Parquet
	write(to file.ColumnChunkWriter) error
}

// Texts are few different UTF-8 texts: both files keep them as a dictionary.
type Texts []string

// Keys are bytes of any kind.
type Keys [][]byte

// Counts are whole numbers up to 2^64-1.
type Counts []*uint64

// Numbers are measured amounts.
type Numbers []*float64

// Times are Unix seconds.
type Times []*int64

// Flags are yes or no.
type Flags []bool

// Len gives the number of rows.
func (v Texts) Len() int { return len(v) }

// Len gives the number of rows.
func (v Keys) Len() int { return len(v) }

// Len gives the number of rows.
func (v Counts) Len() int { return len(v) }

// Len gives the number of rows.
func (v Numbers) Len() int { return len(v) }

// Len gives the number of rows.
func (v Times) Len() int { return len(v) }

// Len gives the number of rows.
func (v Flags) Len() int { return len(v) }

func (Texts) kind() arrow.DataType {
	return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
}
func (Keys) kind() arrow.DataType    { return arrow.BinaryTypes.Binary }
func (Counts) kind() arrow.DataType  { return arrow.PrimitiveTypes.Uint64 }
func (Numbers) kind() arrow.DataType { return arrow.PrimitiveTypes.Float64 }
func (Times) kind() arrow.DataType {
	return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
}
func (Flags) kind() arrow.DataType { return arrow.FixedWidthTypes.Boolean }

func (v Texts) fill(b array.Builder) {
	for _, s := range v {
		_ = b.(*array.BinaryDictionaryBuilder).AppendString(s) // fails on more than 2^31 different texts
	}
}

func (v Keys) fill(b array.Builder) {
	for _, k := range v {
		if k == nil {
			b.AppendNull()
			continue
		}
		b.(*array.BinaryBuilder).Append(k)
	}
}

func (v Counts) fill(b array.Builder) { fillEach(v, b, b.(*array.Uint64Builder).Append) }

func (v Numbers) fill(b array.Builder) { fillEach(v, b, b.(*array.Float64Builder).Append) }

func (v Times) fill(b array.Builder) {
	fillEach(v, b, func(seconds int64) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(seconds * 1000)) })
}

func (v Flags) fill(b array.Builder) { b.(*array.BooleanBuilder).AppendValues(v, nil) }

func fillEach[T any](values []*T, b array.Builder, add func(T)) {
	for _, v := range values {
		if v == nil {
			b.AppendNull()
			continue
		}
		add(*v)
	}
}

// check reports columns of different lengths.
func (t *Table) check() error {
	for _, c := range t.Columns {
		if n, want := c.Values.Len(), t.Columns[0].Values.Len(); n != want {
			return fmt.Errorf("column %s has %d rows, %s has %d", c.Name, n, t.Columns[0].Name, want)
		}
	}
	return nil
}

// record gives the table in Arrow's form; the caller releases it.
func (t *Table) record() (arrow.Record, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Values.kind(), Nullable: true}
	}
	meta := arrow.MetadataFrom(t.Meta)
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, &meta))
	defer builder.Release()
	for i, c := range t.Columns {
		c.Values.fill(builder.Field(i))
	}
	return builder.NewRecord(), nil
}

// WriteArrow writes the table as an Arrow IPC file (Feather version 2) of one batch.
// https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
func (t *Table) WriteArrow(w io.Writer) error {
	rec, err := t.record()
	if err != nil {
		return err
	}
	defer rec.Release()
	whole := &buffer{}
	out, err := ipc.NewFileWriter(whole, ipc.WithSchema(rec.Schema()))
	if err != nil {
		return err
	}
	if err := errors.Join(out.Write(rec), out.Close()); err != nil {
		return err
	}
	_, err = w.Write(whole.Bytes())
	return err
}

// A buffer is a file in memory. Arrow writes to one alone: it asks where it is, and panics when a write fails.
type buffer struct{ bytes.Buffer }

// Seek tells the end, which is all that is asked of it.
func (b *buffer) Seek(int64, int) (int64, error) { return int64(b.Len()), nil }
