package report

import (
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
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
	bucketed := states(ingest.Cassandra, 107964792, true) // the top of a bucket that begins at 89,970,661
	bucketed.States[0].Source = ingest.SourceTableStats
	keysUnknown := keys(10, 0, 0)
	keysUnknown.Totals[detect.KeyUnknown] = 10
	warned := tombs(10, 0, 0)
	warned.Selected = []*detect.SelectedView{{}}
	warned.Selected[0].Counts[detect.SelectedWarned] = detect.Range{Low: 3, High: 9}
	scanned := ops(5, 0, 0)
	scanned.Selected = []*detect.SelectedView{{Op: ingest.OpScan}}
	scanned.Selected[0].Counts[detect.SelectedRecords] = detect.Range{Low: 3, High: 3}
	dynamo := func(t detect.TargetView) detect.TargetView {
		t.Target.Store = ingest.DynamoDB
		return t
	}
	deleting := func(writes, deletes uint64) (t detect.TargetView) {
		t.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)] = writes
		t.Totals[detect.ByOp+detect.Counter(ingest.OpDelete)] = deletes
		return t
	}
	consistent := func(reads, known, strong uint64) detect.TargetView {
		t := ops(reads, 0, 1)
		t.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Op: ingest.OpRead}, ConsistencyKnown: known, Strong: strong}}
		return t
	}
	measured := func(days int, atLeast bool) (t detect.TargetView) {
		s := detect.StateStats{Measure: ingest.PartitionBytes, Max: 10, AtLeast: atLeast}
		for i := range days {
			s.Days = append(s.Days, detect.DayMax{Day: uint32(i), Value: 10})
		}
		t.States = []detect.StateStats{s}
		return t
	}
	collection := func(low, high uint64) (t detect.TargetView) {
		t.Stored.Collections = []detect.Collection{{Bytes: detect.Range{Low: low, High: high}}}
		return dynamo(t)
	}
	batched := func(op ingest.Op) (t detect.TargetView) {
		t.Shapes = []detect.ShapeStats{{Op: op, FanOut: 4, Widest: detect.Breadth{Partitions: 25}}}
		return t
	}
	rewritten := func(partitions uint64, values int, changes uint64) (t detect.TargetView) {
		x := detect.RewriteStats{Attribute: "name", Changes: changes, Values: sketch.NewDistinct(6), Widest: detect.Rewrite{Partitions: partitions}}
		for i := range values {
			x.Values.Add(sketch.Hash([]byte{byte(i), byte(i >> 8)}))
		}
		t.Rewrites = []detect.RewriteStats{x}
		return t
	}
	items := detect.TargetView{States: []detect.StateStats{{Measure: ingest.ItemBytes, Max: 1000}}}
	tests := []struct {
		name, question string
		target         detect.TargetView
		want           string
	}{
		{"scans among reads", "access-patterns", ops(5, 1, 0), no},
		{"only bound reads", "access-patterns", ops(5, 0, 3), yes},
		{"only writes", "access-patterns", ops(0, 0, 3), unknown},
		{"reads without a partition in a log of complaints", "access-patterns", scanned, no},
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
		{"a bucket of sizes around the limit", "aggregate-size", bucketed, unknown},
		{"the same in a store of larger ones", "aggregate-size", states(ingest.DynamoDB, 100<<20, false), yes},
		{"small parts of partitions", "aggregate-size", states(ingest.Cassandra, 1<<20, true), unknown},
		{"nothing measured", "aggregate-size", keys(10, 3, 3), unknown},
		{"sizes are never in requests", "growth", keys(5000, 100, 100), unknown},
		{"sizes of one day", "growth", measured(1, false), unknown},
		{"sizes of single SSTables on many days", "growth", measured(9, true), unknown},
		{"sizes of three days that no rule minds", "growth", measured(3, false), yes},
		{"no read", "consistency", ops(0, 0, 3), unknown},
		{"reads that tell no consistency", "consistency", consistent(9, 0, 0), unknown},
		{"eventual reads alone", "consistency", consistent(9, 9, 0), yes},
		{"few strong reads", "consistency", consistent(10, 10, 4), yes},
		{"half of the reads are strong", "consistency", consistent(10, 10, 5), no},
		{"DynamoDB without writes", "deletes", dynamo(deleting(0, 0)), unknown},
		{"DynamoDB without deletes", "deletes", dynamo(deleting(100, 0)), yes},
		{"DynamoDB with few writes", "deletes", dynamo(deleting(80, 19)), unknown},
		{"DynamoDB with few deletes", "deletes", dynamo(deleting(810, 190)), yes},
		{"DynamoDB with many deletes", "deletes", dynamo(deleting(800, 200)), no},
		{"deletes of CQL whose reads tell nothing", "deletes", deleting(1, 99), unknown},
		{"a collection over the wall", "aggregate-size", collection(11<<30, 12<<30), no},
		{"a collection whose bounds hold the wall", "aggregate-size", collection(9<<30, 11<<30), unknown},
		{"a small collection", "aggregate-size", collection(1<<30, 1<<30), yes},
		{"a small item", "aggregate-size", items, yes},
		{"batches of writes", "write-fan-out", batched(ingest.OpWrite), no},
		{"batches of reads", "write-fan-out", batched(ingest.OpRead), unknown},
		{"one of many names in ten partitions", "write-fan-out", rewritten(10, 200, 500), no},
		{"one of few states in ten partitions", "write-fan-out", rewritten(10, 5, 500), unknown},
		{"no name in ten partitions", "write-fan-out", rewritten(9, 200, 500), yes},
		{"too few changes", "write-fan-out", rewritten(9, 200, 99), unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := answerer{view: view(ingest.Traffic), limits: detect.DefaultLimits(), target: &tt.target}
			for _, a := range a.checklist() {
				if a.Because == "" || (a.Answer == unknown) != (a.GetIt != "") {
					t.Errorf("%s is %s because %q, get it by %q", a.Question, a.Answer, a.Because, a.GetIt)
				}
				if a.Question == tt.question && a.Answer != tt.want {
					t.Errorf("%s because %s, want %s", a.Answer, a.Because, tt.want)
				}
			}
		})
	}
}

// Findings answer what they are about, of their own table alone.
func TestFindingsAnswerTheChecklist(t *testing.T) {
	target := detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	finding := func(rule string) detect.Finding {
		return detect.Finding{Rule: rule, Subject: detect.Subject{Target: target}, Message: "said by " + rule}
	}
	for rule, question := range map[string]string{"growing-partition": "growth", "large-partition": "growth", "large-item": "aggregate-size"} {
		a := answerer{view: view(ingest.Traffic), limits: detect.DefaultLimits(), target: &detect.TargetView{Target: target}, findings: []detect.Finding{finding(rule)}}
		for _, answer := range a.checklist() {
			if said := strings.HasPrefix(answer.Because, "said by "+rule); said != (answer.Question == question) || said && answer.Answer != no {
				t.Errorf("%s: %s is %s because %s", rule, answer.Question, answer.Answer, answer.Because)
			}
		}
		a.target = &detect.TargetView{Target: detect.Target{Table: "other"}}
		for _, answer := range a.checklist() {
			if strings.Contains(answer.Because, "said by") {
				t.Errorf("%s of another table answers %s", rule, answer.Question)
			}
		}
	}
}

func TestTheWorstScanIsNamed(t *testing.T) {
	target := &detect.TargetView{}
	target.Totals[detect.ByOp+detect.Counter(ingest.OpScan)] = 3
	a := answerer{view: view(ingest.Traffic), limits: detect.DefaultLimits(), target: target, patterns: []Pattern{
		{Shape: "SELECT a", Served: "scan", CostShare: 100, CostBy: "time"}, {Shape: "SELECT b", Served: "scan", CostShare: 312, CostBy: "time"}, {Shape: "SELECT c", Served: "partition", CostShare: 500, CostBy: "time"},
	}}
	if got, want := a.accessPatterns().Because, "3 of 3 reads name no partition: SELECT b, 31.2 % of the table's time"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAChecklistDoesNotContradictItsFindings(t *testing.T) {
	target := detect.TargetView{Target: detect.Target{Store: ingest.Cassandra, Table: "crm.contacts"}}
	target.Totals[detect.TombstonesKnown], target.Totals[detect.Tombstones] = 30, 360_000
	target.Totals[detect.Rows], target.Totals[detect.RowsKnown] = 157_200, 30
	a := answerer{view: view(ingest.Traffic), limits: detect.DefaultLimits(), target: &target}
	if got := a.deletes(); got.Answer != yes {
		t.Errorf("2.3 tombstones a live row without a finding: %+v, want %s", got, yes)
	}
	a.findings = []detect.Finding{{Rule: "tombstone-dense-read", Subject: detect.Subject{Target: target.Target}, Message: "30 reads scanned 12,000 tombstones each"}}
	if got := a.deletes(); got.Answer != no || !strings.Contains(got.Because, "30 reads scanned") {
		t.Errorf("with a finding: %+v, want %s and its message", got, no)
	}
}

func TestReadsOfAGlobalIndexAreEventual(t *testing.T) {
	target := detect.TargetView{Target: detect.Target{Store: ingest.DynamoDB, Table: "orders", Index: "byStatus"}}
	a := answerer{view: view(ingest.Traffic), limits: detect.DefaultLimits(), target: &target}
	if got := a.consistency(); got.Answer != unknown {
		t.Errorf("an index that may be local: %+v, want %s", got, unknown)
	}
	a.view.Facts = append(a.view.Facts, detect.FactStats{Target: detect.Target{Store: ingest.DynamoDB, Table: "orders"}, Name: ingest.FactGlobalIndex, Value: "byDate,byStatus"})
	if got := a.consistency(); got.Answer != yes {
		t.Errorf("a global index: %+v, want %s", got, yes)
	}
}
