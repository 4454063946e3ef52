package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// SparseIndex leaves a value that nobody asks for out of an index.
var SparseIndex = detect.Remedy{
	Kind:  "sparse-index",
	Title: "Leave what nobody asks for out of the index",
	Rules: []string{"hot-index", "hot-partition"},
	Doc: `An item without the index's key attribute is not in the index. Where one value, like a status of done, takes most writes
of an index and nobody reads it, the attribute is removed from such items, and the index holds the others alone.

**Gate.** A certain finding of at least *medium* about an index of DynamoDB with at most low-cardinality-key.distinct keys; the second
pass counted the key, and of the reads of the index that the input shows none asks for it.

**Formula.** Requests of the index, and its write units a month, before: as seen; after: less those of the key. Source: AWS, "Take advantage of sparse indexes".

**Caveats.** What is not in the index cannot be queried by it: keep the value in another attribute.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, k := targetOf(v, f), keyOf(v, f)
		if !worthIt(f) || f.Subject.Target.Store != ingest.DynamoDB || f.Subject.Target.Index == "" || k == nil || k.Exact == nil {
			return nil
		}
		reads, all := k.Exact.Totals.Reads(), k.Exact.Totals[detect.Requests]
		if t.Distinct.High > v.Limits.Count(detect.CardinalityDistinct) || reads > 0 {
			return nil
		}
		if t.Totals.Reads() == 0 {
			return lacking("leave this value out of the index", "whether anybody queries it", "aws cloudtrail put-event-selectors (data events of the table), for a day")
		}
		total := t.Totals[detect.Requests]
		share := detect.Ratio(all, total)
		writes := t.Totals[detect.WriteMilli]
		left := writes - min(writes, k.Exact.Totals[detect.WriteMilli])
		return []detect.Proposal{{
			Kind:    "sparse-index",
			Title:   fmt.Sprintf("leave this value out of the index: it takes %d.%d %% of its requests, and none of %d reads asks for it", share/10, share%10, t.Totals.Reads()),
			Change:  "REMOVE the index's key attribute from such items; keep the value in another attribute",
			Effects: append([]detect.Effect{settled("index_requests", "requests", detect.Whole(total), detect.Whole(total-min(total, all)))}, unitsAMonth(v, f, "write_units_per_month", writes, left)...),
			Costs:   []string{"each item that leaves costs one more write, once"},
			Risks:   []string{"queries of the index no longer find these items"},
			Steps:   []string{"make sure that no query asks for the value: keyheat key INPUT TABLE/INDEX KEY", "write such items without the attribute; remove it from old ones at a rate of the table's choice", "undo: write the attribute again"},
			Verify:  "run keyheat analyze on traffic after the change: the index's key should be gone, and its units fall",
		}}
	},
}
