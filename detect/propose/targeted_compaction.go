package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// TargetedCompaction compacts the SSTables of one partition.
var TargetedCompaction = detect.Remedy{
	Kind:  "targeted-compaction",
	Title: "Compact the SSTables of one partition",
	Rules: []string{"tombstone-partition"},
	Doc: `Tombstones older than gc grace go when the SSTables that hold the partition are compacted together. That can be asked
for by the partition's token.

**Gate.** A certain finding on Cassandra with a key; the partition's tombstones were measured on days further apart than
the table's gc grace, which is known.

**Formula.** Tombstones, before: as measured last; after: the last less the number of the last day that is at least gc grace
before it. Source: Apache Cassandra documentation, "nodetool compact", "Tombstones".

**Caveats.** Only after a full repair within gc grace. nodetool forcecompact ignores gc grace and can bring deleted data back: it
is not used here. A major compaction leaves one large SSTable (-s splits it). ScyllaDB has none of these options.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if f.Confidence != detect.Sure || !isCassandra(f) || !f.Subject.HasKey {
			return nil
		}
		s := tombstonesOverDays(v, f)
		if s == nil {
			return nil
		}
		both := dotted(f.Subject.Target.Table)
		grace := secondsOf(v, f, ingest.FactGCGrace)
		if grace == 0 {
			return lacking("compact this partition alone", "the table's gc_grace_seconds", describeCQL(f))
		}
		last := s.Days[len(s.Days)-1]
		old := uint64(0)
		for _, d := range s.Days {
			if uint64(last.Day-d.Day)*86400 >= grace {
				old = d.Value
			}
		}
		if old = min(old, last.Value); old == 0 {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "targeted-compaction",
			Title:   fmt.Sprintf("after a repair: compact this partition's SSTables, %d of its %d tombstones are past gc grace", old, last.Value),
			Change:  "nodetool compact " + both + " -st TOKEN-1 -et TOKEN, with the token of the partition",
			Effects: []detect.Effect{settled("partition_tombstones", "tombstones", detect.Whole(last.Value), detect.Whole(last.Value-old))},
			Costs:   []string{"the SSTables that hold the partition are rewritten on each replica"},
			Risks:   []string{"without a full repair within gc grace, dropping tombstones can bring deleted data back", "with size-tiered compaction one large SSTable is left"},
			Steps: []string{
				fmt.Sprintf("nodetool repair -full %s, done on every node within %s (gc grace)", both, lasting(grace)),
				"cqlsh -e 'SELECT token(key columns) FROM … WHERE …' gives the token; nodetool getendpoints " + both + " KEY the replicas",
				"compact on one replica, look at the reads, then on the others; nodetool stop COMPACTION ends it; there is no undo: what is dropped is gone",
			},
			Verify: "the store's warnings of this key should tell about " + fmt.Sprint(last.Value-old) + " tombstones",
		}}
	},
}

// tombstonesOverDays gives the tombstones of the finding's partition as measured on several days by the
// same means; nil when they were not.
func tombstonesOverDays(v *detect.View, f *detect.Finding) *detect.StateStats {
	t := targetOf(v, f)
	if t == nil {
		return nil
	}
	for i := range t.States {
		s := &t.States[i]
		if s.KeyKnown && s.Key == string(f.Subject.Key) && s.Measure == ingest.PartitionTombstones && len(s.Days) > 1 {
			return s
		}
	}
	return nil
}
