package cql

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"strconv"
)

// ErrValue is returned for a text or bytes that are no value of the type, and for types that no
// partition key has.
var ErrValue = errors.New("no value of this type")

// AppendValue appends the bytes in which Cassandra stores the value of the CQL type that the text
// prints: a CQL literal, with or without its quotes, or the form in which servers print keys
// (AbstractType.getString). A text of type text stands for itself, so its quotes must be off. The type
// may be a marshal class name. On an error dst is returned as it was.
func AppendValue(dst []byte, typ string, literal []byte) ([]byte, error) {
	t, ok := parseType(typ)
	if !ok {
		return dst, ErrValue
	}
	out, err := t.append(dst, literal)
	if err != nil {
		return dst[:len(dst):len(dst)], err
	}
	return out, nil
}

func (t cqlType) append(dst, b []byte) ([]byte, error) {
	switch t.kind {
	case kindText:
		return append(dst, b...), nil
	case kindBlob:
		return appendHex(dst, b)
	case kindCollection, kindMap, kindTuple:
		return t.appendCompound(dst, b)
	}
	b = bare(b)
	switch t.kind {
	case kindInteger:
		return appendInteger(dst, b, t.size)
	case kindVarint:
		return appendVarint(dst, b)
	case kindDecimal:
		return appendDecimal(dst, b)
	case kindFloat:
		return appendFloat(dst, b, t.size)
	case kindBoolean:
		return appendBoolean(dst, b)
	case kindUUID:
		return appendUUID(dst, b)
	case kindTimestamp:
		return appendTimestamp(dst, b)
	case kindDate:
		return appendDate(dst, b)
	case kindTime:
		return appendTime(dst, b)
	case kindInet:
		return appendInet(dst, b)
	}
	return dst, ErrValue
}

// bare takes off the quotes of a string literal.
func bare(b []byte) []byte {
	if len(b) >= 2 && b[0] == '\'' && b[len(b)-1] == '\'' {
		return b[1 : len(b)-1]
	}
	return b
}

// integer reads a decimal number that fits in size bytes.
func integer(b []byte, size int) (int64, bool) {
	negative := false
	if len(b) > 1 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	limit := uint64(1)<<(8*size-1) - 1
	if negative {
		limit++
	}
	var n uint64
	for _, c := range b {
		if !isDigit(c) || n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if n > limit {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

func appendInteger(dst, b []byte, size int) ([]byte, error) {
	n, ok := integer(b, size)
	if !ok {
		return dst, ErrValue
	}
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, byte(n>>(8*i)))
	}
	return dst, nil
}

func appendFloat(dst, b []byte, size int) ([]byte, error) {
	if len(b) == 0 || len(b) > 400 || b[0] >= 'a' && b[0] != 'n' && b[0] != 'i' || !(isDigit(b[len(b)-1]) || b[len(b)-1] == '.' || b[len(b)-1]|0x20 == 'n' || b[len(b)-1]|0x20 == 'y') {
		return dst, ErrValue
	}
	f, err := strconv.ParseFloat(string(b), 8*size)
	if err != nil {
		return dst, ErrValue
	}
	if size == 4 {
		if f != f {
			return binary.BigEndian.AppendUint32(dst, 0x7fc00000), nil
		}
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(f))), nil
	}
	if f != f {
		return binary.BigEndian.AppendUint64(dst, 0x7ff8000000000000), nil
	}
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(f)), nil
}

func appendBoolean(dst, b []byte) ([]byte, error) {
	switch {
	case word(b, 0, "TRUE") == len(b):
		return append(dst, 1), nil
	case word(b, 0, "FALSE") == len(b):
		return append(dst, 0), nil
	}
	return dst, ErrValue
}

func appendUUID(dst, b []byte) ([]byte, error) {
	if len(b) != 36 || !isUUID(b, 0) {
		return dst, ErrValue
	}
	var digits [32]byte
	n := 0
	for _, c := range b {
		if c != '-' {
			digits[n] = c
			n++
		}
	}
	return hex.AppendDecode(dst, digits[:])
}

// appendHex reads 0x… literals and the bare hex of printed keys.
func appendHex(dst, b []byte) ([]byte, error) {
	if len(b) >= 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	for _, c := range b { // a guess that fails costs no memory
		if !isHex(c) {
			return dst, ErrValue
		}
	}
	if len(b)%2 != 0 {
		return dst, ErrValue
	}
	return hex.AppendDecode(dst, b)
}

func appendInet(dst, b []byte) ([]byte, error) {
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
	}
	if len(b) < 2 || len(b) > 45 {
		return dst, ErrValue
	}
	for _, c := range b {
		if !isHex(c) && c != '.' && c != ':' {
			return dst, ErrValue
		}
	}
	addr, err := netip.ParseAddr(string(b))
	if err != nil || addr.Zone() != "" {
		return dst, ErrValue
	}
	return append(dst, addr.Unmap().AsSlice()...), nil
}
