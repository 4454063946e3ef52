package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// An Inventory is what inputs that hold items tell of the tables at one time: an export of the whole table
// says when. Those that do not, a scan, make one Inventory together. Items of two times are the same ones,
// mostly, so they are never added up.
type Inventory struct {
	UnixNano int64          // 0: not known
	Targets  []StoredTarget // sorted by ID
	// Sizes are the largest item collections: weight 0 counts items, weight 1 their bytes; groups are
	// indexes of Profile.Targets.
	Sizes *sketch.Top
}

// A StoredTarget is what an Inventory holds of one target. Distinct, Sample (items and bytes of each key)
// and ItemBytes are nil with Settings.KeysOnly.
type StoredTarget struct {
	ID        uint32 // index in Profile.Targets
	Items     uint64
	Bytes     uint64
	Keyless   uint64 // items whose record does not tell the key
	Distinct  *sketch.Distinct
	Sample    *sketch.Sample
	ItemBytes *sketch.Histogram
	Entities  []EntitySize // sorted by name
	Types     bool         // there were more entities than types could be, and Entities is empty
}

// MaxInventories is the most Inventories of a Profile that have a time; beyond, the earliest give way and
// their items are counted in Lost.
const MaxInventories = 8

// An openInventory is an Inventory in the making; its targets are numbered as the Builder's.
type openInventory struct {
	unixNano int64
	targets  []StoredTarget
	last     int // place in targets of the last item's
	sizes    *sketch.Table
}

// stored adds a stored item to the size of its collection.
func (b *Builder) stored(e *ingest.Event) {
	id := b.target(e)
	if e.Changed {
		b.grow(e, id)
		return
	}
	n := e.Count()
	bytes, _ := e.Bytes()
	s := b.inventory(e.Inventory)
	t := s.target(id, b)
	t.Items += n
	t.Bytes = AddSat(t.Bytes, bytes)
	if t.ItemBytes != nil {
		t.ItemBytes.Add(bytes/n, n)
	}
	t.entity(e, n, bytes)
	if !e.KeyKnown || b.open[id].other {
		t.Keyless += n
		return
	}
	hash := sketch.Combine(sketch.Hash(e.Key), b.targets.hashes[id])
	s.sizes.Add(id, hash, e.Key, &sketch.Vector{n, bytes}, 0, markAt(e.At))
	if t.Distinct != nil {
		t.Distinct.Add(hash)
		t.Sample.Add(hash, n, bytes)
	}
}

func (b *Builder) inventory(nanos int64) *openInventory {
	i := slices.IndexFunc(b.inventories, func(s *openInventory) bool { return s.unixNano == nanos })
	if i >= 0 {
		return b.inventories[i]
	}
	s := &openInventory{unixNano: nanos, sizes: sketch.NewTable(b.settings.tableBudget())}
	b.inventories = append(b.inventories, s)
	return s
}

// target gives what is held of a target of the Builder.
func (s *openInventory) target(id uint32, b *Builder) *StoredTarget {
	if s.last < len(s.targets) && s.targets[s.last].ID == id {
		return &s.targets[s.last]
	}
	i, found := slices.BinarySearchFunc(s.targets, id, func(t StoredTarget, id uint32) int { return cmp.Compare(t.ID, id) })
	if s.last = i; found {
		return &s.targets[i]
	}
	t := StoredTarget{ID: id}
	if !b.settings.KeysOnly {
		n := len(s.targets) + 1
		t.Distinct, t.Sample = sketch.NewDistinct(distinctPrecision(n)), sketch.NewSample(b.settings.sampleSize(n))
		t.ItemBytes = &sketch.Histogram{}
	}
	s.targets = slices.Insert(s.targets, i, t)
	shrinkStored(s.targets, b.settings)
	return &s.targets[i]
}

// shrinkStored brings all down to what their number allows.
func shrinkStored(all []StoredTarget, s Settings) {
	for i := range all {
		if t := &all[i]; t.Distinct != nil {
			t.Distinct.Fold(min(t.Distinct.Precision(), distinctPrecision(len(all))))
			t.Sample.SetCap(s.sampleSize(len(all)))
		}
	}
}

// sealInventories gives the inventories of b with targets numbered by ids.
func (b *Builder) sealInventories(ids []uint32, lost *Lost) []Inventory {
	var out []Inventory
	slices.SortFunc(b.inventories, func(x, y *openInventory) int { return cmp.Compare(x.unixNano, y.unixNano) })
	for _, s := range b.inventories {
		x := Inventory{UnixNano: s.unixNano, Targets: s.targets, Sizes: s.sizes.Seal(b.settings.runQuota(len(ids)), 0)}
		x.regroup(ids)
		out = append(out, x)
	}
	return capInventories(out, lost)
}

// regroup renumbers the targets, without those that are Dropped.
func (s *Inventory) regroup(ids []uint32) {
	s.Sizes = s.Sizes.Renumber(ids, nil)
	for i := range s.Targets {
		s.Targets[i].ID = ids[s.Targets[i].ID]
	}
	s.Targets = slices.DeleteFunc(s.Targets, func(t StoredTarget) bool { return t.ID == sketch.Dropped })
	slices.SortFunc(s.Targets, compareStored)
}

func compareStored(a, b StoredTarget) int { return cmp.Compare(a.ID, b.ID) }

// joinInventories joins those of the same time.
func joinInventories(a, b []Inventory, s Settings, targets int, lost *Lost) []Inventory {
	joined := joinSorted(a, b,
		func(x, y Inventory) int { return cmp.Compare(x.UnixNano, y.UnixNano) },
		func(x *Inventory, y Inventory) {
			x.Targets = joinSorted(x.Targets, y.Targets, compareStored, (*StoredTarget).add)
			shrinkStored(x.Targets, s)
			x.Sizes = sketch.MergeTops(x.Sizes, y.Sizes, s.runQuota(targets))
		})
	return capInventories(joined, lost)
}

func (t *StoredTarget) add(o StoredTarget) {
	t.Items, t.Bytes, t.Keyless = AddSat(t.Items, o.Items), AddSat(t.Bytes, o.Bytes), AddSat(t.Keyless, o.Keyless)
	if t.Distinct == nil {
		return
	}
	t.Distinct.Merge(o.Distinct)
	t.Sample.Merge(o.Sample)
	t.ItemBytes.Merge(o.ItemBytes)
	if t.Types = t.Types || o.Types; t.Types {
		t.Entities = nil
		return
	}
	t.joinEntities(o.Entities)
}

// capInventories keeps the last ones, and the one without a time.
func capInventories(all []Inventory, lost *Lost) []Inventory {
	first := 0
	if len(all) > 0 && all[0].UnixNano == 0 {
		first = 1
	}
	n := len(all) - first - MaxInventories
	if n <= 0 {
		return all
	}
	for _, s := range all[first : first+n] {
		for i := range s.Targets {
			lost.Stored = AddSat(lost.Stored, s.Targets[i].Items)
		}
	}
	return slices.Delete(all, first, first+n)
}

// grow adds what an event makes its collection larger or smaller by.
func (b *Builder) grow(e *ingest.Event, id uint32) {
	n, ok := e.Growth()
	if !ok || !e.KeyKnown || b.open[id].other {
		return
	}
	if b.grown == nil {
		b.grown = sketch.NewTable(b.settings.tableBudget())
	}
	grown, shrunk := bothWays(n)
	hash := sketch.Combine(sketch.Hash(e.Key), b.targets.hashes[id])
	b.grown.Add(id, hash, e.Key, &sketch.Vector{e.Count(), grown, shrunk}, 0, markAt(e.At))
	if nanos, timed := e.UnixNano(); timed {
		t := &b.open[id].stats
		t.GrownFirst, t.GrownLast = joinSpan(t.GrownFirst, t.GrownLast, nanos, nanos)
	}
}

// bothWays gives a growth as what it adds and what it takes away.
func bothWays(n int64) (grown, shrunk uint64) {
	if n < 0 {
		return 0, uint64(-n)
	}
	return uint64(n), 0
}
