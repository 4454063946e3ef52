package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/fan-out.md
var fanOutDoc string

// FanOut finds requests that go to many partitions at once.
var FanOut = detect.Rule{
	ID:     "fan-out",
	Title:  "Requests go to many partitions at once",
	Needs:  "the text of statements, or the store's own lines on their number of partitions",
	Counts: true,
	Doc:    fanOutDoc,
	Judge:  judgeFanOut,
}

func judgeFanOut(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found := []detect.Finding{}
	for _, t := range v.Targets {
		views := []*detect.SelectedView{}
		for _, s := range t.Selected {
			if s.Counts[detect.SelectedFanOut].Low > 0 && s.Widest >= v.Limits.Count(detect.FanPartitions) {
				views = append(views, s)
			}
		}
		f, ok := fanFinding(v, t, views)
		if g, also := countedFans(v, t); also && (!ok || g.Severity > f.Severity) {
			f, ok = g, true
		}
		if ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// complains reports whether the store told of a request for its partitions alone: its record says of
// nothing else that is bad.
func complains(s *detect.SelectedView) bool {
	for _, c := range []detect.SelectedCounter{detect.SelectedSlow, detect.SelectedTimedOut, detect.SelectedWarned, detect.SelectedAborted} {
		if s.Counts[c].High > 0 {
			return false
		}
	}
	return true
}

func fanFinding(v *detect.View, t *detect.TargetView, views []*detect.SelectedView) (detect.Finding, bool) {
	l := v.Limits
	n, wide, widest := countOf(views, detect.SelectedFanOut), countOf(views, detect.SelectedWide), uint64(0)
	for _, s := range views {
		widest = max(widest, s.Widest)
	}
	byStore := slices.ContainsFunc(views, complains)
	many := l.Of(detect.FanRequests)
	if len(views) == 0 || !byStore && detect.Whole(n.Low) < many.Value {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target, Shape: views[0].Shape},
		Span:     spanOfAll(views),
		Series:   seriesOfAll(v, views, func(n *detect.SelectedTotals) uint64 { return n[detect.SelectedFanOut] }), SeriesOf: "requests",
		Cost: detect.Whole(n.Low),
		Message: fmt.Sprintf("at least %s asked for many partitions at once, up to %s: the slowest of them decides",
			plural(n.Low, "request"), grouped(widest)),
	}
	if detect.Whole(wide.Low) >= many.Value && detect.Whole(widest) >= l.Of(detect.FanWide).Value {
		f.Severity = detect.Medium
	}
	limit := l.Of(detect.FanPartitions)
	f.Evidence = []detect.Evidence{
		exactly(widest).against("partitions_of_one_request", "partitions", limit.Value, limit.Source),
		atLeast(n).evidence("requests", "requests"),
	}
	f.Evidence[0].How = detect.Stored
	if wide.Low > 0 {
		f.Evidence = append(f.Evidence, atLeast(wide).evidence("wide_requests", "requests"))
	}
	return told(f, placesOf(views)), true
}

// fansOf adds up the requests of traffic to many partitions; shape is that of the widest.
func fansOf(t *detect.TargetView) (n, wide uint64, widest detect.Breadth, shape string) {
	for i := range t.Shapes {
		s := &t.Shapes[i]
		n, wide = n+s.FanOut, wide+s.Wide
		if s.Widest.Partitions > widest.Partitions {
			widest, shape = s.Widest, s.Shape
		}
	}
	return n, wide, widest, shape
}

// countedFans judges requests to many partitions in traffic.
func countedFans(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	l := v.Limits
	n, wide, widest, shape := fansOf(t)
	share := detect.Ratio(n, t.Totals[detect.Requests])
	many, few := l.Of(detect.FanRequests), l.Of(detect.FanFewRequests)
	if widest.Partitions < l.Count(detect.FanPartitions) || t.Target.Store == ingest.DynamoDB {
		return detect.Finding{}, false
	}
	floor := many
	if detect.Whole(n) < many.Value {
		floor = few
	}
	if detect.Whole(n) < floor.Value || floor == few && share < l.Of(detect.FanShare).Value {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target, Shape: shape},
		Span:     t.Span,
		Cost:     detect.Whole(n),
		Evidence: []detect.Evidence{
			exactly(n).against("fan_out_requests", "requests", floor.Value, floor.Source),
			exactly(widest.Partitions).evidence("partitions_of_one_request", "partitions"),
			measure{share, share, share}.evidence("share_of_requests", "share"),
		},
		Message: fmt.Sprintf("%s of %s asked for many partitions at once, up to %s: the slowest of them decides",
			grouped(n), plural(t.Totals[detect.Requests], "request"), grouped(widest.Partitions)),
	}
	if wide > 0 {
		f.Evidence = append(f.Evidence, exactly(wide).evidence("wide_requests", "requests"))
	}
	if detect.Whole(wide) >= many.Value {
		f.Severity = detect.Medium
	}
	return settle(f, []ingest.Position{widest.At}), true
}
