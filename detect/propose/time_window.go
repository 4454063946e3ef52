package propose

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// TimeWindow compacts data that expires in windows of time.
var TimeWindow = detect.Remedy{
	Kind:  "time-window",
	Title: "Compact expiring data by windows of time",
	Rules: []string{"tombstone-dense-read", "tombstone-partition", "purge-blocked"},
	Doc: `Where all data expires after the same time, TimeWindowCompactionStrategy drops whole SSTables once all in them has
expired, without compaction.

**Gate.** A certain finding, the table's default time to live is known, its compaction is known and is another, and no
input shows deletes in the table. For reads: mechanism *ttl*, from the schema or measured.

**Formula.** Window = time to live / time-window.windows, snapped to whole minutes, hours or days so that 20 to 30 windows
cover the time to live. Source: Apache Cassandra documentation, "TimeWindowCompactionStrategy".

**Caveats.** Not with deletes, updates, times to live that differ, USING TIMESTAMP or back-fills: one row that lives
longer keeps its SSTable, and those that overlap it. A smaller window later does not split old SSTables.`,
	Propose: proposeWindow,
}

func proposeWindow(v *detect.View, f *detect.Finding) []detect.Proposal {
	ttl := secondsOf(v, f, ingest.FactDefaultTTL)
	class, told := v.Fact(f.Subject.Target, ingest.FactCompaction)
	if f.Confidence != detect.Sure || ttl == 0 || strings.Contains(class, "TimeWindow") || deletes(v, f) {
		return nil
	}
	if f.Rule != "purge-blocked" && (f.Mechanism != "ttl" || !known(f)) {
		return nil
	}
	if !told {
		return lacking("compact by windows of time", "the table's compaction class", describeCQL(f))
	}
	size, unit, ok := windowOf(ttl, v.Limits.Count(detect.WindowsOfTTL))
	if !ok {
		return nil
	}
	seconds := size * windowUnits[unit]
	windows := ceilDiv(ttl, seconds)
	return []detect.Proposal{{
		Kind:   "time-window",
		Title:  fmt.Sprintf("compact by windows of %s: %d of them until data expires", lasting(seconds), windows),
		Bucket: strings.ToLower(strings.TrimSuffix(unit, "S")),
		Change: fmt.Sprintf("ALTER TABLE %s WITH compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '%s', 'compaction_window_size': '%d'}",
			word(f.Subject.Target.Table, "KEYSPACE.TABLE"), unit, size),
		Effects: []detect.Effect{settled("compaction_windows", "windows", detect.Whole(1), detect.Whole(windows))},
		Costs:   []string{"SSTables are compacted anew: disk and time", fmt.Sprintf("about %d SSTables a node, and reads across them", windows)},
		Risks: []string{
			"deletes, updates, times to live that differ and USING TIMESTAMP keep SSTables from expiring: make sure that there are none",
			"old SSTables hold mixed ages and go only when all in them has expired",
		},
		Steps: []string{
			"confirm that nothing deletes or updates rows, and that every write uses the table's time to live",
			"bound reads by time, so that they do not walk over what has expired",
			"try it on one node first, by its CompactionParametersJson over JMX",
			"ALTER the table; watch disk while it is compacted; undo: ALTER it to the compaction that it has now, which compacts all of it again",
		},
		Verify: fmt.Sprintf("after %s and gc grace, SSTables should go one by one: sstablemetadata shows their time spans", lasting(ttl)),
	}}
}

// windowUnits are the units of windows, in seconds.
var windowUnits = map[string]uint64{"MINUTES": 60, "HOURS": 3600, "DAYS": 86400}

// windowOf gives a whole number of a unit of which 20 to 30 cover ttl, of the largest unit that allows it.
func windowOf(ttl, windows uint64) (size uint64, unit string, ok bool) {
	for _, unit := range []string{"DAYS", "HOURS", "MINUTES"} {
		each := windowUnits[unit]
		size := (ttl/max(windows, 1) + each/2) / each
		if size > 0 && size*each*20 <= ttl && size*each*30 >= ttl {
			return size, unit, true
		}
	}
	return 0, "", false
}

// deletes reports whether any input shows that rows of the table are deleted.
func deletes(v *detect.View, f *detect.Finding) bool {
	t := targetOf(v, f)
	if t == nil {
		return false
	}
	if t.Totals[detect.ByOp+detect.Counter(ingest.OpDelete)] > 0 {
		return true
	}
	for i := range t.States {
		if k := &t.States[i].Kinds; k.RowDeletes > 0 || k.Ranges > 0 || k.Partition > 0 {
			return true
		}
	}
	return false
}
