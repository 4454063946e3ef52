package sketch

import (
	"bytes"
	"slices"
)

// A purge evicts the slots whose upper bound is within a limit in every weight. Of all slots the first
// keep/W by each of W weights stay, which gives the a-priori bound of Table: what the stream adds
// to the bounds above a limit, a raise of the limit takes from keep/W slots at least. Protected slots
// stay too: the first few of each group, so that a heavy key of a small group survives its big neighbours.
const (
	maxProtected = 16
	evicted      = 255 // in purgeWork.need
	widenings    = 2   // how often the ranks are enlarged where the weights agree on their first keys
)

// A purgeWork is the memory of a purge, kept with the table.
type purgeWork struct {
	high   [Weights][]uint64 // upper bounds
	need   []uint8           // 0: over a limit; 1..16: stays if as many of its group are protected; evicted
	order  []uint32          // slots of groups that need protection, by group
	limit  Vector            // a slot within it in every weight goes
	active [Weights]bool     // weights that any slot has
}

func (p *purgeWork) bytes() int {
	return cap(p.need) + 4*cap(p.order) + 8*(cap(p.high[0])+cap(p.high[1])+cap(p.high[2]))
}

// purge evicts slots until at most about keep stay, and never more than 7/6 of keep.
func (t *Table) purge(keep int) {
	if len(t.cells) == 0 {
		t.startFilter()
	}
	active := t.gather()
	t.work.choose(keep, max(active, 1))
	t.protect(keep)
	t.evict()
}

func (t *Table) startFilter() {
	n := cellLimit(t.budget)
	t.cells = slices.Grow(t.cells, n)[:n]
	clear(t.cells)
}

// gather computes the upper bounds and gives the number of weights that any slot has.
func (t *Table) gather() (active int) {
	p := &t.work
	n := len(t.slots)
	for w := range p.high {
		p.high[w] = slices.Grow(p.high[w][:0], n)[:n]
	}
	p.need = slices.Grow(p.need[:0], n)[:n]
	var all Vector
	for i := range t.slots {
		s := &t.slots[i]
		for w := range Weights {
			high := addSat(s.count[w], s.err[w])
			p.high[w][i] = high
			all[w] |= high
		}
	}
	for w := range all {
		p.active[w] = all[w] != 0
		if p.active[w] {
			active++
		}
	}
	return active
}

// choose sets the limits and which slots are over one. The slots kept by several weights make room
// for larger ranks: they are enlarged while the union stays within keep.
func (p *purgeWork) choose(keep, active int) {
	rank := keep / active
	p.setLimits(rank)
	kept := p.countOver()
	for range widenings {
		if kept == 0 || kept >= keep*7/8 {
			break
		}
		last := p.limit
		rank = min(rank*keep/kept, keep)
		p.setLimits(rank)
		if n := p.countOver(); n <= keep {
			kept = n
			continue
		}
		p.limit = last
		p.countOver()
		break
	}
}

// setLimits makes the limit of each weight its amount of that rank (0 is the largest).
func (p *purgeWork) setLimits(rank int) {
	p.limit = Vector{}
	for w, high := range p.high {
		if p.active[w] {
			p.limit[w] = selectLargest(high, min(rank, len(high)-1))
		}
	}
}

// countOver sets which slots are over a limit, and gives their number.
func (p *purgeWork) countOver() (n int) {
	for i := range p.need {
		p.need[i] = evicted
	}
	for w, high := range p.high {
		if !p.active[w] {
			continue
		}
		need, limit := p.need[:len(high)], p.limit[w]
		for i, h := range high {
			if h > limit {
				need[i] = 0
			}
		}
	}
	return bytes.Count(p.need, []byte{0})
}

// protect marks the slots that stay for being among the first of their group. As many are protected
// as leave room: 7/6 of keep stay at most, so that every purge frees slots.
func (t *Table) protect(keep int) {
	first := t.protection(keep)
	if first[0] == 0 || !t.groupShort(first) {
		return
	}
	for g, start := 0, uint32(0); g < len(t.groups); g++ {
		end := t.groups[g].end
		t.protectGroup(uint32(g), t.work.order[start:end], first)
		start = end
	}
	t.work.cut(first[0], keep*7/6)
}

// protection gives how many slots of each group are protected by each weight.
func (t *Table) protection(keep int) (first [Weights]uint32) {
	active := 0
	for g := range t.groups {
		if !t.groups[g].total.IsZero() {
			active++
		}
	}
	if active == 0 {
		return first
	}
	r := min(maxProtected, keep/(4*active))
	if r < 4 {
		return [Weights]uint32{uint32(max(1, keep/(2*active)))}
	}
	return [Weights]uint32{uint32(r), uint32(r / 2), uint32(r / 2)}
}

// groupShort lists in order the slots of the groups that have fewer slots over a limit than are to be
// protected, and reports whether there are any.
func (t *Table) groupShort(first [Weights]uint32) bool {
	p := &t.work
	for g := range t.groups {
		t.groups[g].above, t.groups[g].end = [Weights]uint32{}, 0
	}
	for i := range t.slots {
		g := &t.groups[t.slots[i].group]
		for w := range Weights {
			if p.high[w][i] > p.limit[w] {
				g.above[w]++
			}
		}
		g.end++
	}
	end := uint32(0)
	for i := range t.groups {
		g := &t.groups[i]
		size := g.end
		g.end = end
		if p.short(g, first) {
			end += size
		} else {
			g.above[0] = evicted // marks the group as not short
		}
	}
	if end == 0 {
		return false
	}
	p.order = slices.Grow(p.order[:0], len(t.slots))[:end]
	for i := range t.slots {
		if g := &t.groups[t.slots[i].group]; g.above[0] != evicted {
			p.order[g.end] = uint32(i)
			g.end++
		}
	}
	return true
}

// short reports whether a group has fewer slots over a limit than are to be protected by a weight.
func (p *purgeWork) short(g *groupState, first [Weights]uint32) bool {
	for w, active := range p.active {
		if active && g.above[w] < first[w] {
			return true
		}
	}
	return false
}

// protectGroup sets the need of the first slots of a group by each weight that are within its limit.
func (t *Table) protectGroup(group uint32, members []uint32, first [Weights]uint32) {
	p := &t.work
	above := t.groups[group].above
	for w := range Weights {
		if len(members) == 0 || above[w] >= first[w] || !p.active[w] {
			continue
		}
		var best [maxProtected]uint32
		for j, i := range t.firstOf(members, w, best[:0], int(first[w]-above[w])) {
			need := above[w] + uint32(j) + 1
			if w > 0 {
				need *= 2 // only half as many are protected by the other weights
			}
			p.need[i] = min(p.need[i], uint8(need))
		}
	}
}

// firstOf gives the first slots by one weight of those within its limit, ties by key.
func (t *Table) firstOf(members []uint32, w int, best []uint32, n int) []uint32 {
	high, limit := t.work.high[w], t.work.limit[w]
	for _, i := range members {
		if high[i] > limit || high[i] == 0 {
			continue
		}
		at := len(best)
		for at > 0 && t.before(i, best[at-1], high) {
			at--
		}
		if at == n {
			continue
		}
		if len(best) == n {
			best = best[:n-1]
		}
		best = slices.Insert(best, at, i)
	}
	return best
}

func (t *Table) before(i, j uint32, high []uint64) bool {
	if high[i] != high[j] {
		return high[i] > high[j]
	}
	return bytes.Compare(t.keyOf(&t.slots[i]), t.keyOf(&t.slots[j])) < 0
}

// cut lowers the protection, by halves, until at most room slots stay, and settles need to 0 or evicted.
func (p *purgeWork) cut(level uint32, room int) {
	var stay [maxProtected + 1]int
	for _, need := range p.need {
		if need <= maxProtected {
			stay[need]++
		}
	}
	for i := range maxProtected {
		stay[i+1] += stay[i]
	}
	for level > 0 && stay[level] > room {
		level /= 2
	}
	for i, need := range p.need {
		if need <= uint8(level) {
			p.need[i] = 0
		} else {
			p.need[i] = evicted
		}
	}
}

// evict drops the slots that do not stay; their cells and the off of their groups take over their upper bounds.
func (t *Table) evict() {
	need := t.work.need
	n := len(t.slots)
	for i := 0; i < n; {
		if need[i] == 0 {
			i++
			continue
		}
		s := &t.slots[i]
		high := s.count.Add(s.err)
		cell, group := t.cell(s.hash), &t.groups[s.group]
		*cell = cell.Max(high)
		group.off = group.off.Max(high)
		n--
		t.slots[i], need[i] = t.slots[n], need[n]
	}
	t.slots = t.slots[:n]
	t.compactArena()
	clear(t.index)
	t.reindex()
}

// compactArena drops the long keys of evicted slots.
func (t *Table) compactArena() {
	if len(t.arena) == 0 {
		return
	}
	old := t.arena
	t.arena = make([]byte, 0, len(old))
	for i := range t.slots {
		s := &t.slots[i]
		if s.size > inlineKey {
			key := (&Table{arena: old}).keyOf(s)
			t.setKey(s, key)
		}
	}
}
