package sketch

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
)

const (
	// MaxGroups bounds the number of a group, so that a table can hold its groups in an array.
	MaxGroups = 1 << 16

	minBudget = 16 << 10
	maxBudget = 1 << 36
	minSlots  = 8
	maxProbe  = 64 // slots of the index; a longer probe moves the table to a keyed hash
)

// A Table finds the heavy keys of each group in a stream of weighted updates. It is a Misra-Gries
// table with an error of its own for each key and, from the first purge on, an admission filter of
// conservative-update count-min cells (one row, all weights of a cell side by side).
//
// For every key of a group, whatever the order of updates, with f the key's true amount by any weight:
//
//	tracked:     count <= f <= count+err
//	not tracked: f <= min(cell, off of the group)
//
// A group that never lost a key has off 0 and err 0: all its counts are exact. With k the fewest slots in use
// when a purge began, off[w] <= Weights * total[w] of all groups / (3/4 k); usually it is far lower.
// No result depends on the layout of the table, on how it grew or on a random seed.
//
// Groups are small dense numbers: memory grows with the largest one, 64 bytes each, beside the budget.
// A Table is not safe for concurrent use.
type Table struct {
	slots   []slot   // dense, in no meaningful order
	index   []uint32 // open addressing: bits of the hash above, 1 + number of the slot below; 0 is free
	arena   []byte   // long keys, exactly those of the slots
	cells   []Vector // empty until the first purge
	groups  []groupState
	budget  int
	keyed   bool // the index uses a keyed hash of the key bytes instead of the published hash
	seed    maphash.Seed
	work    purgeWork
	fetched uint64 // the sum of what Fetch has loaded: without it the compiler would load nothing
}

type groupState struct {
	total, off Vector
	above      [Weights]uint32 // used within a purge: slots above its threshold by each weight
	end        uint32          // used within a purge: end of the group's run in the order
}

// NewTable makes a table of at most budget bytes, at least 16 KiB: half for slots, half for the
// filter and the work space of a purge. It starts small and doubles; only keys longer than
// 24 bytes, which are held beside the slots, can make it hold up to half more for a time.
func NewTable(budget int) *Table {
	return &Table{budget: clampBudget(budget), index: make([]uint32, indexSize(minSlots))}
}

func clampBudget(bytes int) int { return min(max(bytes, minBudget), maxBudget) }

// slotLimit gives the most slots of a table: with its index they fill half of the budget.
func slotLimit(budget int) int { return budget * 15 / 4096 }

// cellLimit gives the cells of a filter. It is linear in powers of two of the budget, so that
// a halved filter's cells are pairs of the old ones.
func cellLimit(budget int) int { return budget * 60 / 4096 }

// indexSize gives a power of two that slots fill to at most 3/8.
func indexSize(slots int) int { return 2 << bits.Len(uint(slots*4/3)) }

// Add counts w for a key of a group. hash is Hash(key) or, where there are several groups, Combine of it with the group's;
// it must be the same for all updates of the key. second is the Unix second of the update, 0 when not known;
// mark is kept of the update that the key is tracked from. The key is copied when it is needed later. w is only read;
// a copy of it right after it was made would wait for each of its parts.
// Add reports whether the key was tracked before: then this was not its first update. It panics if group is not
// below MaxGroups.
func (t *Table) Add(group uint32, hash uint64, key []byte, w *Vector, second uint32, mark uint64) (tracked bool) {
	if int(group) >= len(t.groups) {
		t.growGroups(group)
	}
	total := &t.groups[group].total
	total[0] = addSat(total[0], w[0])
	several := w[1]|w[2] != 0
	if several {
		total[1] = addSat(total[1], w[1])
		total[2] = addSat(total[2], w[2])
	}
	s := t.find(group, hash, key)
	if tracked = s != nil; !tracked {
		if s = t.admit(group, hash, key, w, mark); s == nil {
			return false
		}
	}
	s.count[0] = addSat(s.count[0], w[0])
	if several {
		s.count[1] = addSat(s.count[1], w[1])
		s.count[2] = addSat(s.count[2], w[2])
	}
	if second != 0 {
		s.clock.tick(second, w[0], w[1])
	}
	return tracked
}

// Fetch loads what Add will look at for keys with these hashes, all at the same time: Add alone waits for the memory of
// one key after the other.
func (t *Table) Fetch(hashes []uint64) {
	if t.keyed || len(t.slots) == 0 {
		return
	}
	index, slots, cells := t.index, t.slots, t.cells
	mask := uint32(len(index) - 1)
	var sum uint64
	for _, hash := range hashes {
		sum += uint64(index[uint32(hash)&mask])
		if len(cells) > 0 {
			sum += t.cell(hash)[0]
		}
	}
	for _, hash := range hashes {
		s := &slots[(max(index[uint32(hash)&mask]&mask, 1) - 1)]
		sum += s.hash + s.mark
	}
	t.fetched = sum
}

func (t *Table) growGroups(group uint32) {
	if group >= MaxGroups {
		panic(fmt.Sprintf("sketch: group %d: must be below %d", group, MaxGroups))
	}
	t.groups = slices.Grow(t.groups, int(group)+1-len(t.groups))[:group+1]
}

// find gives the slot of a key, nil when it is not tracked. It calls nothing until the hash is found, which
// keeps its variables in registers; what is rare is left to probe.
func (t *Table) find(group uint32, hash uint64, key []byte) *slot {
	if t.keyed {
		return t.probe(t.spread(group, key), group, hash, key)
	}
	index, slots := t.index, t.slots
	mask := uint32(len(index) - 1)
	tag := uint32(hash>>32) &^ mask
	at := uint32(hash)
	for step := uint32(1); ; step++ {
		e := index[at&mask]
		if e == 0 {
			return nil
		}
		if e&^mask == tag && slots[e&mask-1].hash == hash {
			if s := &slots[e&mask-1]; t.holds(s, group, key) {
				return s
			}
			return t.probe(hash, group, hash, key)
		}
		at += step
	}
}

// probe is find for any spread of hashes.
func (t *Table) probe(spread uint64, group uint32, hash uint64, key []byte) *slot {
	mask := uint32(len(t.index) - 1)
	tag := uint32(spread>>32) &^ mask
	at := uint32(spread)
	for step := uint32(1); ; step++ {
		e := t.index[at&mask]
		if e == 0 {
			return nil
		}
		if e&^mask == tag {
			if s := &t.slots[e&mask-1]; s.hash == hash && t.holds(s, group, key) {
				return s
			}
		}
		at += step
	}
}

// admit takes an untracked key into a slot, or raises its cell and gives nil when no amount
// of the key can have passed the off of its group.
func (t *Table) admit(group uint32, hash uint64, key []byte, w *Vector, mark uint64) *slot {
	var u Vector
	if len(t.cells) > 0 {
		off, cell := &t.groups[group].off, t.cell(hash)
		// Written out: the compiler keeps numbers in registers but not arrays.
		u0, u1, u2 := min(cell[0], off[0]), min(cell[1], off[1]), min(cell[2], off[2])
		v0, v1, v2 := addSat(u0, w[0]), addSat(u1, w[1]), addSat(u2, w[2])
		if v0 <= off[0] && v1 <= off[1] && v2 <= off[2] {
			cell[0], cell[1], cell[2] = max(cell[0], v0), max(cell[1], v1), max(cell[2], v2)
			return nil
		}
		u = Vector{u0, u1, u2}
	} else if w.IsZero() {
		return nil
	}
	for len(t.slots) > 0 && t.full(len(key)) {
		t.purge(len(t.slots) * 3 / 4) // u still bounds this key: only others are evicted
	}
	s := t.push(group, hash, key)
	s.err, s.mark = u, mark
	return s
}

// cell gives the filter cell of a hash: cell i of m has the hashes from i*2^64/m on.
func (t *Table) cell(hash uint64) *Vector {
	i, _ := bits.Mul64(hash, uint64(len(t.cells)))
	return &t.cells[i]
}

// full reports whether another key of that length needs a purge first.
func (t *Table) full(keyLen int) bool {
	used := (len(t.slots)+1)*slotSize + len(t.arena) + longSize(keyLen)
	return used > slotLimit(t.budget)*slotSize
}

// push appends a slot and gives it. The table must not be full.
func (t *Table) push(group uint32, hash uint64, key []byte) *slot {
	if len(t.slots) == cap(t.slots) {
		t.growSlots()
	}
	t.slots = append(t.slots, slot{hash: hash, group: group})
	s := &t.slots[len(t.slots)-1]
	t.setKey(s, key)
	t.place(len(t.slots) - 1)
	return s
}

func (t *Table) growSlots() {
	size := min(max(2*cap(t.slots), minSlots), max(slotLimit(t.budget), len(t.slots)+1))
	t.resize(size)
}

// resize moves the slots into room for size of them and makes the index fit.
func (t *Table) resize(size int) {
	slots := make([]slot, len(t.slots), size)
	copy(slots, t.slots)
	t.slots = slots
	if n := indexSize(size); n != len(t.index) {
		t.index = make([]uint32, n)
		t.reindex()
	}
}

// reindex enters all slots into the cleared index.
func (t *Table) reindex() {
	for i := range t.slots {
		t.place(i)
	}
}

// place enters slot i into the index.
func (t *Table) place(i int) {
	s := &t.slots[i]
	spread := s.hash
	if t.keyed {
		spread = t.spread(s.group, t.keyOf(s))
	}
	mask := uint32(len(t.index) - 1)
	at := uint32(spread) & mask
	for step := uint32(1); t.index[at] != 0; step++ {
		at = (at + step) & mask
		if step == maxProbe && !t.keyed {
			t.rekey(i)
			return
		}
	}
	t.index[at] = uint32(spread>>32)&^mask | uint32(i+1)
}

// rekey moves the index to a keyed hash: too many hashes are alike, by chance or by intent.
// Slots after last are not entered.
func (t *Table) rekey(last int) {
	t.keyed, t.seed = true, maphash.MakeSeed()
	clear(t.index)
	for i := range last + 1 {
		t.place(i)
	}
}

// spread gives the keyed hash of a key. It decides the layout of the index and nothing else.
func (t *Table) spread(group uint32, key []byte) uint64 {
	return Combine(maphash.Bytes(t.seed, key), uint64(group))
}

// Bytes gives the memory held, in bytes.
func (t *Table) Bytes() int {
	return cap(t.slots)*slotSize + cap(t.index)*4 + cap(t.arena) + cap(t.cells)*8*Weights + cap(t.groups)*64 + t.work.bytes()
}

// Len gives the number of tracked keys.
func (t *Table) Len() int { return len(t.slots) }

// Reset empties the table and keeps its memory and budget.
func (t *Table) Reset() {
	clear(t.groups)
	clear(t.index)
	t.slots, t.arena, t.cells, t.groups = t.slots[:0], t.arena[:0], t.cells[:0], t.groups[:0]
	t.keyed = false
}

// Clone gives an independent copy.
func (t *Table) Clone() *Table {
	c := *t
	c.slots = append(make([]slot, 0, cap(t.slots)), t.slots...)
	c.index = slices.Clone(t.index)
	c.arena = slices.Clone(t.arena)
	c.cells = slices.Clone(t.cells)
	c.groups = slices.Clone(t.groups)
	c.work = purgeWork{}
	return &c
}

// Exact reports whether every count of the group is exact: no key of it was ever evicted.
func (t *Table) Exact(group uint32) bool { return t.Off(group).IsZero() }

// Off gives the upper bound of every key of the group that is not tracked.
func (t *Table) Off(group uint32) Vector {
	if int(group) >= len(t.groups) {
		return Vector{}
	}
	return t.groups[group].off
}

// Total gives the exact total of the group.
func (t *Table) Total(group uint32) Vector {
	if int(group) >= len(t.groups) {
		return Vector{}
	}
	return t.groups[group].total
}

// Bounds gives the bounds of a key, tracked or not; hash as for Add.
func (t *Table) Bounds(group uint32, hash uint64, key []byte) (low, high Vector) {
	if s := t.find(group, hash, key); s != nil {
		return s.count, s.count.Add(s.err)
	}
	if len(t.cells) == 0 {
		return low, high
	}
	return low, t.cell(hash).Min(t.Off(group))
}
