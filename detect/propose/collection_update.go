package propose

import "github.com/keyheat/keyheat/detect"

// CollectionUpdate adds to collections in place of overwriting them.
var CollectionUpdate = detect.Remedy{
	Kind:  "collection-update",
	Title: "Add to a collection in place of overwriting it",
	Rules: []string{"tombstone-dense-read", "tombstone-partition"},
	Doc: `Setting a whole collection writes a range tombstone before the new elements, even when there was nothing before.
Adding and removing elements does not; a frozen collection is one cell and has none.

**Gate.** A certain finding with mechanism *collection-overwrite*, known from the schema or measured.

**Formula.** Markers a live row, before: tombstones / live rows; after, for rows written from then on: 0. Source:
J. Hanna, "Cassandra collections: hidden tombstones and how to avoid them", 2020.

**Caveats.** A frozen collection can only be replaced whole and needs a new column. Adding to a list reads before it
writes for an index, and repeats an element when the write is sent again.`,
	Propose: func(_ *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := deadCells(f)
		if f.Confidence != detect.Sure || f.Mechanism != "collection-overwrite" || !known(f) || !ok {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "collection-update",
			Title:   "add to the collection in place of overwriting it: " + amount(e.Value) + " " + e.Unit + " come from that (" + e.Measure + ")",
			Change:  "UPDATE … SET c = c + {…} in place of SET c = {…}; or frozen<…> where it is always replaced whole",
			Effects: []detect.Effect{gone(e)},
			Costs:   []string{"the client must know what changed; a collection without bound belongs in rows of a table of its own"},
			Risks: []string{
				"elements that are to go must be removed by name",
				"a frozen collection needs a new column and a copy of the data",
				"adding to a list is not safe to repeat: prefer a set or a map",
			},
			Steps: []string{
				"confirm on one row: sstabledump shows a deletion marker before the elements of the collection",
				"change the INSERT or UPDATE that sets the whole collection; undo: change it back, what is stored is the same",
			},
			Verify: "read rows that were written after the change: tombstones a live row should be about 0",
		}}
	},
}
