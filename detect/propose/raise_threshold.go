package propose

import (
	"fmt"
	"strconv"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// RaiseThreshold lets reads that the store ends come back for a while.
var RaiseThreshold = detect.Remedy{
	Kind:  "raise-threshold",
	Title: "First aid: raise the limit at which reads are ended",
	Rules: []string{"tombstone-dense-read"},
	Doc: `Cassandra ends a read at tombstone_failure_threshold. Where such reads are needed back now, the limit can be raised while
it runs, with a date on which it is put back.

**Gate.** A certain finding of *critical* on Cassandra, no scan, that lasts to the end of the input: reads are ended.

**Formula.** The limit, from the settings or where the reads were ended, twice. How many tombstones the reads have is not
known: they were ended. Source: Apache Cassandra documentation, cassandra.yaml, tombstone_failure_threshold.

**Caveats.** It hides the problem and takes heap: a node may fall over in place of a read. On each node; it is lost at a restart.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if f.Confidence != detect.Sure || f.Severity < detect.Critical || !isCassandra(f) || f.Mechanism == "scan" || !stillOn(v, f) {
			return nil
		}
		limit := uint64(0)
		if value, ok := v.Fact(detect.Target{}, ingest.FactTombstoneFail); ok {
			limit, _ = strconv.ParseUint(value, 10, 64)
		}
		if limit == 0 {
			e, ok := measured(f, "largest_read_tombstones")
			if !ok || e.Value < 2000 {
				return nil
			}
			limit = uint64(e.Low / 1000)
			if (limit-1)%100 == 0 { // a limit is a round number: some versions tell it, others what was counted when it was passed
				limit--
			}
		}
		return []detect.Proposal{{
			Kind:    "raise-threshold",
			Title:   fmt.Sprintf("now, if these reads must come back: end them at %d tombstones in place of %d", 2*limit, limit),
			Change:  fmt.Sprintf("JMX org.apache.cassandra.db:type=StorageService, TombstoneFailureThreshold = %d, on each replica", 2*limit),
			Effects: []detect.Effect{settled("tombstone_failure_threshold", "tombstones", detect.Whole(limit), detect.Whole(2*limit))},
			Costs:   []string{"up to twice the heap a read"},
			Risks:   []string{"it hides what is wrong", "a node may run out of heap in place of ending a read"},
			Steps: []string{
				fmt.Sprintf("write down the old value, %d, and the day on which it is put back", limit),
				"set it on one replica, and watch its heap and pauses, then on the others",
				fmt.Sprintf("undo: set it to %d again on each node, or restart it", limit),
			},
			Verify: "aborts of these reads should end; if they go on, the reads have more tombstones than this",
		}}
	},
}
