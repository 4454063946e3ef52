package sketch

import (
	"bytes"
	"math"
)

// MergeTops gives the sum of a and b, cut to the quota. Bounds add: a key that one side does not hold
// has up to that side's off there, which is 0 for a group that it holds exactly. Equal keys take the Mark
// of a. It changes neither and is deterministic; the sum of any tree of merges holds the same promises.
func MergeTops(a, b *Top, q Quota) *Top {
	c := &Top{
		groups: make([]groupRow, 0, len(a.groups)+len(b.groups)),
		rows:   make([]row, 0, len(a.rows)+len(b.rows)),
		keys:   make([]byte, 0, len(a.keys)+len(b.keys)),
	}
	i, j := 0, 0
	for i < len(a.groups) || j < len(b.groups) {
		group := min(a.groupAt(i), b.groupAt(j))
		ra, rb := a.run(i, group), b.run(j, group)
		c.mergeGroup(ra, rb, group)
		i, j = i+ra.groups, j+rb.groups
	}
	return c.Trim(q)
}

// A run is the rows of one group; groups is 0 when the Top does not know the group.
type run struct {
	top        *Top
	first, end int
	total, off Vector
	groups     int
}

// groupAt gives the group of a group row, and past the last one more than any group.
func (t *Top) groupAt(i int) uint64 {
	if i == len(t.groups) {
		return math.MaxUint64
	}
	return uint64(t.groups[i].group)
}

// run gives the rows of a group, which is that of group row i or is not known.
func (t *Top) run(i int, group uint64) run {
	if t.groupAt(i) != group {
		return run{}
	}
	g := &t.groups[i]
	first, end := t.Group(g.group)
	return run{top: t, first: first, end: end, total: g.total, off: g.off, groups: 1}
}

// mergeGroup appends the sum of one group.
func (t *Top) mergeGroup(a, b run, group uint64) {
	for a.first < a.end || b.first < b.end {
		order := a.compare(b)
		switch {
		case order < 0:
			t.push(a.row(), a.key()).widen(b.off)
		case order > 0:
			t.push(b.row(), b.key()).widen(a.off)
		default:
			t.push(a.row(), a.key()).add(b.row())
		}
		if order <= 0 {
			a.first++
		}
		if order >= 0 {
			b.first++
		}
	}
	t.closeGroup(groupRow{group: uint32(group), total: a.total.Add(b.total), off: a.off.Add(b.off)})
	t.settle()
}

func (r *run) row() *row   { return &r.top.rows[r.first] }
func (r *run) key() []byte { return r.top.key(r.first) }

// compare orders the first keys of two runs, of which one may have none.
func (r *run) compare(o run) int {
	switch {
	case r.first == r.end:
		return 1
	case o.first == o.end:
		return -1
	}
	return bytes.Compare(r.key(), o.key())
}

// widen raises err by what another summary may hold of the key.
func (r *row) widen(off Vector) { r.err = r.err.Add(off) }

// add adds a row of the same key. The mark stays.
func (r *row) add(o *row) {
	r.count = r.count.Add(o.count)
	r.err = r.err.Add(o.err)
	r.second = r.second.merge(o.second)
	r.costSecond = r.costSecond.merge(o.costSecond)
	r.interval = r.interval.merge(o.interval)
}
