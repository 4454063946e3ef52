package sketch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// Seal gives the sorted form of t, cut to the quota. interval is the Unix second at which the span of
// time that t covers starts: each entry's Interval is its count in it; 0 leaves it unknown. t is not changed.
func (t *Table) Seal(q Quota, interval uint32) *Top {
	top := &Top{rows: make([]row, 0, len(t.slots))}
	order := t.sorted()
	for g := range t.groups {
		total := t.groups[g].total
		if total.IsZero() {
			continue
		}
		for len(order) > 0 && order[0].group == uint32(g) {
			s := &t.slots[order[0].slot]
			top.push(s.row(interval), t.keyOf(s))
			order = order[1:]
		}
		top.closeGroup(groupRow{group: uint32(g), total: total, off: t.groups[g].off})
		top.settle()
	}
	return top.Trim(q)
}

func (s *slot) row(interval uint32) row {
	r := row{count: s.count, err: s.err, mark: s.mark}
	c := &s.clock
	r.second = peak(c.at, uint64(c.peak))
	r.costSecond = peak(c.costAt, uint64(c.costPeak))
	if interval != 0 {
		r.interval = peak(interval, s.count[0])
	}
	return r
}

// peak gives the Peak of an amount; that of 0 has no time.
func peak(at uint32, n uint64) Peak {
	if n == 0 {
		return Peak{}
	}
	return Peak{At: at, N: n}
}

// A place is a slot in the order of groups and keys.
type place struct {
	prefix uint64 // first 8 bytes of the key, big endian
	group  uint32
	slot   uint32
}

// sorted gives the slots in order of group and key.
func (t *Table) sorted() []place {
	order := make([]place, len(t.slots))
	for i := range t.slots {
		s := &t.slots[i]
		var prefix [8]byte
		copy(prefix[:], t.keyOf(s))
		order[i] = place{binary.BigEndian.Uint64(prefix[:]), s.group, uint32(i)}
	}
	slices.SortFunc(order, func(a, b place) int {
		if a.group != b.group {
			return cmp.Compare(a.group, b.group)
		}
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(t.keyOf(&t.slots[a.slot]), t.keyOf(&t.slots[b.slot]))
	})
	return order
}
