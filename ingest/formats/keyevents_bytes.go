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
