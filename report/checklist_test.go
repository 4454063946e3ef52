package report

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestChecklistAnswersNoMoreThanTheInputTells(t *testing.T) {
	ops := func(read, scan, write uint64) (t detect.TargetView) {
		t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = read
		t.Totals[detect.ByOp+detect.Counter(ingest.OpScan)] = scan
		t.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)] = write
		return t
	}
	keys := func(requests, low, high uint64) (t detect.TargetView) {
		t.Totals[detect.Requests], t.Distinct = requests, detect.Distinct{Low: low, High: high}
		return t
	}
	tombs := func(reads, tombstones, rows uint64) (t detect.TargetView) {
		t.Totals[detect.TombstonesKnown], t.Totals[detect.Tombstones] = reads, tombstones
		t.Totals[detect.Rows], t.Totals[detect.RowsKnown] = rows, min(rows, reads)
		return t
	}
	tests := []struct {
		name, question string
		target         detect.TargetView
		selected       bool
		want           string
	}{
		{"scans among reads", "access-patterns", ops(5, 1, 0), false, no},
		{"only bound reads", "access-patterns", ops(5, 0, 3), false, yes},
		{"only writes", "access-patterns", ops(0, 0, 3), false, unknown},
		{"no operations", "access-patterns", ops(0, 0, 0), false, unknown},
		{"many keys", "cardinality", keys(5000, 21, 30), false, yes},
		{"many keys in few requests", "cardinality", keys(50, 21, 21), false, yes},
		{"few keys", "cardinality", keys(5000, 3, 3), false, no},
		{"few keys in few requests", "cardinality", keys(999, 3, 3), false, unknown},
		{"bounds on both sides of the floor", "cardinality", keys(5000, 19, 21), false, unknown},
		{"complaints", "cardinality", keys(5000, 3, 3), true, unknown},
		{"no keys told", "cardinality", keys(0, 0, 0), false, unknown},
		{"no tombstones counted", "deletes", tombs(0, 0, 0), false, unknown},
		{"few tombstones", "deletes", tombs(10, 999, 1), false, yes},
		{"many tombstones and as many rows", "deletes", tombs(10, 1000, 1000), false, yes},
		{"many tombstones a live row", "deletes", tombs(10, 1000, 250), false, no},
		{"many tombstones, rows not told", "deletes", tombs(10, 1000, 0), false, no},
		{"sizes are never in requests", "growth", keys(5000, 100, 100), false, unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, a := range checklist(detect.DefaultLimits(), &tt.target, tt.selected) {
				if a.Because == "" {
					t.Errorf("%s is answered without a reason", a.Question)
				}
				if a.Question == tt.question && a.Answer != tt.want {
					t.Errorf("%s because %s, want %s", a.Answer, a.Because, tt.want)
				}
			}
		})
	}
}
