package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// backed gives a table with requests refused for an index.
func backed(n uint64) *detect.View {
	v := refusing(10, 1000)
	t := v.Targets[0]
	t.Panes[3].Totals[detect.PaneThrottle+detect.PaneCounter(ingest.ThrottledIndex)] = n
	t.Totals[detect.Throttle+detect.Counter(ingest.ThrottledIndex)] = n
	return v
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
		{"99 requests of a table refused for an index", backed(99), "low possible"},
		{"100 requests of a table refused for an index", backed(100), "medium possible"},
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

func TestHotIndexCountsRefusalsOfItsMinutes(t *testing.T) {
	v := refusing(10, 1000, 0, 20, 20, 20, 20, 20)
	v.Targets[0].Target.Index = "by-status"
	found := judged(t, &HotIndex, v)
	if len(found) != 1 || evidenceOf(&found[0], "throttled_requests") != 100 {
		t.Fatalf("got %+v, want one finding with 100 refused requests", found)
	}
	if want := (detect.Span{Start: start + 60, End: start + 360}); found[0].Span != want {
		t.Errorf("span %v, want %v", found[0].Span, want)
	}
}
