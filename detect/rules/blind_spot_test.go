package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

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
		{"5 % without units", whole(func(v *detect.View) { v.Targets[0].Totals[detect.UnitsKnown] = 950 }), 1},
		{"4.9 % without units", whole(func(v *detect.View) { v.Targets[0].Totals[detect.UnitsKnown] = 951 }), 0},
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
