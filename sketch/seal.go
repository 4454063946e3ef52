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
			s.seal(top.push(&row{}, t.keyOf(s)), interval)
			order = order[1:]
		}
		top.closeGroup(groupRow{group: uint32(g), total: total, off: t.groups[g].off})
		top.settle()
	}
	return top.Trim(q)
}

// seal fills in the row of s.
func (s *slot) seal(r *row, interval uint32) {
	r.count, r.err, r.mark = s.count, s.err, s.mark
	c := &s.clock
	r.second = peak(c.at, uint64(c.peak))
	r.costSecond = peak(c.costAt, uint64(c.costPeak))
	if interval != 0 {
		r.interval = peak(interval, s.count[0])
	}
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
	prefix uint64 // 8 bytes of the key, big endian, from where the keys of its group first differ
	group  uint32
	slot   uint32
}

// sorted gives the slots in order of group and key.
func (t *Table) sorted() []place {
	end := make([]int, len(t.groups)+1)
	for i := range t.slots {
		end[t.slots[i].group+1]++
	}
	for g := range t.groups {
		end[g+1] += end[g]
	}
	order := make([]place, len(t.slots))
	for i := range t.slots {
		at := &end[t.slots[i].group]
		order[*at] = place{group: t.slots[i].group, slot: uint32(i)}
		*at++
	}
	start := 0
	for g := range t.groups {
		t.sortGroup(order[start:end[g]])
		start = end[g]
	}
	return order
}

// sortGroup sorts the slots of one group by key.
func (t *Table) sortGroup(order []place) {
	if len(order) < 2 {
		return
	}
	first := t.keyOf(&t.slots[order[0].slot])
	common := len(first)
	for _, p := range order[1:] {
		key := t.keyOf(&t.slots[p.slot])
		common = min(common, len(key))
		for i := range common {
			if key[i] != first[i] {
				common = i
				break
			}
		}
	}
	for i := range order {
		var prefix [8]byte
		copy(prefix[:], t.keyOf(&t.slots[order[i].slot])[common:])
		order[i].prefix = binary.BigEndian.Uint64(prefix[:])
	}
	slices.SortFunc(order, func(a, b place) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(t.keyOf(&t.slots[a.slot]), t.keyOf(&t.slots[b.slot]))
	})
}
