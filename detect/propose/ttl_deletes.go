package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// TTLDeletes lets DynamoDB delete items by their age, for nothing.
var TTLDeletes = detect.Remedy{
	Kind:  "ttl-deletes",
	Title: "Let items expire in place of deleting them",
	Rules: []string{"hot-partition", "throttling"},
	Doc: `A delete costs write units like any write. Items that go by their age can be given a time to live: DynamoDB deletes them
in the background, for no write units.

**Gate.** A certain finding of at least *medium* about a table of DynamoDB; of at least 100 writes seen checklist.delete-share delete.

**Formula.** Write units of deletes, before: as recorded, a month; after: 0. Requests likewise. Source: AWS, "Using time to live (TTL)".

**Caveats.** Items go within a few days, and are read and billed until then: filter them. The attribute is a number of seconds, not
milliseconds. Each item must be given it when it is written. In streams expired items are deletes by the service.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t := targetOf(v, f)
		if !worthIt(f) || t == nil || f.Subject.Target.Store != ingest.DynamoDB || f.Subject.Target.Index != "" {
			return nil
		}
		gone, writes := deletesOf(t)
		share := detect.Ratio(gone, writes)
		if writes < v.Limits.Count(detect.ShareRequestsOfTable) || share < v.Limits.Of(detect.ChecklistDeletes).Value {
			return nil
		}
		units := uint64(0)
		for i := range t.Patterns {
			if p := &t.Patterns[i]; p.Op == ingest.OpDelete {
				units += p.WriteMilli
			}
		}
		table := word(f.Subject.Target.Table, "TABLE")
		p := detect.Proposal{
			Kind:    "ttl-deletes",
			Title:   fmt.Sprintf("let items expire: %d.%d %% of writes are deletes", share/10, share%10),
			Change:  "aws dynamodb update-time-to-live --table-name " + table + " --time-to-live-specification Enabled=true,AttributeName=expires_at",
			Effects: []detect.Effect{settled("deletes", "requests", detect.Whole(v.Sampling.Scale(gone)), 0)},
			Costs:   []string{"an attribute of about 20 bytes in each item"},
			Risks:   []string{"expired items stay for up to some days: reads must filter them, and they count to a collection's size", "items that are deleted for another reason than their age still need deletes"},
			Steps: []string{
				"write expires_at, seconds since 1970 as a number, with each item; fill it in for items that are there",
				"filter reads: expires_at > :now",
				"enable it, then stop the deletes; undo: the same command with Enabled=false, once an hour",
			},
			Verify: "CloudWatch TimeToLiveDeletedItemCount rises; run keyheat analyze: deletes should be about 0 of the writes",
		}
		p.Effects = append(p.Effects, unitsAMonth(v, f, "write_units_per_month", t.Totals[detect.WriteMilli], t.Totals[detect.WriteMilli]-min(units, t.Totals[detect.WriteMilli]))...)
		return []detect.Proposal{p}
	},
}
