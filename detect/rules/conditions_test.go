package rules

import (
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

const mib = 1 << 20

// measuring gives a table of which nothing is known but these states.
func measuring(store ingest.Store, states ...detect.StateStats) *detect.View {
	v := aView(1, &detect.TargetView{Target: detect.Target{Store: store, Table: "shop.events"}, States: states})
	v.Inputs = []detect.InputStats{{Coverage: ingest.StateOnly}}
	return v
}

func aState(m ingest.Measure, key string, n uint64) detect.StateStats {
	return detect.StateStats{Measure: m, Key: key, KeyKnown: key != "", Max: n, Count: 1, Source: ingest.SourcePartitions, Positions: shown}
}

func said(s detect.StateStats, limit uint64) detect.StateStats {
	s.Said, s.Limit, s.AtLeast, s.Source = true, limit, true, "compaction"
	return s
}

func from(s detect.StateStats, source string) detect.StateStats {
	s.Source = source
	return s
}

func TestLargePartition(t *testing.T) {
	bytes := func(n uint64) detect.StateStats { return aState(ingest.PartitionBytes, "k", n) }
	rows := func(n uint64) detect.StateStats { return aState(ingest.PartitionRows, "k", n) }
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"100 MiB", measuring(ingest.Cassandra, bytes(100*mib)), "low certain"},
		{"a byte less", measuring(ingest.Cassandra, bytes(100*mib-1)), ""},
		{"100,000 rows", measuring(ingest.Cassandra, rows(100_000)), "low certain"},
		{"99,999 rows", measuring(ingest.Cassandra, rows(99_999)), ""},
		{"256 MiB", measuring(ingest.Cassandra, bytes(256*mib)), "medium certain"},
		{"a byte less than 256 MiB", measuring(ingest.Cassandra, bytes(256*mib-1)), "low certain"},
		{"2 GiB", measuring(ingest.Cassandra, bytes(2048*mib)), "high certain"},
		{"Scylla under 1,000 MiB", measuring(ingest.Scylla, bytes(999*mib)), ""},
		{"Scylla at 1,000 MiB", measuring(ingest.Scylla, bytes(1000*mib)), "medium certain"},
		{"Scylla's own line at 1.2 MB: its rows", measuring(ingest.Scylla, said(aState(ingest.PartitionBytes, "", 1_200_031), 0)), "low certain"},
		{"a store that is not known is taken for Cassandra", measuring(ingest.StoreUnknown, bytes(100*mib)), "low certain"},
		{"the store's own line by a low limit", measuring(ingest.Cassandra, said(bytes(8*mib), 2*mib)), "low certain"},
		{"bytes and rows of one partition are one finding", measuring(ingest.Cassandra, bytes(300*mib), rows(200_000)), "medium certain"},
		{"two nodes' sizes are not added up", measuring(ingest.Cassandra, bytes(60*mib), from(bytes(70*mib), "other")), ""},
		{"a bucket that begins under the limit", measuring(ingest.Cassandra, from(bytes(107_964_792), ingest.SourceTableStats)), ""},
		{"a bucket that begins over it", measuring(ingest.Cassandra, from(bytes(129_557_750), ingest.SourceTableStats)), "low certain"},
		{"one without key beside a named one as bad", measuring(ingest.Cassandra, bytes(300*mib), aState(ingest.PartitionBytes, "", 300*mib)), "medium certain"},
		{"DynamoDB without local index", measuring(ingest.DynamoDB), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &LargePartition, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLargePartitionSaysWhichLimitFired(t *testing.T) {
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"rows", measuring(ingest.Cassandra, aState(ingest.PartitionRows, "k", 100_101)), "100,101 rows, over 100,000"},
		{"size", measuring(ingest.Cassandra, aState(ingest.PartitionBytes, "k", 300*mib)), "300.0 MiB, over 100.0 MiB"},
		{"a limit of its own", measuring(ingest.Cassandra, said(aState(ingest.PartitionBytes, "k", 8*mib), 2*mib)), "by a limit of 2.0 MiB that it was given"},
		{"at least", measuring(ingest.Cassandra, said(aState(ingest.PartitionBytes, "k", 300*mib), 0)), "at least so much"},
		{"no key", measuring(ingest.Cassandra, aState(ingest.PartitionBytes, "", 300*mib)), "which one is not told"},
	} {
		f := judged(t, &LargePartition, c.view)[0]
		if !strings.Contains(f.Message, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, f.Message, c.want)
		}
	}
	f := judged(t, &LargePartition, measuring(ingest.Cassandra, aState(ingest.PartitionBytes, "k", 9*mib), said(aState(ingest.PartitionBytes, "k", 8*mib), 2*mib)))[0]
	if got := evidenceOf(&f, "reported_partition_bytes"); got != 8*mib {
		t.Errorf("reported bytes: got %d, want those of the store's own line", got)
	}
}

func TestLargeItemCollections(t *testing.T) {
	const gib = 1 << 30
	stored := func(low, high uint64, facts ...detect.FactStats) *detect.View {
		v := measuring(ingest.DynamoDB)
		v.Targets[0].Stored.Collections = []detect.Collection{{Key: []byte("TENANT#1"), Bytes: detect.Range{Low: low, High: high}, Items: exact(9), At: shown}}
		v.Facts = facts
		return v
	}
	local := detect.FactStats{Target: detect.Target{Store: ingest.DynamoDB, Table: "shop.events"}, Name: ingest.FactLocalIndex, Value: "byDate"}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"8 GiB under a local index", stored(8*gib, 8*gib, local), "high certain"},
		{"a byte less", stored(8*gib-1, 8*gib-1, local), ""},
		{"8 GiB that may be less", stored(8*gib-1, 9*gib, local), ""},
		{"9.5 GiB", stored(9728*mib, 9728*mib, local), "critical certain"},
		{"8 GiB without a local index", stored(8*gib, 8*gib), ""},
		{"10 GiB without one", stored(10*gib, 10*gib), "low certain"},
		{"the store tells 8 GiB, which it does under a local index only", measuring(ingest.DynamoDB, aState(ingest.PartitionBytes, "TENANT#1", 8*gib)), "high certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &LargePartition, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLargeItem(t *testing.T) {
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"an item of 320 KiB", measuring(ingest.DynamoDB, aState(ingest.ItemBytes, "k", 320<<10)), "medium certain"},
		{"a byte less", measuring(ingest.DynamoDB, aState(ingest.ItemBytes, "k", 320<<10-1)), ""},
		{"an item of 380 KiB", measuring(ingest.DynamoDB, aState(ingest.ItemBytes, "k", 380<<10)), "high certain"},
		{"a cell of 12.8 MiB in Cassandra", measuring(ingest.Cassandra, aState(ingest.CellBytes, "k", 13_421_773)), "medium certain"},
		{"a cell of 1 MiB in Cassandra", measuring(ingest.Cassandra, aState(ingest.CellBytes, "k", mib)), ""},
		{"a cell of 1 MiB in Scylla", measuring(ingest.Scylla, aState(ingest.CellBytes, "k", mib)), "low certain"},
		{"a row of 10 MiB in Scylla", measuring(ingest.Scylla, aState(ingest.RowBytes, "k", 10*mib)), "low certain"},
		{"a row of less", measuring(ingest.Scylla, aState(ingest.RowBytes, "k", 10*mib-1)), ""},
		{"the store's own line on few elements", measuring(ingest.Cassandra, said(aState(ingest.CollectionItems, "k", 1200), 1000)), "low certain"},
		{"row and cell of one key are one finding", measuring(ingest.Scylla, aState(ingest.RowBytes, "k", 20*mib), aState(ingest.CellBytes, "k", 20*mib)), "low certain"},
		{"a partition is no item", measuring(ingest.Scylla, aState(ingest.PartitionBytes, "k", 20*mib)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &LargeItem, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTombstonePartition(t *testing.T) {
	tombs := func(n, rows uint64) detect.StateStats {
		s := aState(ingest.PartitionTombstones, "k", n)
		s.Kinds.Rows = rows
		return s
	}
	read := measuring(ingest.Cassandra, tombs(5000, 5000))
	read.Targets[0].Selected = []*detect.SelectedView{warned("k", 1, 2000, 1)}
	other := measuring(ingest.Cassandra, tombs(5000, 5000))
	other.Targets[0].Selected = []*detect.SelectedView{warned("another", 1, 2000, 1)}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"1,000, half as many as rows", measuring(ingest.Cassandra, tombs(1000, 2000)), "low certain"},
		{"999", measuring(ingest.Cassandra, tombs(999, 999)), ""},
		{"less than half as many as rows", measuring(ingest.Cassandra, tombs(1000, 2001)), ""},
		{"rows told by the same statement", measuring(ingest.Cassandra, tombs(1000, 0), aState(ingest.PartitionRows, "k", 2001)), ""},
		{"10,000", measuring(ingest.Cassandra, tombs(10_000, 10_000)), "medium certain"},
		{"100,000", measuring(ingest.Cassandra, tombs(100_000, 100_000)), "high certain"},
		{"100,000 and rows that are not known", measuring(ingest.Cassandra, tombs(100_000, 0)), "medium certain"},
		{"the store's own line", measuring(ingest.Cassandra, said(tombs(100, 5000), 50)), "low certain"},
		{"a key whose reads are dense", read, ""},
		{"another key's reads are dense", other, "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &TombstonePartition, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// daily gives a partition with one size a day.
func daily(sizes ...uint64) detect.StateStats {
	s := aState(ingest.PartitionBytes, "k", 0)
	for i, n := range sizes {
		s.Days = append(s.Days, detect.DayMax{Day: 20600 + uint32(i), Value: n})
		s.Max = max(s.Max, n)
	}
	s.First, s.Last = 20600*86400*1e9, int64(20600+len(sizes)-1)*86400*1e9
	return s
}

func TestGrowingPartition(t *testing.T) {
	merging := daily(60*mib, 70*mib, 80*mib)
	merging.AtLeast = true
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"10 MiB a day, 2 days from the limit", measuring(ingest.Cassandra, daily(60*mib, 70*mib, 80*mib)), "medium certain"},
		{"5 MiB a day, 14 days from the limit", measuring(ingest.Cassandra, daily(20*mib, 25*mib, 30*mib)), "medium certain"},
		{"5 MiB a day, 15 days", measuring(ingest.Cassandra, daily(15*mib, 20*mib, 25*mib)), "low certain"},
		{"5.5 MiB a day, 130 days from the limit", measuring(ingest.Scylla, daily(274*mib, 279*mib+mib/2, 285*mib)), ""},
		{"two days", measuring(ingest.Cassandra, daily(60*mib, 80*mib)), ""},
		{"9 MiB in all", measuring(ingest.Cassandra, daily(70*mib, 75*mib, 79*mib)), ""},
		{"under 10 %", measuring(ingest.Scylla, daily(800*mib, 840*mib, 879*mib)), ""},
		{"up and down", measuring(ingest.Cassandra, daily(60*mib, 90*mib, 61*mib, 75*mib)), ""},
		{"shrinking", measuring(ingest.Cassandra, daily(90*mib, 80*mib, 70*mib)), ""},
		{"tops of histogram buckets", measuring(ingest.Cassandra, from(daily(60*mib, 70*mib, 80*mib), ingest.SourceTableStats)), ""},
		{"SSTables that merge", measuring(ingest.Cassandra, merging), ""},
		{"over the first limit, near the next", measuring(ingest.Cassandra, daily(200*mib, 220*mib, 240*mib)), "medium certain"},
		{"over all limits", measuring(ingest.Cassandra, daily(3000*mib, 3500*mib, 4000*mib)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &GrowingPartition, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := missing(&GrowingPartition, measuring(ingest.Cassandra, aState(ingest.PartitionBytes, "k", mib))); len(got) != 1 || got[0] != "sizes_over_time" {
		t.Errorf("one size alone: missing %v, want sizes_over_time", got)
	}
}

// Least squares by hand: slope 94/10, SSE 32.4 of 3 degrees of freedom, t 3.182.
func TestGrowthIntervals(t *testing.T) {
	g := growthOf(daily(10, 23, 27, 43, 47).Days)
	if got, want := [3]int{int(g.slope * 1000), int(g.low * 1000), int(g.high * 1000)}, [3]int{9400, 6093, 12706}; got != want {
		t.Errorf("slope and interval in thousandths: got %v, want %v", got, want)
	}
}

func TestPurgeBlocked(t *testing.T) {
	table := detect.Target{Store: ingest.Cassandra, Table: "shop.events"}
	grace := detect.FactStats{Target: table, Name: ingest.FactGCGrace, Value: "864000"}
	points := func(facts []detect.FactStats, list ...detect.PointStats) *detect.View {
		v := measuring(ingest.Cassandra)
		v.Points, v.Facts = list, facts
		return v
	}
	series := func(name string, values ...detect.PointValue) detect.PointStats {
		return detect.PointStats{Target: table, Name: name, Stat: "reading", Values: values, First: shown[0]}
	}
	told := []detect.FactStats{grace}
	once := func(ratio, bytes uint64, age uint32) *detect.View {
		return points(told,
			series(ingest.PointSSTableDroppable, detect.PointValue{Unix: 1000, Seconds: age, Milli: ratio}),
			series(ingest.PointSSTableBytes, detect.PointValue{Unix: 1000, Seconds: age, Milli: bytes * 1000}))
	}
	twice := func(a, b uint64, apart uint32) *detect.View {
		return points(told, series(ingest.PointDroppable, detect.PointValue{Unix: 1000, Milli: a}, detect.PointValue{Unix: 1000 + apart, Milli: b}))
	}
	dense := once(500, 50*mib, 950_401)
	dense.Targets[0].Selected = []*detect.SelectedView{warned("k", 1, 2000, 1)}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"half of a large old SSTable", once(500, 50*mib, 950_401), "low certain"},
		{"less than half", once(499, 50*mib, 950_401), ""},
		{"a small SSTable", once(500, 50*mib-1, 950_401), ""},
		{"not a day older than gc grace", once(500, 50*mib, 950_400), ""},
		{"a ratio over 1", once(1001, 50*mib, 950_401), ""},
		{"reads are dense too", dense, "medium certain"},
		{"three tenths twice, more than gc grace apart", twice(300, 300, 864_001), "low certain"},
		{"gc grace apart", twice(300, 300, 864_000), ""},
		{"lower at first", twice(299, 300, 864_001), ""},
		{"gc grace is not known", points(nil, series(ingest.PointDroppable, detect.PointValue{Unix: 1000, Milli: 500})), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &PurgeBlocked, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := missing(&PurgeBlocked, points(nil, series(ingest.PointDroppable, detect.PointValue{Unix: 1000, Milli: 500}))); len(got) != 1 || got[0] != "gc_grace_seconds" {
		t.Errorf("missing %v, want gc_grace_seconds", got)
	}
}

func TestLowCardinalityOfPartitionEstimates(t *testing.T) {
	estimated := func(largest uint64, each ...uint64) *detect.View {
		v := measuring(ingest.Cassandra, aState(ingest.PartitionBytes, "", largest))
		for i, n := range each {
			v.Points = append(v.Points, detect.PointStats{
				Target: v.Targets[0].Target, Node: string(rune('a' + i)), Name: ingest.PointPartitions, Stat: "reading",
				Values: []detect.PointValue{{Milli: n * 1000}}, First: shown[0],
			})
		}
		return v
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"20 partitions, one of 100 MiB", estimated(100*mib, 12, 8), "low certain"},
		{"21 on two nodes", estimated(100*mib, 12, 9), ""},
		{"small ones", estimated(100*mib-1, 3), ""},
		{"not told how many", estimated(100 * mib), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &LowCardinalityKey, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTombstoneDenseReadOfStatistics(t *testing.T) {
	told := func(maximum, average, rows uint64) *detect.View {
		v := measuring(ingest.Cassandra)
		for _, p := range []struct {
			name, stat string
			n          uint64
		}{{ingest.PointTombstonesPerRead, "maximum", maximum}, {ingest.PointTombstonesPerRead, "average", average}, {ingest.PointRowsPerRead, "average", rows}} {
			v.Points = append(v.Points, detect.PointStats{
				Target: v.Targets[0].Target, Name: p.name, Stat: p.stat, Values: []detect.PointValue{{Milli: p.n * 1000}}, First: shown[0]})
		}
		return v
	}
	few := told(200, 100, 25)
	few.Points = append(few.Points, detect.PointStats{Target: few.Targets[0].Target, Name: ingest.PointTombstonesPerRead, Stat: "count", Values: []detect.PointValue{{Milli: 2000}}})
	system := told(3000, 100, 1)
	system.Targets[0].Target.Table = "system.paxos"
	for i := range system.Points {
		system.Points[i].Target.Table = "system.paxos"
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"100 on average, four a live row", told(200, 100, 25), "low certain"},
		{"100 on average of two reads", few, ""},
		{"99 on average", told(200, 99, 1), ""},
		{"under four a live row", told(200, 100, 26), ""},
		{"a maximum of 1,200, a quarter on average", told(1200, 10, 30), "low certain"},
		{"the edge of whose bucket is under 1,000", told(1109, 10, 1), ""},
		{"less than a quarter on average", told(1200, 10, 31), ""},
		{"a maximum of 12,000", told(12_000, 10, 1), "medium certain"},
		{"a maximum whose bucket begins under 50,000", told(51_012, 10, 1), "medium certain"},
		{"a maximum of 70,000", told(70_000, 10, 1), "high certain"},
		{"a table of the system", system, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &TombstoneDenseRead, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for _, e := range judged(t, &TombstoneDenseRead, told(2759, 2376, 25))[0].Evidence {
		// 62 reads of 2,460 and 10 of none are 2,118 on average, which a server showed as 2,376.
		if e.Measure == "tombstones_per_read" && (e.Low > detect.Whole(2118) || e.High < detect.Whole(2118)) {
			t.Errorf("got an average in [%v, %v], which leaves 2,118 out", e.Low, e.High)
		}
	}
}

// cloudWatch gives sums by the minute of metrics of a table or index, from start on.
func cloudWatch(index string, metrics map[string][]uint64) *detect.View {
	v := &detect.View{Limits: detect.DefaultLimits()}
	for name, values := range metrics {
		p := detect.PointStats{Target: detect.Target{Store: ingest.DynamoDB, Table: "orders", Index: index}, Name: name, Stat: "sum", First: shown[0]}
		for i, n := range values {
			p.Values = append(p.Values, detect.PointValue{Unix: start + uint32(60*i), Seconds: 60, Milli: n * 1000})
		}
		v.Points = append(v.Points, p)
	}
	return v
}

func TestThrottlingOfMetrics(t *testing.T) {
	const refused, used = "WriteThrottleEvents", "ConsumedWriteCapacityUnits"
	for _, c := range []struct {
		name    string
		metrics map[string][]uint64
		want    string
	}{
		{"none", map[string][]uint64{refused: {0, 0}, used: {900, 900}}, ""},
		{"one", map[string][]uint64{refused: {1}}, "low certain"},
		{"100 in ten minutes", map[string][]uint64{refused: {50, 0, 0, 0, 0, 0, 0, 0, 0, 50}}, "medium certain"},
		{"100 in eleven minutes", map[string][]uint64{refused: {50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50}}, "low certain"},
		{"five successive minutes", map[string][]uint64{refused: {1, 1, 1, 1, 1}}, "medium certain"},
		{"5 % for five minutes, over before the last third", map[string][]uint64{refused: {50, 50, 50, 50, 50}, used: times(60, 950)}, "medium certain"},
		{"5 % for five minutes, still on", map[string][]uint64{refused: {0, 50, 50, 50, 50, 50}, used: times(6, 950)}, "high certain"},
		{"under 5 %", map[string][]uint64{refused: {0, 50, 50, 50, 50, 50}, used: times(6, 951)}, "medium certain"},
		{"the reasons alone", map[string][]uint64{"WriteKeyRangeThroughputThrottleEvents": {7}}, "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &Throttling, cloudWatch("", c.metrics))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	f := judged(t, &Throttling, cloudWatch("", map[string][]uint64{refused: {40}, "ThrottledRequests": {9}, "WriteKeyRangeThroughputThrottleEvents": {30}}))[0]
	if evidenceOf(&f, "throttled_requests") != 40 || evidenceOf(&f, "throttled_key_range") != 30 {
		t.Errorf("metrics of the same refusals are added up: %+v", f.Evidence)
	}
}

func TestHotIndexOfMetrics(t *testing.T) {
	for _, c := range []struct {
		name, index string
		refused     uint64
		minutes     int
		want        string
	}{
		{"1 % for five minutes", "byStatus", 10, 5, "medium certain"},
		{"under 1 %", "byStatus", 9, 5, ""},
		{"four minutes", "byStatus", 10, 4, ""},
		{"the table itself", "", 10, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := cloudWatch(c.index, map[string][]uint64{"WriteThrottleEvents": times(c.minutes, c.refused), "ConsumedWriteCapacityUnits": times(5, 990)})
			if got := level(judged(t, &HotIndex, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Answers of CloudWatch name no table; the queries, in another input, do.
func TestMetricsFindTheirTableByTheirQuery(t *testing.T) {
	v := &detect.View{Limits: detect.DefaultLimits()}
	table := detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	v.Points = []detect.PointStats{{Target: detect.Target{Store: ingest.DynamoDB}, Node: "m4", Name: "WriteThrottleEvents", Stat: "sum",
		Values: []detect.PointValue{{Unix: start, Seconds: 60, Milli: 7000}}, First: shown[0]}}
	v.Facts = []detect.FactStats{
		{Target: table, Node: "m4", Name: ingest.FactMetricQuery, Value: "WriteThrottleEvents sum 60 "},
		{Target: detect.Target{Store: ingest.DynamoDB, Table: "other"}, Node: "m5", Name: ingest.FactMetricQuery, Value: "WriteThrottleEvents sum 60 "},
	}
	found := judged(t, &Throttling, v)
	if len(found) != 1 || found[0].Subject.Target != table {
		t.Errorf("got %+v, want a finding of the table", found)
	}
}

// No limit may make the rules about selected records and conditions fail or run on.
func TestConditionRulesStandAnyLimit(t *testing.T) {
	for _, value := range []detect.Milli{0, 1, 999, 1000, ^detect.Milli(0)} {
		v := measuring(ingest.Scylla, daily(60*mib, 70*mib, 80*mib), aState(ingest.PartitionTombstones, "k", 5000), aState(ingest.CellBytes, "k", 5*mib))
		v.Targets[0].Selected = []*detect.SelectedView{warned("k", 3, 2000, 1)}
		v.Targets[0].Windows = []detect.SamplerWindow{{Keys: []detect.SampledKey{{Key: []byte("a"), Requests: 9}, {Key: []byte("b")}, {Key: []byte("c")}}}}
		v.Points = append(cloudWatch("byStatus", map[string][]uint64{"WriteThrottleEvents": {9}, "ConsumedWriteCapacityUnits": {9}}).Points,
			detect.PointStats{Target: v.Targets[0].Target, Name: ingest.PointDroppable, Values: []detect.PointValue{{Unix: 9, Milli: 500}}})
		v.Facts = []detect.FactStats{{Target: v.Targets[0].Target, Name: ingest.FactGCGrace, Value: "1"}}
		values := map[string]detect.Milli{}
		for _, l := range detect.DefaultLimits().All() {
			values[l.Name] = value
		}
		if err := v.Limits.Override(values); err != nil {
			t.Fatal(err)
		}
		detect.Judge(v, Catalogue(), nil)
	}
}
