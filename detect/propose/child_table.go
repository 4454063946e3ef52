package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// ChildTable splits a large item into rows of its own.
var ChildTable = detect.Remedy{
	Kind:  "child-table",
	Title: "Split a large item into several",
	Rules: []string{"large-item"},
	Doc: `What is large in an item moves to items or rows of its own: one for each element, or for each piece of a value.

**Gate.** A certain finding of at least *medium*.

**Formula.** Pieces = size / (the store's limit x shard-suffix.headroom). Source: AWS, "Best practices for storing large items
and attributes"; DataStax, "CQL limits".

**Caveats.** A write of several pieces is no single write unless it is a transaction or a batch of one partition.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		e, limit, ok := itemSize(v, f)
		if !worthIt(f) || !ok {
			return nil
		}
		n := max(ceilDiv(uint64(e.Value), uint64(max(limit.Scaled(v.Limits.Of(detect.ShardHeadroom).Value), 1))), 2)
		p := detect.Proposal{
			Kind:    "child-table",
			Title:   fmt.Sprintf("split it into %d pieces", n),
			Shards:  n,
			Change:  "PRIMARY KEY ((partition key), clustering columns, piece)",
			Effects: []detect.Effect{becomes(e, over(n))},
			Costs:   []string{fmt.Sprintf("a read of all of it reads %d pieces", n)},
			Risks:   []string{"several pieces are not written at once unless it is one transaction, or one batch of a partition"},
			Steps: []string{
				"measure which attribute or column is large",
				"write it to pieces of its own; keep the small attributes where they are",
				"or keep a large value in an object store, and its address in the item",
				"write both until readers find the pieces; undo until then: read the whole item",
			},
			Verify: "measure again: no piece should be over " + amount(limit/2/1024) + " KiB",
		}
		if f.Subject.Target.Store == ingest.DynamoDB {
			p.Change = "SK becomes SK#0 … SK#" + fmt.Sprint(n-1)
		}
		return []detect.Proposal{p}
	},
}

// itemSize gives what was measured of an item, and the store's limit on it.
func itemSize(v *detect.View, f *detect.Finding) (detect.Evidence, detect.Milli, bool) {
	if e, ok := measured(f, "item_bytes"); ok {
		return e, v.Limits.Of(detect.DynamoItemBytes).Value, true
	}
	e, ok := measured(f, "cell_bytes")
	return e, v.Limits.Of(detect.CassandraMutationBytes).Value, ok
}
