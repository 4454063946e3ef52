package columnar

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// WriteParquet writes the table as a Parquet file of one row group, compressed with zstd.
// https://parquet.apache.org/docs/file-format/
func (t *Table) WriteParquet(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	root, err := t.parquetSchema()
	if err != nil {
		return err
	}
	meta := metadata.NewKeyValueMetadata()
	for _, name := range slices.Sorted(maps.Keys(t.Meta)) {
		if err := meta.Append(name, t.Meta[name]); err != nil {
			return err
		}
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("keyheat"))
	whole := &buffer{}
	out := file.NewParquetWriter(whole, root, file.WithWriterProps(props), file.WithWriteMetadata(meta))
	if err := errors.Join(t.writeColumns(out.AppendRowGroup()), out.Close()); err != nil {
		return err
	}
	_, err = w.Write(whole.Bytes())
	return err
}

// parquetSchema gives the columns; all may be null.
func (t *Table) parquetSchema() (*schema.GroupNode, error) {
	var all schema.FieldList
	for _, c := range t.Columns {
		logical, physical := c.Values.leaf()
		node, err := schema.NewPrimitiveNodeLogical(c.Name, parquet.Repetitions.Optional, logical, physical, 0, -1)
		if err != nil {
			return nil, err
		}
		all = append(all, node)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Repeated, all, -1)
}

func (t *Table) writeColumns(to file.SerialRowGroupWriter) error {
	for _, c := range t.Columns {
		column, err := to.NextColumn()
		if err != nil {
			return err
		}
		if err := errors.Join(c.Values.write(column), column.Close()); err != nil {
			return err
		}
	}
	return to.Close()
}

func (Texts) leaf() (schema.LogicalType, parquet.Type) {
	return schema.StringLogicalType{}, parquet.Types.ByteArray
}

func (Keys) leaf() (schema.LogicalType, parquet.Type) {
	return schema.NoLogicalType{}, parquet.Types.ByteArray
}

func (Counts) leaf() (schema.LogicalType, parquet.Type) {
	return schema.NewIntLogicalType(64, false), parquet.Types.Int64
}

func (Numbers) leaf() (schema.LogicalType, parquet.Type) {
	return schema.NoLogicalType{}, parquet.Types.Double
}

func (Times) leaf() (schema.LogicalType, parquet.Type) {
	return schema.NewTimestampLogicalTypeForce(true, schema.TimeUnitMillis), parquet.Types.Int64
}

func (Flags) leaf() (schema.LogicalType, parquet.Type) {
	return schema.NoLogicalType{}, parquet.Types.Boolean
}

func (v Texts) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(s string) (parquet.ByteArray, bool) { return parquet.ByteArray(s), true })
	_, err := to.(*file.ByteArrayColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

func (v Keys) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(k []byte) (parquet.ByteArray, bool) { return k, k != nil })
	_, err := to.(*file.ByteArrayColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

func (v Counts) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(n *uint64) (int64, bool) { return int64(value(n)), n != nil })
	_, err := to.(*file.Int64ColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

func (v Numbers) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(n *float64) (float64, bool) { return value(n), n != nil })
	_, err := to.(*file.Float64ColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

func (v Times) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(seconds *int64) (int64, bool) { return value(seconds) * 1000, seconds != nil })
	_, err := to.(*file.Int64ColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

func (v Flags) write(to file.ColumnChunkWriter) error {
	there, levels := present(v, func(flag bool) (bool, bool) { return flag, true })
	_, err := to.(*file.BooleanColumnChunkWriter).WriteBatch(there, levels, nil)
	return err
}

// present gives the cells that are not null, and of each cell whether it is one: 1, or 0.
func present[C, T any](cells []C, of func(C) (T, bool)) (there []T, levels []int16) {
	levels = make([]int16, len(cells))
	for i, c := range cells {
		if v, ok := of(c); ok {
			there, levels[i] = append(there, v), 1
		}
	}
	return there, levels
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
