package rules

import (
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// spread is traffic of other keys that keeps the share of a test's key under the floor.
const spread = 10_000

// perSecond gives a counted key with so many write units in each of these seconds, counted from start.
func perSecond(v *detect.View, k *detect.KeyView, units uint64, seconds ...int) {
	k.Exact = &detect.ExactKey{Positions: shown}
	for _, p := range v.Panes {
		k.Exact.Minutes = append(k.Exact.Minutes, uint32(p.Start))
	}
	k.Exact.Totals[detect.Requests] = k.Requests.Low
	for i, p := range k.Panes {
		k.Exact.Panes = append(k.Exact.Panes, detect.ExactPane{
			Start: uint32(v.Panes[i].Start), Requests: p.Requests.Low, ReadMilli: p.Reads.Low, WriteMilli: p.Writes.Low,
		})
	}
	for _, s := range seconds {
		k.Exact.Seconds = append(k.Exact.Seconds, detect.ExactSecond{Second: uint32(start + s), Requests: units, WriteMilli: units * 1000})
	}
	v.Second = true
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestHotPartitionRateBySeconds(t *testing.T) {
	keyRange := detect.PaneThrottle + detect.PaneCounter(ingest.ThrottledKeyRange)
	for _, c := range []struct {
		name    string
		units   uint64
		seconds []int
		change  func(v *detect.View)
		want    string
	}{
		{"three seconds of one minute at 1,000", 1000, []int{1, 20, 59}, nil, "high certain"},
		{"three seconds at 999", 999, []int{1, 20, 59}, nil, ""},
		{"two seconds of one minute", 5000, []int{1, 20}, nil, ""},
		{"three seconds across two minutes", 5000, []int{58, 59, 60}, nil, ""},
		{"60 of 300 seconds", 1000, upTo(60), nil, "critical certain"},
		{"59 of 300 seconds", 1000, upTo(59), nil, "high certain"},
		{"60 seconds in 301", 1000, append(upTo(59), 300), nil, "high certain"},
		{"with refusals for the key range in that minute", 1000, []int{1, 2, 3}, func(v *detect.View) { v.Targets[0].Panes[0].Totals[keyRange] = 1 }, "critical certain"},
		{"with refusals in another minute", 1000, []int{1, 2, 3}, func(v *detect.View) { v.Targets[0].Panes[1].Totals[keyRange] = 1 }, "high certain"},
		{"with refusals for the table's capacity", 1000, []int{1, 2, 3}, func(v *detect.View) { v.Targets[0].Panes[0].Totals[detect.PaneThrottle+3] = 1 }, "high certain"},
		{"of a sample at one in ten, 100 seen have 804 as lower bound", 100, []int{1, 2, 3}, func(v *detect.View) { v.Sampling = detect.Rate{Num: 1, Den: 10} }, ""},
		{"of a sample at one in ten, 125 seen have 1,030", 125, []int{1, 2, 3}, func(v *detect.View) { v.Sampling = detect.Rate{Num: 1, Den: 10} }, "high certain"},
		{"of a sample of unknown rate", 5000, []int{1, 2, 3}, func(v *detect.View) { v.Sampling = detect.Rate{Den: 1} }, ""},
		{"of Cassandra there is no limit", 5000, []int{1, 2, 3}, func(v *detect.View) { v.Targets[0].Target.Store = ingest.Cassandra }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := writing("a", times(6, 10)...)
			v := aView(6, aTarget(ingest.DynamoDB, spread, k))
			perSecond(v, k, c.units, c.seconds...)
			if c.change != nil {
				c.change(v)
			}
			if got := level(judged(t, &HotPartition, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSecondsThatWereNotCountedLeaveTheNumbersOpen(t *testing.T) {
	for _, c := range []struct {
		name       string
		left       uint64 // units of the minute that is not counted
		peak, long bool   // the bounds are open
	}{
		{"nothing is left", 0, false, false},
		{"what is left makes no second over the limit", 999, false, false},
		{"what is left makes a second over the limit, and none that is busier", 1500, false, true},
		{"what is left may make the busiest second", 1501, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := writing("a", times(6, 10)...)
			v := aView(6, aTarget(ingest.DynamoDB, spread, k))
			perSecond(v, k, 1500, 1, 2, 3)
			k.Exact.Panes = []detect.ExactPane{
				{Start: start, Requests: 4500, WriteMilli: 4_500_000},
				{Start: start + 60, Requests: c.left, WriteMilli: c.left * 1000},
			}
			found := judged(t, &HotPartition, v)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			open := map[string]bool{}
			for _, e := range found[0].Evidence {
				open[e.Measure] = e.Open
			}
			if open["write_units_per_second"] != c.peak || open["seconds_over_write_limit"] != c.long || strings.Contains(found[0].Message, "at least 3 seconds") != c.long {
				t.Errorf("open bounds: %v; %s", open, found[0].Message)
			}
		})
	}
}

func TestHotPartitionRateWithoutSeconds(t *testing.T) {
	peak := func(k *detect.KeyView, units uint64) *detect.KeyView {
		k.CostSecond = sketch.Peak{At: start + 5, N: 3 * units * 1000}
		return k
	}
	for _, c := range []struct {
		name string
		key  *detect.KeyView
		want string
	}{
		{"five minutes at half of the limit", writing("a", 500, 500, 500, 500, 500), "medium certain"},
		{"five minutes, one just under half", writing("a", 500, 500, 499, 500, 500), ""},
		{"four minutes at half", writing("a", 500, 500, 500, 500, 0), ""},
		{"the busiest second at the limit and a mean of half", peak(writing("a", 500, 0, 0, 0, 0), 1000), "high certain"},
		{"the busiest second just under the limit", peak(writing("a", 500, 0, 0, 0, 0), 999), ""},
		{"the busiest second at the limit and a mean under half", peak(writing("a", 499, 0, 0, 0, 0), 1000), ""},
		{"a minute's mean at the limit", writing("a", 0, 1000, 0, 0, 0), "critical certain"},
		{"a minute's mean just under the limit", writing("a", 0, 999, 0, 0, 0), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := aView(5, aTarget(ingest.DynamoDB, spread, c.key))
			if got := level(judged(t, &HotPartition, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHotPartitionWiderPanesCountWithTheirMean(t *testing.T) {
	k := writing("a", 500)
	k.Panes[0].Writes = exact(500 * 720 * 1000)
	v := aView(1, aTarget(ingest.DynamoDB, spread, k))
	v.Width, v.Panes[0].End = 720, v.Panes[0].Start+720
	if got := level(judged(t, &HotPartition, v)); got != "medium certain" {
		t.Errorf("twelve minutes at half of the limit: got %q", got)
	}
	k.Panes[0].Writes = exact(499 * 720 * 1000)
	if got := level(judged(t, &HotPartition, v)); got != "" {
		t.Errorf("twelve minutes at just under half: got %q", got)
	}
}

func TestHotPartitionMergesReadsAndWrites(t *testing.T) {
	k := writing("a", times(5, 600)...)
	for i := range k.Panes {
		k.Panes[i].Reads = exact(1500 * 60 * 1000)
	}
	v := aView(5, aTarget(ingest.DynamoDB, spread, k))
	v.Targets[0].Target.Index = "by-status"
	found := judged(t, &HotPartition, v)
	if level(found) != "medium certain" {
		t.Fatalf("got %q", level(found))
	}
	f := &found[0]
	if w, r := evidenceOf(f, "write_units_per_second_mean"), evidenceOf(f, "read_units_per_second_mean"); w != 600 || r != 1500 {
		t.Errorf("means %d, %d, want 600, 1500", w, r)
	}
	if f.Subject.Target.Index != "by-status" {
		t.Errorf("index %q", f.Subject.Target.Index)
	}
}

// The cost of a second is 3 x write + read; what reads can have had of it is at most what the pane has.
func TestBusySecondTakesOffTheOtherSide(t *testing.T) {
	p := &detect.KeyPane{Reads: exact(900_000), Writes: exact(5_000_000)}
	if got := writeSide.atLeast(3_900_000, p); got != 1_000_000 {
		t.Errorf("writes %d, want 1,000,000", got)
	}
	p = &detect.KeyPane{Reads: exact(9_000_000), Writes: exact(300_000)}
	if got := readSide.atLeast(3_900_000, p); got != 3_000_000 {
		t.Errorf("reads %d, want 3,000,000", got)
	}
}

func TestHotPartitionSaysWhetherASplitHelps(t *testing.T) {
	sorted := func(n int) *sketch.Distinct {
		d := sketch.NewDistinct(10)
		for i := range n {
			d.Add(sketch.Hash([]byte{byte(i), byte(i >> 8)}))
		}
		return d
	}
	for _, c := range []struct {
		name  string
		exact func(e *detect.ExactKey)
		want  string
	}{
		{"no sort keys", func(*detect.ExactKey) {}, "its sort keys are not known"},
		{"one item", func(e *detect.ExactKey) { e.SortKeys, e.SortKnown, e.TopSort = sorted(1), 1000, exact(1000) }, "it is one item, which"},
		{"one item over the limit", func(e *detect.ExactKey) { e.SortKeys, e.SortKnown, e.TopSort = sorted(500), 1000, exact(900) }, "one item that alone takes 1,800 WCU/s"},
		{"appended", func(e *detect.ExactKey) {
			e.SortKeys, e.SortKnown, e.TopSort, e.Ordered, e.Ascending = sorted(500), 1000, exact(5), 100, 90
		}, "90.0 % of its writes appended"},
		{"nearly appended", func(e *detect.ExactKey) {
			e.SortKeys, e.SortKnown, e.TopSort, e.Ordered, e.Ascending = sorted(500), 1000, exact(5), 1000, 899
		}, "can be helped by a split"},
		{"too few writes to tell their order", func(e *detect.ExactKey) {
			e.SortKeys, e.SortKnown, e.TopSort, e.Ordered, e.Ascending = sorted(500), 1000, exact(5), 99, 99
		}, "can be helped by a split"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := writing("a", times(6, 100)...)
			v := aView(6, aTarget(ingest.DynamoDB, spread, k))
			perSecond(v, k, 2000, 1, 2, 3)
			c.exact(k.Exact)
			found := judged(t, &HotPartition, v)
			if len(found) != 1 || !strings.Contains(found[0].Message, c.want) {
				t.Errorf("got %+v, want %q in it", found, c.want)
			}
		})
	}
}

func TestHotPartitionJudgesMinutesThatWereNotCounted(t *testing.T) {
	k := writing("a", 10, 10, 10, 1000, 10)
	v := aView(5, aTarget(ingest.DynamoDB, spread, k))
	perSecond(v, k, 10, 1, 2, 3)
	if got := level(judged(t, &HotPartition, v)); got != "" {
		t.Errorf("with all seconds counted and none over the limit: got %q", got)
	}
	k.Exact.Minutes = k.Exact.Minutes[:3]
	if got := level(judged(t, &HotPartition, v)); got != "critical certain" {
		t.Errorf("with the busiest minute not counted: got %q", got)
	}
}

func TestHotPartitionRateWithoutSecondsAndWithRefusals(t *testing.T) {
	keyRange := detect.PaneThrottle + detect.PaneCounter(ingest.ThrottledKeyRange)
	for _, c := range []struct {
		name   string
		minute int
		want   string
	}{
		{"in the minute of the busiest second", 1, "critical certain"},
		{"in the minute before", 0, "high certain"},
		{"in the minute after", 2, "high certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := writing("a", 0, 500, 0, 600, 0)
			k.CostSecond = sketch.Peak{At: start + 60, N: 3_000_000}
			v := aView(5, aTarget(ingest.DynamoDB, spread, k))
			v.Targets[0].Panes[c.minute].Totals[keyRange] = 7
			found := judged(t, &HotPartition, v)
			if got := level(found); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			if want := (detect.Span{Start: start + 60, End: start + 240}); found[0].Span != want {
				t.Errorf("span %v, want %v", found[0].Span, want)
			}
			if got := evidenceOf(&found[0], "throttled_key_range"); (got == 7) != (c.minute == 1) {
				t.Errorf("throttled_key_range %d", got)
			}
		})
	}
}
