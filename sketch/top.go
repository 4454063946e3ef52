package sketch

import (
	"bytes"
	"sort"
)

// A Peak is the amount seen in the span of time that starts at At, in Unix seconds. N is 0 when it is
// not known. Where shares of one span are seen apart and added, N can only be too small.
type Peak struct {
	At uint32
	N  uint64
}

// merge adds peaks of the same span; else the larger stays, of equals the earlier.
func (p Peak) merge(o Peak) Peak {
	switch {
	case p.N > 0 && o.N > 0 && p.At == o.At:
		p.N = addSat(p.N, o.N)
	case o.N > p.N || o.N == p.N && o.At < p.At:
		return o
	}
	return p
}

// An Entry is one key of a Top: its true amount f by each weight is within Count <= f <= Count+Err.
// A Count of MaxUint64 is saturated: at least that much.
type Entry struct {
	Group      uint32
	Key        []byte // aliases the Top, read-only
	Count, Err Vector
	Second     Peak   // weight 0 in its busiest second, a lower bound
	CostSecond Peak   // weight 1 in its busiest second, a lower bound
	Interval   Peak   // weight 0 in its busiest interval as given to Seal, a lower bound
	Mark       uint64 // of the first update that was counted
}

// High gives the upper bounds, Count+Err.
func (e *Entry) High() Vector { return e.Count.Add(e.Err) }

// A row is an Entry without its group and key.
type row struct {
	count, err                   Vector
	second, costSecond, interval Peak
	mark                         uint64
	keyEnd                       uint32 // where the key ends in Top.keys; it begins where the one before ends
}

// middle gives the middle of the bounds by weight w, rounded down.
func (r *row) middle(w int) uint64 { return addSat(r.count[w], r.err[w]/2) }

// A groupRow is what a Top knows of a group. Groups without traffic have none.
type groupRow struct {
	group      uint32
	end        uint32 // where its rows end; they begin where those of the group before end
	total, off Vector
}

// A Top is the sealed form of a Table: its heaviest keys, sorted by group and key. It holds no filter
// and no free slots, merges in linear time, and is not changed once made. Of a key without an entry
// the bounds are [0, Off of its group]. The zero Top is empty.
//
// Invariant of each group, unless its total is saturated: off, and count+err of each entry, are at most the
// total less the counts of the (other) entries.
type Top struct {
	groups []groupRow // sorted
	rows   []row
	keys   []byte
}

// Len gives the number of entries.
func (t *Top) Len() int { return len(t.rows) }

// At gives entry i. Its key aliases t and must not be changed.
func (t *Top) At(i int) Entry {
	r := &t.rows[i]
	g := sort.Search(len(t.groups), func(g int) bool { return uint32(i) < t.groups[g].end })
	return Entry{
		Group: t.groups[g].group, Key: t.key(i), Count: r.count, Err: r.err,
		Second: r.second, CostSecond: r.costSecond, Interval: r.interval, Mark: r.mark,
	}
}

func (t *Top) key(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.rows[i-1].keyEnd
	}
	end := t.rows[i].keyEnd
	return t.keys[start:end:end]
}

// Find gives the entry of a key.
func (t *Top) Find(group uint32, key []byte) (Entry, bool) {
	first, end := t.Group(group)
	i := first + sort.Search(end-first, func(i int) bool { return bytes.Compare(t.key(first+i), key) >= 0 })
	if i == end || !bytes.Equal(t.key(i), key) {
		return Entry{}, false
	}
	return t.At(i), true
}

// Group gives the range of a group's entries; it is empty for an unknown group.
func (t *Top) Group(group uint32) (first, end int) {
	g, found := t.findGroup(group)
	if g > 0 {
		first = int(t.groups[g-1].end)
	}
	if !found {
		return first, first
	}
	return first, int(t.groups[g].end)
}

func (t *Top) findGroup(group uint32) (int, bool) {
	g := sort.Search(len(t.groups), func(g int) bool { return t.groups[g].group >= group })
	return g, g < len(t.groups) && t.groups[g].group == group
}

// Groups gives 1 + the highest group with traffic, 0 when there is none.
func (t *Top) Groups() int {
	if len(t.groups) == 0 {
		return 0
	}
	return int(t.groups[len(t.groups)-1].group) + 1
}

// Off gives the upper bound of every key of the group that has no entry.
func (t *Top) Off(group uint32) Vector {
	if g, found := t.findGroup(group); found {
		return t.groups[g].off
	}
	return Vector{}
}

// Total gives the exact total of the group.
func (t *Top) Total(group uint32) Vector {
	if g, found := t.findGroup(group); found {
		return t.groups[g].total
	}
	return Vector{}
}

// Exact reports whether the group never lost a key: all its counts are exact and all its keys have entries.
func (t *Top) Exact(group uint32) bool { return t.Off(group).IsZero() }

// Bytes gives the memory held, in bytes.
func (t *Top) Bytes() int { return cap(t.rows)*112 + cap(t.groups)*56 + cap(t.keys) }

// Trim gives a copy cut to the quota, or t when nothing is over it. The off of a group rises to the upper bounds that it loses.
func (t *Top) Trim(q Quota) *Top {
	if q.keepsAll(len(t.rows)) {
		return t
	}
	keep := q.choose(t)
	c := &Top{groups: make([]groupRow, 0, len(t.groups))}
	c.reserve(keep, t)
	i := 0
	for _, g := range t.groups {
		for ; i < int(g.end); i++ {
			if keep[i] {
				c.push(&t.rows[i], t.key(i))
				continue
			}
			g.off = g.off.Max(t.rows[i].count.Add(t.rows[i].err))
		}
		c.closeGroup(g)
	}
	return c
}

// reserve makes room for the kept rows of t.
func (t *Top) reserve(keep []bool, from *Top) {
	rows, size := 0, 0
	for i, k := range keep {
		if k {
			rows++
			size += len(from.key(i))
		}
	}
	t.rows, t.keys = make([]row, 0, rows), make([]byte, 0, size)
}

// push appends a copy of r with its key to the open group, and gives the copy.
func (t *Top) push(r *row, key []byte) *row {
	t.keys = append(t.keys, key...)
	t.rows = append(t.rows, *r)
	last := &t.rows[len(t.rows)-1]
	last.keyEnd = uint32(len(t.keys))
	return last
}

// closeGroup ends the open group.
func (t *Top) closeGroup(g groupRow) {
	g.end = uint32(len(t.rows))
	t.groups = append(t.groups, g)
}

// settle applies to the last group what its exact total says: keys that are not counted, and the
// uncounted part of those that are, share the total less all counts.
func (t *Top) settle() {
	g := &t.groups[len(t.groups)-1]
	first := uint32(0)
	if len(t.groups) > 1 {
		first = t.groups[len(t.groups)-2].end
	}
	var counted Vector
	for i := first; i < g.end; i++ {
		counted = counted.Add(t.rows[i].count)
	}
	left := residual(g.total, counted)
	g.off = g.off.Min(left)
	for i := first; i < g.end; i++ {
		r := &t.rows[i]
		r.err = r.err.Min(left).Min(r.count.room())
	}
}
