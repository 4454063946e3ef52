package detect

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// Compare orders targets by store, table and index.
func (t Target) Compare(o Target) int {
	return cmp.Or(
		cmp.Compare(t.Store, o.Store),
		strings.Compare(t.Table, o.Table),
		strings.Compare(t.Index, o.Index),
		cmp.Compare(t.Told, o.Told),
	)
}

// hash is the hash of the target as a group of keys: the same in every process, whatever the store and
// whoever tells of it, so that JoinStores finds equal keys under equal hashes.
func (t Target) hash() uint64 {
	return sketch.Hash([]byte(t.Table + "\x00" + t.Index))
}

// A targetIndex gives numbers to targets in the order in which they are first seen. Looking up one
// that is known allocates nothing.
type targetIndex struct {
	targets []Target
	hashes  []uint64 // Target.hash of each
	byName  map[string]uint32
	short   [recentTargets]shortTarget // the target last seen with these low hash bits, of those with short names
	recent  [recentTargets]uint32      // 1 + number of the target last seen with these low hash bits
	limit   int                        // targets beyond it are OtherTarget; 0: none
	name    []byte
}

const recentTargets = 64

// A shortTarget is a target without an index whose table has a name of at most 16 bytes.
type shortTarget struct {
	name tableWords
	kind uint32 // of the rest: see kindOf
	id   uint32 // 1 + its number
}

// tableWords is a short name as two words, with zeroes behind it.
type tableWords struct{ low, high uint64 }

const shortName = 16

// shortNameOf gives the words of a table's name, and whether they tell it: the name is short, and 16 bytes can be
// read from its beginning. It does not branch on the length, which differs from event to event.
func shortNameOf(table []byte) (w tableWords, ok bool) {
	n := len(table)
	if n > shortName || cap(table) < shortName {
		return w, false
	}
	b := table[:shortName]
	low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return tableWords{low & (1<<(8*n) - 1), high & (1<<(8*(max(n, 8)-8)) - 1)}, true
}

// kindOf gives what of a target is not its name: its store and who tells of it, and how long the name is.
func kindOf(e *ingest.Event) uint32 {
	return uint32(len(e.Table))<<16 | uint32(e.Store)<<8 | uint32(toldBy(e.Witness))
}

// slot gives a place in targetIndex.short.
func (w tableWords) slot() uint64 {
	const factor = 0x9E3779B97F4A7C15
	return (w.low ^ w.high<<1) * factor >> 58 // 64 places
}

func newTargetIndex(limit int) *targetIndex {
	return &targetIndex{byName: map[string]uint32{}, limit: limit}
}

// find gives the number of the event's target. ok is false when it is new and the limit is reached.
func (x *targetIndex) find(e *ingest.Event) (id uint32, ok bool) {
	name, short := shortNameOf(e.Table)
	if !short || len(e.Index) > 0 {
		return x.findLong(e)
	}
	s, kind := &x.short[name.slot()], kindOf(e)
	if s.name == name && s.kind == kind && s.id > 0 {
		return s.id - 1, true
	}
	if id, ok = x.findLong(e); ok {
		*s = shortTarget{name, kind, id + 1}
	}
	return id, ok
}

func (x *targetIndex) findLong(e *ingest.Event) (id uint32, ok bool) {
	slot := recentSlot(e)
	if id := x.recent[slot]; id > 0 && x.is(id-1, e) {
		return id - 1, true
	}
	x.name = append(append(append(append(x.name[:0], byte(e.Store), byte(toldBy(e.Witness))), e.Table...), 0), e.Index...)
	id, ok = x.byName[string(x.name)]
	if !ok {
		if x.limit > 0 && len(x.targets) >= x.limit {
			return 0, false
		}
		id = x.add(targetOf(e))
	}
	x.recent[slot] = id + 1
	return id, true
}

// recentSlot mixes the cheap parts of a name; a poor mix costs a map look-up, nothing else.
func recentSlot(e *ingest.Event) uint32 {
	n := len(e.Table)
	h := uint32(n) + uint32(len(e.Index))<<3
	if n > 0 {
		h += uint32(e.Table[n-1]) + uint32(e.Table[n/2])*5 + uint32(e.Table[0])*11
	}
	return h % recentTargets
}

func targetOf(e *ingest.Event) Target {
	return Target{Store: e.Store, Table: string(e.Table), Index: string(e.Index), Told: toldBy(e.Witness)}
}

func (x *targetIndex) is(id uint32, e *ingest.Event) bool {
	t := &x.targets[id]
	return t.Store == e.Store && t.Told == toldBy(e.Witness) && t.Table == string(e.Table) && t.Index == string(e.Index)
}

func (x *targetIndex) add(t Target) uint32 {
	id := uint32(len(x.targets))
	x.targets, x.hashes = append(x.targets, t), append(x.hashes, t.hash())
	x.byName[string([]byte{byte(t.Store), byte(t.Told)})+t.Table+"\x00"+t.Index] = id
	return id
}

// A nodeIndex gives numbers to nodes in the order in which they are first seen.
type nodeIndex struct {
	names  []string
	byName map[string]uint32
	last   uint32
}

// find gives the number of a node; ok is false when it is new and there are MaxNodes already.
func (x *nodeIndex) find(name []byte) (id uint32, ok bool) {
	if int(x.last) < len(x.names) && x.names[x.last] == string(name) {
		return x.last, true
	}
	id, ok = x.byName[string(name)]
	if !ok {
		if len(x.names) >= MaxNodes {
			return 0, false
		}
		if x.byName == nil {
			x.byName = map[string]uint32{}
		}
		id = uint32(len(x.names))
		x.names = append(x.names, string(name))
		x.byName[x.names[id]] = id
	}
	x.last = id
	return id, true
}

// other gives the number of OtherTarget, which may go beyond the limit.
func (x *targetIndex) other() uint32 {
	for i := len(x.targets) - 1; i >= 0; i-- {
		if x.targets[i] == OtherTarget {
			return uint32(i)
		}
	}
	return x.add(OtherTarget)
}
