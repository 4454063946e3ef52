package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// WaitForSplit says when DynamoDB's own split for heat will help.
var WaitForSplit = detect.Remedy{
	Kind:  "wait-for-split",
	Title: "Let DynamoDB split the collection",
	Rules: []string{"hot-partition"},
	Doc: `DynamoDB splits a partition under sustained heat, and an item collection by its sort key, unless a local secondary index
holds it together, one item has the heat, or items are appended in the order of the sort key.

**Gate.** A certain finding of at least *medium* about units of a table of DynamoDB; the second pass counted the key and its sort keys: several,
none of which alone passes the limit, and appended less than hot-partition.split-appends; and the table is told to have no local index.

**Formula.** Units of the busiest half: max(rate / 2, rate x share of the busiest item). Source: AWS, "Key features of DynamoDB adaptive
capacity"; "Scaling DynamoDB: how partitions, hot keys, and split for heat impact performance".

**Caveats.** It takes minutes to half an hour, happens by itself and cannot be asked for. A key above twice the limit needs several
splits. Partitions are never joined again.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		k := keyOf(v, f)
		if !worthIt(f) || f.Subject.Target.Store != ingest.DynamoDB || f.Subject.Target.Index != "" || k == nil || k.Exact == nil || k.Exact.SortKeys == nil {
			return nil
		}
		x := k.Exact
		item := detect.Ratio(x.TopSort.Low, x.SortKnown)
		appended := x.Ordered >= v.Limits.Count(detect.SplitOrdered) && detect.Ratio(x.Ascending, x.Ordered) >= v.Limits.Of(detect.SplitAppends).Value
		sorts, _, most := x.SortKeys.Estimate()
		for _, r := range rates {
			e, ok := rateOf(f, r.measure)
			limit := v.Limits.Of(r.limit).Value
			if !ok || appended || most <= 1 || e.Value.Scaled(item) >= limit || e.Value < limit.Scaled(500) {
				continue
			}
			if _, told := v.Fact(f.Subject.Target, ingest.FactPartitionKey); !told {
				return lacking("tell whether DynamoDB will split it", "whether the table has a local secondary index, which forbids it", describeTable(f))
			}
			if names, _ := v.Fact(f.Subject.Target, ingest.FactLocalIndex); names != "" {
				return nil
			}
			after := max(e.Value/2, e.Value.Scaled(item))
			return []detect.Proposal{{
				Kind:    "wait-for-split",
				Title:   fmt.Sprintf("wait half an hour: DynamoDB can split it, its heat is on about %d sort keys", sorts),
				Change:  "none: it happens by itself",
				Effects: []detect.Effect{between(e.Measure, e.Unit, e.Value, e.Low/2, after, e.High)},
				Costs:   []string{"throttles go on until it is split"},
				Risks:   []string{"heat that moves on is not split in time", "above twice the limit several splits are needed"},
				Steps:   []string{"retry with growing, random waits meanwhile", "if throttles of the key range last over half an hour, spread the key; nothing is changed, so there is nothing to undo"},
				Verify:  "aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name WriteKeyRangeThroughputThrottleEvents: none after half an hour",
			}}
		}
		return nil
	},
}
