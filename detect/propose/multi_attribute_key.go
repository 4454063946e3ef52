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

**Formula.** The attribute needs at least N equally busy values: N as of shard-suffix, from the rate or the share. Where records have
further fields and the second pass counted the key by them, the one is named that leaves its busiest value least, and less than half; nine in ten
of the key's writes must have it. What that value has of a rate is at least the mean of all values, and at most its shard, CRC-32 of the value
modulo 16. Source: AWS, "Multi-attribute keys in global secondary indexes", November 2025.

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
		if s, ok := splitOf(v, f); ok {
			return []detect.Proposal{byAttribute(v, f, n, &s)}
		}
		effects := []detect.Effect{}
		for _, m := range []string{"share", rates[0].measure, rates[1].measure} {
			if e, ok := rateOf(f, m); ok {
				effects = append(effects, between(e.Measure, e.Unit, e.Value, over(n)(e.Low), over(n)(e.Value), max(e.High, e.Value)))
			}
		}
		p := attributeAdded(v, f, n, "attribute")
		p.Title = fmt.Sprintf("hash a second attribute with the index's key: one with %d busy values or more", n)
		p.Change += fmt.Sprintf(" with %d values or more", n)
		p.Effects = effects
		p.Basis = fmt.Sprintf("not simulated: the attribute is not chosen yet; so much is left if its %d values are equally busy, all of it if one has the load: %s", n, simulated(v, f, "key, ATTRIBUTE"))
		p.Steps = append([]string{"choose the attribute that queries give already: keyheat patterns, and the application"}, p.Steps...)
		return []detect.Proposal{p}
	},
}

// byAttribute proposes the attribute that was seen to divide the key.
func byAttribute(v *detect.View, f *detect.Finding, n uint64, s *split) detect.Proposal {
	p := attributeAdded(v, f, n, columnWord(s.name))
	p.Title, p.Effects, p.Basis = "hash a second attribute with the index's key, "+s.said(), s.effects(), s.basis()
	if s.values.low < float64(n) {
		p.Risks = append(p.Risks, fmt.Sprintf("%d equally busy values would be needed", n))
	}
	reads, unnamed := s.k.Exact.Totals.Reads(), s.column.Shards.Unnamed(s.column.Shards.Totals).Requests
	ask := "make sure that queries give it by equality: no read of the key was recorded"
	if reads > 0 {
		ask = fmt.Sprintf("make sure that queries give it by equality: %d of %d recorded reads of the key tell it", reads-min(reads, unnamed), reads)
	}
	p.Steps = append([]string{ask}, p.Steps...)
	return p
}

// attributeAdded is what holds for any attribute.
func attributeAdded(v *detect.View, f *detect.Finding, n uint64, attribute string) detect.Proposal {
	name := word(f.Subject.Target.Index, "INDEX")
	return detect.Proposal{
		Kind:   "multi-attribute-key",
		Shards: n,
		Change: fmt.Sprintf("a new index %s-2 with KeySchema HASH %s, HASH %s", name, indexKey(v, f), attribute),
		Costs:  []string{"the new index is filled once: a write unit for each KB of each entry", "a query over all values asks one partition for each"},
		Risks:  []string{"queries must give both attributes", "items without the second attribute are not in the index", "SDKs from before November 2025 take the first HASH element for the whole key"},
		Steps: []string{
			"make the new index (update-table --global-secondary-index-updates Create), wait until it is ACTIVE, switch queries, delete the old one",
			"undo until then: switch queries back, and delete the new index",
		},
		Verify: "run keyheat analyze on traffic after the change: no key of the new index should pass the limit",
	}
}

// indexKey names the key attribute of the finding's index.
func indexKey(v *detect.View, f *detect.Finding) string {
	name, _ := v.Fact(f.Subject.Target, ingest.FactPartitionKey)
	return word(name, "its key attribute")
}
