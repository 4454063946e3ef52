package columnar

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A Batch is some rows of a table. What its cells give is valid as long as the batch is.
type Batch struct {
	rows    int
	columns []arrow.Array
}

// take makes the batch that of some columns, after a look at each cell: offsets and indices come from outside.
func (b *Batch) take(rows int, columns []arrow.Array) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("a broken batch: %v", broken)
		}
	}()
	b.rows, b.columns = rows, columns
	for i, c := range b.columns {
		if c.Len() != b.rows {
			return fmt.Errorf("a broken batch: %d rows in column %d, %d in the batch", c.Len(), i, b.rows)
		}
		for row := range b.rows {
			b.Bytes(i, row)
		}
		if flags, ok := c.(*array.Boolean); ok && b.rows > 0 {
			flags.Value(b.rows - 1) // bits are one after the other: the last is there, or some are not
		}
	}
	return nil
}

// Rows gives the number of rows.
func (b *Batch) Rows() int { return b.rows }

// Bytes gives a cell of text or bytes; ok is false when it is null, or of another kind.
func (b *Batch) Bytes(column, row int) (cell []byte, ok bool) {
	c := b.columns[column]
	if c.IsNull(row) {
		return nil, false
	}
	if d, is := c.(*array.Dictionary); is {
		c, row = d.Dictionary(), d.GetValueIndex(row)
		if c.IsNull(row) {
			return nil, false
		}
	}
	switch c := c.(type) {
	case interface{ Value(i int) []byte }: // Binary, LargeBinary, BinaryView, FixedSizeBinary
		return c.Value(row), true
	case *array.String:
		first := c.ValueOffset(0)
		return c.ValueBytes()[c.ValueOffset(row)-first : c.ValueOffset(row+1)-first], true
	}
	return nil, false
}

// Count gives a cell of an unsigned number; ok is false when it is null, or of another kind.
func (b *Batch) Count(column, row int) (cell uint64, ok bool) {
	c, is := b.columns[column].(*array.Uint64)
	if !is || c.IsNull(row) {
		return 0, false
	}
	return c.Value(row), true
}

// Signed gives a cell of a signed number; ok is false when it is null, or of another kind.
func (b *Batch) Signed(column, row int) (cell int64, ok bool) {
	c, is := b.columns[column].(*array.Int64)
	if !is || c.IsNull(row) {
		return 0, false
	}
	return c.Value(row), true
}

// Moment gives a time in Unix nanoseconds; ok is false when it is null, or of another kind.
func (b *Batch) Moment(column, row int) (nanos int64, ok bool) {
	c, is := b.columns[column].(*array.Timestamp)
	if !is || c.IsNull(row) {
		return 0, false
	}
	return int64(c.Value(row)), true
}

// Flag gives a cell of yes or no; null and other kinds are no.
func (b *Batch) Flag(column, row int) bool {
	c, is := b.columns[column].(*array.Boolean)
	return is && !c.IsNull(row) && c.Value(row)
}

// fieldsOf gives the columns of a schema.
func fieldsOf(s *arrow.Schema) []Field {
	all := make([]Field, s.NumFields())
	for i, f := range s.Fields() {
		all[i] = Field{f.Name, kindOf(f.Type)}
	}
	return all
}

// kindOf gives the kind that is written as the type, Plain for others of which AppendText gives the cells.
func kindOf(t arrow.DataType) Kind {
	for k, written := range kinds {
		if arrow.TypeEqual(t, written) {
			return Kind(k)
		}
	}
	if readable(t) {
		return Plain
	}
	return Other
}

func metaOf(s *arrow.Schema, name string) (string, bool) {
	meta := s.Metadata()
	i := meta.FindKey(name)
	if i < 0 {
		return "", false
	}
	return meta.Values()[i], true
}
