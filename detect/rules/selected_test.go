package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

const queueShape = "SELECT * FROM shop.jobs WHERE queue = ? LIMIT 10"

// counts are counters of selected records, each as one node alone tells it.
type counts map[detect.SelectedCounter]uint64

// complaining gives a table with records of bad reads, without traffic.
func complaining(store ingest.Store, list ...*detect.SelectedView) *detect.View {
	t := &detect.TargetView{Target: detect.Target{Store: store, Table: "shop.jobs"}, Selected: list}
	v := aView(60, t)
	v.Inputs = []detect.InputStats{{Coverage: ingest.Selected}}
	return v
}

// aRead gives selected records of one shape and key; key "" is none.
func aRead(op ingest.Op, shape, key string, largest detect.ReadSize, n counts) *detect.SelectedView {
	s := &detect.SelectedView{Op: op, Shape: shape, Key: []byte(key), KeyKnown: key != "", Largest: largest, Positions: shown}
	for c, x := range n {
		s.Counts[c] = exact(x)
	}
	s.Span = detect.Span{Start: start, End: start + 3600}
	return s
}

// warned gives so many warnings of reads of tombstones and live rows each.
func warned(key string, reads, tombs, rows uint64) *detect.SelectedView {
	return aRead(ingest.OpRead, queueShape, key, largest(tombs, rows), counts{
		detect.SelectedRecords: reads, detect.SelectedWarned: reads,
		detect.SelectedTombstones: reads * tombs, detect.SelectedTombstonesKnown: reads,
		detect.SelectedRows: reads * rows, detect.SelectedRowsKnown: reads,
	})
}

func TestTombstoneDenseReadOfWarnings(t *testing.T) {
	aborted := func(key string, op ingest.Op) *detect.SelectedView {
		return aRead(op, queueShape, key, detect.ReadSize{Tombstones: 100_001, At: shown[0]}, counts{
			detect.SelectedRecords: 2, detect.SelectedWarned: 1, detect.SelectedAborted: 1,
			detect.SelectedTombstones: 100_001, detect.SelectedTombstonesKnown: 1, detect.SelectedAbortedTombstones: 100_001,
		})
	}
	scan := func(s *detect.SelectedView) *detect.SelectedView {
		s.Op, s.KeyKnown, s.Key = ingest.OpScan, false, nil
		return s
	}
	in := func(table string, v *detect.View) *detect.View {
		v.Targets[0].Target.Table = table
		return v
	}
	nameless := aRead(ingest.OpRead, "", "", detect.ReadSize{Tombstones: 1411, At: shown[0]}, counts{
		detect.SelectedRecords: 1, detect.SelectedWarned: 1, detect.SelectedTombstones: 1411, detect.SelectedTombstonesKnown: 1})
	list := aRead(ingest.OpRead, "", "k", detect.ReadSize{Tombstones: 2001, At: shown[0]}, counts{
		detect.SelectedRecords: 5, detect.SelectedTombstones: 10_005, detect.SelectedTombstonesKnown: 5})
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"a warning of few tombstones, for the limit was set low", complaining(ingest.Cassandra, warned("k", 1, 120, 120)), "low certain"},
		{"a warning of a quarter tombstones", complaining(ingest.Cassandra, warned("k", 1, 1000, 3000)), "low certain"},
		{"a warning of less than a quarter", complaining(ingest.Cassandra, warned("k", 1, 1000, 3010)), ""},
		{"a warning that tells no live rows and no key", complaining(ingest.Cassandra, nameless), "low certain"},
		{"10,000 in one read", complaining(ingest.Cassandra, warned("k", 1, 10_000, 1)), "medium certain"},
		{"100,000 in all", complaining(ingest.Cassandra, warned("k", 50, 2000, 1)), "medium certain"},
		{"99 warnings of 1,000", complaining(ingest.Cassandra, warned("k", 99, 1000, 1)), "low certain"},
		{"100 warnings of 900", complaining(ingest.Cassandra, warned("k", 100, 900, 1)), "medium certain"},
		{"50,000 in one read", complaining(ingest.Cassandra, warned("k", 1, 50_000, 1)), "high certain"},
		{"10 million in an hour", complaining(ingest.Cassandra, warned("k", 1001, 9_991, 1)), "high certain"},
		{"a scan of 60,000 is medium", complaining(ingest.Cassandra, scan(warned("k", 1, 60_000, 1))), "medium certain"},
		{"an aborted read", complaining(ingest.Cassandra, aborted("k", ingest.OpRead)), "critical certain"},
		{"an aborted scan", complaining(ingest.Cassandra, aborted("", ingest.OpScan)), "critical certain"},
		{"a warning in a keyspace of the system", in("system_auth.roles", complaining(ingest.Cassandra, warned("k", 1, 5000, 1))), ""},
		{"10,000 in one", in("system_auth.roles", complaining(ingest.Cassandra, warned("k", 1, 10_000, 1))), "low certain"},
		{"an aborted read of one", in("system.batches", complaining(ingest.Cassandra, aborted("k", ingest.OpRead))), "high certain"},
		{"a sampler's list of reads of 2,001", complaining(ingest.Cassandra, list), "low certain"},
		{"slow reads tell nothing of tombstones", complaining(ingest.Cassandra, aRead(ingest.OpRead, queueShape, "k", detect.ReadSize{}, counts{detect.SelectedRecords: 500, detect.SelectedSlow: 500})), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &TombstoneDenseRead, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// One finding tells all that is known of a key, and one all scans of a table.
func TestTombstoneDenseReadIsToldOnceForAKey(t *testing.T) {
	other := warned("mail-out", 37, 1150, 10)
	other.Shape = "SELECT * FROM shop.jobs WHERE queue = ? LIMIT 5000"
	scan := aRead(ingest.OpScan, "SELECT * FROM shop.jobs", "", largest(2001, 5), counts{
		detect.SelectedRecords: 1, detect.SelectedWarned: 1, detect.SelectedTombstones: 2001, detect.SelectedTombstonesKnown: 1})
	v := complaining(ingest.Cassandra, warned("mail-out", 341, 1150, 10), other, scan)
	found := judged(t, &TombstoneDenseRead, v)
	if len(found) != 2 {
		t.Fatalf("got %d findings, want one of the key and one of the scan: %+v", len(found), found)
	}
	f := &found[0]
	if string(f.Subject.Key) != "mail-out" || f.Subject.Shape != queueShape || f.Mechanism != "queue" || f.MechanismConfidence != "shape" {
		t.Errorf("got key %q, shape %q, mechanism %s at %s", f.Subject.Key, f.Subject.Shape, f.Mechanism, f.MechanismConfidence)
	}
	for measure, want := range map[string]int64{
		"reads": 378, "tombstones": 434_700, "largest_read_tombstones": 1150, "tombstones_per_live_row": 115,
	} {
		if got := evidenceOf(f, measure); got != want {
			t.Errorf("%s: got %d, want %d", measure, got, want)
		}
	}
	if found[1].Subject.HasKey || found[1].Mechanism != "scan" {
		t.Errorf("the scan names key %q, mechanism %q", found[1].Subject.Key, found[1].Mechanism)
	}
}

// A line without a statement may tell of the same read as one with it: they are not added up.
func TestTombstoneDenseReadOfAbortWithoutStatement(t *testing.T) {
	bare := aRead(ingest.OpRead, "", "k", detect.ReadSize{Tombstones: 100_001, At: shown[0]}, counts{
		detect.SelectedRecords: 1, detect.SelectedAborted: 1, detect.SelectedAbortedTombstones: 100_001})
	f := judged(t, &TombstoneDenseRead, complaining(ingest.Cassandra, bare, warned("k", 1, 100_001, 0)))[0]
	for _, e := range f.Evidence {
		switch e.Measure {
		case "reads":
			if e.Low != 1000 || e.High != 2000 {
				t.Errorf("reads within [%d, %d], want [1000, 2000]", e.Low, e.High)
			}
		case "largest_read_tombstones":
			if e.Low != 100_001_000 || !e.Open {
				t.Errorf("%s: low %d, open %t: want at least 100,001", e.Measure, e.Low, e.Open)
			}
		}
	}
	if !strings.Contains(f.Message, "last seen 2026-06-04 10:59:59 UTC") {
		t.Errorf("message %q does not say when it was last seen", f.Message)
	}
}

// Scylla limits the rate of its warnings, so that its counts have no upper bound.
func TestTombstoneDenseReadOfRateLimitedWarnings(t *testing.T) {
	f := judged(t, &TombstoneDenseRead, complaining(ingest.Scylla, warned("k", 3, 2000, 1)))[0]
	for _, e := range f.Evidence {
		if want := e.Measure == "tombstones" || e.Measure == "reads"; e.Open != want {
			t.Errorf("%s: open %t, want %t", e.Measure, e.Open, want)
		}
	}
}

func TestTombstoneDenseReadNamesAtMostTenKeys(t *testing.T) {
	list := []*detect.SelectedView{}
	for i := range 15 {
		list = append(list, warned("key-"+string(rune('a'+i)), 1, 2000, 1))
	}
	found := judged(t, &TombstoneDenseRead, complaining(ingest.Cassandra, list...))
	if len(found) != 10 || !strings.Contains(found[0].Message, "5 more keys of the table likewise") {
		t.Errorf("got %d findings, the first %q", len(found), found[0].Message)
	}
}

// What traffic and the store's own lines tell of one key is one finding, the worse one.
func TestTombstoneDenseReadJoinsTrafficAndWarnings(t *testing.T) {
	v := reading(detect.ShapeStats{Shape: queueShape, Reads: 3, RowsKnown: 3, Rows: 3, Tombstones: 600, Largest: largest(200, 1)}, nil)
	v.Targets[0].Selected = []*detect.SelectedView{warned("mail-out", 2, 20_000, 1)}
	found := judged(t, &TombstoneDenseRead, v)
	if got := level(found); got != "medium certain" {
		t.Errorf("got %q of %d findings, want one, medium", got, len(found))
	}
}

func TestMechanisms(t *testing.T) {
	kinds := func(tombs uint64, k ingest.TombstoneKinds) *detect.StateStats {
		return &detect.StateStats{Measure: ingest.PartitionTombstones, Key: "k", KeyKnown: true, Max: tombs, Kinds: k}
	}
	fact := func(name, value string) detect.FactStats {
		return detect.FactStats{Target: detect.Target{Store: ingest.Cassandra, Table: "shop.jobs"}, Name: name, Value: value}
	}
	schema := fact(ingest.FactPartitionKey, "queue")
	thrice := warned("k", 3, 3000, 1000)
	after := warned("k", 3, 3000, 10)
	after.Shape = "SELECT * FROM shop.jobs WHERE queue = ? AND at > ? LIMIT 10"
	for _, c := range []struct {
		name  string
		read  *detect.SelectedView
		kinds *detect.StateStats
		facts []detect.FactStats
		want  string
	}{
		{"half of the rows expired", after, kinds(500, ingest.TombstoneKinds{Rows: 1000, Expired: 500}), nil, "ttl measured"},
		{"less than half expired", after, kinds(499, ingest.TombstoneKinds{Rows: 1000, Expired: 499}), nil, "unknown "},
		{"half of the tombstones are range markers", after, kinds(1000, ingest.TombstoneKinds{Rows: 900, Ranges: 500}), nil, "range-delete measured"},
		{"half of the rows deleted, read from the head", thrice, kinds(500, ingest.TombstoneKinds{Rows: 1000, RowDeletes: 500}), nil, "queue measured"},
		{"half of the rows deleted, read behind a bound", after, kinds(500, ingest.TombstoneKinds{Rows: 1000, RowDeletes: 500}), nil, "unknown "},
		{"a collection marker a row", after, kinds(1000, ingest.TombstoneKinds{Rows: 1000, Complex: 1000}), nil, "collection-overwrite measured"},
		{"other dead cells", after, kinds(700, ingest.TombstoneKinds{Rows: 1000, Cells: 700}), nil, "null-insert measured"},
		{"a default time to live", after, nil, []detect.FactStats{fact(ingest.FactDefaultTTL, "86400")}, "ttl schema"},
		{"no time to live", after, nil, []detect.FactStats{fact(ingest.FactDefaultTTL, "0")}, "unknown "},
		{"three dead cells a row", thrice, nil, []detect.FactStats{schema}, "null-insert schema"},
		{"three dead cells a row of a table with a collection", thrice, nil, []detect.FactStats{fact(ingest.FactCollections, "tags"), schema}, "collection-overwrite schema"},
		{"three dead cells a row, and no schema", warned("k", 3, 3000, 1000), nil, nil, "unknown "},
		{"a queue by its statement", warned("k", 3, 3000, 10), nil, nil, "queue shape"},
		{"a queue with a clustering column", warned("k", 3, 3000, 10), nil, []detect.FactStats{fact(ingest.FactClustering, "at")}, "queue schema"},
		{"two reads are no queue", warned("k", 2, 3000, 10), nil, nil, "unknown "},
		{"under ten tombstones a live row are none", warned("k", 3, 3000, 301), nil, nil, "unknown "},
		{"a lower bound makes none", after, nil, nil, "unknown "},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := complaining(ingest.Cassandra, c.read)
			v.Facts = c.facts
			if c.kinds != nil {
				v.Targets[0].States = []detect.StateStats{*c.kinds}
			}
			f := judged(t, &TombstoneDenseRead, v)[0]
			if got := f.Mechanism + " " + f.MechanismConfidence; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFullScan(t *testing.T) {
	const all, token = "SELECT * FROM shop.jobs", "SELECT * FROM shop.jobs WHERE token(queue) > ? AND token(queue) <= ?"
	scans := func(shape string, n, timedOut uint64) *detect.SelectedView {
		return aRead(ingest.OpScan, shape, "", detect.ReadSize{}, counts{detect.SelectedRecords: n, detect.SelectedSlow: n - timedOut, detect.SelectedTimedOut: timedOut})
	}
	in := func(table string, v *detect.View) *detect.View {
		v.Targets[0].Target.Table = table
		return v
	}
	counted := func(scans, reads uint64) *detect.View {
		v := complaining(ingest.Cassandra)
		n := &v.Targets[0].Totals
		n[detect.ByOp+detect.Counter(ingest.OpScan)], n[detect.ByOp+detect.Counter(ingest.OpRead)] = scans, reads-scans
		v.Targets[0].Shapes = []detect.ShapeStats{{Shape: all, Op: ingest.OpScan, Reads: scans, Largest: largest(1, 1)}}
		return v
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"one", complaining(ingest.Cassandra, scans(all, 1, 0)), "low certain"},
		{"a read with a key", complaining(ingest.Cassandra, aRead(ingest.OpRead, all, "k", detect.ReadSize{}, counts{detect.SelectedRecords: 9})), ""},
		{"many slow ones alone have no share", complaining(ingest.Cassandra, scans(all, 500, 0)), "low certain"},
		{"one timed out", complaining(ingest.Cassandra, scans(all, 9, 1)), "medium certain"},
		{"ten an hour timed out", complaining(ingest.Cassandra, scans(all, 10, 10)), "high certain"},
		{"nine an hour timed out", complaining(ingest.Cassandra, scans(all, 10, 9)), "medium certain"},
		{"a job by token ranges", complaining(ingest.Cassandra, scans(token, 16, 1)), "low certain"},
		{"few reads by token ranges", complaining(ingest.Cassandra, scans(token, 15, 1)), "medium certain"},
		{"the system reads itself", in("system_schema.columns", complaining(ingest.Cassandra, scans(all, 5, 5))), ""},
		{"a line without table", in("", complaining(ingest.Cassandra, scans(all, 5, 5))), ""},
		{"10 an hour, 5 % of the reads", counted(10, 200), "medium certain"},
		{"10 an hour, less than 5 %", counted(10, 201), "low certain"},
		{"9 an hour, half of the reads", counted(9, 18), "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &FullScan, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFanOut(t *testing.T) {
	fan := func(n, wide, widest uint64, slow bool) *detect.View {
		s := aRead(ingest.OpRead, "SELECT * FROM shop.jobs WHERE queue IN (?)", "", detect.ReadSize{}, counts{
			detect.SelectedRecords: n, detect.SelectedFanOut: n, detect.SelectedWide: wide})
		s.Widest = widest
		if slow {
			s.Counts[detect.SelectedSlow] = exact(n)
		}
		return complaining(ingest.Cassandra, s)
	}
	counted := func(n, wide, widest, all uint64) *detect.View {
		v := complaining(ingest.Cassandra)
		v.Targets[0].Totals[detect.Requests] = all
		v.Targets[0].Shapes = []detect.ShapeStats{{Shape: "SELECT", FanOut: n, Wide: wide, Widest: detect.Breadth{Partitions: widest, At: shown[0]}}}
		return v
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"100 requests of traffic", counted(100, 0, 10, 1_000_000), "low certain"},
		{"99 of very many", counted(99, 0, 10, 1_000_000), ""},
		{"10 that are 5 % of the table's", counted(10, 0, 10, 200), "low certain"},
		{"10 that are less", counted(10, 0, 10, 201), ""},
		{"9 of 9", counted(9, 0, 10, 9), ""},
		{"100 wide ones", counted(100, 100, 100, 1_000_000), "medium certain"},
		{"the store's own line", fan(1, 0, 30, false), "low certain"},
		{"the store's own line on few partitions", fan(1, 0, 9, false), ""},
		{"100 slow requests to 10 partitions", fan(100, 0, 10, true), "low certain"},
		{"99 slow requests to 10 partitions", fan(99, 0, 10, true), ""},
		{"100 slow requests to 100 partitions", fan(100, 100, 100, true), "medium certain"},
		{"99 of them to so many", fan(100, 99, 100, true), "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &FanOut, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHotPartitionOfSamplers(t *testing.T) {
	list := func(keys ...detect.SampledKey) *detect.View {
		v := complaining(ingest.Scylla)
		v.Targets[0].Windows = []detect.SamplerWindow{{Keys: keys, At: shown}}
		return v
	}
	key := func(name string, n, wrong uint64) detect.SampledKey {
		return detect.SampledKey{Key: []byte(name), Requests: n, Error: wrong, At: shown}
	}
	twice := list(key("a", 200, 0), key("b", 30, 0), key("c", 20, 0))
	twice.Targets[0].Windows = append(twice.Targets[0].Windows, twice.Targets[0].Windows[0])
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"150 against a median of 50", list(key("a", 150, 0), key("b", 50, 0), key("c", 40, 0)), "low certain"},
		{"149", list(key("a", 149, 0), key("b", 10, 0), key("c", 10, 0)), ""},
		{"150 of which one may be too many", list(key("a", 150, 1), key("b", 10, 0), key("c", 10, 0)), ""},
		{"under three times the median", list(key("a", 150, 0), key("b", 51, 0), key("c", 40, 0)), ""},
		{"one other key", list(key("a", 5000, 0), key("b", 1, 0)), ""},
		{"a fifth of the list", list(slices.Concat([]detect.SampledKey{key("a", 200, 0)}, slices.Repeat([]detect.SampledKey{key("b", 50, 0)}, 16))...), "low certain"},
		{"less than a fifth", list(slices.Concat([]detect.SampledKey{key("a", 200, 0)}, slices.Repeat([]detect.SampledKey{key("b", 50, 0)}, 17))...), ""},
		{"1,000", list(key("a", 1000, 0), key("b", 10, 0), key("c", 10, 0)), "medium certain"},
		{"1,000 of which one may be too many", list(key("a", 1000, 1), key("b", 10, 0), key("c", 10, 0)), "low certain"},
		{"errors as large as counts", list(key("a", 4200, 4100), key("b", 15, 14), key("c", 15, 14)), ""},
		{"equals", list(key("a", 500, 0), key("b", 490, 0), key("c", 480, 0)), ""},
		{"two windows are not added up", twice, "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judged(t, &HotPartition, c.view)
			if got := level(found); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(found) == 1 && c.name == "two windows are not added up" && evidenceOf(&found[0], "sampled_requests") != 200 {
				t.Errorf("got %d requests, want those of one window", evidenceOf(&found[0], "sampled_requests"))
			}
		})
	}
}

func TestHotPartitionOfSlowRequests(t *testing.T) {
	slow := func(key string, perMinute ...uint64) *detect.SelectedView {
		s := aRead(ingest.OpRead, queueShape, key, detect.ReadSize{}, nil)
		for i, n := range perMinute {
			s.Series.Add(uint32(i), &detect.SelectedTotals{detect.SelectedSlow: n})
			s.Counts[detect.SelectedSlow] = s.Counts[detect.SelectedSlow].Plus(exact(n))
		}
		return s
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"30 of one key in a minute, 80 % of the slow ones", complaining(ingest.Cassandra, slow("a", 0, 32), slow("b", 0, 8)), "low possible"},
		{"less than 80 %", complaining(ingest.Cassandra, slow("a", 0, 32), slow("b", 0, 9)), ""},
		{"29", complaining(ingest.Cassandra, slow("a", 29)), ""},
		{"30 in two minutes", complaining(ingest.Cassandra, slow("a", 15, 15)), ""},
		{"all of different keys", complaining(ingest.Cassandra, slow("a", 10), slow("b", 10), slow("c", 10)), ""},
		{"tombstones are no heat", complaining(ingest.Cassandra, warned("a", 500, 2000, 1)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &HotPartition, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Records of bad requests tell nothing of the others, which a report says once.
func TestHotPartitionIsNotAssessedWithoutTraffic(t *testing.T) {
	v := complaining(ingest.Cassandra, warned("a", 5, 2000, 1))
	v.Targets = append(v.Targets, complaining(ingest.Cassandra, warned("b", 5, 2000, 1)).Targets[0])
	if _, not := HotPartition.Judge(v); len(not) != 1 || not[0].Missing[0] != "traffic" {
		t.Errorf("got %+v, want traffic to be missing once", not)
	}
	v.Inputs = append(v.Inputs, detect.InputStats{Coverage: ingest.Traffic})
	if got := missing(&HotPartition, v); slices.Contains(got, "traffic") {
		t.Errorf("traffic is missing beside traffic: %v", got)
	}
}

func TestThrottlingOfRefusalsAlone(t *testing.T) {
	refused := func(reason ingest.Throttle, perMinute ...uint64) *detect.View {
		s := aRead(ingest.OpWrite, "", "", detect.ReadSize{}, nil)
		c := detect.SelectedThrottle + detect.SelectedCounter(reason)
		for i, n := range perMinute {
			var told detect.SelectedTotals
			told[c] = n
			s.Series.Add(uint32(i), &told)
			s.Counts[c] = s.Counts[c].Plus(exact(n))
		}
		return complaining(ingest.DynamoDB, s)
	}
	for _, c := range []struct {
		name        string
		view        *detect.View
		want, index string
	}{
		{"one", refused(ingest.ThrottledUnknown, 1), "low certain", ""},
		{"100 in ten minutes", refused(ingest.ThrottledTable, 50, 0, 0, 50), "medium certain", ""},
		{"five successive minutes", refused(ingest.ThrottledKeyRange, 1, 1, 1, 1, 1), "medium certain", ""},
		{"of an index", refused(ingest.ThrottledIndex, 1), "low certain", "low certain"},
		{"100 of an index in ten minutes", refused(ingest.ThrottledIndex, 100), "medium certain", "medium certain"},
		{"none", refused(ingest.ThrottledTable), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &Throttling, c.view)); got != c.want {
				t.Errorf("throttling: got %q, want %q", got, c.want)
			}
			if got := level(judged(t, &HotIndex, c.view)); got != c.index {
				t.Errorf("hot-index: got %q, want %q", got, c.index)
			}
		})
	}
}

func TestBlindSpotsOfSelectedRecords(t *testing.T) {
	cut := aRead(ingest.OpRead, "SELECT * FROM shop.jobs WHERE …", "", detect.ReadSize{}, counts{detect.SelectedRecords: 2})
	slow := aRead(ingest.OpRead, queueShape, "k", detect.ReadSize{}, counts{detect.SelectedRecords: 3, detect.SelectedSlow: 3})
	v := complaining(ingest.Scylla, cut, slow, warned("k", 7, 2000, 1))
	v.Facts = []detect.FactStats{{Name: ingest.FactSlowQuery, Value: "0"}, {Name: ingest.FactTombstoneWarn, Value: "50000"}}
	got := []string{}
	for _, f := range judged(t, &BlindSpot, v) {
		got = append(got, f.Evidence[0].Measure)
	}
	want := []string{"rate_limited_warnings", "slow_requests_listed", "records_with_cut_statements", "slow_log_off", "tombstone_warning_raised"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	v.Facts = []detect.FactStats{{Name: ingest.FactSlowQuery, Value: "500"}, {Name: ingest.FactTombstoneWarn, Value: "1000"}}
	v.Targets[0].Selected = nil
	if found := judged(t, &BlindSpot, v); len(found) > 0 {
		t.Errorf("settings as shipped hide something: %+v", found)
	}
}

// Refusals may be told by another input than the traffic: they are harm in the key's minutes all the same.
func TestHotPartitionWithRefusalsOfAnotherInput(t *testing.T) {
	for _, c := range []struct {
		name   string
		minute int
		want   string
	}{
		{"in its minutes", 2, "high certain"},
		{"none", -1, "medium certain"},
	} {
		v := aView(6, aTarget(ingest.Cassandra, 200, aKey("a", times(6, 200)...)))
		s := aRead(ingest.OpWrite, "", "", detect.ReadSize{}, nil)
		if c.minute >= 0 {
			var told detect.SelectedTotals
			told[detect.SelectedThrottle+detect.SelectedCounter(ingest.ThrottledTable)] = 1
			s.Series.Add(uint32(c.minute), &told)
		}
		v.Targets[0].Selected = []*detect.SelectedView{s}
		if got := level(judged(t, &HotPartition, v)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// The client's words of a read, which traces tell, are not those of the server, which its log tells; and a slow read
// may be warned of as well.
func TestReadsThatAreToldTwiceAreCountedOnce(t *testing.T) {
	traced := warned("k", 2, 1300, 0)
	traced.Shape, traced.Traced = "SELECT * FROM shop.jobs WHERE queue = ?", true
	scan := aRead(ingest.OpScan, "SELECT * FROM shop.jobs LIMIT 10", "", largest(2475, 190), counts{
		detect.SelectedRecords: 6, detect.SelectedWarned: 4, detect.SelectedSlow: 2})
	for _, c := range []struct {
		name, measure string
		rule          *detect.Rule
		view          *detect.View
		low, high     uint64
	}{
		{"a log and traces", "tombstones", &TombstoneDenseRead, complaining(ingest.Cassandra, warned("k", 6, 1300, 0), traced), 7800, 10_400},
		{"warnings and the slow log", "scans", &FullScan, complaining(ingest.Cassandra, scan), 4, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judged(t, c.rule, c.view)
			if len(found) != 1 {
				t.Fatalf("got %d findings, want one", len(found))
			}
			i := slices.IndexFunc(found[0].Evidence, func(e detect.Evidence) bool { return e.Measure == c.measure })
			if e := found[0].Evidence[i]; e.Low != detect.Whole(c.low) || e.High != detect.Whole(c.high) {
				t.Errorf("got %s of [%v, %v], want [%d, %d]", c.measure, e.Low, e.High, c.low, c.high)
			}
		})
	}
}
