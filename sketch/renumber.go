package sketch

import (
	"cmp"
	"fmt"
	"slices"
)

// Dropped is the new number of a group whose traffic Renumber leaves out.
const Dropped = ^uint32(0)

// Renumber gives a Top like t, perhaps t itself, with group g renamed to ids[g]; nil keeps the groups. It panics when a group
// has no new number, one not below MaxGroups, or that of another. Marks are mapped by shift; nil keeps them.
func (t *Top) Renumber(ids []uint32, shift func(mark uint64) uint64) *Top {
	order := t.renamed(ids)
	if shift == nil && t.keepsNumbers(order) {
		return t
	}
	c := &Top{groups: make([]groupRow, 0, len(order)), rows: t.rows, keys: t.keys}
	if slices.IsSortedFunc(order, func(a, b renaming) int { return cmp.Compare(a.from, b.from) }) && len(order) == len(t.groups) {
		for _, r := range order {
			g := t.groups[r.from]
			g.group = r.to
			c.groups = append(c.groups, g)
		}
		if shift != nil {
			c.rows = slices.Clone(t.rows)
		}
	} else {
		c.rows, c.keys = make([]row, 0, len(t.rows)), make([]byte, 0, len(t.keys))
		for _, r := range order {
			c.copyGroup(t, r)
		}
	}
	for i := range c.rows {
		if shift != nil {
			c.rows[i].mark = shift(c.rows[i].mark)
		}
	}
	return c
}

// keepsNumbers reports whether all groups stay under their own numbers.
func (t *Top) keepsNumbers(order []renaming) bool {
	for _, r := range order {
		if t.groups[r.from].group != r.to {
			return false
		}
	}
	return len(order) == len(t.groups)
}

// A renaming is the place of a group in Top.groups and its new number.
type renaming struct {
	from int
	to   uint32
}

// renamed gives the groups that stay, in order of their new numbers.
func (t *Top) renamed(ids []uint32) []renaming {
	order := make([]renaming, 0, len(t.groups))
	for i, g := range t.groups {
		to := g.group
		if ids != nil {
			to = ids[g.group]
		}
		if to != Dropped {
			if to >= MaxGroups {
				panic(fmt.Sprintf("sketch: group %d renamed to %d: must be below %d", g.group, to, MaxGroups))
			}
			order = append(order, renaming{i, to})
		}
	}
	slices.SortFunc(order, func(a, b renaming) int { return cmp.Compare(a.to, b.to) })
	for i := 1; i < len(order); i++ {
		if order[i].to == order[i-1].to {
			panic(fmt.Sprintf("sketch: two groups renamed to %d", order[i].to))
		}
	}
	return order
}

// copyGroup appends a group of t under its new number.
func (c *Top) copyGroup(t *Top, r renaming) {
	g := t.groups[r.from]
	first := uint32(0)
	if r.from > 0 {
		first = t.groups[r.from-1].end
	}
	for i := first; i < g.end; i++ {
		c.push(&t.rows[i], t.key(int(i)))
	}
	g.group = r.to
	c.closeGroup(g)
}
