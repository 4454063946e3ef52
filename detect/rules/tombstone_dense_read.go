package rules

import (
	_ "embed" // for the rule's text

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/tombstone-dense-read.md
var tombstoneDenseReadDoc string

// TombstoneDenseRead finds reads that scan far more tombstones than live rows.
var TombstoneDenseRead = detect.Rule{
	ID:    "tombstone-dense-read",
	Title: "Reads scan far more tombstones than live rows",
	Needs: "reads with tombstone counts, better with live rows",
	Doc:   tombstoneDenseReadDoc,
	Judge: judgeTombstoneDenseRead,
}

func judgeTombstoneDenseRead(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range withPoints(v) {
		if t.Target.Store == ingest.DynamoDB {
			continue
		}
		found = append(found, denseOf(v, t)...)
		missing = append(missing, tombstonesUnjudged(v, t)...)
	}
	return found, missing
}

func tombstonesUnjudged(v *detect.View, t *detect.TargetView) []detect.NotAssessed {
	t = t.Teller(detect.TombstonesKnown)
	reads, counted := t.Totals.Reads(), t.Totals[detect.TombstonesKnown]
	many := reads >= v.Limits.Count(detect.TombstonesReads)
	switch {
	case many && counted == 0 && len(t.Selected) == 0 && !isSystem(t.Target) && (t.Target.Store == ingest.Cassandra || t.Target.Store == ingest.Scylla):
		return []detect.NotAssessed{{Target: t.Target, Missing: []string{"tombstones"},
			GetIt: "give query traces, or a field tombstones: nodetool settraceprobability 0.001 for ten minutes"}}
	case counted > 0 && t.Totals[detect.Tombstones] > 0 && t.Totals[detect.RowsKnown] == 0:
		return []detect.NotAssessed{{Target: t.Target, Missing: []string{"live_rows"},
			GetIt: "give the live rows of each read: keyheat analyze --map rows=FIELD INPUT"}}
	}
	return nil
}
