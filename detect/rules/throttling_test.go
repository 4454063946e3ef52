package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// refusing gives a table with refused requests for the key range in each pane, of so many requests a pane.
func refusing(minutes int, of uint64, refused ...uint64) *detect.View {
	t := aTarget(ingest.DynamoDB, of, aKey("a", times(minutes, 0)...))
	for i, n := range refused {
		t.Panes[i].Totals[detect.PaneThrottle+detect.PaneCounter(ingest.ThrottledKeyRange)] = n
		t.Totals[detect.Throttle+detect.Counter(ingest.ThrottledKeyRange)] += n
	}
	return aView(minutes, t)
}

func TestThrottling(t *testing.T) {
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"none is quiet", refusing(60, 1000), ""},
		{"one", refusing(60, 1000, 1), "low possible"},
		{"100 within ten minutes", refusing(60, 10_000, 50, 0, 0, 0, 0, 0, 0, 0, 0, 50), "medium possible"},
		{"100 within eleven minutes", refusing(60, 10_000, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50), "low possible"},
		{"five successive minutes", refusing(60, 10_000, 1, 1, 1, 1, 1), "medium possible"},
		{"four successive minutes", refusing(60, 10_000, 1, 1, 1, 1, 0, 1), "low possible"},
		{"1 % of 1,000 requests", refusing(60, 20, 6, 0, 6), "medium possible"},
		{"1 % of 960 requests", refusing(60, 16, 5, 0, 5), "low possible"},
		{"0.9 % of 6,000 requests", refusing(60, 100, 27, 0, 27), "low possible"},
		{"5 % for five minutes, over before the last third", refusing(60, 1000, 50, 50, 50, 50, 50), "medium possible"},
		{"5 % for five minutes, still on", refusing(6, 1000, 0, 50, 50, 50, 50, 50), "high possible"},
		{"4.9 % all the time is never above medium", refusing(6, 1000, 49, 49, 49, 49, 49, 49), "medium possible"},
		{"5 % for four minutes", refusing(6, 1000, 0, 0, 50, 50, 50, 50), "medium possible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &Throttling, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestThrottlingTellsReasonsApart(t *testing.T) {
	v := refusing(6, 1000, 5)
	v.Targets[0].Totals[detect.Throttle+detect.Counter(ingest.ThrottledTable)] = 7
	found := judged(t, &Throttling, v)
	if len(found) != 1 {
		t.Fatalf("got %d findings, want 1", len(found))
	}
	for measure, want := range map[string]int64{"throttled_requests": 12, "throttled_key_range": 5, "throttled_table": 7, "throttled_index": -1} {
		if got := evidenceOf(&found[0], measure); got != want {
			t.Errorf("%s: got %d, want %d", measure, got, want)
		}
	}
	if want := "12 of 6,000 requests were refused for rate: 5 for its key range, 7 for its table's capacity"; found[0].Message != want {
		t.Errorf("message %q, want %q", found[0].Message, want)
	}
}

func TestHotIndex(t *testing.T) {
	// index: a key with 40 % of its requests; base: its largest key with so many of 1,000.
	build := func(base uint64) *detect.View {
		index := aTarget(ingest.DynamoDB, 60, aKey("OPEN", times(10, 40)...))
		index.Target.Index = "by-status"
		table := aTarget(ingest.DynamoDB, 1000-base, aKey("customer-1", append([]uint64{base}, times(9, 0)...)...))
		for i := range table.Panes {
			table.Panes[i].Totals[detect.PaneRequests] = 100
		}
		table.Totals[detect.Requests] = 1000
		return aView(10, table, index)
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"the table's largest key has half of the index key's share", build(200), "low certain"},
		{"it has more than half", build(201), ""},
		{"without the table there is nothing to hold it against", aView(10, build(100).Targets[1]), ""},
		{"1 % of an index refused for five minutes", func() *detect.View {
			v := refusing(10, 1000, 10, 10, 10, 10, 10)
			v.Targets[0].Target.Index = "by-status"
			return v
		}(), "medium possible"},
		{"0.9 % refused", func() *detect.View {
			v := refusing(10, 1000, 9, 9, 9, 9, 9)
			v.Targets[0].Target.Index = "by-status"
			return v
		}(), ""},
		{"a table that refuses is no index", refusing(10, 1000, 10, 10, 10, 10, 10), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &HotIndex, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := missing(&HotIndex, aView(10, build(100).Targets[1])); len(got) != 1 || got[0] != "base_table" {
		t.Errorf("missing %v, want base_table", got)
	}
}

func TestBlindSpot(t *testing.T) {
	whole := func(change func(v *detect.View)) *detect.View {
		v := aView(1, aTarget(ingest.DynamoDB, 900, aKey("a", 100)))
		change(v)
		return v
	}
	for _, c := range []struct {
		name string
		view *detect.View
		want int
	}{
		{"nothing is hidden", whole(func(*detect.View) {}), 0},
		{"5 % have no time", whole(func(v *detect.View) { v.Targets[0].Totals[detect.Untimed] = 50 }), 1},
		{"4.9 % have no time", whole(func(v *detect.View) { v.Targets[0].Totals[detect.Untimed] = 49 }), 0},
		{"5 % have no key", whole(func(v *detect.View) { v.Targets[0].Totals[detect.KeyUnknown] = 50 }), 1},
		{"scans have no key", whole(func(v *detect.View) {
			v.Targets[0].Totals[detect.KeyUnknown], v.Targets[0].Totals[detect.ByOp+detect.Counter(ingest.OpScan)] = 50, 50
		}), 0},
		{"no units", whole(func(v *detect.View) { v.Targets[0].Totals[detect.UnitsKnown] = 0 }), 1},
		{"a refused request needs no units", whole(func(v *detect.View) {
			v.Targets[0].Totals[detect.UnitsKnown], v.Targets[0].Totals[detect.Throttle+2] = 900, 100
		}), 0},
		{"an unknown rate of sampling", whole(func(v *detect.View) { v.Sampling.Den = 1 }), 1},
		{"tables, nodes and shapes beyond the caps", whole(func(v *detect.View) { v.Lost = detect.Lost{Targets: 1, Nodes: 1, Shapes: 1} }), 3},
		{"five at most", whole(func(v *detect.View) {
			v.Lost = detect.Lost{Targets: 1, Nodes: 1, Shapes: 1}
			v.Sampling.Den = 1
			v.Targets[0].Totals[detect.Untimed], v.Targets[0].Totals[detect.KeyUnknown] = 1000, 1000
		}), 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judged(t, &BlindSpot, c.view)
			if len(found) != c.want {
				t.Errorf("got %d blind spots, want %d", len(found), c.want)
			}
			for _, f := range found {
				if f.Severity != detect.Low {
					t.Errorf("severity %s", f.Severity)
				}
			}
		})
	}
}
