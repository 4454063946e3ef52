package sketch

import "encoding/binary"

// AppendBinary appends the canonical form of t to dst: groups, each with its number, total, off and rows.
func (t *Top) AppendBinary(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(t.groups)))
	i, next := 0, uint32(0)
	var last uint32 // start of the last interval
	for _, g := range t.groups {
		dst = binary.AppendUvarint(dst, uint64(g.group-next))
		next = g.group + 1
		dst = appendVector(appendVector(dst, g.total), g.off)
		dst = binary.AppendUvarint(dst, uint64(int(g.end)-i))
		var keys keyCoder
		for ; i < int(g.end); i++ {
			r := &t.rows[i]
			dst = keys.append(dst, t.key(i))
			dst = appendVector(appendVector(dst, r.count), r.err)
			dst = appendPeak(dst, r.interval, last)
			if r.interval.N > 0 {
				last = r.interval.At
			}
			dst = appendPeak(dst, r.second, last)
			dst = appendPeak(dst, r.costSecond, last)
			dst = binary.AppendUvarint(dst, r.mark)
		}
	}
	return dst
}

// appendPeak writes the amount and, unless it is 0, the time since near, which may be negative.
func appendPeak(dst []byte, p Peak, near uint32) []byte {
	dst = binary.AppendUvarint(dst, p.N)
	if p.N == 0 {
		return dst
	}
	return binary.AppendVarint(dst, int64(p.At)-int64(near))
}

// minRow is the least bytes of a row: key 2, count and err 3 each, peaks 3, mark 1.
const minRow = 12

// ReadTop reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadTop(b []byte) (*Top, []byte, error) {
	d := &decoder{b: b}
	t := &Top{}
	next, last := uint32(0), uint32(0)
	for range d.count(8, "groups") {
		g := groupRow{group: d.readGroup(next), total: d.vector(), off: d.vector()}
		next = g.group + 1
		d.checkGroup(g.total, g.off)
		last = t.readRows(d, g, last)
		if d.err != nil {
			return nil, b, d.err
		}
	}
	if d.err != nil {
		return nil, b, d.err
	}
	return t, d.b, nil
}

// readRows reads the rows of a group and ends it.
func (t *Top) readRows(d *decoder, g groupRow, last uint32) uint32 {
	var keys keyCoder
	var sum tally
	first := len(t.rows)
	for i := range d.count(minRow, "rows") {
		var r row
		t.keys = keys.read(d, t.keys, i == 0)
		r.keyEnd = uint32(len(t.keys))
		d.check(uint64(len(t.keys)) == uint64(r.keyEnd), "keys over 4 GiB")
		r.count, r.err = d.vector(), d.vector()
		sum.add(d, g.total, g.off, r.count, r.err)
		r.interval = d.readPeak(r.count[0], last)
		if r.interval.N > 0 {
			last = r.interval.At
		}
		r.second = d.readPeak(r.count[0], last)
		r.costSecond = d.readPeak(r.count[1], last)
		r.mark = d.uvarint()
		if d.err != nil {
			return last
		}
		t.rows = append(t.rows, r)
	}
	t.closeGroup(g)
	left := residual(g.total, sum.counted)
	d.check(g.off.within(left), "off over what is not counted")
	for i := range t.rows[first:] {
		d.check(t.rows[first+i].err.within(left), "err over what is not counted")
	}
	return last
}

func (d *decoder) readPeak(limit uint64, near uint32) Peak {
	n := d.upTo(limit, "peak")
	if n == 0 {
		return Peak{}
	}
	zigzag := d.uvarint()
	at := int64(near) + (int64(zigzag>>1) ^ -int64(zigzag&1))
	d.check(at == int64(uint32(at)), "time out of range")
	return Peak{At: uint32(at), N: n}
}
