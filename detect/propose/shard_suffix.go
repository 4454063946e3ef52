package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// ShardSuffix spreads one partition key over several by a shard number in the key.
var ShardSuffix = detect.Remedy{
	Kind:  "shard-suffix",
	Title: "Spread the key over shards",
	Rules: []string{"hot-partition", "hot-index", "large-partition", "low-cardinality-key"},
	Doc: `Writes of one key go to N keys, which end in a shard number; reads of all of it ask N partitions.

**Gate.** A certain finding of at least *medium*.

**Formula.** N is the largest of these, then the next power of two, from 2 to shard-suffix.max-shards:

* rate: ceil(rate / (limit x shard-suffix.headroom)), for reads and writes; the rate is the busiest second's where
  it is known, else the busiest minute's mean. Source: AWS, "Using write sharding".
* share: ceil(share / (hot-partition.share x shard-suffix.headroom)), so that each shard stays under half of the
  share at which the rule fires.
* too few keys: ceil(low-cardinality-key.distinct / (keys x shard-suffix.headroom)), or needed partitions likewise.
* cost of the cure, of DynamoDB, at the rate of an input of an hour or more: a read that does not name an item asks N shards, each
  of at least half a read unit. Source: AWS, "Read/write capacity mode".
* size: ceil(partition bytes / time-bucket.partition-bytes), or ceil(rows / cassandra.partition-rows), or of an item collection bytes / (large-partition.collection-high-bytes
  x shard-suffix.headroom).

The shard is calculated from the sort key where items are read one by one, so that a reader can find it; random
where one item has most of the load, because a calculated shard would leave that item where it is. Where there are
own-table.keys keys or more, the few hot ones alone may have shards, by a small table of exceptions: then reads of the others ask
one partition as before. Partitions that a read of the table asks: 1 + (N - 1) x (reads that ask all shards / all reads).

**Caveats.** Ordered reads merge N streams; conditional writes and counters hold for one shard; another N later
is a migration. New keys may begin on the same partition: see the table's warm throughput.`,
	Propose: proposeShards,
}

func proposeShards(v *detect.View, f *detect.Finding) []detect.Proposal {
	if !worthIt(f) {
		return nil
	}
	want := max(shardsForRate(v, f), shardsForShare(v, f), shardsForKeys(v, f), shardsForSize(v, f))
	if want == 0 {
		return nil
	}
	most := max(v.Limits.Count(detect.ShardMax), 2)
	n := min(powerOfTwo(want), most)
	s := spreadOf(v, f)
	if k := keyOf(v, f); k != nil && f.Rule != "large-partition" && (s.readOnly(k) || f.Subject.Target.Index == "" && s.counter(k) && shardsForRate(v, f) > 0) {
		return nil // read-copies or counter-shards is the remedy: a reader of one item would ask every shard
	}
	x := newSharding(v, f, n, s)
	p := detect.Proposal{
		Kind:    "shard-suffix",
		Title:   fmt.Sprintf("spread the key over %d shards", n),
		Shards:  n,
		Change:  changeOf(f.Subject.Target, n),
		Effects: x.effects(),
		Basis:   x.basis(),
		Costs:   []string{fmt.Sprintf("a read of the whole key asks %d partitions in place of 1", n)},
		Risks: []string{
			"a read of one item must know its shard",
			"reads in order must merge the shards; conditional writes and counters hold for one shard only",
			"another number of shards later is a migration",
		},
		Steps: s.steps(n),
	}
	if f.Subject.Target.Store == ingest.DynamoDB {
		p.Costs = append(p.Costs, fmt.Sprintf("each such Query is charged at least 0.5 read units a shard: %s", halves(n)))
		p.Risks = append(p.Risks, "new keys may begin on the same partition: compare the table's warm throughput")
	}
	p.Verify = "run keyheat analyze on traffic after the change: " + verifyOf(p.Effects, n)
	if f.Subject.Target.Index != "" && f.Subject.Target.Store == ingest.DynamoDB {
		p.Steps[len(p.Steps)-1] = "make a new index on that attribute, fill it in for old items at a rate of the table's choice, switch queries, delete the old index; undo until then: query the old one"
	}
	if cost, step := x.exceptions(); cost != "" {
		p.Costs, p.Steps = append(p.Costs, cost), append(p.Steps, step)
	}
	if f.Rule == "large-partition" {
		p.Risks = append(p.Risks, "shards divide what is there: rows that go on coming need a time bucket in the key as well")
	}
	if want > n {
		p.Risks = append(p.Risks, fmt.Sprintf("%d shards would be needed; more than %d are slow to read", want, n))
	}
	return []detect.Proposal{p}
}

func (x *sharding) effects() []detect.Effect {
	effects := []detect.Effect{}
	for _, r := range rates {
		if e, ok := rateOf(x.f, r.measure); ok {
			effects = append(effects, x.rate(e, r.reads, e.Measure != r.measure))
		}
	}
	if e, ok := measured(x.f, "share"); ok {
		effects = append(effects, x.share(e))
	}
	if e, ok := measured(x.f, "distinct_keys"); ok {
		effects = append(effects, x.keys(e))
	}
	for _, size := range []string{"partition_bytes", "partition_rows", "collection_bytes"} {
		if e, ok := measured(x.f, size); ok && x.f.Rule == "large-partition" {
			effects = append(effects, x.size(e))
		}
	}
	return append(append(effects, x.fanout()), x.readUnits()...)
}

func (s spread) steps(n uint64) []string {
	how := fmt.Sprintf("write to shard = hash(sort key) mod %d where single items are read, else to a random shard of 0 to %d", n, n-1)
	switch {
	case s.calculated():
		how = fmt.Sprintf("write to shard = hash(sort key) mod %d, so that a read of one item finds it", n)
	case s.item >= 500:
		how = fmt.Sprintf("write to a random shard of 0 to %d, because one item has %d.%d %% of the load; readers add up the shards", n-1, s.item/10, s.item%10)
	case s.known:
		how = fmt.Sprintf("write to a random shard of 0 to %d, as no single item is read", n-1)
	}
	return []string{
		how,
		fmt.Sprintf("read all %d shards at once and merge; read the old key too until its data has moved or expired", n),
		"move the old data: write both, copy, compare, switch reads, stop writing the old key; undo until then: read the old key, which is still written",
	}
}
