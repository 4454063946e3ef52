package cql

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strconv"
)

// maxDigits is the longest number that is read: keys are shorter, and reading takes quadratic time.
const maxDigits = 1000

func digitsOnly(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > maxDigits {
		return false
	}
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func appendVarint(dst, b []byte) ([]byte, error) {
	if !digitsOnly(b) {
		return dst, ErrValue
	}
	if n, ok := integer(b, 8); ok {
		return appendBig(dst, big.NewInt(n)), nil
	}
	n, ok := new(big.Int).SetString(string(b), 10)
	if !ok {
		return dst, ErrValue
	}
	return appendBig(dst, n), nil
}

// appendBig appends the shortest two's complement form, as Java's BigInteger.toByteArray.
func appendBig(dst []byte, n *big.Int) []byte {
	if n.Sign() >= 0 {
		raw := n.Bytes()
		if len(raw) == 0 || raw[0] >= 0x80 {
			dst = append(dst, 0)
		}
		return append(dst, raw...)
	}
	raw := new(big.Int).Not(n).Bytes()
	if len(raw) == 0 || raw[0] >= 0x80 {
		dst = append(dst, 0xff)
	}
	for _, c := range raw {
		dst = append(dst, ^c)
	}
	return dst
}

// readBig is the inverse of appendBig.
func readBig(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// appendDecimal appends scale (4 bytes) and unscaled value, as DecimalSerializer does.
func appendDecimal(dst, b []byte) ([]byte, error) {
	mantissa, exponent := b, int64(0)
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		n, ok := integer(b[i+1:], 4)
		if !ok {
			return dst, ErrValue
		}
		mantissa, exponent = b[:i], n
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(append(make([]byte, 0, len(b)), whole...), fraction...)
	scale := int64(len(fraction)) - exponent
	if !digitsOnly(digits) || len(fraction) > 0 && !isDigit(fraction[0]) || scale != int64(int32(scale)) {
		return dst, ErrValue
	}
	n, ok := new(big.Int).SetString(string(digits), 10)
	if !ok {
		return dst, ErrValue
	}
	return appendBig(binary.BigEndian.AppendUint32(dst, uint32(int32(scale))), n), nil
}

// appendDecimalText writes as Java's BigDecimal.toString does.
func appendDecimalText(dst, b []byte) []byte {
	scale := int64(int32(binary.BigEndian.Uint32(b)))
	n := readBig(b[4:])
	digits := new(big.Int).Abs(n).String()
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	adjusted := int64(len(digits)) - 1 - scale
	switch {
	case scale == 0:
		return append(dst, digits...)
	case scale > 0 && adjusted >= -6:
		for int64(len(digits)) <= scale {
			digits = "0" + digits
		}
		point := len(digits) - int(scale)
		return append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	dst = append(dst, 'E')
	if adjusted >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, adjusted, 10)
}

// appendFloatText writes as Java's Double.toString and Float.toString do.
func appendFloatText(dst []byte, f float64, bits int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case f > maxFloat:
		return append(dst, "Infinity"...)
	case f < -maxFloat:
		return append(dst, "-Infinity"...)
	}
	if abs := max(f, -f); abs == 0 || abs >= 1e-3 && abs < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		if bytes.IndexByte(dst[start:], '.') < 0 {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	text := strconv.AppendFloat(nil, f, 'E', -1, bits)
	mantissa, exponent, _ := bytes.Cut(text, []byte("E"))
	dst = append(dst, mantissa...)
	if bytes.IndexByte(mantissa, '.') < 0 {
		dst = append(dst, ".0"...)
	}
	dst = append(dst, 'E')
	if exponent[0] == '-' {
		dst = append(dst, '-')
	}
	return append(dst, bytes.TrimLeft(exponent[1:], "0")...)
}
