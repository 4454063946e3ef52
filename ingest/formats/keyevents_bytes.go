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

// bare reports whether buf[i:end] is ASCII without quotes, backslashes and control characters. It looks at all of it.
func bare(buf []byte, i, end int) bool {
	var m uint64
	for ; i+8 <= end; i += 8 {
		m |= special(load(buf[i : i+8 : i+8]))
	}
	m |= special(load(buf[i:i+8:i+8])) & (1<<(8*uint(end-i)&63) - 1)
	return m&highBits == 0
}

// special has the high bit set of the lowest byte of w that is a quote, a backslash, a control character or no ASCII.
func special(w uint64) uint64 {
	return w | w - everyByte*' ' | (w ^ everyByte*'"') - everyByte | (w ^ everyByte*'\\') - everyByte
}

// bareEnd gives the place of the first quote, backslash or control character at or after i, or one that is not below n.
func bareEnd(buf []byte, i, n int) int {
	for ; i < n; i += 16 {
		b := buf[i : i+16 : i+16]
		if low, high := bareEndOf(load(b)), bareEndOf(load(b[8:])); low|high != 0 {
			return i + firstOf(low, high)
		}
	}
	return n
}

func bareEndOf(w uint64) uint64 { return quotesOf(w) | (w-everyByte*' ')&^w&highBits }
