package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// TimeBoundRead reads only what cannot have expired.
var TimeBoundRead = detect.Remedy{
	Kind:  "time-bound-read",
	Title: "Read only what cannot have expired",
	Rules: []string{"tombstone-dense-read"},
	Doc: `Expired rows lie at the old end of a partition that is ordered by time. A read with a lower bound of now less the
time to live does not meet them.

**Gate.** A certain finding with mechanism *ttl*, and the table's default time to live is known. The step is harmless
when the mechanism is wrong.

**Formula.** Tombstones a read, before: as measured; after: 0. Source: Temporal issue 1579, where expired rows before the
reader's cursor were scanned each time.

**Caveats.** It needs a clustering column that follows the time of writing.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		ttl := secondsOf(v, f, ingest.FactDefaultTTL)
		e, ok := measured(f, "tombstones_per_read")
		if f.Confidence != detect.Sure || f.Mechanism != "ttl" || !ok {
			return nil
		}
		if ttl == 0 {
			return lacking("bound the read by time", "the table's default_time_to_live, or the longest that its writes give", describeCQL(f))
		}
		return []detect.Proposal{{
			Kind:    "time-bound-read",
			Title:   fmt.Sprintf("read only what is younger than the time to live of %s", lasting(ttl)),
			Change:  fmt.Sprintf("… WHERE partition key = ? AND clustering column > now - %d s", ttl),
			Effects: []detect.Effect{gone(e)},
			Costs:   []string{"the clustering column must follow the time of writing"},
			Risks:   []string{"rows that were written with a longer time to live are not seen: take the longest"},
			Steps:   []string{"add the lower bound to the statement and nothing else; undo: take it off", "a reader that keeps a cursor starts at the later of both"},
			Verify:  "trace one read: it should scan hardly any tombstones",
		}}
	},
}
