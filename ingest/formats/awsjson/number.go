package awsjson

import (
	"math"
	"strconv"
)

// Milli reads a number that is not negative, in thousandths.
func Milli(text []byte) (milli uint64, ok bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v < 0 || v >= math.MaxUint64/1000 {
		return 0, false
	}
	return uint64(math.Round(v * 1000)), true
}

// NumberSize gives the bytes that DynamoDB counts for a number attribute with this text: a byte for each
// pair of significant decimal digits, counted outward from the point, one more, and one for a sign; at
// most 21, and 1 for zero. (AWS says "approximately"; this rule gives the SizeBytes of recorded stream
// records.)
func NumberSize(text []byte) uint64 {
	negative := len(text) > 0 && text[0] == '-'
	digits, exponent := significant(text)
	if digits == 0 {
		return 1
	}
	// The digits stand at the places exponent (the last) to exponent+digits-1 (the first) of the
	// decimal number; a pair holds the places 2k and 2k+1.
	pairs := floorHalf(exponent+digits-1) - floorHalf(exponent) + 1
	size := uint64(pairs) + 1
	if negative {
		size++
	}
	return min(size, 21)
}

// floorHalf gives n/2 rounded down.
func floorHalf(n int) int { return n >> 1 }

// significant gives the number of digits from the first to the last that is not 0, and the power of ten
// of the last.
func significant(text []byte) (digits, exponent int) {
	place := 0 // digits after the point so far, or 0 before it
	point, first, last := false, -1, 0
	seen := 0
	for i, c := range text {
		switch {
		case c == '.':
			point = true
		case c-'0' <= 9:
			if point {
				place++
			}
			seen++
			if c != '0' {
				if first < 0 {
					first = seen
				}
				last = seen
			}
		case c == 'e' || c == 'E':
			exponent = shortInt(text[i+1:])
			return span(first, last, seen, exponent-place)
		}
	}
	return span(first, last, seen, -place)
}

// span turns places of digits, counted from 1, into their number and the power of ten of the last.
func span(first, last, seen, exponent int) (digits, power int) {
	if first < 0 {
		return 0, 0
	}
	return last - first + 1, exponent + seen - last
}

// shortInt reads an exponent; DynamoDB's are within -130 and 125.
func shortInt(text []byte) int {
	n, sign := 0, 1
	for _, c := range text {
		switch {
		case c == '-':
			sign = -1
		case c-'0' <= 9 && n < 1000:
			n = n*10 + int(c-'0')
		}
	}
	return sign * n
}
