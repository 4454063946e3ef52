package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// rates are the measures that have a partition's limit, each with what stands for it when seconds are not known.
var rates = []struct {
	measure string
	limit   detect.LimitID
	reads   bool
}{
	{"write_units_per_second", detect.PartitionWriteUnits, false},
	{"read_units_per_second", detect.PartitionReadUnits, true},
}

// rateOf gives the evidence of a rate: of the busiest second, else of the busiest minute's mean.
func rateOf(f *detect.Finding, measure string) (detect.Evidence, bool) {
	if e, ok := measured(f, measure); ok {
		return e, true
	}
	return measured(f, measure+"_mean")
}

// shardsForRate gives the shards that bring each rate under its share of a partition's limit.
func shardsForRate(v *detect.View, f *detect.Finding) uint64 {
	most := uint64(0)
	for _, r := range rates {
		if e, ok := rateOf(f, r.measure); ok {
			each := v.Limits.Of(r.limit).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
			most = max(most, ceilDiv(uint64(e.Value), uint64(each)))
		}
	}
	return most
}

// shardsForShare gives the shards that bring the share of each well under the floor of a hot partition.
func shardsForShare(v *detect.View, f *detect.Finding) uint64 {
	e, ok := measured(f, "share")
	if !ok {
		return 0
	}
	each := v.Limits.Of(detect.ShareOfTable).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
	return ceilDiv(uint64(e.Value), uint64(each))
}

// A spread is how the load of a key can be spread, as far as its sort keys tell.
type spread struct {
	known bool         // sort keys are
	item  detect.Milli // share of the key's load that its busiest item has at least
	reads bool         // items are read
	rows  detect.Milli // of the statement that reads most, on average; 0: not told
}

// leastSpread is how many requests must name an item before they tell how the load is spread.
const leastSpread = 30

func spreadOf(v *detect.View, f *detect.Finding) spread {
	k := keyOf(v, f)
	rows, _ := widestRead(v, f)
	if k == nil || k.Exact == nil || k.Exact.SortKnown < leastSpread {
		return spread{rows: rows}
	}
	e := k.Exact
	s := spread{known: true, rows: rows, item: detect.Ratio(e.TopSort.Low, e.SortKnown), reads: e.Totals.Reads() > 0}
	if x := e.Shards; x != nil {
		s.reads = e.Totals.Reads() > x.Unnamed(x.Totals).Requests
	}
	return s
}

// calculated reports whether the shard should be calculated from the sort key: items are read, and no
// item has half of the load.
func (s spread) calculated() bool { return s.known && s.item < 500 && s.reads }

// after gives what is left on the busiest shard of what was on the key. A calculated shard does not
// divide an item.
func (s spread) after(before detect.Milli, n uint64) detect.Milli {
	left := detect.Milli(ceilDiv(uint64(before), n))
	if s.calculated() {
		return max(left, before.Scaled(s.item))
	}
	return left
}

func halves(n uint64) string { return fmt.Sprintf("%d.%d read units", n/2, n%2*5) }

// ofItems gives the share of a target's reads that name an item by its sort key.
func ofItems(t *detect.TargetView) detect.Milli {
	items, all := uint64(0), uint64(0)
	for i := range t.Patterns {
		if p := &t.Patterns[i]; p.Op.Reads() {
			all += p.Requests
			if p.Bound&detect.BoundSort != 0 {
				items += p.Requests
			}
		}
	}
	return detect.Ratio(items, all)
}

// shardsForKeys gives the shards that make enough keys of too few.
func shardsForKeys(v *detect.View, f *detect.Finding) uint64 {
	e, ok := measured(f, "distinct_keys")
	if !ok {
		return 0
	}
	want := v.Limits.Of(detect.CardinalityDistinct).Value
	if needed, ok := measured(f, "needed_partitions"); ok {
		want = max(want, needed.Value)
	}
	return ceilDiv(uint64(want), uint64(e.Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)))
}

// shardsForSize gives the shards that bring a partition under the size to aim at.
func shardsForSize(v *detect.View, f *detect.Finding) uint64 {
	if f.Rule != "large-partition" {
		return 0
	}
	if e, ok := measured(f, "collection_bytes"); ok {
		each := v.Limits.Of(detect.CollectionHighBytes).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
		return ceilDiv(uint64(e.Value), uint64(each))
	}
	e, ok := measured(f, "partition_bytes")
	if !ok {
		return 0
	}
	n := ceilDiv(uint64(e.Value), uint64(v.Limits.Of(detect.PartitionTarget).Value))
	if rows, ok := measured(f, "partition_rows"); ok {
		n = max(n, ceilDiv(uint64(rows.Value), uint64(rowsTarget(v))))
	}
	return n
}

// rowsTarget is how many rows a partition should reach at most.
func rowsTarget(v *detect.View) detect.Milli {
	return v.Limits.Of(detect.CassandraPartitionRows).Value
}

// changeOf writes a key that has a shard beside it, as people of a store write it.
func changeOf(t detect.Target, n uint64) string {
	s := t.Store
	if t.Index != "" && s == ingest.DynamoDB {
		return fmt.Sprintf("the index's key attribute VALUE becomes VALUE#0 … VALUE#%d in an attribute of its own; the table's key stays", n-1)
	}
	suffix := fmt.Sprintf("PK becomes PK#0 … PK#%d", n-1)
	cql := fmt.Sprintf("PRIMARY KEY ((partition key, shard), clustering columns), shard 0 to %d", n-1)
	switch {
	case s == ingest.DynamoDB:
		return suffix
	case s == ingest.StoreUnknown:
		return suffix + ", or " + cql
	}
	return cql
}

// verifyOf says what the busiest shard should have.
func verifyOf(effects []detect.Effect, n uint64) string {
	for _, e := range effects {
		if e.Measure == "share" {
			return fmt.Sprintf("the largest shard should have about %d.%d %% of the requests", e.After/10, e.After%10)
		}
	}
	for _, e := range effects {
		if e.Unit == "bytes" {
			return fmt.Sprintf("the largest shard should have about %d MiB", uint64(e.After/1000)>>20)
		}
	}
	return fmt.Sprintf("each of %d keys should have about the same load", n)
}

// mostReads is the share of requests from which on a key is one that is read.
const mostReads detect.Milli = 900
