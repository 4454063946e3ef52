package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// PurgeOrder drops tombstones in an order that brings no deleted data back.
var PurgeOrder = detect.Remedy{
	Kind:  "purge-order",
	Title: "Drop tombstones in a safe order",
	Rules: []string{"purge-blocked"},
	Doc: `A tombstone may be dropped when it is older than gc grace and every SSTable with older data of its partition takes
part in the compaction; and if the table says so, when it is repaired.

**Gate.** A certain finding.

**Formula.** Droppable share, before: as the store says; after: at most 20 %, the tombstone_threshold under which a single
SSTable is not compacted. Source: Apache Cassandra documentation, "Compaction"; ScyllaDB, "Flush old tombstones".

**Caveats.** gc grace is not lowered here: only after a full repair, to just over the time since it began, and never under
the hint window of three hours. nodetool forcecompact ignores gc grace and can bring deleted data back.`,
	Propose: func(_ *detect.View, f *detect.Finding) []detect.Proposal {
		const after detect.Milli = 200
		e, ok := measured(f, "droppable_ratio")
		grace, told := measured(f, "gc_grace")
		if f.Confidence != detect.Sure || !ok || !told || e.Value <= after {
			return nil
		}
		name := word(f.Subject.Target.Table, "KEYSPACE.TABLE")
		both := dotted(f.Subject.Target.Table)
		return []detect.Proposal{{
			Kind:    "purge-order",
			Title:   fmt.Sprintf("find what keeps %d.%d %% droppable tombstones, and compact after a repair", e.Value/10, e.Value%10),
			Change:  compactAfter(f, both),
			Effects: []detect.Effect{between(e.Measure, "share", e.Value, 0, after, after)},
			Costs:   []string{"a full repair, and compaction that rewrites the SSTables"},
			Risks: []string{
				"without a full repair within gc grace, dropping tombstones can bring deleted data back",
				"nodetool forcecompact ignores gc grace: do not use it here",
			},
			Steps: []string{
				"confirm what blocks: sstableexpiredblockers " + both + " on each node; sstablemetadata of the oldest SSTables",
				fmt.Sprintf("nodetool repair -full %s, and make sure that it is done on every node within %s (gc grace)", both, lasting(uint64(grace.Value/1000))),
				"compact the blocking SSTables, which brings those together that hold the same partitions",
				"there is no undo: what is dropped is gone; nodetool stop COMPACTION ends it",
			},
			Verify: "nodetool tablestats " + name + ": the droppable tombstone ratio should fall below 0.2",
		}}
	},
}

// compactAfter gives the commands, which ScyllaDB has for whole tables only.
func compactAfter(f *detect.Finding, table string) string {
	if isCassandra(f) {
		return "nodetool repair -full " + table + " on every node, then nodetool compact --user-defined FILES"
	}
	return "nodetool repair " + table + " on every node, then nodetool compact " + table
}
