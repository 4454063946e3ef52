package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// AlignedDelete deletes by few wide ranges, or whole partitions.
var AlignedDelete = detect.Remedy{
	Kind:  "aligned-delete",
	Title: "Delete by few wide ranges or whole partitions",
	Rules: []string{"tombstone-dense-read", "tombstone-partition"},
	Doc: `Each deleted range leaves two markers, which every read across it walks over. One range over all of what many
small ones delete leaves two; a deleted partition leaves one.

**Gate.** A certain finding with mechanism *range-delete*, which is known when it was measured.

**Formula.** Markers in the partition, before: as measured; after: 2. Source: DataStax, "About deletes and tombstones";
Apache Cassandra documentation, "Tombstones".

**Caveats.** A wider range deletes whatever lies in it. The markers that are stored stay until compaction drops them.`,
	Propose: func(_ *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := measured(f, "partition_tombstones")
		if f.Confidence != detect.Sure || f.Mechanism != "range-delete" || !known(f) || !ok {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "aligned-delete",
			Title:   fmt.Sprintf("delete by one range for each bucket of rows: 2 markers in place of %d", e.Value/1000),
			Change:  "DELETE … WHERE partition key = ? AND clustering column < ? once for each bucket; or a bucket in the partition key, and DELETE of the whole partition",
			Effects: []detect.Effect{settled("partition_tombstones", "tombstones", e.Value, min(e.Value, detect.Whole(2)))},
			Costs:   []string{"rows are deleted later, when their bucket is over"},
			Risks:   []string{"a wider range deletes whatever lies in it", "markers that are stored stay until gc grace has passed and compaction has dropped them"},
			Steps: []string{
				"gather what is to be deleted until a bucket of rows is over, then delete the bucket by one range",
				"for a new table: put the bucket in the partition key, so that the end of a bucket is the deletion of a partition",
				"undo: delete by small ranges again; what is deleted stays deleted, so look at the range first",
			},
			Verify: "sstablepartitions on the table's files after a major change: range tombstones of the partition should fall",
		}}
	},
}
