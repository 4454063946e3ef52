package cql

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"
	"time"
)

// AppendText appends the printed form of a stored value, as servers 4.0 and later print keys
// (AbstractType.getString): the inverse of AppendValue. Collections are printed in hex. On an error dst
// is returned as it was.
func AppendText(dst []byte, typ string, value []byte) ([]byte, error) {
	t, ok := parseType(typ)
	if !ok {
		return dst, ErrValue
	}
	out, ok := t.appendText(dst, value)
	if !ok {
		return dst[:len(dst):len(dst)], ErrValue
	}
	return out, nil
}

func (t cqlType) appendText(dst, v []byte) ([]byte, bool) {
	if len(v) == 0 {
		return dst, true
	}
	switch t.kind {
	case kindText:
		return append(dst, v...), true
	case kindBlob, kindCollection, kindMap:
		return hex.AppendEncode(dst, v), true
	case kindTuple:
		return t.appendTupleText(dst, v)
	case kindVarint:
		return readBig(v).Append(dst, 10), len(v) <= maxDigits
	case kindDecimal:
		return appendDecimalForm(dst, v)
	case kindInet:
		return appendInetText(dst, v)
	case kindUUID:
		return appendUUIDText(dst, v)
	}
	return t.appendFixedText(dst, v)
}

func appendDecimalForm(dst, v []byte) ([]byte, bool) {
	if len(v) < 5 || len(v) > maxDigits {
		return dst, false
	}
	return appendDecimalText(dst, v), true
}

// appendFixedText prints numbers and times of 1, 2, 4 or 8 bytes.
func (t cqlType) appendFixedText(dst, v []byte) ([]byte, bool) {
	var n uint64
	for _, c := range v {
		n = n<<8 | uint64(c)
	}
	signed := int64(n<<(64-8*min(len(v), 8))) >> (64 - 8*min(len(v), 8))
	switch {
	case t.kind == kindInteger && len(v) == t.size:
		return strconv.AppendInt(dst, signed, 10), true
	case t.kind == kindFloat && len(v) == 4 && t.size == 4:
		f := float64(math.Float32frombits(uint32(n)))
		return appendFloatText(dst, f, 32), true
	case t.kind == kindFloat && len(v) == 8 && t.size == 8:
		return appendFloatText(dst, math.Float64frombits(n), 64), true
	case t.kind == kindBoolean && len(v) == 1:
		return strconv.AppendBool(dst, n != 0), true
	case t.kind == kindTimestamp && len(v) == 8:
		return time.UnixMilli(signed).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z"), true
	case t.kind == kindDate && len(v) == 4:
		return time.Unix((int64(n)-1<<31)*86400, 0).UTC().AppendFormat(dst, time.DateOnly), true
	case t.kind == kindTime && len(v) == 8:
		return appendTimeText(dst, time.Duration(n)), true
	}
	return dst, false
}

func appendUUIDText(dst, v []byte) ([]byte, bool) {
	if len(v) != 16 {
		return dst, false
	}
	for i, c := range v {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{c})
	}
	return dst, true
}

// appendInetText prints IPv6 without ::, as Java does.
func appendInetText(dst, v []byte) ([]byte, bool) {
	if len(v) == 4 {
		addr, _ := netip.AddrFromSlice(v)
		return addr.AppendTo(dst), true
	}
	if len(v) != 16 {
		return dst, false
	}
	for i := 0; i < 16; i += 2 {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(binary.BigEndian.Uint16(v[i:])), 16)
	}
	return dst, true
}

// appendTupleText joins fields by `:`, with `\:` and `\@` inside and `@` for null (TupleType.getString).
func (t cqlType) appendTupleText(dst, v []byte) ([]byte, bool) {
	for i := 0; len(v) > 0; i++ {
		if len(v) < 4 || i >= len(t.args) {
			return dst, false
		}
		if i > 0 {
			dst = append(dst, ':')
		}
		size := int64(int32(binary.BigEndian.Uint32(v)))
		if v = v[4:]; size < 0 {
			dst = append(dst, '@')
			continue
		}
		if size > int64(len(v)) {
			return dst, false
		}
		field, ok := t.args[i].appendText(nil, v[:size])
		if !ok {
			return dst, false
		}
		field = bytes.ReplaceAll(field, []byte(":"), []byte(`\:`))
		dst = append(dst, bytes.ReplaceAll(field, []byte("@"), []byte(`\@`))...)
		v = v[size:]
	}
	return dst, true
}
