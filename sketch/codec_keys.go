package sketch

import (
	"bytes"
	"encoding/binary"
)

// maxShared bounds the bytes that a key shares with the one before it, and so the memory that few
// bytes of a form can ask for.
const maxShared = 1024

// A keyCoder writes the sorted keys of a group: bytes shared with the key before, length of the rest, the rest.
type keyCoder struct{ last []byte }

func (c *keyCoder) append(dst, key []byte) []byte {
	n := shared(c.last, key)
	c.last = key
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, uint64(len(key)-n))
	return append(dst, key[n:]...)
}

// read appends the next key to dst. first says that the group has none before it.
func (c *keyCoder) read(d *decoder, dst []byte, first bool) []byte {
	n := int(d.upTo(uint64(min(len(c.last), maxShared)), "shared bytes"))
	rest := d.bytes(d.count(1, "key length"))
	start := len(dst)
	dst = append(append(dst, c.last[:n]...), rest...)
	key := dst[start:]
	d.check(shared(c.last, key) == n, "key not in its shortest form")
	d.check(first || bytes.Compare(c.last, key) < 0, "keys not in order")
	c.last = key
	return dst
}

func shared(a, b []byte) int {
	limit := min(len(a), len(b), maxShared)
	for i := range limit {
		if a[i] != b[i] {
			return i
		}
	}
	return limit
}

// readGroup reads the number of a group: its distance from the one before, of which next is 1 more.
func (d *decoder) readGroup(next uint32) uint32 {
	if next >= MaxGroups {
		d.fail("too many groups")
		return 0
	}
	return next + uint32(d.upTo(uint64(MaxGroups-1-next), "group"))
}

// checkGroup holds the sums of a group against what is always true of it.
func (d *decoder) checkGroup(total, off Vector) {
	d.check(!total.IsZero(), "group without traffic")
	d.check(off.within(total), "off over total")
}

// A tally adds up the counts of a group as they are read.
type tally struct{ counted Vector }

// add checks one key of a group and adds it.
func (c *tally) add(d *decoder, total, off, count, err Vector) {
	d.check(!count.IsZero(), "key without traffic")
	d.check(err.within(off), "err over off")
	d.check(err.within(count.room()), "count+err overflows")
	c.counted = c.counted.Add(count)
	d.check(c.counted.within(total), "counts over total")
}
