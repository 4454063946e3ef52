package rules

import (
	"slices"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// told makes a finding certain because the store itself said so: its first evidence is shown with the
// places where it did. Without a place it is possible.
func told(f detect.Finding, at []ingest.Position) detect.Finding {
	f = settle(f, at)
	if len(at) > 0 && len(f.Evidence) > 0 && f.Confidence == detect.Maybe {
		f.Confidence = detect.Sure
		f.Evidence[0].How = detect.Stored
		f.Evidence[0].Positions = at[:min(len(at), maxPositions)]
	}
	return f
}

// stored is evidence of a number that the store printed.
func stored(m measure, name, unit string) detect.Evidence {
	e := m.evidence(name, unit)
	e.How = detect.Stored
	return e
}

// atLeast is evidence of a count in selected records: the lower bound is its value.
func atLeast(r detect.Range) measure {
	return measure{detect.Whole(r.Low), detect.Whole(r.Low), detect.Whole(r.High)}
}

// moment writes a time for a message.
func moment(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC") }

// anHour gives the part of an amount that falls to an hour of a span, which counts as one hour at least.
func anHour(n uint64, span detect.Span) uint64 {
	return mul(n, 3600) / uint64(max(span.End-span.Start, 3600))
}

// countOf gives a counter over views.
func countOf(views []*detect.SelectedView, c detect.SelectedCounter) detect.Range {
	return apart(views, func(s *detect.SelectedView) detect.Range { return s.Counts[c] })
}

// apart adds up an amount of views that tell of different requests. Records without a statement, and traces, whose
// statement is worded otherwise, may tell of the same requests as the others: then the larger counts, and the sum is
// the upper bound.
func apart(views []*detect.SelectedView, of func(*detect.SelectedView) detect.Range) detect.Range {
	bare, traced, full := detect.Range{}, detect.Range{}, detect.Range{}
	for _, s := range views {
		kind := &full
		switch {
		case s.Shape == "":
			kind = &bare
		case s.Traced:
			kind = &traced
		}
		*kind = kind.Plus(of(s))
	}
	return detect.Range{Low: max(bare.Low, traced.Low, full.Low), High: bare.Plus(traced).Plus(full).High}
}

// spanOfAll gives the time that views span.
func spanOfAll(views []*detect.SelectedView) detect.Span {
	span := detect.Span{}
	for _, s := range views {
		span = joined(span, s.Span)
	}
	return span
}

// placesOf gives where records of views stand, of each view in turn.
func placesOf(views []*detect.SelectedView) []ingest.Position {
	at := []ingest.Position{}
	for i := 0; i < maxPositions; i++ {
		for _, s := range views {
			if i < len(s.Positions) && !slices.Contains(at, s.Positions[i]) {
				at = append(at, s.Positions[i])
			}
		}
	}
	return at[:min(len(at), maxPositions)]
}

// seriesOfAll gives a number of each pane, summed over views.
func seriesOfAll(v *detect.View, views []*detect.SelectedView, of func(n *detect.SelectedTotals) uint64) []uint64 {
	sum := make([]uint64, len(v.Panes))
	for _, s := range views {
		addSeries(sum, s, of)
	}
	return sum
}

// addSeries adds a number of each pane of a view to those of all panes, and gives the sum of what was added.
func addSeries(to []uint64, s *detect.SelectedView, of func(n *detect.SelectedTotals) uint64) (sum uint64) {
	for i, pane := range s.Series.At {
		t := s.Series.Totals(i)
		n := of(&t)
		to[pane] += n
		sum += n
	}
	return sum
}
