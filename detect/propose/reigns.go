package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// A reigns is what the second pass counted by shard of the keys that were on top one after the other.
type reigns struct {
	parts []detect.Milli // of each key the share of its busiest shard while it was on top
	all   int            // keys that were on top

	reads, unnamed uint64 // of the counted keys; those that name no item
}

// reigning counts the keys on top in the panes of a finding by n shards of their sort keys. A read that names no item
// asks every shard, and a write that names none is in the busiest.
func reigning(v *detect.View, f *detect.Finding, n uint64) reigns {
	t := targetOf(v, f)
	if t == nil {
		return reigns{}
	}
	type reign struct{ own, all uint64 }
	on := map[int]*reign{}
	series := make([][]detect.KeyPane, len(t.Keys))
	for k := range t.Keys {
		series[k] = t.Keys[k].Series()
	}
	order := []int{}
	for i := range t.Panes {
		if p := v.Panes[i]; p.Start < f.Span.Start || p.End > f.Span.End {
			continue
		}
		top, most := -1, uint64(0)
		for k := range series {
			if i < len(series[k]) && series[k][i].Requests.Middle() > most {
				top, most = k, series[k][i].Requests.Middle()
			}
		}
		if top < 0 {
			continue
		}
		if on[top] == nil {
			on[top], order = &reign{}, append(order, top)
		}
		on[top].own, on[top].all = on[top].own+most, on[top].all+t.Panes[i].Totals[detect.PaneRequests]
	}
	out := reigns{all: len(order)}
	for _, k := range order {
		x := t.Keys[k].Exact
		if x == nil || x.Shards == nil || n > uint64(x.Shards.Of) || x.SortKnown < leastSpread {
			continue
		}
		most := uint64(0)
		for _, c := range x.Shards.Fold(x.Shards.Totals, uint32(n)) {
			most = max(most, c.Requests)
		}
		unnamed := x.Shards.Unnamed(x.Shards.Totals).Requests
		out.reads, out.unnamed = out.reads+x.Totals.Reads(), out.unnamed+unnamed
		most += unnamed + x.Shards.Loose(x.Shards.Totals).Requests
		own := mulDiv(on[k].own, most, x.Totals[detect.Requests])
		out.parts = append(out.parts, detect.Ratio(own, on[k].all+mulDiv(unnamed, n-1, 1)))
	}
	return out
}

// effect gives the effect on the least share that a key had: the largest that a shard has, from the least of its kind on.
func (r reigns) effect(share detect.Evidence) detect.Effect {
	low, high := r.parts[0], r.parts[0]
	for _, p := range r.parts {
		low, high = min(low, p), max(high, p)
	}
	out := between(share.Measure, share.Unit, share.Value, low, high, high)
	if len(r.parts) == r.all {
		out.How = detect.Counted
	}
	return out
}

// fanout gives the partitions that a read asks: one where it names its item, else each of n shards.
func (r reigns) fanout(n uint64) detect.Effect {
	if r.reads == 0 {
		return settled("partitions_per_read", "partitions", detect.Whole(1), detect.Whole(n))
	}
	mean := detect.Milli(mulDiv(r.reads+(n-1)*r.unnamed, 1000, r.reads))
	out := settled("partitions_per_read", "partitions", detect.Whole(1), mean)
	if out.How = detect.Counted; len(r.parts) < r.all {
		out = between("partitions_per_read", "partitions", detect.Whole(1), detect.Whole(1), mean, detect.Whole(n))
	}
	return out
}

func (r reigns) basis(n uint64) string {
	of := fmt.Sprintf("the %d keys that followed each other", r.all)
	if len(r.parts) < r.all {
		of = fmt.Sprintf("%d of ", len(r.parts)) + of
	}
	return fmt.Sprintf("simulated: each recorded request of %s was put under the shard of its sort key, CRC-32 (IEEE) modulo %d, and counted: after is the busiest shard of all, low that of the key where it is least", of, n)
}
