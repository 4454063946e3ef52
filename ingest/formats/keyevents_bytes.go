package formats

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: what the fast ways of NDJSON and of tables have in common.

const (
	everyByte  = 0x0101010101010101
	highBits   = 0x8080808080808080
	pastRecord = 64 // bytes after a record that may be read
)

// lengths foresees how long a value is: length is that of the last one, same how often in a row it was
// that. A value whose length is foreseen is not searched for its end; its end is looked at, and what
// stands before only checked to have no other, so that the next value need not wait for a search.
type lengths struct {
	length, same int
}

// note takes the length of a value, without a branch: lengths that vary are hard to predict.
func (l *lengths) note(length int) {
	same := l.same + 1
	if length != l.length {
		same = 0
	}
	l.length, l.same = length, same
}

// firstOf gives the place of the lowest byte that is marked in the 16 of low and high, of which one is.
func firstOf(low, high uint64) int {
	half := 0
	if low == 0 {
		half = 8
	}
	if low == 0 {
		low = high
	}
	return half + bits.TrailingZeros64(low)>>3
}

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// zeroBytes has the high bit set of the lowest byte of w that is 0; bits above it say nothing.
func zeroBytes(w uint64) uint64 { return (w - everyByte) &^ w & highBits }

// sameOften is how many values of one length in a row make the next one be foreseen to have it.
const sameOften = 32

// quotesOf has the high bit set of the lowest byte of w that is a quote or a backslash; bits above it
// say nothing.
func quotesOf(w uint64) uint64 {
	return zeroBytes(w^everyByte*'"') | zeroBytes(w^everyByte*'\\')
}

// maskedWord gives the first 8 bytes of text, and the bits of them that it has.
func maskedWord(text []byte) (word, mask uint64) {
	for i := 0; i < min(len(text), 8); i++ {
		word |= uint64(text[i]) << (8 * i)
		mask |= 0xFF << (8 * i)
	}
	return word, mask
}

// bare reports whether buf[i:end] is ASCII without quotes, control characters and the byte of a pattern.
func bare(buf []byte, i, end int, pattern uint64) bool {
	var m uint64
	for ; i+8 <= end; i += 8 {
		m |= special(load(buf[i:i+8:i+8]), pattern)
	}
	m |= special(load(buf[i:i+8:i+8]), pattern) & (1<<(8*uint(end-i)&63) - 1)
	return m&highBits == 0
}

// special has the high bit set of the lowest byte of w that is not bare.
func special(w, pattern uint64) uint64 {
	return w | (w - everyByte*' ') | ((w ^ everyByte*'"') - everyByte) | ((w ^ pattern) - everyByte)
}

// bareEnd gives the place of the first quote, control character or byte of the pattern at or after i, or one that is not
// below n.
func bareEnd(buf []byte, i, n int, pattern uint64) int {
	for ; i < n; i += 16 {
		b := buf[i : i+16 : i+16]
		if low, high := bareEndOf(load(b), pattern), bareEndOf(load(b[8:]), pattern); low|high != 0 {
			return i + firstOf(low, high)
		}
	}
	return n
}

func bareEndOf(w, pattern uint64) uint64 {
	return zeroBytes(w^everyByte*'"') | zeroBytes(w^pattern) | (w-everyByte*' ')&^w&highBits
}

// digitsAt reads the digits at the beginning of b, at most 7; size is 0 or 8 where there are none or more.
func digitsAt(b []byte) (n uint64, size int) {
	w := load(b) ^ everyByte*'0'
	m := (w + everyByte*0x76 | w) & highBits
	size = bits.TrailingZeros64(m) >> 3
	return eightDigits(w << ((64 - 8*uint(size)) & 63)), size
}
