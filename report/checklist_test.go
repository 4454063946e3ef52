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
	states := func(store ingest.Store, bytes uint64, atLeast bool) (t detect.TargetView) {
		t.Target.Store = store
		t.States = []detect.StateStats{{Measure: ingest.PartitionBytes, Max: bytes, AtLeast: atLeast}}
		return t
	}
	keysUnknown := keys(10, 0, 0)
	keysUnknown.Totals[detect.KeyUnknown] = 10
	warned := tombs(10, 0, 0)
	warned.Selected = []*detect.SelectedView{{}}
	warned.Selected[0].Counts[detect.SelectedWarned] = detect.Range{Low: 3, High: 9}
	tests := []struct {
		name, question string
		target         detect.TargetView
		want           string
	}{
		{"scans among reads", "access-patterns", ops(5, 1, 0), no},
		{"only bound reads", "access-patterns", ops(5, 0, 3), yes},
		{"only writes", "access-patterns", ops(0, 0, 3), unknown},
		{"no operations", "access-patterns", ops(0, 0, 0), unknown},
		{"many keys", "cardinality", keys(5000, 21, 30), yes},
		{"many keys in few requests", "cardinality", keys(50, 21, 21), yes},
		{"few keys", "cardinality", keys(5000, 3, 3), no},
		{"few keys in few requests", "cardinality", keys(999, 3, 3), unknown},
		{"bounds on both sides of the floor", "cardinality", keys(5000, 19, 21), unknown},
		{"no traffic", "cardinality", detect.TargetView{}, unknown},
		{"no keys told", "cardinality", keysUnknown, unknown},
		{"no tombstones counted", "deletes", tombs(0, 0, 0), unknown},
		{"few tombstones", "deletes", tombs(10, 999, 1), yes},
		{"many tombstones and as many rows", "deletes", tombs(10, 1000, 1000), yes},
		{"many tombstones a live row", "deletes", tombs(10, 1000, 250), no},
		{"many tombstones, rows not told", "deletes", tombs(10, 1000, 0), no},
		{"the store warned", "deletes", warned, no},
		{"a large partition", "aggregate-size", states(ingest.Cassandra, 100<<20, true), no},
		{"the same in a store of larger ones", "aggregate-size", states(ingest.DynamoDB, 100<<20, false), yes},
		{"small parts of partitions", "aggregate-size", states(ingest.Cassandra, 1<<20, true), unknown},
		{"nothing measured", "aggregate-size", keys(10, 3, 3), unknown},
		{"sizes are never in requests", "growth", keys(5000, 100, 100), unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, a := range checklist(detect.DefaultLimits(), &tt.target) {
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
