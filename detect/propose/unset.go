package propose

import (
	"github.com/keyheat/keyheat/detect"
)

// Unset leaves values out in place of writing nulls.
var Unset = detect.Remedy{
	Kind:  "unset",
	Title: "Leave a value unset in place of writing null",
	Rules: []string{"tombstone-dense-read", "tombstone-partition"},
	Doc: `A null that is written is a tombstone in its cell. A value that is left unset is none, and writes nothing.

**Gate.** A certain finding with mechanism *null-insert*. The step is harmless when the mechanism is wrong.

**Formula.** Dead cells a live row, before: tombstones / live rows; after, for rows written from then on: 0. Source:
A. Morton and J. Jirsa, "Null bindings on prepared statements", The Last Pickle 2016; protocol version 4.

**Caveats.** What is stored stays until gc_grace_seconds have passed and compaction has dropped it. An update that
means to remove a value must go on writing null.`,
	Propose: func(_ *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := deadCells(f)
		if f.Confidence != detect.Sure || f.Mechanism != "null-insert" || !ok {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "unset",
			Title:   "leave absent values unset: " + amount(e.Value) + " " + e.Unit + " come from nulls (" + e.Measure + ")",
			Change:  "bind UNSET, or leave the column out of the INSERT, in place of null",
			Effects: []detect.Effect{gone(e)},
			Costs:   []string{"a driver with protocol version 4 (Cassandra 2.2 and later), or one statement for each set of columns"},
			Risks:   []string{"an update that means to remove a value must go on writing null", "what is stored already stays until gc grace has passed and compaction has dropped it"},
			Steps: []string{
				"confirm on one row: sstabledump shows deletion_info in its cells",
				"look for an INSERT of all columns through an object mapper, or one prepared statement for partial updates",
				"set the mapper not to save nulls; bind UNSET for values that are absent; undo: bind null again",
			},
			Verify: "read rows that were written after the change: tombstones a live row should be about 0",
		}}
	},
}
