package propose

import (
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// GCGrace keeps tombstones no longer than repairs need.
var GCGrace = detect.Remedy{
	Kind:  "gc-grace",
	Title: "Keep tombstones no longer than repairs need",
	Rules: []string{"tombstone-dense-read", "tombstone-partition"},
	Doc: `Tombstones are kept for gc_grace_seconds, ten days unless set, so that every replica learns of a delete. Where
repairs are known to finish sooner, it may be shorter, and fewer are read.

**Gate.** A certain finding of at least *medium*, whose mechanism is *queue*, *ttl* or *range-delete*, known from the schema or measured; gc_grace_seconds is
known; the interval of full repairs is told by --limits-file (gc-grace.repair-interval), and the new value is at most half of the old.

**Formula.** X = max(3 hours, repair interval + purge-blocked.slack): hints expire with gc grace, so it is never under the hint
window. Tombstones after: x X / gc grace, since as many come as go. Source: The Last Pickle, "Hinted handoff and gc_grace_seconds";
ScyllaDB, "gc_grace_seconds".

**Caveats.** If a repair is missed within X, deleted data comes back. The order is: full repair, ALTER, one schema version,
compaction. Restore the old value if repairs stop.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		grace := secondsOf(v, f, ingest.FactGCGrace)
		e, ok := scanned(f)
		if !worthIt(f) || !known(f) || !slices.Contains([]string{"queue", "ttl", "range-delete"}, f.Mechanism) || grace == 0 || !ok {
			return nil
		}
		repair := v.Limits.Count(detect.RepairInterval)
		if repair == 0 {
			return lacking("lower gc_grace_seconds", "how often a full repair is done on every node", "nodetool repair_admin list --all, and gc-grace.repair-interval in seconds in a --limits-file")
		}
		const hints = 3 * 3600
		x := max(hints, repair+v.Limits.Count(detect.PurgeSlack))
		if x > grace/2 {
			return nil
		}
		after := detect.Milli(mulDiv(uint64(e.Value), x, grace))
		table := word(f.Subject.Target.Table, "KEYSPACE.TABLE")
		return []detect.Proposal{{
			Kind:    "gc-grace",
			Title:   fmt.Sprintf("keep tombstones for %s in place of %s: about %s %s in place of %s", lasting(x), lasting(grace), amount(after), countedIn(e), amount(e.Value)),
			Change:  fmt.Sprintf("ALTER TABLE %s WITH gc_grace_seconds = %d", table, x),
			Effects: []detect.Effect{becomes(e, func(m detect.Milli) detect.Milli { return detect.Milli(mulDiv(uint64(m), x, grace)) })},
			Costs:   []string{fmt.Sprintf("every node must be repaired within %s, always", lasting(x))},
			Risks:   []string{"a repair that is missed brings deleted data back", "hints are kept no longer than this: never under three hours"},
			Steps: []string{
				"nodetool repair -full " + dotted(f.Subject.Target.Table) + " on every node first; lower it only when it is done",
				"ALTER the table, then nodetool describecluster: one schema version",
				"tombstones go with the compactions that follow",
				fmt.Sprintf("undo: ALTER TABLE %s WITH gc_grace_seconds = %d", table, grace),
			},
			Verify: "run keyheat analyze some days later on what the store says then: it should be about " + amount(after) + " " + countedIn(e),
		}}
	},
}
