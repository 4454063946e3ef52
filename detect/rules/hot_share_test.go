package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

func TestHotPartitionShare(t *testing.T) {
	for _, c := range []struct {
		name string
		view func() *detect.View
		want string
	}{
		{"a key with 30 of 100 requests is low", func() *detect.View {
			return aView(1, aTarget(ingest.Cassandra, 70, aKey("a", 30)))
		}, "low certain"},
		{"29 requests of a key are too few", func() *detect.View {
			return aView(1, aTarget(ingest.Cassandra, 71, aKey("a", 29)))
		}, ""},
		{"99 requests of a table are too few", func() *detect.View {
			return aView(1, aTarget(ingest.Cassandra, 69, aKey("a", 30)))
		}, ""},
		{"a share of 20 % is enough", func() *detect.View {
			return aView(10, aTarget(ingest.Cassandra, 80, aKey("a", times(10, 20)...)))
		}, "low certain"},
		{"a share just under 20 % is not", func() *detect.View {
			return aView(10, aTarget(ingest.Cassandra, 801, aKey("a", times(10, 200)...)))
		}, ""},
		{"three times an even share is needed: 30 % of ten keys", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 70, aKey("a", 30))
			tv.Distinct.Low, tv.Panes[0].Distinct.Low = 10, 10
			return aView(1, tv)
		}, "low certain"},
		{"29.9 % of ten keys are less than three times an even share", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 701, aKey("a", 299))
			tv.Distinct.Low, tv.Panes[0].Distinct.Low = 10, 10
			return aView(1, tv)
		}, ""},
		{"1,000 requests are medium", func() *detect.View {
			return aView(10, aTarget(ingest.Cassandra, 200, aKey("a", times(10, 100)...)))
		}, "medium certain"},
		{"999 requests are low", func() *detect.View {
			return aView(10, aTarget(ingest.Cassandra, 200, aKey("a", append(times(9, 100), 99)...)))
		}, "low certain"},
		{"five minutes in a row are judged like the input", func() *detect.View {
			return aView(60, aTarget(ingest.Cassandra, 80, aKey("a", append(times(5, 20), times(55, 0)...)...)))
		}, "low certain"},
		{"four minutes in a row with 24 % are thinned by the fifth", func() *detect.View {
			return aView(60, aTarget(ingest.Cassandra, 80, aKey("a", append(times(4, 24), times(56, 0)...)...)))
		}, ""},
		{"a gap breaks the row", func() *detect.View {
			v := aView(60, aTarget(ingest.Cassandra, 80, aKey("a", append(times(5, 20), times(55, 0)...)...)))
			for i := range v.Panes[2:] {
				v.Panes[2+i].Start, v.Panes[2+i].End = v.Panes[2+i].Start+60, v.Panes[2+i].End+60
			}
			return v
		}, ""},
		{"an upper bound reaches no floor", func() *detect.View {
			k := aKey("a", 30)
			k.Requests = detect.Range{Low: 10, High: 60}
			k.Panes[0].Requests = k.Requests
			return aView(1, aTarget(ingest.Cassandra, 70, k))
		}, ""},
		{"without a position it is possible", func() *detect.View {
			k := aKey("a", 30)
			k.Positions = nil
			return aView(1, aTarget(ingest.Cassandra, 70, k))
		}, "low possible"},
		{"even traffic is quiet", func() *detect.View {
			return aView(10, aTarget(ingest.Cassandra, 900, aKey("a", times(10, 50)...), aKey("b", times(10, 50)...)))
		}, ""},
		{"selected records have no shares", func() *detect.View {
			v := aView(1, aTarget(ingest.Cassandra, 0, aKey("a", 5000)))
			v.Inputs = []detect.InputStats{{Coverage: ingest.Selected}}
			return v
		}, ""},
		{"a sample needs 15 % with Wilson's bound: 50 of 250 have 15.5", func() *detect.View {
			v := aView(1, aTarget(ingest.Cassandra, 200, aKey("a", 50)))
			v.Sampling = detect.Rate{Num: 1, Den: 100}
			return v
		}, "low certain"},
		{"30 of 150 have 14.4", func() *detect.View {
			v := aView(1, aTarget(ingest.Cassandra, 120, aKey("a", 30)))
			v.Sampling = detect.Rate{Num: 1, Den: 100}
			return v
		}, ""},
		{"a sample of unknown rate has shares", func() *detect.View {
			v := aView(1, aTarget(ingest.Cassandra, 200, aKey("a", 50)))
			v.Sampling = detect.Rate{Num: 0, Den: 1}
			return v
		}, "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &HotPartition, c.view())); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSharesOfTracesHaveTheBoundsOfTheSampleThatTheyAre(t *testing.T) {
	v := aView(1, aTarget(ingest.Cassandra, 200, aKey("a", 50)))
	v.Targets[0].Told = 1 << ingest.Traces
	v.Facts = []detect.FactStats{{Name: ingest.FactTraceProbability, Node: "10.0.0.1", Value: "0.01"}}
	found := judged(t, &HotPartition, v)
	if len(found) != 1 {
		t.Fatalf("got %d findings, want one", len(found))
	}
	for _, want := range []detect.Evidence{
		{Measure: "share", Value: 200, Low: 155, High: 254},
		{Measure: "scaled_requests", Value: detect.Whole(5000), Low: detect.Whole(3600), High: detect.Whole(6400)},
	} {
		i := slices.IndexFunc(found[0].Evidence, func(e detect.Evidence) bool { return e.Measure == want.Measure })
		if e := found[0].Evidence[i]; e.Value != want.Value || e.Low != want.Low || e.High != want.High {
			t.Errorf("got %s of %v [%v, %v], want %v [%v, %v]", e.Measure, e.Value, e.Low, e.High, want.Value, want.Low, want.High)
		}
	}
}

func TestHotPartitionShareIsHighOnlyWithHarm(t *testing.T) {
	base := func() *detect.View {
		return aView(10, aTarget(ingest.Cassandra, 200, aKey("a", times(10, 100)...)))
	}
	counted := func(v *detect.View) *detect.ExactKey {
		k := v.Targets[0].Keys[0]
		k.Exact = &detect.ExactKey{Latency: &sketch.Histogram{}, Positions: shown}
		for i, p := range k.Panes {
			k.Exact.Panes = append(k.Exact.Panes, detect.ExactPane{Start: uint32(v.Panes[i].Start), Requests: p.Requests.Low})
			k.Exact.Totals[detect.Requests] += p.Requests.Low
		}
		return k.Exact
	}
	for _, c := range []struct {
		name string
		harm func(v *detect.View)
		want string
	}{
		{"no harm", func(*detect.View) {}, "medium certain"},
		{"its table refused a request", func(v *detect.View) { v.Targets[0].Panes[3].Totals[detect.PaneThrottle+1] = 1 }, "high certain"},
		{"it timed out once", func(v *detect.View) { counted(v).Panes[2].Failed = 1 }, "high certain"},
		{"its p99 is three times the table's", func(v *detect.View) {
			counted(v).Latency.Add(3000, 100)
			v.Targets[0].Latency.Add(900, 1000)
		}, "high certain"},
		{"its p99 is just under three times the table's", func(v *detect.View) {
			counted(v).Latency.Add(2999, 100)
			v.Targets[0].Latency.Add(1024, 1000)
		}, "medium certain"},
		{"its p99 is twice the table's", func(v *detect.View) {
			counted(v).Latency.Add(2000, 100)
			v.Targets[0].Latency.Add(1000, 1000)
		}, "medium certain"},
		{"half a minute at most is medium", func(v *detect.View) {
			v.Targets[0].Panes[3].Totals[detect.PaneThrottle+1] = 1
			v.Targets[0].Span.End = v.Targets[0].Span.Start + 30
		}, "medium certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := base()
			c.harm(v)
			if got := level(judged(t, &HotPartition, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHotPartitionShareWithBusyReplicas(t *testing.T) {
	for _, c := range []struct {
		name  string
		rate  uint64
		other uint64
		want  string
	}{
		{"1,000 a second and replicas 1.5 times as busy", 60_000, 40_000, "high certain"},
		{"999 a second", 59_940, 1_000, "medium certain"},
		{"replicas 1.49 times as busy", 60_000, 40_200, "medium certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := aView(1, aTarget(ingest.Cassandra, 60_000, aKey("a", c.rate)))
			k := v.Targets[0].Keys[0]
			k.Exact = &detect.ExactKey{Positions: shown, Nodes: []detect.NodeCount{{Node: "n1", Requests: c.rate}}}
			k.Exact.Totals[detect.Requests] = c.rate
			v.Nodes = []detect.NodeView{
				{Name: "n1", Requests: []uint64{60_000}}, {Name: "n2", Requests: []uint64{c.other}}, {Name: "n3", Requests: []uint64{c.other}},
			}
			if got := level(judged(t, &HotPartition, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHotPartitionSaysWhenItBegan(t *testing.T) {
	v := aView(60, aTarget(ingest.Cassandra, 80, aKey("a", append(times(50, 0), times(10, 120)...)...)))
	// All the input is 24 % of the key, so look at a table in which it is less.
	for i := range v.Targets[0].Panes[:50] {
		v.Targets[0].Panes[i].Totals[detect.PaneRequests] = 800
	}
	v.Targets[0].Totals[detect.Requests] = 42_000
	found := judged(t, &HotPartition, v)
	if len(found) != 1 {
		t.Fatalf("got %d findings, want 1", len(found))
	}
	want := detect.Span{Start: start + 50*60, End: start + 60*60}
	if diff := cmp.Diff(found[0].Span, want); diff != "" {
		t.Errorf("span (-got +want):\n%s", diff)
	}
	if want := "one key takes 60.0 % of 2,000 requests within 10 minutes"; found[0].Message != want {
		t.Errorf("message %q, want %q", found[0].Message, want)
	}
}

func TestHotPartitionShowsTenKeysOfATable(t *testing.T) {
	keys := []*detect.KeyView{}
	for i := range 12 {
		perPane := times(60, 0)
		for j := range 5 {
			perPane[5*i+j] = uint64(100 + i)
		}
		keys = append(keys, aKey(strings.Repeat("k", i+1), perPane...))
	}
	found := judged(t, &HotPartition, aView(60, aTarget(ingest.Cassandra, 80, keys...)))
	if len(found) != maxHotKeys || string(found[0].Subject.Key) != strings.Repeat("k", 12) {
		t.Errorf("got %d findings, first of %q", len(found), found[0].Subject.Key)
	}
}

func TestHotPartitionSaysWhatItCouldNotJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		view func() *detect.View
		want []string
	}{
		{"nothing is missing of exact counts", func() *detect.View {
			return aView(1, aTarget(ingest.Cassandra, 90, aKey("a", 10)))
		}, []string{}},
		{"a key may have been crowded out", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 90, aKey("a", 10))
			tv.Untold.Requests = 30
			return aView(1, tv)
		}, []string{"keys"}},
		{"bounds too wide", func() *detect.View {
			k := aKey("a", 30)
			k.Requests = detect.Range{Low: 10, High: 60}
			return aView(1, aTarget(ingest.Cassandra, 70, k))
		}, []string{"exact_counts"}},
		{"no times", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 90, aKey("a", 10))
			tv.Totals[detect.Untimed] = 100
			return aView(1, tv)
		}, []string{"time"}},
		{"no keys", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 90, aKey("a", 10))
			tv.Totals[detect.KeyUnknown] = 20
			return aView(1, tv)
		}, []string{"key"}},
		{"a few requests ask for nothing", func() *detect.View {
			tv := aTarget(ingest.Cassandra, 10, aKey("a", 10))
			tv.Totals[detect.Untimed] = 20
			return aView(1, tv)
		}, []string{}},
		{"no units of DynamoDB", func() *detect.View {
			tv := aTarget(ingest.DynamoDB, 90, aKey("a", 10))
			tv.Totals[detect.UnitsKnown] = 0
			return aView(1, tv)
		}, []string{"read_units", "write_units"}},
		{"a hot key of DynamoDB without a second pass", func() *detect.View {
			return aView(1, aTarget(ingest.DynamoDB, 50, aKey("a", 50)))
		}, []string{"second_pass", "sort_keys"}},
		{"a key at half of a limit may have been crowded out of five minutes", func() *detect.View {
			tv := aTarget(ingest.DynamoDB, 90, aKey("a", times(5, 1)...))
			for i := range tv.Panes {
				tv.Panes[i].Untold.Cost = 1500 * 60 * 1000
			}
			return aView(5, tv)
		}, []string{"keys_of_minutes"}},
		{"what was crowded out is under half of a limit in one of five minutes", func() *detect.View {
			tv := aTarget(ingest.DynamoDB, 90, aKey("a", times(5, 1)...))
			for i := range tv.Panes {
				tv.Panes[i].Untold.Cost = 1500 * 60 * 1000
			}
			tv.Panes[2].Untold.Cost -= 60 * 1000
			return aView(5, tv)
		}, []string{}},
		{"a second over the limit that was not counted", func() *detect.View {
			k := aKey("a", 10)
			k.Panes[0].Writes = exact(1_000_000)
			k.CostSecond = sketch.Peak{At: start, N: 3_000_000}
			return aView(1, aTarget(ingest.DynamoDB, 90, k))
		}, []string{"second_pass"}},
		{"a sampling rate that is not known", func() *detect.View {
			v := aView(1, aTarget(ingest.DynamoDB, 90, aKey("a", 10)))
			v.Sampling = detect.Rate{Den: 1}
			return v
		}, []string{"sample_rate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(missing(&HotPartition, c.view()), c.want); diff != "" {
				t.Errorf("missing (-got +want):\n%s", diff)
			}
		})
	}
}

func TestHotPartitionShareNearALimitIsHigh(t *testing.T) {
	for _, c := range []struct {
		name  string
		units uint64
		want  string
	}{
		{"a minute at half of the limit is harm", 500, "high certain"},
		{"a minute just under half is none", 499, "medium certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := aKey("a", times(10, 100)...)
			k.Panes[4].Writes = exact(c.units * 60 * 1000)
			v := aView(10, aTarget(ingest.DynamoDB, 200, k))
			if got := level(judged(t, &HotPartition, v)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Harm in minutes in which the key has not its share is not the key's.
func TestHotPartitionShareTakesHarmOfItsMinutesOnly(t *testing.T) {
	for minute, want := range map[int]string{4: "high certain", 5: "medium certain"} {
		v := aView(10, aTarget(ingest.Cassandra, 200, aKey("a", append(times(5, 220), times(5, 10)...)...)))
		v.Targets[0].Panes[minute].Totals[detect.PaneThrottle+1] = 9
		if got := level(judged(t, &HotPartition, v)); got != want {
			t.Errorf("refusals in minute %d: got %q, want %q", minute, got, want)
		}
	}
}
