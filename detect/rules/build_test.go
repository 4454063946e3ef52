package rules

import (
	"slices"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// start is 2026-06-04T10:00:00Z, a Thursday.
const start = 1780567200

// shown is the place that hand-made keys show.
var shown = []ingest.Position{{Byte: 42, Line: 2}}

// aView gives a view of so many minutes; targets get its span.
func aView(minutes int, targets ...*detect.TargetView) *detect.View {
	v := &detect.View{Limits: detect.DefaultLimits(), Width: 60, Targets: targets}
	for i := range minutes {
		at := int64(start + 60*i)
		v.Panes = append(v.Panes, detect.PaneSpan{Start: at, End: at + 60})
	}
	v.Span = detect.Span{Start: start, End: start + int64(60*minutes)}
	for _, t := range targets {
		t.Span = v.Span
	}
	return v
}

// aTarget gives a table with the keys' requests and those of others, which are in no key, in each pane.
func aTarget(store ingest.Store, others uint64, keys ...*detect.KeyView) *detect.TargetView {
	t := &detect.TargetView{
		Target:   detect.Target{Store: store, Table: "shop.carts"},
		Keys:     keys,
		Distinct: detect.Distinct{Value: 1000, Low: 1000, High: 1000, Exact: true},
		Latency:  &sketch.Histogram{},
	}
	for i := range len(keys[0].Panes) {
		p := detect.TargetPane{Distinct: t.Distinct}
		p.Totals[detect.PaneRequests] = others
		for _, k := range keys {
			p.Totals[detect.PaneRequests] += k.Panes[i].Requests.Low
			p.Totals[detect.PaneReadMilli] += k.Panes[i].Reads.Low
			p.Totals[detect.PaneWriteMilli] += k.Panes[i].Writes.Low
		}
		t.Panes = append(t.Panes, p)
		t.Totals[detect.Requests] += p.Totals[detect.PaneRequests]
		t.Totals[detect.ReadMilli] += p.Totals[detect.PaneReadMilli]
		t.Totals[detect.WriteMilli] += p.Totals[detect.PaneWriteMilli]
	}
	t.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)] = t.Totals[detect.Requests]
	if store == ingest.DynamoDB {
		t.Totals[detect.UnitsKnown] = t.Totals[detect.Requests]
	}
	return t
}

// aKey gives a key with an exact number of requests in each pane.
func aKey(name string, perPane ...uint64) *detect.KeyView {
	k := &detect.KeyView{Key: []byte(name), Positions: shown}
	for _, n := range perPane {
		k.Panes = append(k.Panes, detect.KeyPane{Requests: exact(n)})
		k.Requests = k.Requests.Plus(exact(n))
	}
	return k
}

func exact(n uint64) detect.Range { return detect.Range{Low: n, High: n} }

// times repeats a number.
func times(n int, each uint64) []uint64 { return slices.Repeat([]uint64{each}, n) }

// writing gives a key that writes so many units a second in each pane, as a minute's mean.
func writing(name string, perSecond ...uint64) *detect.KeyView {
	k := aKey(name, times(len(perSecond), 60)...)
	for i, n := range perSecond {
		k.Panes[i].Writes = exact(n * 60 * 1000)
		k.Panes[i].Cost = exact(3 * n * 60 * 1000)
		k.Cost = k.Cost.Plus(k.Panes[i].Cost)
	}
	return k
}

// level is what a table of tests expects: the severity and confidence of the only finding, or "".
func level(found []detect.Finding) string {
	switch len(found) {
	case 0:
		return ""
	case 1:
		return found[0].Severity.String() + " " + found[0].Confidence.String()
	}
	return "several"
}

// judged runs a rule and holds each finding against what every finding must satisfy.
func judged(t *testing.T, r *detect.Rule, v *detect.View) []detect.Finding {
	t.Helper()
	found, _ := detect.Judge(v, []*detect.Rule{r}, nil)
	for i := range found {
		sound(t, &found[i])
	}
	return found
}

func sound(t *testing.T, f *detect.Finding) {
	t.Helper()
	seen := map[string]bool{}
	proof := false
	for _, e := range f.Evidence {
		if seen[e.Measure] {
			t.Errorf("%s: measure %s twice", f.Rule, e.Measure)
		}
		seen[e.Measure] = true
		if e.Low > e.Value || !e.Open && e.Value > e.High {
			t.Errorf("%s: %s is not within its bounds: %d <= %d <= %d", f.Rule, e.Measure, e.Low, e.Value, e.High)
		}
		said := e.How == detect.Stored || e.Limit > 0 && e.Low >= e.Limit
		proof = proof || said && len(e.Positions) > 0
	}
	if f.Confidence == detect.Sure && !proof && f.Rule != BlindSpot.ID {
		t.Errorf("%s is certain without proof: %+v", f.Rule, f.Evidence)
	}
	if f.Message == "" || f.Severity == 0 {
		t.Errorf("%s has no message or severity: %+v", f.Rule, f)
	}
}

// missing gives what a rule says it could not judge for.
func missing(r *detect.Rule, v *detect.View) []string {
	_, not := r.Judge(v)
	all := []string{}
	for _, n := range not {
		all = append(all, n.Missing...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// evidenceOf gives an evidence's value in whole units, -1 where there is none.
func evidenceOf(f *detect.Finding, measure string) int64 {
	for _, e := range f.Evidence {
		if e.Measure == measure {
			return int64(e.Value / 1000)
		}
	}
	return -1
}
