package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// Guardrail makes the store warn of the next large partition.
var Guardrail = detect.Remedy{
	Kind:  "guardrail",
	Title: "Have the store warn of the next one",
	Rules: []string{"large-partition"},
	Doc: `Cassandra 5.0 says nothing of large partitions unless its guardrail is set; 4.1 and before warn at 100 MiB. A warning at
twice the size to aim at comes while there is time.

**Gate.** A certain finding of at least *medium* on Cassandra whose version is told.

**Formula.** Warn at 2 x time-bucket.partition-bytes; before: 0 (off) in 5.0, 100 MiB before. Source: cassandra.yaml of 4.0
(compaction_large_partition_warning_threshold_mb), 4.1 (compaction_large_partition_warning_threshold) and 5.0
(partition_size_warn_threshold).

**Caveats.** It shows large partitions and changes none. Settings by JMX are lost at a restart: write them to cassandra.yaml too.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if !worthIt(f) || !isCassandra(f) {
			return nil
		}
		version := versionOf(v)
		if version == "" {
			return lacking("have the store warn of the next large partition", "its version: the setting has three names", "nodetool version")
		}
		mib := 2 * v.Limits.Count(detect.PartitionTarget) >> 20
		name, before := fmt.Sprintf("compaction_large_partition_warning_threshold_mb: %d", mib), uint64(100)
		switch {
		case !olderThan(version, 5, 0):
			name, before = fmt.Sprintf("partition_size_warn_threshold: %dMiB", mib), 0
		case !olderThan(version, 4, 1):
			name = fmt.Sprintf("compaction_large_partition_warning_threshold: %dMiB", mib)
		}
		if before == mib {
			return nil // it warns there already
		}
		return []detect.Proposal{{
			Kind:    "guardrail",
			Title:   fmt.Sprintf("have the store warn of partitions from %d MiB on", mib),
			Change:  "cassandra.yaml: " + name,
			Effects: []detect.Effect{settled("warned_from", "MiB", detect.Whole(before), detect.Whole(mib))},
			Costs:   []string{"a line in the log for each large partition that is written"},
			Risks:   []string{"none: it refuses nothing. Do not set the fail threshold before the partition is split"},
			Steps:   []string{"set it on each node and restart, one after the other", "undo: put the old value back"},
			Verify:  "nodetool compact of a table with a large partition: system.log names it",
		}}
	},
}
