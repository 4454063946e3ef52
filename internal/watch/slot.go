package watch

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// families are the tables of heavy hitters of a slot: each ranks keys by three measures.
const families = int(Measures) / sketch.Weights

// keyBudget is what one family of one slot may take, in bytes: 240 keys. Of all slots that is 22 MiB.
const keyBudget = 64 << 10

// counts are amounts of each measure.
type counts [Measures]uint64

// of counts one event.
func (n *counts) of(e *ingest.Event, coverage ingest.Coverage) {
	requests := e.Count()
	n[Tombstones], _ = e.Tombstones()
	if e.Throttle != ingest.NotThrottled {
		n[Throttled] = requests
	}
	if coverage == ingest.Selected {
		n[Reported] = requests
		return
	}
	switch {
	case e.Op.Reads():
		n[Reads] = requests
	case e.Op.Writes():
		n[Writes] = requests
	default:
		n[Other] = requests
	}
	n[Bytes], _ = e.Bytes()
	n[ReadMilli], _ = e.ReadUnits()
	n[WriteMilli], _ = e.WriteUnits()
}

func (n *counts) family(f int) sketch.Vector { return sketch.Vector(n[f*sketch.Weights:]) }

func (n *counts) add(o *counts) {
	for m := range n {
		n[m] += o[m]
	}
}

// A slot is one span of time.
type slot struct {
	index  int64 // the span begins at this many widths
	totals []counts
	keys   [families]*sketch.Table // nil: nothing of these measures
	tops   [families]*sketch.Top   // of keys; nil: out of date
	firsts [families]*sketch.Top   // the heaviest alone, likewise
}

func (s *slot) reset(index int64) {
	s.index, s.totals = index, s.totals[:0]
	for f, t := range s.keys {
		if t != nil {
			t.Reset()
		}
		s.tops[f], s.firsts[f] = nil, nil
	}
}

func (s *slot) add(table uint32, e *ingest.Event, n *counts) {
	for uint32(len(s.totals)) <= table {
		s.totals = append(s.totals, counts{})
	}
	s.totals[table].add(n)
	if !e.KeyKnown || table == otherTable {
		return
	}
	hash := keyHash(table, e.Key)
	for f := range families {
		v := n.family(f)
		if v.IsZero() {
			continue
		}
		if s.keys[f] == nil {
			s.keys[f] = sketch.NewTable(keyBudget)
		}
		s.keys[f].Add(table, hash, e.Key, &v, 0, 0)
		s.tops[f], s.firsts[f] = nil, nil
	}
}

func keyHash(table uint32, key []byte) uint64 {
	return sketch.Combine(sketch.Hash(key), uint64(table))
}

// total gives the amounts of a table.
func (s *slot) total(table uint32) counts {
	if int(table) < len(s.totals) {
		return s.totals[table]
	}
	return counts{}
}

// top gives the keys of a family, nil when there are none.
func (s *slot) top(f int) *sketch.Top {
	if s.tops[f] == nil && s.keys[f] != nil {
		s.tops[f] = s.keys[f].Seal(sketch.Quota{}, 0)
	}
	return s.tops[f]
}

// firstKeys is how many keys of a table are listed, by each measure, of a slot that is older than rates are.
const firstKeys = 8

// first gives the heaviest keys of each table in a family, nil when there are none.
func (s *slot) first(f int) *sketch.Top {
	if s.firsts[f] == nil && s.keys[f] != nil {
		var q sketch.Quota
		for w := range sketch.Weights {
			q.PerGroup[w] = firstKeys
		}
		s.firsts[f] = s.keys[f].Seal(q, 0)
	}
	return s.firsts[f]
}

// bounds gives what is known of a key in the slot.
func (s *slot) bounds(table uint32, hash uint64, key []byte) (low, high counts) {
	for f, t := range s.keys {
		if t == nil {
			continue
		}
		l, h := t.Bounds(table, hash, key)
		copy(low[f*sketch.Weights:], l[:])
		copy(high[f*sketch.Weights:], h[:])
	}
	return low, high
}
