package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// ScanOwner finds who scans, and splits the scan.
var ScanOwner = detect.Remedy{
	Kind:  "scan-owner",
	Title: "Find who scans, and split the scan",
	Rules: []string{"tombstone-dense-read"},
	Doc: `A scan adds up the tombstones of all partitions it walks over: no partition is bad, and the table need not
change for it. The reader can take smaller steps.

**Gate.** A certain finding with mechanism *scan*.

**Formula.** Token ranges = tombstones of the largest read / cassandra.tombstone-warn, then the next power of two, at
most 65,536: each read then meets about as many as the store warns of. Of an aborted read the number is the least.

**Caveats.** No change of the schema. More reads, each of them shorter.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := measured(f, "largest_read_tombstones")
		if f.Confidence != detect.Sure || f.Mechanism != "scan" || !ok || e.Value == 0 {
			return nil
		}
		const most = 1 << 16
		n := min(powerOfTwo(ceilDiv(uint64(e.Value), uint64(max(v.Limits.Of(detect.TombstonesWarnRead).Value, 1)))), most)
		p := detect.Proposal{
			Kind:    "scan-owner",
			Title:   fmt.Sprintf("find the client that scans and let it read %d token ranges one by one", n),
			Change:  "… WHERE token(partition key) > ? AND token(partition key) <= ?",
			Effects: []detect.Effect{becomes(e, over(n))},
			Costs:   []string{fmt.Sprintf("%d reads in place of one", n)},
			Risks:   []string{"do not change the table for it, and do not blame the partition where it stopped"},
			Steps: []string{
				"find the client by the statement and its time: a job, a backup, an export, somebody in cqlsh",
				"ask whether it needs the whole table; a table by the column it looks for serves it better",
				"else let it read by token ranges, at an hour when it hurts least; undo: send the old statement",
			},
			Verify: "run keyheat analyze on the log after the change: the statement should not be warned of",
		}
		if e.Open {
			p.Risks = append(p.Risks, "the store ended the read, so that there are more tombstones than it counted: more ranges may be needed")
		}
		return []detect.Proposal{p}
	},
}
