package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/throttling.md
var throttlingDoc string

// Throttling finds tables and indexes whose requests the store refuses for rate.
var Throttling = detect.Rule{
	ID:     "throttling",
	Title:  "The store refuses requests for rate",
	Needs:  "throttle evidence",
	Counts: true,
	Doc:    throttlingDoc,
	Judge:  judgeThrottling,
}

func judgeThrottling(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	byMetrics := map[detect.Target]bool{}
	for _, m := range metricThrottlings(v) {
		byMetrics[m.target] = true
		found = append(found, m.finding(v))
	}
	for _, t := range v.Targets {
		if t.Totals.Throttled() == 0 {
			if f, ok := selectedThrottling(v, t); ok && !byMetrics[t.Target] {
				found = append(found, f)
			}
			continue
		}
		found = slices.DeleteFunc(found, func(f detect.Finding) bool { return f.Subject.Target == t.Target })
		found = append(found, throttleFinding(v, t))
		if !t.Timed() {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"time"}, GetIt: "records with a time: keyheat analyze --map ts=FIELD INPUT",
			})
		}
	}
	return found, missing
}

func throttleFinding(v *detect.View, t *detect.TargetView) detect.Finding {
	n, total := t.Totals.Throttled(), t.Totals[detect.Requests]
	share := detect.Ratio(n, total)
	f := detect.Finding{
		Severity: throttleSeverity(v, t),
		Subject:  detect.Subject{Target: t.Target},
		Span:     spanOf(v, func(i int) bool { return refusedIn(t, i) > 0 }),
		Series:   make([]uint64, len(v.Panes)), SeriesOf: "refused requests",
		Cost: detect.Whole(n),
	}
	for i := range f.Series {
		f.Series[i] = refusedIn(t, i)
	}
	many := v.Limits.Of(detect.ThrottleMedium)
	part := v.Limits.Of(detect.ThrottleShare)
	f.Evidence = []detect.Evidence{
		exactly(n).against("throttled_requests", "requests", many.Value, many.Source),
		measure{share, share, share}.against("throttled_share", "share", part.Value, part.Source),
	}
	reasons := []string{}
	for r := ingest.ThrottledUnknown; r < ingest.Throttles; r++ {
		if k := t.Totals[detect.Throttle+detect.Counter(r)]; k > 0 {
			name := strings.ReplaceAll(r.String(), "-", "_")
			f.Evidence = append(f.Evidence, exactly(k).evidence("throttled_"+name, "requests"))
			reasons = append(reasons, fmt.Sprintf("%s for its %s", grouped(k), reasonName(r)))
		}
	}
	f.Message = fmt.Sprintf("%s of %s were refused for rate: %s", grouped(n), plural(total, "request"), strings.Join(reasons, ", "))
	retried(t, &f)
	return settle(f, throttledPositions(t))
}

func throttleSeverity(v *detect.View, t *detect.TargetView) detect.Severity {
	l := v.Limits
	some := func(i int) bool { return refusedIn(t, i) > 0 }
	_, inRow := inARow(v, l.Count(detect.ThrottleRow), some)
	total := t.Totals[detect.Requests]
	switch {
	case stillHigh(v, t):
		return detect.High
	case mostIn(v, l.Count(detect.ThrottleMediumMinutes), func(i int) uint64 { return refusedIn(t, i) }) >= l.Count(detect.ThrottleMedium), inRow,
		total >= l.Count(detect.ThrottleShareRequests) && detect.Ratio(t.Totals.Throttled(), total) >= l.Of(detect.ThrottleShare).Value:
		return detect.Medium
	}
	return detect.Low
}

// stillHigh reports whether the share was high for minutes in a row, of which one or more lie in the
// last third of the input's span.
func stillHigh(v *detect.View, t *detect.TargetView) bool {
	third := v.Span.End - (v.Span.End-v.Span.Start)/3
	high := func(i int) bool {
		return refusedIn(t, i) > 0 && detect.Ratio(refusedIn(t, i), pane(t, i).Totals[detect.PaneRequests]) >= v.Limits.Of(detect.ThrottleHighShare).Value
	}
	_, ok := inARow(v, v.Limits.Count(detect.ThrottleHighMinutes), high)
	last := spanOf(v, high)
	return ok && last.End > third
}
