package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// GarbageCollect removes data that newer deletions shadow.
var GarbageCollect = detect.Remedy{
	Kind:  "garbage-collect",
	Title: "Remove the data that deletions shadow",
	Rules: []string{"tombstone-partition"},
	Doc: `nodetool garbagecollect rewrites SSTables without the rows that newer tombstones delete: it takes the dead data, not
chiefly the tombstones.

**Gate.** A certain finding on Cassandra; the kinds of tombstones of that partition were measured, and at least half of its
rows are deleted.

**Formula.** Dead rows in the partition, before: deleted rows as measured; after: 0. Source: Apache Cassandra documentation,
"nodetool garbagecollect".

**Caveats.** It rewrites the whole table: watch the disk. Not for TimeWindowCompactionStrategy; one job at a time.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		s := kindsOf(v, f)
		if f.Confidence != detect.Sure || !isCassandra(f) || s == nil || s.Kinds.RowDeletes == 0 || 2*s.Kinds.RowDeletes < s.Kinds.Rows {
			return nil
		}
		if class, _ := v.Fact(f.Subject.Target, ingest.FactCompaction); class == "TimeWindowCompactionStrategy" {
			return nil
		}
		n := s.Kinds.RowDeletes
		return []detect.Proposal{{
			Kind:    "garbage-collect",
			Title:   fmt.Sprintf("remove what is shadowed: %d of %d rows of the partition are deleted", n, s.Kinds.Rows),
			Change:  "nodetool garbagecollect -j 1 " + dotted(f.Subject.Target.Table),
			Effects: []detect.Effect{settled("dead_rows", "rows", detect.Whole(n), 0)},
			Costs:   []string{"all SSTables of the table are rewritten on the node, one after the other"},
			Risks:   []string{"it needs free disk of the largest SSTable", "tombstones themselves stay until gc grace has passed"},
			Steps: []string{
				"look at the free disk, then run it on one node, at a quiet time",
				"nodetool stop GARBAGE_COLLECT ends it; there is no undo: what is removed is shadowed already",
				"then on the other replicas",
			},
			Verify: "sstablepartitions on the table's files: dead rows of the partition should be gone",
		}}
	},
}

// kindsOf gives the measured kinds of tombstones of the finding's partition, nil when no input tells them.
func kindsOf(v *detect.View, f *detect.Finding) *detect.StateStats {
	t := targetOf(v, f)
	if t == nil || !f.Subject.HasKey {
		return nil
	}
	for i := range t.States {
		s := &t.States[i]
		if s.KeyKnown && s.Key == string(f.Subject.Key) && s.Measure == ingest.PartitionTombstones && s.Kinds != (ingest.TombstoneKinds{}) {
			return s
		}
	}
	return nil
}
