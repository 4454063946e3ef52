package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// SinglePartition asks for partitions one by one.
var SinglePartition = detect.Remedy{
	Kind:  "single-partition",
	Title: "Ask for partitions one by one, side by side",
	Rules: []string{"fan-out"},
	Doc: `One request to many partitions makes one coordinator wait for all of them. Single requests side by side go straight
to a replica each, fail and are tried again one by one.

**Gate.** A certain finding.

**Formula.** Partitions of one request, before: the most that was seen; after: 1. Source: Apache Cassandra
documentation of unlogged_batch_across_partitions_warn_threshold and partition_keys_in_select guardrails.

**Caveats.** A logged batch over partitions is atomic; single writes are not.`,
	Propose: func(_ *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := measured(f, "partitions_of_one_request")
		if f.Confidence != detect.Sure || !ok {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "single-partition",
			Title:   fmt.Sprintf("send single requests side by side in place of one to %d partitions", e.Value/1000),
			Effects: []detect.Effect{settled(e.Measure, e.Unit, e.Value, detect.Whole(1))},
			Costs:   []string{fmt.Sprintf("%d requests in place of 1", e.Value/1000)},
			Risks:   []string{"a logged batch is atomic; single writes are not", "limit how many run at a time, else the client is a storm"},
			Steps: []string{
				"group a batch by partition key, and send one for each partition",
				"send reads of an IN list as single reads, some dozens at a time; undo: send the list again",
			},
			Verify: "the store's warnings on batches and IN lists should end",
		}}
	},
}
