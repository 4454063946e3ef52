package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// MultiAttributeKey adds an attribute that items have already to the key of an index.
var MultiAttributeKey = detect.Remedy{
	Kind:  "multi-attribute-key",
	Title: "Add an attribute to the index's partition key",
	Rules: []string{"hot-index", "hot-partition"},
	Doc: `A global secondary index of DynamoDB may hash up to four attributes together. One that items have already, and that
queries give by equality, spreads a hot key without a new attribute and without a backfill.

**Gate.** A certain finding of at least *medium* about an index of DynamoDB, with a rate or a share.

**Formula.** The attribute needs at least N equally busy values: N as of shard-suffix, from the rate or the share. Source: AWS,
"Multi-attribute keys in global secondary indexes", November 2025.

**Caveats.** Queries must give every attribute of the partition key by equality. An item without one of them is not in the index. An
index's key cannot be changed: a new index is made beside the old one. Not for base tables and local indexes.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if !worthIt(f) || f.Subject.Target.Store != ingest.DynamoDB || f.Subject.Target.Index == "" {
			return nil
		}
		n := max(shardsForRate(v, f), shardsForShare(v, f))
		if n < 2 {
			return nil
		}
		effects := []detect.Effect{}
		for _, m := range []string{"share", rates[0].measure, rates[1].measure} {
			if e, ok := rateOf(f, m); ok {
				effects = append(effects, between(e.Measure, e.Unit, e.Value, over(n)(e.Low), over(n)(e.Value), max(e.High, e.Value)))
			}
		}
		name := word(f.Subject.Target.Index, "INDEX")
		return []detect.Proposal{{
			Kind:    "multi-attribute-key",
			Title:   fmt.Sprintf("hash a second attribute with the index's key: one with %d busy values or more", n),
			Shards:  n,
			Change:  fmt.Sprintf("a new index %s-2 with KeySchema HASH %s, HASH attribute with %d values or more", name, indexKey(v, f), n),
			Effects: effects,
			Basis:   fmt.Sprintf("not simulated: the attribute is not chosen yet; so much is left if its %d values are equally busy, all of it if one has the load: %s", n, simulated(v, f, "key, ATTRIBUTE")),
			Costs:   []string{"the new index is filled once: a write unit for each KB of each entry", "a query over all values asks one partition for each"},
			Risks:   []string{"queries must give both attributes", "items without the second attribute are not in the index", "SDKs from before November 2025 take the first HASH element for the whole key"},
			Steps: []string{
				"choose the attribute that queries give already: keyheat patterns, and the application",
				"make the new index (update-table --global-secondary-index-updates Create), wait until it is ACTIVE, switch queries, delete the old one",
				"undo until then: switch queries back, and delete the new index",
			},
			Verify: "run keyheat analyze on traffic after the change: no key of the new index should pass the limit",
		}}
	},
}

// indexKey names the key attribute of the finding's index.
func indexKey(v *detect.View, f *detect.Finding) string {
	name, _ := v.Fact(f.Subject.Target, ingest.FactPartitionKey)
	return word(name, "its key attribute")
}
