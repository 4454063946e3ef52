package columnar

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// parquetRows is the most rows of a batch of a Parquet file.
const parquetRows = 4096

// A ParquetReader reads a Parquet file batch by batch: some pages of the chosen columns are in memory. It stands
// in for package pqarrow, which links gRPC, protocol buffers and all that Arrow can compute, nearly a third of a program.
// https://parquet.apache.org/docs/file-format/
type ParquetReader struct {
	from   *file.Reader
	mem    Allocator
	fields []Field
	leaves []parquetLeaf // one a field
	chosen []*parquetColumn
	read   int64 // rows
	batch  Batch
}

// BeginsParquet reports whether b is the beginning of a Parquet file.
func BeginsParquet(b []byte) bool { return len(b) >= 4 && string(b[:4]) == "PAR1" }

// NewParquetReader reads the footer of a Parquet file of so many bytes.
func NewParquetReader(at io.ReaderAt, size int64, mem Allocator) (r *ParquetReader, err error) {
	defer func() { err = recovered(recover(), err) }()
	if mem == nil {
		mem = memory.NewGoAllocator()
	}
	props := parquet.NewReaderProperties(mem)
	props.BufferedStreamEnabled = true // a row group may be larger than the memory
	from, err := file.NewParquetReader(io.NewSectionReader(at, 0, size), file.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	r = &ParquetReader{from: from, mem: mem}
	schema := from.MetaData().Schema
	for i := range schema.Root().NumFields() {
		name, leaf := schema.Root().Field(i).Name(), parquetLeafOf(schema, i)
		r.fields = append(r.fields, Field{name, leaf.kind()})
		r.leaves = append(r.leaves, leaf)
	}
	return r, nil
}

// recovered gives what a reader of a broken file panicked with as an error.
func recovered(broken any, err error) error {
	if broken != nil {
		return fmt.Errorf("a broken file: %v", broken)
	}
	return err
}

// Fields gives the columns.
func (r *ParquetReader) Fields() []Field { return r.fields }

// Meta gives a value of the file's metadata.
func (r *ParquetReader) Meta(name string) (string, bool) {
	v := r.from.MetaData().KeyValueMetadata().FindValue(name)
	if v == nil {
		return "", false
	}
	return *v, true
}

// Choose says which columns are read, at least one and none of them Other; a Batch has those alone, in this
// order.
func (r *ParquetReader) Choose(columns []int) (err error) {
	defer func() { err = recovered(recover(), err) }()
	for _, c := range columns {
		leaf := r.leaves[c]
		if leaf.kind() == Other {
			return fmt.Errorf("column %q is nested, or of a type that is not read", r.fields[c].Name)
		}
		column, err := newParquetColumn(r.from, leaf, r.mem)
		if err != nil {
			return err
		}
		r.chosen = append(r.chosen, column)
	}
	return nil
}

// Next gives the next batch, valid until the next call. The error is io.EOF at the end.
func (r *ParquetReader) Next() (b *Batch, err error) {
	defer func() { err = recovered(recover(), err) }()
	if r.read == r.from.NumRows() {
		return nil, io.EOF
	}
	columns := make([]arrow.Array, len(r.chosen))
	for i, c := range r.chosen {
		if columns[i], err = c.next(parquetRows); err != nil {
			return nil, err
		}
	}
	rows := columns[0].Len()
	if r.read += int64(rows); rows == 0 || r.read > r.from.NumRows() {
		return nil, fmt.Errorf("a broken file: %d rows are there, its footer tells of %d", r.read, r.from.NumRows())
	}
	return &r.batch, r.batch.take(rows, columns)
}

// Release frees what the reader holds.
func (r *ParquetReader) Release() {
	for _, c := range r.chosen {
		c.rows.Release()
	}
}
