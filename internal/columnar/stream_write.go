package columnar

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Kind is what the cells of a column of a stream are. All may be null.
type Kind uint8

// The kinds that are written. Words and Names are dictionaries, which each batch has of its own.
const (
	Word   Kind = iota // UTF-8 text of few different values
	Name               // bytes of which many are alike
	Count              // 64 bits, unsigned
	Signed             // 64 bits, signed
	Moment             // Unix nanoseconds UTC
	Flag
	Plain // read only: text, bytes, numbers and times of any other type
	Other // neither: lists, structures
)

var kinds = [...]arrow.DataType{
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.Binary},
	arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Int64,
	&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"},
	arrow.FixedWidthTypes.Boolean,
}

// A Field is the name and the kind of a column of a stream.
type Field struct {
	Name string
	Kind Kind
}

// An Allocator gives the memory of columns; nil is Go's.
type Allocator = memory.Allocator

// A StreamWriter writes rows as an Arrow IPC stream, batch by batch. Cells of a row are set in any order,
// each at most once; those that are not set are null.
// https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
type StreamWriter struct {
	to      io.Writer
	out     *ipc.Writer
	batch   bytes.Buffer // what a batch comes to: it is written at once
	builder *array.RecordBuilder
	rows    int
	held    int
}

// NewStreamWriter begins a stream: its schema is written, so that what a killed writer leaves can be read.
func NewStreamWriter(to io.Writer, fields []Field, meta map[string]string, mem Allocator) (*StreamWriter, error) {
	if mem == nil {
		mem = memory.NewGoAllocator()
	}
	all := make([]arrow.Field, len(fields))
	for i, f := range fields {
		all[i] = arrow.Field{Name: f.Name, Type: kinds[f.Kind], Nullable: true}
	}
	metadata := arrow.MetadataFrom(meta)
	schema := arrow.NewSchema(all, &metadata)
	w := &StreamWriter{to: to, builder: array.NewRecordBuilder(mem, schema)}
	w.out = ipc.NewWriter(&w.batch, ipc.WithSchema(schema), ipc.WithAllocator(mem), ipc.WithZstd())
	return w, w.write()
}

// ContinueStream goes on with a stream of these fields, behind its last whole batch.
func ContinueStream(to io.Writer, fields []Field, mem Allocator) (*StreamWriter, error) {
	w, err := NewStreamWriter(io.Discard, fields, nil, mem)
	if err != nil {
		return nil, err
	}
	w.to = to
	return w, nil
}

// Text sets a Word.
func (w *StreamWriter) Text(column int, s string) error {
	w.held += len(s)
	return w.builder.Field(column).(*array.BinaryDictionaryBuilder).AppendString(s)
}

// Bytes sets a Name.
func (w *StreamWriter) Bytes(column int, b []byte) error {
	w.held += len(b)
	return w.builder.Field(column).(*array.BinaryDictionaryBuilder).Append(b)
}

// Count sets a Count.
func (w *StreamWriter) Count(column int, v uint64) {
	w.builder.Field(column).(*array.Uint64Builder).Append(v)
}

// Signed sets a Signed.
func (w *StreamWriter) Signed(column int, v int64) {
	w.builder.Field(column).(*array.Int64Builder).Append(v)
}

// Moment sets a Moment.
func (w *StreamWriter) Moment(column int, nanos int64) {
	w.builder.Field(column).(*array.TimestampBuilder).Append(arrow.Timestamp(nanos))
}

// Flag sets a Flag.
func (w *StreamWriter) Flag(column int, v bool) {
	w.builder.Field(column).(*array.BooleanBuilder).Append(v)
}

// EndRow ends a row.
func (w *StreamWriter) EndRow() {
	w.rows++
	for _, b := range w.builder.Fields() {
		if b.Len() < w.rows {
			b.AppendNull()
		}
	}
}

// Rows gives the number of rows that are not written yet, Held the bytes of their texts.
func (w *StreamWriter) Rows() int { return w.rows }

// Held gives the bytes of the texts of the rows that are not written yet.
func (w *StreamWriter) Held() int { return w.held }

// Flush writes the rows so far as a batch.
func (w *StreamWriter) Flush() error {
	if w.rows == 0 {
		return nil
	}
	return w.write()
}

func (w *StreamWriter) write() error {
	rec := w.builder.NewRecord()
	defer rec.Release()
	for _, b := range w.builder.Fields() {
		if dictionary, ok := b.(array.DictionaryBuilder); ok {
			dictionary.ResetFull() // it would else keep, and write again, all texts of the batches before
		}
	}
	w.rows, w.held = 0, 0
	if err := w.out.Write(rec); err != nil {
		return fmt.Errorf("making a batch: %w", err)
	}
	return w.send()
}

// send hands on what a batch came to in one write, so that little can come between.
func (w *StreamWriter) send() error {
	_, err := w.to.Write(w.batch.Bytes())
	w.batch.Reset()
	return err
}

// Close writes what is left and the end of the stream.
func (w *StreamWriter) Close() error {
	err := w.Flush()
	if ended := w.Release(); err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	return w.send()
}

// Release frees what the writer holds, and leaves the stream without its end.
func (w *StreamWriter) Release() error {
	w.builder.Release()
	return w.out.Close() // into memory
}
