package columnar

import (
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// AppendText appends a cell of a column that is not Other, as text: bytes as they are, numbers in decimal,
// times as RFC 3339, without a zone where the column has none. ok is false when it is null.
func (b *Batch) AppendText(dst []byte, column, row int) (text []byte, ok bool) {
	if cell, ok := b.Bytes(column, row); ok {
		return append(dst, cell...), true
	}
	c := b.columns[column]
	if d, is := c.(*array.Dictionary); is {
		if c.IsNull(row) {
			return dst, false
		}
		c, row = d.Dictionary(), d.GetValueIndex(row)
	}
	if c.IsNull(row) {
		return dst, false
	}
	switch c := c.(type) {
	case *array.LargeString:
		return append(dst, c.Value(row)...), true
	case *array.StringView:
		return append(dst, c.Value(row)...), true
	case *array.Boolean:
		return strconv.AppendBool(dst, c.Value(row)), true
	case *array.Timestamp:
		return appendTime(dst, c, row), true
	case *array.Date32:
		return c.Value(row).ToTime().AppendFormat(dst, time.DateOnly), true
	case *array.Date64:
		return c.Value(row).ToTime().AppendFormat(dst, time.DateOnly), true
	case *array.Decimal128:
		return append(dst, c.Value(row).ToString(c.DataType().(*arrow.Decimal128Type).Scale)...), true
	case *array.Decimal256:
		return append(dst, c.Value(row).ToString(c.DataType().(*arrow.Decimal256Type).Scale)...), true
	}
	return appendNumber(dst, c, row)
}

func appendNumber(dst []byte, c arrow.Array, row int) (text []byte, ok bool) {
	switch c := c.(type) {
	case *array.Int8:
		return strconv.AppendInt(dst, int64(c.Value(row)), 10), true
	case *array.Int16:
		return strconv.AppendInt(dst, int64(c.Value(row)), 10), true
	case *array.Int32:
		return strconv.AppendInt(dst, int64(c.Value(row)), 10), true
	case *array.Int64:
		return strconv.AppendInt(dst, c.Value(row), 10), true
	case *array.Uint8:
		return strconv.AppendUint(dst, uint64(c.Value(row)), 10), true
	case *array.Uint16:
		return strconv.AppendUint(dst, uint64(c.Value(row)), 10), true
	case *array.Uint32:
		return strconv.AppendUint(dst, uint64(c.Value(row)), 10), true
	case *array.Uint64:
		return strconv.AppendUint(dst, c.Value(row), 10), true
	case *array.Float32:
		return strconv.AppendFloat(dst, float64(c.Value(row)), 'f', -1, 32), true
	case *array.Float64:
		return strconv.AppendFloat(dst, c.Value(row), 'f', -1, 64), true
	}
	return dst, false
}

const (
	withZone    = "2006-01-02T15:04:05.999999999Z07:00"
	withoutZone = "2006-01-02T15:04:05.999999999"
)

func appendTime(dst []byte, c *array.Timestamp, row int) []byte {
	t := c.DataType().(*arrow.TimestampType)
	layout := withZone
	if t.TimeZone == "" {
		layout = withoutZone
	}
	return c.Value(row).ToTime(t.Unit).AppendFormat(dst, layout)
}

// UnixNano gives a cell of a column of times. zoned is false when the column has no zone: it is then what a
// clock showed, as if in UTC. ok is false when it is null, of another kind, or not between 1678 and 2262.
func (b *Batch) UnixNano(column, row int) (nanos int64, zoned, ok bool) {
	c, is := b.columns[column].(*array.Timestamp)
	if !is || c.IsNull(row) {
		return 0, false, false
	}
	t := c.DataType().(*arrow.TimestampType)
	unit := int64(t.Unit.Multiplier())
	v := int64(c.Value(row))
	if v > math.MaxInt64/unit || v < math.MinInt64/unit {
		return 0, false, false
	}
	return v * unit, t.TimeZone != "", true
}

// readable reports whether AppendText gives what cells of the type are.
func readable(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return readable(t.ValueType)
	case *arrow.TimestampType:
		return true
	}
	switch t.ID() {
	case arrow.BINARY, arrow.STRING, arrow.LARGE_BINARY, arrow.LARGE_STRING, arrow.BINARY_VIEW, arrow.STRING_VIEW, arrow.FIXED_SIZE_BINARY,
		arrow.BOOL, arrow.DATE32, arrow.DATE64, arrow.DECIMAL128, arrow.DECIMAL256, arrow.NULL,
		arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64, arrow.FLOAT32, arrow.FLOAT64:
		return true
	}
	return false
}
