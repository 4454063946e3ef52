package sketch

import "encoding/binary"

// AppendBinary appends the canonical form of t to dst: budget, whether there is a filter, groups with
// number, total, off and slots sorted by key, and the cells of the filter.
func (t *Table) AppendBinary(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.budget))
	dst = append(dst, byte(min(len(t.cells), 1)))
	known := 0
	for g := range t.groups {
		if !t.groups[g].total.IsZero() {
			known++
		}
	}
	dst = binary.AppendUvarint(dst, uint64(known))
	order, next := t.sorted(), 0
	for g := range t.groups {
		group := &t.groups[g]
		if group.total.IsZero() {
			continue
		}
		n := 0
		for n < len(order) && order[n].group == uint32(g) {
			n++
		}
		dst = binary.AppendUvarint(dst, uint64(g-next))
		next = g + 1
		dst = appendVector(appendVector(dst, group.total), group.off)
		dst = t.appendSlots(dst, order[:n])
		order = order[n:]
	}
	for _, c := range t.cells {
		dst = appendVector(dst, c)
	}
	return dst
}

func (t *Table) appendSlots(dst []byte, order []place) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(order)))
	var keys keyCoder
	for _, p := range order {
		s := &t.slots[p.slot]
		dst = keys.append(dst, t.keyOf(s))
		dst = binary.LittleEndian.AppendUint64(dst, s.hash)
		dst = appendVector(appendVector(dst, s.count), s.err.Min(s.count.room()))
		dst = binary.AppendUvarint(dst, s.mark)
		c := &s.clock
		for _, n := range [...]uint32{c.second, c.n, c.cost, c.peak, c.at, c.costPeak, c.costAt} {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return dst
}

// minSlot is the least bytes of a slot: key 2, hash 8, count and err 3 each, mark 1, clock 7.
const minSlot = 24

// ReadTable reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadTable(b []byte) (*Table, []byte, error) {
	d := &decoder{b: b}
	budget := int(d.upTo(maxBudget, "budget"))
	d.check(budget >= minBudget, "budget too small")
	filter := d.byte()
	d.check(filter <= 1, "bad filter flag")
	t := NewTable(budget)
	next := uint32(0)
	for range d.count(8, "groups") {
		group, total, off := d.readGroup(next), d.vector(), d.vector()
		next = group + 1
		d.checkGroup(total, off)
		d.check(filter == 1 || off.IsZero(), "off without a filter")
		if d.err != nil {
			return nil, b, d.err
		}
		t.growGroups(group)
		t.groups[group].total, t.groups[group].off = total, off
		t.readSlots(d, group)
	}
	if filter == 1 {
		t.readCells(d)
	}
	if d.err != nil {
		return nil, b, d.err
	}
	return t, d.b, nil
}

func (t *Table) readSlots(d *decoder, group uint32) {
	var keys keyCoder
	var sum tally
	g := &t.groups[group]
	for i := range d.count(minSlot, "slots") {
		key := keys.read(d, nil, i == 0)
		var hash uint64
		if h := d.bytes(8); len(h) == 8 {
			hash = binary.LittleEndian.Uint64(h)
		}
		count, err, mark := d.vector(), d.vector(), d.uvarint()
		sum.add(d, g.total, g.off, count, err)
		c := d.readClock(count)
		d.check(len(t.slots) == 0 || !t.full(len(key)), "more slots than the budget allows")
		if d.err != nil {
			return
		}
		s := t.push(group, hash, key)
		s.count, s.err, s.mark, s.clock = count, err, mark, c
	}
}

func (d *decoder) readClock(count Vector) clock {
	var v [7]uint32
	for i := range v {
		v[i] = d.uint32("clock")
	}
	c := clock{second: v[0], n: v[1], cost: v[2], peak: v[3], at: v[4], costPeak: v[5], costAt: v[6]}
	d.check(c.n <= c.peak && uint64(c.peak) <= count[0], "seconds over count")
	d.check(c.cost <= c.costPeak && uint64(c.costPeak) <= count[1], "seconds over count")
	d.check((c.peak == 0) == (c.at == 0) && (c.costPeak == 0) == (c.costAt == 0), "peak without a second")
	d.check(c.second != 0 || c.peak == 0 && c.costPeak == 0, "peak without a clock")
	return c
}

// readCells reads the filter. No cell is above the largest off.
func (t *Table) readCells(d *decoder) {
	var most Vector
	for i := range t.groups {
		most = most.Max(t.groups[i].off)
	}
	n := cellLimit(t.budget)
	if n > len(d.b)/Weights {
		d.fail("%d cells in %d bytes", n, len(d.b))
		return
	}
	t.cells = make([]Vector, n)
	for i := range t.cells {
		t.cells[i] = d.vector()
		d.check(t.cells[i].within(most), "cell over every off")
	}
}
