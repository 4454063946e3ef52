package formats

import (
	"math"
	"math/bits"
)

// whole reads a number without a sign that has no fraction; 12.0 and 1.2e1 are such.
func whole(text []byte) (n uint64, ok bool) {
	if len(text) <= 8 && len(text) > 0 && cap(text) >= 8 {
		w := load(text[:8]) ^ everyByte*'0'
		w <<= 64 - 8*len(text)
		if (w+everyByte*0x76|w)&highBits == 0 {
			return eightDigits(w), true
		}
		return wholeDecimal(text)
	}
	if len(text) == 0 || len(text) > 18 {
		return wholeDecimal(text)
	}
	for _, c := range text {
		c -= '0'
		if c > 9 {
			return wholeDecimal(text)
		}
		n = n*10 + uint64(c)
	}
	return n, true
}

// eightDigits gives the number whose digits are the bytes of w, the first one lowest.
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8 // numbers of two digits in every other byte
	const pairs = 0x000000FF000000FF
	return (w&pairs*(100+1_000_000<<32) + w>>16&pairs*(1+10_000<<32)) >> 32
}

func wholeDecimal(text []byte) (uint64, bool) {
	milli, ok := thousandths(text)
	return milli / 1000, ok && milli%1000 == 0
}

// thousandths reads a decimal without a sign as exact thousandths; what is finer is rounded half up.
func thousandths(text []byte) (uint64, bool) {
	var n uint64
	scale, digits, point := 3, 0, false // the number is n * 10^scale thousandths
	i := 0
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c-'0' <= 9:
			digits++
			if n >= 1e17 && point {
				continue // finer than any thousandth that fits
			}
			if n >= 1e17 {
				return 0, false
			}
			n = n*10 + uint64(c-'0')
			if point {
				scale--
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		}
		break
	}
	if digits == 0 {
		return 0, false
	}
	exponent, ok := exponentOf(text[i:])
	if !ok {
		return 0, false
	}
	return shift(n, scale+exponent)
}

// exponentOf reads "", e3, E+3 or e-3; more than three digits are refused.
func exponentOf(text []byte) (int, bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0]|0x20 != 'e' || len(text) < 2 {
		return 0, false
	}
	text = text[1:]
	negative := text[0] == '-'
	if negative || text[0] == '+' {
		text = text[1:]
	}
	if len(text) == 0 || len(text) > 3 {
		return 0, false
	}
	n := 0
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// shift gives n * 10^by, rounded half up; ok is false when it does not fit.
func shift(n uint64, by int) (uint64, bool) {
	for ; by > 0 && n > 0; by-- {
		high, low := bits.Mul64(n, 10)
		if high != 0 {
			return 0, false
		}
		n = low
	}
	if by < -19 {
		return 0, true
	}
	divisor := uint64(1)
	for ; by < 0; by++ {
		divisor *= 10
	}
	return n/divisor + n%divisor/((divisor+1)/2), n <= math.MaxUint64-divisor
}
