package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// refusals are the requests of a target that were refused for rate, as records of refusals alone tell:
// they say nothing of those that were served.
type refusals struct {
	total   detect.Range
	reasons [ingest.Throttles]detect.Range
	views   []*detect.SelectedView
	series  []uint64
	retries detect.Range // attempts at the same requests, of which there are no records
}

func refusalsOf(v *detect.View, t *detect.TargetView) *refusals {
	r := &refusals{}
	for _, s := range t.Selected {
		n := refusedBy(s)
		if n.Low == 0 {
			continue
		}
		r.total = r.total.Plus(n)
		r.retries = r.retries.Plus(s.Counts[detect.SelectedRetries])
		r.views = append(r.views, s)
		for reason := ingest.ThrottledUnknown; reason < ingest.Throttles; reason++ {
			r.reasons[reason] = r.reasons[reason].Plus(s.Counts[detect.SelectedThrottle+detect.SelectedCounter(reason)])
		}
	}
	r.series = seriesOfAll(v, r.views, func(n *detect.SelectedTotals) uint64 {
		sum := uint64(0)
		for _, k := range n[detect.SelectedThrottle+1 : detect.SelectedThrottle+detect.SelectedCounter(ingest.Throttles)] {
			sum += k
		}
		return sum
	})
	return r
}

func refusedBy(s *detect.SelectedView) detect.Range {
	sum := detect.Range{}
	for reason := ingest.ThrottledUnknown; reason < ingest.Throttles; reason++ {
		sum = sum.Plus(s.Counts[detect.SelectedThrottle+detect.SelectedCounter(reason)])
	}
	return sum
}

// selectedThrottling judges records of refusals.
func selectedThrottling(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	r := refusalsOf(v, t)
	if r.total.Low == 0 {
		return detect.Finding{}, false
	}
	l := v.Limits
	many := l.Of(detect.ThrottleMedium)
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target},
		Span:     spanOfAll(r.views),
		Series:   r.series, SeriesOf: "refused requests",
		Cost:     detect.Whole(r.total.Low),
		Evidence: []detect.Evidence{atLeast(r.total).against("throttled_requests", "requests", many.Value, many.Source)},
		Message:  fmt.Sprintf("at least %s refused for rate: %s", pluralWere(r.total.Low, "request"), reasonList(func(x ingest.Throttle) uint64 { return r.reasons[x].Low })),
	}
	f.Evidence[0].How, f.Evidence[0].Open = detect.Stored, true
	for reason := ingest.ThrottledUnknown; reason < ingest.Throttles; reason++ {
		if n := r.reasons[reason]; n.Low > 0 {
			e := stored(atLeast(n), "throttled_"+strings.ReplaceAll(reason.String(), "-", "_"), "requests")
			e.Open = true
			f.Evidence = append(f.Evidence, e)
		}
	}
	if r.retries.Low > 0 {
		e := stored(atLeast(r.retries), "retries", "requests")
		e.Open = true
		f.Evidence = append(f.Evidence, e)
		f.Message += fmt.Sprintf(", and at least %s before", plural(r.retries.Low, "attempt"))
	}
	of := func(i int) uint64 { return r.series[i] }
	_, inRow := inARow(v, l.Count(detect.ThrottleRow), func(i int) bool { return r.series[i] > 0 })
	if inRow || detect.Whole(mostIn(v, l.Count(detect.ThrottleMediumMinutes), of)) >= many.Value {
		f.Severity = detect.Medium
	}
	return told(f, placesOf(r.views)), true
}

// pluralWere writes a count with its noun and verb.
func pluralWere(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return plural(n, noun) + " were"
}

// reasonList tells for which limits requests were refused.
func reasonList(of func(ingest.Throttle) uint64) string {
	said := []string{}
	for r := ingest.ThrottledUnknown; r < ingest.Throttles; r++ {
		if n := of(r); n > 0 {
			said = append(said, fmt.Sprintf("%s for its %s", grouped(n), reasonName(r)))
		}
	}
	return strings.Join(said, ", ")
}

// selectedIndex judges refusals that name an index, or say that it was one.
func selectedIndex(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	if slices.ContainsFunc(v.Targets, func(o *detect.TargetView) bool { return o.Target == t.Target && o.Totals.Throttled() > 0 }) {
		return detect.Finding{}, false
	}
	r := refusalsOf(v, t)
	n := r.reasons[ingest.ThrottledIndex]
	if t.Target.Index != "" {
		n = r.total
	}
	if n.Low == 0 {
		return detect.Finding{}, false
	}
	many := v.Limits.Of(detect.ThrottleMedium)
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target},
		Span:     spanOfAll(r.views),
		Series:   r.series, SeriesOf: "refused requests",
		Cost:     detect.Whole(n.Low),
		Evidence: []detect.Evidence{atLeast(n).against("throttled_index", "requests", many.Value, many.Source)},
		Message:  fmt.Sprintf("at least %s refused because an index could not keep up", pluralWere(n.Low, "request")),
	}
	f.Evidence[0].How, f.Evidence[0].Open = detect.Stored, true
	of := func(i int) uint64 { return min(r.series[i], n.Low) }
	if detect.Whole(mostIn(v, v.Limits.Count(detect.ThrottleMediumMinutes), of)) >= many.Value {
		f.Severity = detect.Medium
	}
	return told(f, placesOf(r.views)), true
}

func reasonName(r ingest.Throttle) string {
	return map[ingest.Throttle]string{
		ingest.ThrottledKeyRange: "key range", ingest.ThrottledTable: "table's capacity", ingest.ThrottledIndex: "index's capacity",
		ingest.ThrottledAccount: "account's quota", ingest.ThrottledMaximum: "own on-demand maximum", ingest.ThrottledUnknown: "unknown reason",
	}[r]
}

// reportedRefusals gives the refusals for these reasons, first to last, that records of refusals alone
// tell of pane i.
func reportedRefusals(t *detect.TargetView, i int, first, last ingest.Throttle) uint64 {
	sum := uint64(0)
	for _, s := range t.Selected {
		told := s.Series.Of(uint32(i))
		for r := first; r <= last; r++ {
			sum += told[detect.SelectedThrottle+detect.SelectedCounter(r)]
		}
	}
	return sum
}
