package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/hot-index.md
var hotIndexDoc string

// HotIndex finds secondary indexes that concentrate what their base table spreads.
var HotIndex = detect.Rule{
	ID:     "hot-index",
	Title:  "An index concentrates what its table spreads",
	Needs:  "traffic of the index and of its table, or refusals of the index",
	Counts: true,
	Doc:    hotIndexDoc,
	Judge:  judgeHotIndex,
}

func judgeHotIndex(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := indexMetrics(v), []detect.NotAssessed{}
	for _, t := range v.Targets {
		if f, ok := selectedIndex(v, t); ok && !slices.ContainsFunc(found, func(g detect.Finding) bool { return g.Subject.Target == t.Target }) {
			found = append(found, f)
		}
	}
	if !fromTraffic(v) {
		return found, nil
	}
	for _, t := range v.Targets {
		if t.Target.Index == "" {
			if f, ok := backPressure(v, t); ok && t.Totals[detect.Throttle+detect.Counter(ingest.ThrottledIndex)] > namedRefusals(v, t) {
				found = append(found, f)
			}
			continue
		}
		base := baseOf(v, t)
		hot := hotKeys(v, t)
		if base == nil && len(hot) > 0 {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"base_table"},
				GetIt: "give the traffic of the table beside that of its index: keyheat analyze TABLE.ndjson INDEX.ndjson",
			})
		}
		spread := []detect.Finding{}
		for _, f := range hot {
			if g, ok := concentrated(v, t, base, f); ok {
				spread = append(spread, g)
			}
		}
		if len(spread) == 0 {
			if f, ok := refusedIndex(v, t); ok {
				spread = append(spread, f)
			}
		}
		found = append(found, spread...)
	}
	return found, missing
}

// backPressure judges requests of a table that were refused for one of its indexes. Which one, and for
// which key, the refusal does not tell.
func backPressure(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	n := t.Totals[detect.Throttle+detect.Counter(ingest.ThrottledIndex)]
	if n == 0 {
		return detect.Finding{}, false
	}
	of := func(i int) uint64 {
		p := pane(t, i)
		return p.Totals[detect.PaneThrottle+detect.PaneCounter(ingest.ThrottledIndex)]
	}
	many := v.Limits.Of(detect.ThrottleMedium)
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target},
		Span:     spanOf(v, func(i int) bool { return of(i) > 0 }),
		Series:   make([]uint64, len(v.Panes)), SeriesOf: "requests refused for an index",
		Cost:     detect.Whole(n),
		Evidence: []detect.Evidence{exactly(n).against("throttled_index", "requests", many.Value, many.Source)},
		Message:  fmt.Sprintf("%s of the table were refused because one of its indexes could not keep up", plural(n, "request")),
	}
	for i := range f.Series {
		f.Series[i] = of(i)
	}
	if detect.Whole(mostIn(v, v.Limits.Count(detect.ThrottleMediumMinutes), of)) >= many.Value {
		f.Severity = detect.Medium
	}
	return settle(f, throttledPositions(t)), true
}

// namedRefusals gives the refusals of a table's indexes of which it is known which one it was.
func namedRefusals(v *detect.View, t *detect.TargetView) (sum uint64) {
	for _, o := range v.Targets {
		if o.Target.Index != "" && o.Target.Table == t.Target.Table && o.Target.Store == t.Target.Store {
			sum = detect.AddSat(sum, refusalsOf(v, o).total.Low)
		}
	}
	return sum
}

func baseOf(v *detect.View, t *detect.TargetView) *detect.TargetView {
	want := t.Target
	want.Index = ""
	i := slices.IndexFunc(v.Targets, func(b *detect.TargetView) bool { return b.Target == want })
	if i < 0 || v.Targets[i].Totals[detect.Requests] < v.Limits.Count(detect.ShareRequestsOfTable) {
		return nil
	}
	return v.Targets[i]
}

// concentrated turns a hot partition of an index into a finding of the index, if the base table spreads
// that load.
func concentrated(v *detect.View, t, base *detect.TargetView, f detect.Finding) (detect.Finding, bool) {
	if base == nil {
		return f, false
	}
	i := slices.IndexFunc(t.Keys, func(k *detect.KeyView) bool { return string(k.Key) == string(f.Subject.Key) })
	own := detect.ShareOf(requests(t.Keys[i]), t.Totals[detect.Requests])
	most := topShare(base)
	spread := v.Limits.Of(detect.IndexSpread)
	if own.Low == 0 || most.High > own.Low.Scaled(spread.Value) {
		return f, false
	}
	f.Evidence = append(slices.Clone(f.Evidence), shared(most).evidence("base_table_top_share", "share"))
	f.Message = fmt.Sprintf("one key takes %s of the index's requests, while no key of the table takes more than %s of its own",
		percent(own.Value), percent(most.High))
	return f, true
}

// topShare bounds the share of the largest key of a target, held or not. Requests that tell no key may
// all be of one.
func topShare(t *detect.TargetView) detect.ShareRange {
	top := detect.Range{High: t.Untold.Requests}
	for _, k := range t.Keys {
		n := requests(k)
		top = detect.Range{Low: max(top.Low, n.Low), High: max(top.High, n.High)}
	}
	top.High += t.Totals[detect.KeyUnknown]
	return detect.ShareOf(top, t.Totals[detect.Requests])
}

// refusedIndex judges requests of an index that were refused for minutes in a row.
func refusedIndex(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	limit := v.Limits.Of(detect.IndexThrottleShare)
	hot := func(i int) bool {
		n := refusedIn(t, i)
		return n > 0 && detect.Ratio(n, pane(t, i).Totals[detect.PaneRequests]) >= limit.Value
	}
	run, ok := inARow(v, v.Limits.Count(detect.MinutesInARow), hot)
	if !ok {
		return detect.Finding{}, false
	}
	part, total := uint64(0), uint64(0)
	for i := run.from; i < run.to; i++ {
		part, total = part+refusedIn(t, i), total+pane(t, i).Totals[detect.PaneRequests]
	}
	share := detect.Ratio(part, total)
	f := detect.Finding{
		Severity: detect.Medium,
		Subject:  detect.Subject{Target: t.Target},
		Span:     detect.Span{Start: v.Panes[run.from].Start, End: v.Panes[run.to-1].End},
		Series:   tableSeries(v, t), SeriesOf: "requests",
		Cost: detect.Whole(part),
		Evidence: []detect.Evidence{
			measure{share, share, share}.against("throttled_share", "share", limit.Value, limit.Source),
			exactly(part).evidence("throttled_requests", "requests"),
		},
		Message: fmt.Sprintf("the index refused %s of its requests for rate for %s in a row",
			percent(share), plural(uint64(seconds(v, run)/60), "minute")),
	}
	return settle(f, throttledPositions(t)), true
}
