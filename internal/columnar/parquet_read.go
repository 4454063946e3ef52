package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// parquetRows is the most rows of a batch of a Parquet file.
const parquetRows = 4096

// A ParquetReader reads a Parquet file batch by batch: some pages of the chosen columns are in memory.
// https://parquet.apache.org/docs/file-format/
type ParquetReader struct {
	from   *file.Reader
	arrow  *pqarrow.FileReader
	fields []Field
	rows   pqarrow.RecordReader // nil until columns are chosen
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
	arrow, err := pqarrow.NewFileReader(from, pqarrow.ArrowReadProperties{BatchSize: parquetRows}, mem)
	if err != nil {
		return nil, err
	}
	schema, err := arrow.Schema()
	if err != nil {
		return nil, err
	}
	return &ParquetReader{from: from, arrow: arrow, fields: fieldsOf(schema)}, nil
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

// Choose says which columns are read, at least one and none of them Other; a Batch has those alone, in the
// order of the file.
func (r *ParquetReader) Choose(columns []int) (err error) {
	defer func() { err = recovered(recover(), err) }()
	leaves := make([]int, len(columns))
	for i, c := range columns {
		leaf := r.arrow.Manifest.Fields[c].ColIndex
		if leaf < 0 {
			return fmt.Errorf("column %q is nested", r.fields[c].Name)
		}
		leaves[i] = leaf
	}
	r.rows, err = r.arrow.GetRecordReader(context.Background(), leaves, nil)
	return err
}

// Next gives the next batch, valid until the next call. The error is io.EOF at the end.
func (r *ParquetReader) Next() (b *Batch, err error) {
	defer func() { err = recovered(recover(), err) }()
	if r.from.NumRows() == 0 {
		return nil, io.EOF
	}
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, io.EOF
	}
	return &r.batch, r.batch.take(r.rows.Record())
}

// Release frees what the reader holds.
func (r *ParquetReader) Release() {
	if r.rows != nil {
		r.rows.Release()
	}
}
