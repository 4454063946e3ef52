package detect

import (
	"cmp"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// ExactShards are the counts of a key by shard: the CRC-32 (IEEE) of the sort key modulo their number. That is a
// power of two, so that the counts for fewer shards are sums. Behind the shards stand two more counts: Unnamed are the
// reads that name no item, which ask every shard; Loose are the writes that name none, whose shard is not known.
type ExactShards struct {
	Of      uint32        // shards, a power of two from LeastShards to MostShards
	Totals  []ShardCount  // Of + 2
	Seconds []ShardSecond // of the key's nominated minutes, in order
	Panes   []ShardSecond // of all its panes, by their first second, in order
}

// A ShardCount is the exact load of one shard.
type ShardCount struct{ Requests, ReadMilli, WriteMilli uint64 }

// A ShardSecond is the load of all shards in one second, or in the pane that begins with it.
type ShardSecond struct {
	Second uint32
	Counts []ShardCount // as ExactShards.Totals
}

// The shards that a second pass counts by: a key has 16 unless its units ask for more. All keys of a run together have
// at most maxSharded, each of at most 64 minutes and 128 panes: 12 MiB.
const (
	LeastShards    = 16
	MostShards     = 64
	maxSharded     = 128
	shardedUnits   = 500 // units a second that one shard should have at most, as of shard-suffix
	shardedRequest = 30  // requests, below which nothing is proposed
)

// ShardOf gives the shard of a sort key, of a number of shards.
func ShardOf(sortKey []byte, shards uint32) uint32 { return crc32.ChecksumIEEE(sortKey) % shards }

// Unnamed gives the reads in counts that name no item.
func (x *ExactShards) Unnamed(counts []ShardCount) ShardCount { return counts[x.Of] }

// Loose gives the writes in counts that name no item.
func (x *ExactShards) Loose(counts []ShardCount) ShardCount { return counts[x.Of+1] }

// Fold gives the counts of n shards, a power of two of at most Of.
func (x *ExactShards) Fold(counts []ShardCount, n uint32) []ShardCount {
	out := slices.Clone(counts[:n])
	for i := n; i < x.Of; i++ {
		out[i%n].add(counts[i])
	}
	return out
}

func (c *ShardCount) add(o ShardCount) {
	c.Requests = AddSat(c.Requests, o.Requests)
	c.ReadMilli = AddSat(c.ReadMilli, o.ReadMilli)
	c.WriteMilli = AddSat(c.WriteMilli, o.WriteMilli)
}

func newExactShards(of uint32) *ExactShards {
	return &ExactShards{Of: of, Totals: make([]ShardCount, of+2)}
}

// place gives where in counts an event belongs, by a value that it may have.
func (x *ExactShards) place(value []byte, known bool, e *ingest.Event) uint32 {
	switch {
	case known:
		return ShardOf(value, x.Of)
	case e.Op.Reads():
		return x.Of
	}
	return x.Of + 1
}

func (c *ShardCount) event(e *ingest.Event) {
	read, _ := e.ReadUnits()
	write, _ := e.WriteUnits()
	c.add(ShardCount{e.Count(), read, write})
}

// at gives the counts of a second or a pane in one of the lists, to be added to; last is where the one before it stood.
func (x *ExactShards) at(list *[]ShardSecond, sec uint32, last *int) []ShardCount {
	if *last < len(*list) && (*list)[*last].Second == sec {
		return (*list)[*last].Counts
	}
	*last = placeOf(*list, sec, func(s *ShardSecond) uint32 { return s.Second })
	if *last == len(*list) || (*list)[*last].Second != sec {
		*list = slices.Insert(*list, *last, ShardSecond{sec, make([]ShardCount, x.Of+2)})
	}
	return (*list)[*last].Counts
}

// A placeInTime is when an event was, as counts need it.
type placeInTime struct {
	second, pane uint32
	timed        bool
	bySecond     bool // its minute is counted by the second
}

// An openShards is an ExactShards in the making, and where the last event was counted.
type openShards struct {
	of           *ExactShards
	second, pane int
}

func (o *openShards) event(e *ingest.Event, shard uint32, at placeInTime) {
	o.of.Totals[shard].event(e)
	if at.timed {
		o.of.at(&o.of.Panes, at.pane, &o.pane)[shard].event(e)
	}
	if at.bySecond {
		o.of.at(&o.of.Seconds, at.second, &o.second)[shard].event(e)
	}
}

// join adds the counts of a later part.
func (x *ExactShards) join(o *ExactShards) {
	add := func(a, b []ShardCount) {
		for i := range a {
			a[i].add(b[i])
		}
	}
	add(x.Totals, o.Totals)
	order := func(a, b ShardSecond) int { return cmp.Compare(a.Second, b.Second) }
	sum := func(a *ShardSecond, b ShardSecond) { add(a.Counts, b.Counts) }
	x.Seconds = joinSorted(x.Seconds, o.Seconds, order, sum)
	x.Panes = joinSorted(x.Panes, o.Panes, order, sum)
}

// shard chooses the keys that are counted by shard: those that may have enough of their target's requests for a
// proposal to spread them, the largest first. What is left over when there are too many is not simulated.
func shard(p *Profile, keys []Nominee) {
	type wish struct {
		at     int
		shards uint32
		high   uint64
	}
	var wishes []wish
	for i := range keys {
		e, ok := p.Run.Find(keys[i].Target, keys[i].Key)
		if !ok {
			continue
		}
		high := e.High()
		of := &p.Targets[keys[i].Target].Totals
		share := MulSat(high[ByRequests], 100) >= MulSat(of[Requests], nominatedShare)
		want := uint32(0)
		if of[UnitsKnown] > 0 { // else the cost is bytes
			want = shardsFor(e.CostSecond.N)
		}
		if high[ByRequests] >= shardedRequest && (share || want > 1) {
			wishes = append(wishes, wish{i, min(max(want, LeastShards), MostShards), max(high[ByRequests], high[ByCost]/1000)})
		}
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.high, a.high) })
	left := uint32(maxSharded)
	for _, w := range wishes {
		if w.shards <= left {
			keys[w.at].Shards, left = w.shards, left-w.shards
		}
	}
}

// shardsFor gives the shards that bring so many thousandths of units a second under what one should have.
func shardsFor(milli uint64) uint32 {
	n := min(milli/(1000*shardedUnits), MostShards)
	return 1 << bits.Len64(n)
}
