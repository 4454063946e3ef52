package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// ReadAfterCursor starts reads of a queue behind what was already consumed.
var ReadAfterCursor = detect.Remedy{
	Kind:  "read-after-cursor",
	Title: "Read after the last row that was consumed",
	Rules: []string{"tombstone-dense-read"},
	Doc: `A queue is read at its head, where the consumed rows lie as tombstones. A read that starts behind the last
consumed row does not meet them.

**Gate.** A certain finding with mechanism *queue*. The step is harmless when the mechanism is wrong.

**Formula.** Rows and tombstones scanned a read, before: (tombstones + live rows) / reads; after: live rows / reads and
at least 1, the least that is left when the cursor is at the last consumed row. Source: J. Yeschenko, "Cassandra
anti-patterns: queues and queue-like datasets", DataStax 2013.

**Caveats.** The consumer must keep its cursor; rows that arrive behind it are not seen; the tombstones stay until
compaction drops them.`,
	Propose: proposeCursor,
}

func proposeCursor(_ *detect.View, f *detect.Finding) []detect.Proposal {
	tombs, known := measured(f, "tombstones_per_read")
	live, ratioKnown := measured(f, "tombstones_per_live_row")
	if f.Confidence != detect.Sure || f.Mechanism != "queue" || !known || !ratioKnown || live.Value == 0 {
		return nil
	}
	rows := max(detect.Ratio(uint64(tombs.Value), uint64(live.Value)), detect.Whole(1))
	return []detect.Proposal{{
		Kind:   "read-after-cursor",
		Title:  "start each read after the last row that was consumed",
		Change: "… WHERE partition key = ? AND clustering column > :last_seen LIMIT …",
		Effects: []detect.Effect{
			settled("scanned_per_read", "rows", tombs.Value+rows, rows),
		},
		Costs: []string{"the consumer keeps the clustering value of the last row it has finished"},
		Risks: []string{
			"rows that are written behind the cursor are not seen: keep it some seconds back, or look again from the start now and then",
		},
		Steps: []string{
			"keep the last consumed clustering value for each partition, where the consumer survives a restart",
			"add the lower bound to the statement and nothing else; undo: take it off",
		},
		Verify: fmt.Sprintf("trace one read: it should scan about %s rows and hardly any tombstones", amount(rows)),
	}}
}
