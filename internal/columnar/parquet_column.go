package columnar

import (
	"math/big"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// A parquetLeaf is a column of plain values, and the type that its cells get in Arrow: none when it is nested
// or of a type that no cell is made of.
type parquetLeaf struct {
	at      int // among the leaves of the schema
	descr   *schema.Column
	as      arrow.DataType
	decimal *schema.DecimalLogicalType // whose cells become text
}

func (l parquetLeaf) kind() Kind {
	if l.as == nil {
		return Other
	}
	return kindOf(l.as)
}

// parquetLeafOf gives what a field is.
func parquetLeafOf(s *schema.Schema, field int) parquetLeaf {
	at := s.ColumnIndexByNode(s.Root().Field(field))
	if at < 0 || s.Column(at).MaxRepetitionLevel() > 0 {
		return parquetLeaf{}
	}
	l := parquetLeaf{at: at, descr: s.Column(at)}
	l.decimal, _ = l.descr.LogicalType().(*schema.DecimalLogicalType)
	l.as = l.arrowType()
	return l
}

// arrowType gives the type in Arrow. https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
func (l parquetLeaf) arrowType() arrow.DataType {
	if l.decimal != nil {
		return arrow.BinaryTypes.String
	}
	logical := l.descr.LogicalType()
	switch l.descr.PhysicalType() {
	case parquet.Types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case parquet.Types.Int32:
		return wholeType(logical, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32)
	case parquet.Types.Int64:
		return wholeType(logical, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64)
	case parquet.Types.Int96: // instants of Spark and Impala
		return arrow.FixedWidthTypes.Timestamp_ns
	case parquet.Types.Float:
		return arrow.PrimitiveTypes.Float32
	case parquet.Types.Double:
		return arrow.PrimitiveTypes.Float64
	case parquet.Types.ByteArray:
		if _, text := logical.(schema.StringLogicalType); text {
			return arrow.BinaryTypes.String
		}
		return arrow.BinaryTypes.Binary
	case parquet.Types.FixedLenByteArray:
		if _, half := logical.(schema.Float16LogicalType); !half {
			return &arrow.FixedSizeBinaryType{ByteWidth: l.descr.TypeLength()}
		}
	}
	return nil
}

// wholeType gives the type of whole numbers of 32 or 64 bits. Times of day are not read.
func wholeType(logical schema.LogicalType, signed, unsigned arrow.DataType) arrow.DataType {
	switch t := logical.(type) {
	case *schema.IntLogicalType:
		if !t.IsSigned() {
			return unsigned
		}
	case schema.DateLogicalType:
		return arrow.FixedWidthTypes.Date32
	case *schema.TimeLogicalType:
		return nil
	case *schema.TimestampLogicalType:
		return momentType(t)
	}
	return signed
}

// momentType gives the type of times. What old writers marked as times may be in any zone.
func momentType(t *schema.TimestampLogicalType) arrow.DataType {
	units := map[schema.TimeUnitType]arrow.TimeUnit{
		schema.TimeUnitMillis: arrow.Millisecond, schema.TimeUnitMicros: arrow.Microsecond, schema.TimeUnitNanos: arrow.Nanosecond,
	}
	unit, known := units[t.TimeUnit()]
	switch {
	case !known:
		return nil
	case t.IsAdjustedToUTC() && !t.IsFromConvertedType():
		return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
	}
	return &arrow.TimestampType{Unit: unit}
}

// A parquetColumn reads a column through all row groups.
type parquetColumn struct {
	parquetLeaf
	from  *file.Reader
	mem   Allocator
	group int // the next
	rows  file.RecordReader
}

func newParquetColumn(from *file.Reader, leaf parquetLeaf, mem Allocator) (*parquetColumn, error) {
	pool := &sync.Pool{New: func() any { return memory.NewResizableBuffer(mem) }}
	levels := file.LevelInfo{NullSlotUsage: 1, DefLevel: leaf.descr.MaxDefinitionLevel()}
	c := &parquetColumn{parquetLeaf: leaf, from: from, mem: mem, rows: file.NewRecordReader(leaf.descr, levels, leaf.as, mem, pool)}
	return c, c.nextGroup()
}

// nextGroup goes on with the next row group, or ends.
func (c *parquetColumn) nextGroup() error {
	if c.group == c.from.NumRowGroups() {
		c.rows.SetPageReader(nil)
		return nil
	}
	pages, err := c.from.RowGroup(c.group).GetColumnPageReader(c.at)
	if err != nil {
		return err
	}
	c.group++
	c.rows.SetPageReader(pages)
	return nil
}

// next gives the next cells, at most so many; fewer than that only at the end.
func (c *parquetColumn) next(most int64) (arrow.Array, error) {
	c.rows.Reset()
	if err := c.rows.Reserve(most); err != nil {
		return nil, err
	}
	for most > 0 && c.rows.HasMore() {
		n, err := c.rows.ReadRecords(most)
		if err == nil && n == 0 {
			err = c.endGroup()
		}
		if err != nil {
			return nil, err
		}
		most -= n
	}
	return c.cells(), nil
}

// endGroup leaves a row group, unless its end is a page that cannot be read: of that ReadRecords does not tell.
func (c *parquetColumn) endGroup() error {
	if pages, ok := c.rows.(interface{ Err() error }); ok && pages.Err() != nil {
		return pages.Err()
	}
	return c.nextGroup()
}

// cells gives what was read.
func (c *parquetColumn) cells() arrow.Array {
	if c.decimal != nil {
		return c.decimals()
	}
	switch c.descr.PhysicalType() {
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		return c.rows.(file.BinaryRecordReader).GetBuilderChunks()[0] // there is one, but of dictionaries
	case parquet.Types.Boolean:
		return c.flags()
	case parquet.Types.Int96:
		return c.moments()
	}
	n, nulls := c.rows.ValuesWritten(), int(c.rows.NullCount())
	buffers := []*memory.Buffer{c.rows.ReleaseValidBits(), c.rows.ReleaseValues()}
	return array.MakeFromData(array.NewData(c.as, n, buffers, nil, nulls, 0))
}

// fill appends the cells that were read, nulls as such.
func (c *parquetColumn) fill(to array.Builder, cell func(row int)) arrow.Array {
	n, valid := c.rows.ValuesWritten(), c.rows.ReleaseValidBits()
	for row := range n {
		if valid != nil && valid.Bytes()[row/8]>>(row%8)&1 == 0 {
			to.AppendNull()
			continue
		}
		cell(row)
	}
	return to.NewArray()
}

func (c *parquetColumn) flags() arrow.Array {
	b, flags := array.NewBooleanBuilder(c.mem), c.rows.Values() // a byte each
	return c.fill(b, func(row int) { b.Append(flags[row] != 0) })
}

func (c *parquetColumn) moments() arrow.Array {
	b, times := array.NewTimestampBuilder(c.mem, c.as.(*arrow.TimestampType)), parquet.Int96Traits.CastFromBytes(c.rows.Values())
	return c.fill(b, func(row int) { b.Append(arrow.Timestamp(times[row].ToTime().UnixNano())) })
}

// decimals gives numbers with digits behind the point, as text. In bytes they are big-endian, two's complement.
func (c *parquetColumn) decimals() arrow.Array {
	b := array.NewStringBuilder(c.mem)
	add := func(n decimal256.Num) { b.Append(n.ToString(c.decimal.Scale())) }
	switch c.descr.PhysicalType() {
	case parquet.Types.Int32:
		numbers := arrow.Int32Traits.CastFromBytes(c.rows.Values())
		return c.fill(b, func(row int) { add(decimal256.FromI64(int64(numbers[row]))) })
	case parquet.Types.Int64:
		numbers := arrow.Int64Traits.CastFromBytes(c.rows.Values())
		return c.fill(b, func(row int) { add(decimal256.FromI64(numbers[row])) })
	}
	in := c.rows.(file.BinaryRecordReader).GetBuilderChunks()[0]
	bytes := in.(interface{ Value(row int) []byte })
	for row := range in.Len() {
		if in.IsNull(row) {
			b.AppendNull()
			continue
		}
		add(decimal256.FromBigInt(signed(bytes.Value(row))))
	}
	return b.NewArray()
}

// signed reads a big-endian number in two's complement.
func signed(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
