package detect

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// RewriteStats are the changes of one attribute, of records that tell its value: whether one value was written to
// many partitions within a minute, as the copies of something must be.
type RewriteStats struct {
	Attribute string
	Changes   uint64
	Values    *sketch.Distinct // that it was changed to
	Widest    Rewrite          // that went to most partitions
}

// A Rewrite is one value of an attribute that was written within one minute.
type Rewrite struct {
	Partitions uint64 // at least
	Minute     uint32 // Unix seconds
	Bytes      uint64 // of the value as it stands in the record
	At         ingest.Position
}

// What a Builder remembers of values: a slot each of a table without chains, which an unlike value takes over when it
// has come as often as the one that was there. So counts are lower bounds, whatever the number of values.
const (
	rewriteSlots     = 1 << 12
	rewriteWords     = 4   // of 64 partitions each, by the hash of their key: a set bit is a partition for certain
	MaxRewritten     = 16  // attributes of a target; changes of others are not looked at
	maxAttribute     = 128 // bytes of a name
	rewritePrecision = 6   // of the number of values: standard error 13 %
)

type rewriteSlot struct {
	hash  uint64 // of target, attribute, value and minute; 0: free
	life  uint32
	words [rewriteWords]uint64
}

// rewritten counts the values that an event changes.
func (b *Builder) rewritten(t *openTarget, id uint32, e *ingest.Event) {
	nanos, timed := e.UnixNano()
	if !e.KeyKnown || !timed {
		return
	}
	if b.rewrites == nil {
		b.rewrites = make([]rewriteSlot, rewriteSlots)
	}
	minuteOf := uint32(nanos/second) / minute * minute
	key := sketch.Hash(e.Key)
	for _, c := range e.Changes {
		s := t.rewriteOf(c.Name)
		if s == nil {
			continue
		}
		s.Changes += e.Count()
		s.Values.Add(sketch.Combine(c.Value, 0))
		h := sketch.Combine(sketch.Combine(c.Value, sketch.Hash(c.Name)), uint64(id)<<32|uint64(minuteOf)) | 1
		if n := b.rewrites[h>>1%rewriteSlots].take(h, key); n > s.Widest.Partitions {
			s.Widest = Rewrite{n, minuteOf, c.Bytes, e.At}
		}
	}
}

// take counts a partition of a value, and gives how many are counted; 0 when the slot holds another value.
func (s *rewriteSlot) take(hash, key uint64) (partitions uint64) {
	switch {
	case s.hash == hash:
		s.life++
	case s.life > 1:
		s.life--
		return 0
	default:
		*s = rewriteSlot{hash: hash, life: 1}
	}
	s.words[key>>6%rewriteWords] |= 1 << (key & 63)
	for _, w := range s.words {
		partitions += uint64(bits.OnesCount64(w))
	}
	return partitions
}

// rewriteOf gives the counts of an attribute; nil when there are too many, or its name is too long.
func (t *openTarget) rewriteOf(name []byte) *RewriteStats {
	list := t.stats.Rewrites
	for i := range list {
		if list[i].Attribute == string(name) {
			return &list[i]
		}
	}
	if len(list) == MaxRewritten || len(name) > maxAttribute {
		return nil
	}
	t.stats.Rewrites = append(list, RewriteStats{Attribute: string(name), Values: sketch.NewDistinct(rewritePrecision)})
	return &t.stats.Rewrites[len(list)]
}

func compareRewrites(a, b RewriteStats) int { return strings.Compare(a.Attribute, b.Attribute) }

// joinRewrites adds the counts of a later part; attributes beyond MaxRewritten are left out by their names.
func joinRewrites(a, b []RewriteStats) []RewriteStats {
	a = joinSorted(a, b, compareRewrites, func(x *RewriteStats, y RewriteStats) {
		x.Changes = AddSat(x.Changes, y.Changes)
		x.Values.Merge(y.Values)
		if y.Widest.Partitions > x.Widest.Partitions {
			x.Widest = y.Widest
		}
	})
	return a[:min(len(a), MaxRewritten)]
}

func sortRewrites(list []RewriteStats) { slices.SortFunc(list, compareRewrites) }
