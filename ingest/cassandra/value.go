package cassandra

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/gocql/gocql"

	"github.com/keyheat/keyheat/ingest/cql"
)

// A cell takes the value of a column and prints it as cqlsh does; null is nil.
type cell []byte

// UnmarshalCQL implements gocql.Unmarshaler.
func (c *cell) UnmarshalCQL(info gocql.TypeInfo, data []byte) error {
	*c = nil
	if data != nil {
		*c = appendValue([]byte{}, info, data, false)
	}
	return nil
}

// appendValue appends a stored value of protocol 3 or later as cqlsh prints it. inner values are within
// others, where texts have quotes.
func appendValue(dst []byte, info gocql.TypeInfo, data []byte, inner bool) []byte {
	switch t := info.(type) {
	case gocql.CollectionType:
		return appendCollection(dst, t, data)
	case gocql.TupleTypeInfo:
		dst = append(dst, '(')
		for i, elem := range t.Elems {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst, data = appendMember(dst, elem, data)
		}
		return append(dst, ')')
	}
	switch info.Type() {
	case gocql.TypeVarchar, gocql.TypeText, gocql.TypeAscii:
		if !inner {
			return append(dst, data...)
		}
		dst = append(append(dst, '\''), bytes.ReplaceAll(data, []byte("'"), []byte("''"))...)
		return append(dst, '\'')
	case gocql.TypeBlob:
		return hex.AppendEncode(append(dst, "0x"...), data)
	}
	out, err := cql.AppendText(dst, info.Type().String(), data)
	if err != nil {
		return hex.AppendEncode(append(dst, "0x"...), data)
	}
	return out
}

// appendCollection appends {a, b}, {a: b} or [a, b].
func appendCollection(dst []byte, t gocql.CollectionType, data []byte) []byte {
	brackets := "{}"
	if t.Type() == gocql.TypeList {
		brackets = "[]"
	}
	dst = append(dst, brackets[0])
	if len(data) >= 4 {
		n := int(binary.BigEndian.Uint32(data))
		data = data[4:]
		for i := 0; i < n && len(data) > 0; i++ {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if t.Type() == gocql.TypeMap {
				dst, data = appendMember(dst, t.Key, data)
				dst = append(dst, ": "...)
			}
			dst, data = appendMember(dst, t.Elem, data)
		}
	}
	return append(dst, brackets[1])
}

// appendMember appends the value that data begins with, behind its length in 4 bytes.
func appendMember(dst []byte, info gocql.TypeInfo, data []byte) (out, rest []byte) {
	if len(data) < 4 {
		return append(dst, "null"...), nil
	}
	size := int(int32(binary.BigEndian.Uint32(data)))
	data = data[4:]
	if size < 0 || size > len(data) {
		return append(dst, "null"...), data
	}
	return appendValue(dst, info, slices.Clip(data[:size]), true), data[size:]
}
