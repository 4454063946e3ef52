package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// UncheckedCompaction compacts single SSTables for their tombstones without the estimate that holds it back.
var UncheckedCompaction = detect.Remedy{
	Kind:  "unchecked-compaction",
	Title: "Compact SSTables for their tombstones without the estimate",
	Rules: []string{"purge-blocked"},
	Doc: `An SSTable with more droppable tombstones than tombstone_threshold is compacted alone, unless an estimate says that
others overlap it. unchecked_tombstone_compaction leaves the estimate out.

**Gate.** A certain finding with a droppable share over 0.2, the default tombstone_threshold, and the table's compaction class known.

**Formula.** Droppable share, before: as the store says; after: at most 0.2. Source: Apache Cassandra documentation, "Compaction".

**Caveats.** Only the estimate is skipped: tombstones are dropped only where that is safe, so SSTables may be rewritten for
nothing. Repair first; see purge-order. Take it back afterwards.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		const after detect.Milli = 200
		e, ok := measured(f, "droppable_ratio")
		if f.Confidence != detect.Sure || !ok || e.Value <= after {
			return nil
		}
		class, told := v.Fact(f.Subject.Target, ingest.FactCompaction)
		name := word(f.Subject.Target.Table, "KEYSPACE.TABLE")
		if !told {
			return lacking("compact without the estimate", "the table's compaction class, which an ALTER must repeat", describeCQL(f))
		}
		change := func(value string) string {
			return fmt.Sprintf("ALTER TABLE %s WITH compaction = {'class': '%s', 'unchecked_tombstone_compaction': '%s'}", name, word(class, "CLASS"), value)
		}
		return []detect.Proposal{{
			Kind:    "unchecked-compaction",
			Title:   fmt.Sprintf("after a repair: compact single SSTables without the estimate, %d.%d %% of tombstones are droppable", e.Value/10, e.Value%10),
			Change:  change("true"),
			Effects: []detect.Effect{between(e.Measure, "share", e.Value, 0, after, after)},
			Costs:   []string{"SSTables are rewritten: disk and time"},
			Risks:   []string{"SSTables may be rewritten for nothing", "the ALTER must repeat every other option of compaction that the table has: --ddl with the schema writes it", "without a full repair within gc grace, dropping tombstones can bring deleted data back"},
			Steps: []string{
				"nodetool repair -full " + dotted(f.Subject.Target.Table) + " on every node",
				"ALTER the table, and watch the compaction log and the disk",
				"undo: " + change("false"),
			},
			Verify: "nodetool tablestats " + name + ": the droppable tombstone ratio should fall below 0.2",
		}}
	},
}
