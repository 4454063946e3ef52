package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// CounterShards splits one item that is updated all the time into several that are added up.
var CounterShards = detect.Remedy{
	Kind:  "counter-shards",
	Title: "Split a counter into several that are added up",
	Rules: []string{"hot-partition"},
	Doc: `One item takes 1,000 write units a second at most, and no split helps it. A counter becomes N items, of which each update
takes one at random; a read adds them up.

**Gate.** A certain finding of at least *medium* about write units; the second pass counted the key: at least nine in ten of its requests
update, and one item has at least half of them.

**Formula.** Read units a month: x N, of those recorded in an hour or more. N as of shard-suffix, from the write rate and the share. Source: AWS, "Using write
sharding"; "Implement resource counters".

**Caveats.** A condition on the total, such as a limit, holds for one shard only. A read sees no single point in time.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		k := keyOf(v, f)
		e, ok := rateOf(f, "write_units_per_second")
		if !worthIt(f) || !ok || k == nil || !spreadOf(v, f).counter(k) {
			return nil
		}
		x := k.Exact
		updates := updatesOf(k)
		n := min(powerOfTwo(max(shardsForRate(v, f), shardsForShare(v, f))), v.Limits.Count(detect.ShardMax))
		s := newSharding(v, f, n, spread{known: true, item: 1000})
		after := s.rate(e, false, e.Measure != "write_units_per_second")
		reads := x.Totals[detect.ReadMilli]
		effects := []detect.Effect{after, settled("items_per_read", "items", detect.Whole(1), detect.Whole(n))}
		effects = append(effects, unitsAMonth(v, f, "read_units_per_month", reads, detect.MulSat(reads, n))...)
		return []detect.Proposal{{
			Kind:    "counter-shards",
			Title:   fmt.Sprintf("split the counter into %d: %d.%d %% of its requests update", n, updates/10, updates%10),
			Shards:  n,
			Change:  fmt.Sprintf("PK becomes PK#0 … PK#%d; UPDATE … ADD amount on one at random", n-1),
			Effects: effects,
			Basis:   s.basis(),
			Costs:   []string{fmt.Sprintf("a read of the total reads %d items: BatchGetItem, at least %s", n, halves(n))},
			Risks:   []string{"a condition on the total holds for one shard only", "an update that is sent again counts twice: it did before, too"},
			Steps: []string{
				fmt.Sprintf("readers first: add up PK and PK#0 to PK#%d", n-1),
				"then writers: a random shard; the old item stays as a part of the sum",
				"undo: write to PK again; readers go on adding up",
			},
			Verify: "run keyheat analyze on traffic after the change: each shard should have about " + amount(after.After) + " write units a second",
		}}
	},
}
