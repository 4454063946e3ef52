package detect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// StoredItems is what inputs that hold items tell of a target at one time.
type StoredItems struct {
	UnixNano    int64 // 0: not known
	Items       uint64
	Bytes       uint64
	Keyless     uint64 // items whose record does not tell the key
	Distinct    Distinct
	ItemBytes   *sketch.Histogram // never nil
	Entities    []EntitySize      // in order of names; none where there are no two types
	PerKey      []KeyQuantile     // in order of Permille; none where nothing was sampled
	Collections []Collection      // largest first
	// Untold bounds the bytes of a collection that is not listed.
	Untold uint64
}

// A Collection is the items of one partition key.
type Collection struct {
	Key   []byte // in the form of ingest.AppendKey
	Items Range
	Bytes Range // as DynamoDB counts them: names and values
	Files Range // inputs that hold items of it; High is 0 where that was not counted
	// Local are the bytes of its entries in local indexes, where these are described. Storage is what counts
	// against the limit of an item collection: items and those entries, each with StorageOverhead.
	Local   Range
	Storage Range
	At      []ingest.Position
}

// StorageOverhead is what storing an item, or an entry of an index, costs beside its names and values, in
// bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html#ItemSizeCalculations.StorageSize
const StorageOverhead = 100

// stored adds what counts on top of names and values.
func (r Range) stored(items Range) Range {
	return r.Plus(Range{MulSat(StorageOverhead, items.Low), MulSat(StorageOverhead, items.High)})
}

// measureStorage sets what collections take as the store counts: with their entries in local indexes, which
// are targets of their own.
func (v *View) measureStorage() {
	for _, t := range v.Targets {
		local := []*TargetView{}
		if t.Target.Index == "" && len(t.Stored.Collections) > 0 {
			local = v.localIndexes(t.Target)
		}
		for _, s := range append(slices.Clone(t.Earlier), t.Stored) {
			for i := range s.Collections {
				s.Collections[i].store(local, s.UnixNano)
			}
		}
	}
}

// localIndexes gives the local indexes of a table of which entries were seen.
func (v *View) localIndexes(table Target) []*TargetView {
	names, _ := v.Fact(table, ingest.FactLocalIndex)
	out := []*TargetView{}
	for _, name := range strings.Split(names, ",") {
		for _, t := range v.Targets {
			if name != "" && t.Target == (Target{Store: table.Store, Table: table.Table, Index: name}) {
				out = append(out, t)
			}
		}
	}
	return out
}

func (c *Collection) store(local []*TargetView, nanos int64) {
	c.Storage = c.Bytes.stored(c.Items)
	for _, t := range local {
		for _, s := range append(slices.Clone(t.Earlier), t.Stored) {
			if s.UnixNano != nanos {
				continue
			}
			e := Collection{Bytes: Range{0, s.Untold}, Items: Range{0, c.Items.High}}
			if s.Untold == 0 {
				e.Items = Range{}
			}
			if i := slices.IndexFunc(s.Collections, func(x Collection) bool { return bytes.Equal(x.Key, c.Key) }); i >= 0 {
				e = s.Collections[i]
			}
			c.Local = c.Local.Plus(e.Bytes)
			c.Storage = c.Storage.Plus(e.Bytes.stored(e.Items))
		}
	}
}

// A KeyQuantile says that so many thousandths of the keys have at most so many items, and as many at most
// so many bytes. It is estimated by the sampled keys.
type KeyQuantile struct {
	Permille     uint64
	Items, Bytes uint64
}

// storedOf gives what was stored of a target at the last time, and at the earlier ones. Where some inputs
// tell a time, what is of no time does not count.
func storedOf(p *Profile, id uint32, n *Nominees, x *Exact) (last StoredItems, earlier []StoredItems) {
	all := []StoredItems{}
	for i := range p.Inventories {
		s := &p.Inventories[i]
		at, found := slices.BinarySearchFunc(s.Targets, StoredTarget{ID: id}, compareStored)
		if found {
			all = append(all, storedAt(s, &s.Targets[at], n, x))
		}
	}
	if len(all) > 1 && all[0].UnixNano == 0 {
		all = all[1:]
	}
	if len(all) == 0 {
		return StoredItems{ItemBytes: &sketch.Histogram{}}, nil
	}
	return all[len(all)-1], all[:len(all)-1]
}

func storedAt(s *Inventory, t *StoredTarget, n *Nominees, x *Exact) StoredItems {
	out := StoredItems{UnixNano: s.UnixNano, Items: t.Items, Bytes: t.Bytes, Keyless: t.Keyless,
		ItemBytes: orEmpty(t.ItemBytes), Entities: t.typesOf(), PerKey: perKey(t.Sample), Untold: s.Sizes.Off(t.ID)[1]}
	first, end := s.Sizes.Group(t.ID)
	out.Distinct = distinctOf(t.Distinct, s.Sizes.Exact(t.ID), uint64(end-first), t.Items-t.Keyless)
	for i := first; i < end; i++ {
		e := s.Sizes.At(i)
		high := e.High()
		c := Collection{Key: e.Key, Items: Range{e.Count[0], high[0]}, Bytes: Range{e.Count[1], high[1]}}
		if at, ok := markPosition(e.Mark); ok {
			c.At = []ingest.Position{at}
		}
		if x != nil {
			c.measured(t.ID, s.UnixNano, n, x)
		}
		out.Collections = append(out.Collections, c)
	}
	slices.SortFunc(out.Collections, func(a, b Collection) int {
		return cmp.Or(cmp.Compare(b.Bytes.Middle(), a.Bytes.Middle()), slices.Compare(a.Key, b.Key))
	})
	return out
}

// measured replaces bounds by what the second pass measured.
func (c *Collection) measured(id uint32, nanos int64, n *Nominees, x *Exact) {
	i, found := slices.BinarySearchFunc(n.Sizes, Nominee{Target: id, Key: c.Key}, compareNominees)
	if !found {
		return
	}
	at, found := slices.BinarySearchFunc(x.Sizes[i], SizeAt{UnixNano: nanos}, compareSizes)
	if !found {
		return
	}
	s := &x.Sizes[i][at]
	c.Items, c.Bytes, c.Files = Range{s.Items, s.Items}, Range{s.Bytes, s.Bytes}, Range{s.Files, s.Files}
	c.At = []ingest.Position{s.First}
}

// perKey gives quantiles of the sampled keys.
func perKey(s *sketch.Sample) []KeyQuantile {
	if s == nil || s.Len() == 0 {
		return nil
	}
	items, bytes := []uint64{}, []uint64{}
	s.Each(func(_, n, b uint64) { items, bytes = append(items, n), append(bytes, b) })
	slices.Sort(items)
	slices.Sort(bytes)
	out := []KeyQuantile{}
	for _, q := range []uint64{500, 900, 990} {
		at := (uint64(len(items))*q + 999) / 1000
		out = append(out, KeyQuantile{q, items[at-1], bytes[at-1]})
	}
	return out
}

// A GrowingKey is by how much records made the items of one key larger and smaller.
type GrowingKey struct {
	Key     []byte // in the form of ingest.AppendKey
	Changes Range  // records that tell it
	Grown   Range  // bytes added
	Shrunk  Range  // bytes taken away
	At      []ingest.Position
	Panes   []ExactPane // of the second pass; nil without one
}

// grownWeight is the weight of Profile.Grown that counts the bytes added.
const grownWeight = 1

// growingOf gives the keys of a target that grew.
func growingOf(p *Profile, id uint32, n *Nominees, x *Exact) []GrowingKey {
	out := []GrowingKey{}
	first, end := p.Grown.Group(id)
	for i := first; i < end; i++ {
		e := p.Grown.At(i)
		high := e.High()
		k := GrowingKey{Key: e.Key, Changes: Range{e.Count[0], high[0]}, Grown: Range{e.Count[1], high[1]}, Shrunk: Range{e.Count[2], high[2]}}
		if at, ok := markPosition(e.Mark); ok {
			k.At = []ingest.Position{at}
		}
		at, found := slices.BinarySearchFunc(n.Keys, Nominee{Target: id, Key: e.Key}, compareNominees)
		if x != nil && found && x.Keys[at] != nil {
			k.exact(x.Keys[at])
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b GrowingKey) int {
		return cmp.Or(cmp.Compare(b.net(), a.net()), bytes.Compare(a.Key, b.Key))
	})
	return out
}

func (k *GrowingKey) exact(x *ExactKey) {
	k.Changes, k.Grown, k.Shrunk = Range{x.Changes, x.Changes}, Range{x.Grown, x.Grown}, Range{x.Shrunk, x.Shrunk}
	k.Panes = x.Panes
	if len(x.Positions) > 0 {
		k.At = x.Positions
	}
}

func (k *GrowingKey) net() uint64 { return subFloor(k.Grown.Middle(), k.Shrunk.Middle()) }

// Net bounds by how many bytes the items of the key grew in all; 0 where they shrank.
func (k *GrowingKey) Net() Range {
	return Range{subFloor(k.Grown.Low, k.Shrunk.High), subFloor(k.Grown.High, k.Shrunk.Low)}
}
