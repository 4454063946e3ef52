package rules

import (
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A measure is a number of a subject with its bounds, in thousandths.
type measure struct{ value, low, high detect.Milli }

func exactly(n uint64) measure { return measure{detect.Whole(n), detect.Whole(n), detect.Whole(n)} }

func within(value, low, high uint64) measure {
	return measure{detect.Whole(value), detect.Whole(low), detect.Whole(high)}
}

func ranged(r detect.Range) measure {
	return measure{detect.Whole(r.Middle()), detect.Whole(r.Low), detect.Whole(r.High)}
}

func shared(s detect.ShareRange) measure { return measure{s.Value, s.Low, s.High} }

// evidence makes a measure into evidence; it is counted where its bounds meet, else estimated.
func (m measure) evidence(name, unit string) detect.Evidence {
	how := detect.Estimated
	if m.low == m.high {
		how = detect.Counted
	}
	return detect.Evidence{Measure: name, Unit: unit, Value: m.value, Low: m.low, High: m.high, How: how}
}

// against is evidence held against a limit.
func (m measure) against(name, unit string, limit detect.Milli, source string) detect.Evidence {
	e := m.evidence(name, unit)
	e.Limit, e.LimitSource = limit, source
	return e
}

// maxPositions is the most positions a finding shows.
const maxPositions = 5

// settle makes a finding certain when an evidence reaches its limit and there is a position to show
// for it, else possible. A later evidence of a measure that is there already is dropped.
func settle(f detect.Finding, at []ingest.Position) detect.Finding {
	seen := map[string]bool{}
	f.Evidence = slices.DeleteFunc(f.Evidence, func(e detect.Evidence) bool {
		twice := seen[e.Measure]
		seen[e.Measure] = true
		return twice
	})
	f.Confidence = detect.Maybe
	i := slices.IndexFunc(f.Evidence, func(e detect.Evidence) bool { return e.Limit > 0 && e.Low >= e.Limit })
	if i >= 0 && len(at) > 0 {
		f.Confidence = detect.Sure
		f.Evidence[i].Positions = at[:min(len(at), maxPositions)]
	}
	return f
}

// positions gives where records of a key stand.
func positions(k *detect.KeyView) []ingest.Position {
	if k.Exact != nil && len(k.Exact.Positions) > 0 {
		return k.Exact.Positions
	}
	return k.Positions
}

// firstPositions gives a position of each of the first keys of a target.
func firstPositions(t *detect.TargetView) []ingest.Position {
	at := []ingest.Position{}
	for _, k := range t.Keys[:min(len(t.Keys), maxPositions)] {
		at = append(at, positions(k)[:min(1, len(positions(k)))]...)
	}
	return at
}

// requests gives a key's requests, exact after the second pass.
func requests(k *detect.KeyView) detect.Range {
	if k.Exact != nil {
		n := k.Exact.Totals[detect.Requests]
		return detect.Range{Low: n, High: n}
	}
	return k.Requests
}

// series gives a key's panes, aligned with v.Panes and exact where the second pass counted them.
func series(v *detect.View, k *detect.KeyView) []detect.KeyPane {
	panes := make([]detect.KeyPane, len(v.Panes))
	copy(panes, k.Series())
	if k.Exact == nil || len(k.Exact.Panes) == 0 {
		return panes
	}
	for i, p := range v.Panes {
		e := detect.ExactPane{}
		at, ok := slices.BinarySearchFunc(k.Exact.Panes, p.Start, func(x detect.ExactPane, start int64) int {
			return int(int64(x.Start) - start)
		})
		if ok {
			e = k.Exact.Panes[at]
		}
		point := func(n uint64) detect.Range { return detect.Range{Low: n, High: n} }
		panes[i] = detect.KeyPane{
			Requests: point(e.Requests), Cost: point(e.Cost), Tombstones: point(e.Tombstones),
			Reads: point(e.ReadMilli), Writes: point(e.WriteMilli),
		}
	}
	return panes
}

// pane gives what a target had in pane i; nothing where the view holds no panes for it.
func pane(t *detect.TargetView, i int) detect.TargetPane {
	if i >= len(t.Panes) {
		return detect.TargetPane{}
	}
	return t.Panes[i]
}

// A window is a run of panes: indexes of View.Panes, to excluded.
type window struct{ from, to int }

// windows gives for each pane the shortest run of panes that begins with it, has no gap and lasts for
// so many minutes, where there is one. A pane wider than that is a window by itself.
func windows(v *detect.View, minutes uint64) []window {
	found := []window{}
	for from := range v.Panes {
		for to := from + 1; to <= len(v.Panes); to++ {
			if v.Panes[to-1].End-v.Panes[from].Start >= int64(minutes)*60 {
				found = append(found, window{from, to})
				break
			}
			if to < len(v.Panes) && v.Panes[to].Start != v.Panes[to-1].End {
				break
			}
		}
	}
	return found
}

// stretches gives the windows for which passes is true, and joins those that overlap as long as
// it is true of the whole.
func stretches(spans []window, passes func(w window) bool) []window {
	found := []window{}
	for _, w := range spans {
		if !passes(w) {
			continue
		}
		if n := len(found) - 1; n >= 0 && w.from < found[n].to {
			if longer := (window{found[n].from, w.to}); passes(longer) {
				found[n] = longer
				continue
			}
		}
		found = append(found, w)
	}
	return found
}

// inARow reports whether a pane for which holds is true is followed by others, without a gap, for so
// many minutes in all; it gives the first and the longest such run.
func inARow(v *detect.View, minutes uint64, holds func(i int) bool) (window, bool) {
	best, run := window{}, window{}
	for i, p := range v.Panes {
		switch {
		case !holds(i):
			run = window{i + 1, i + 1}
			continue
		case run.to == run.from || v.Panes[i-1].End != p.Start:
			run.from = i
		}
		run.to = i + 1
		if seconds(v, run) > seconds(v, best) {
			best = run
		}
	}
	return best, best.to > best.from && seconds(v, best) >= int64(minutes)*60
}

// seconds gives the length of a window without gaps.
func seconds(v *detect.View, w window) int64 {
	if w.from >= w.to {
		return 0
	}
	return v.Panes[w.to-1].End - v.Panes[w.from].Start
}

// spanOf gives the time from the first to the last pane for which holds is true.
func spanOf(v *detect.View, holds func(i int) bool) detect.Span {
	span := detect.Span{}
	for i, p := range v.Panes {
		if !holds(i) {
			continue
		}
		if span == (detect.Span{}) {
			span.Start = p.Start
		}
		span.End = p.End
	}
	return span
}

// joined gives the least span that holds both; the zero span holds nothing.
func joined(a, b detect.Span) detect.Span {
	switch {
	case a == (detect.Span{}):
		return b
	case b == (detect.Span{}):
		return a
	}
	return detect.Span{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// fromTraffic reports whether any input holds requests as they came. Of bad or capped ones alone there
// are no shares, rates or balance.
func fromTraffic(v *detect.View) bool {
	if len(v.Inputs) == 0 {
		return true
	}
	return slices.ContainsFunc(v.Inputs, func(in detect.InputStats) bool { return in.Coverage == ingest.Traffic })
}

// middles gives a number of each pane for a sparkline.
func middles(panes []detect.KeyPane, of func(*detect.KeyPane) detect.Range) []uint64 {
	numbers := make([]uint64, len(panes))
	for i := range panes {
		numbers[i] = of(&panes[i]).Middle()
	}
	return numbers
}

func requestsOf(p *detect.KeyPane) detect.Range { return p.Requests }

func tableName(t detect.Target) string {
	if t.Index == "" {
		return t.Table
	}
	return t.Table + "/" + t.Index
}

func refusedIn(t *detect.TargetView, i int) uint64 {
	p := pane(t, i)
	return p.Throttled()
}

// tableSeries gives a target's requests by pane.
func tableSeries(v *detect.View, t *detect.TargetView) []uint64 {
	numbers := make([]uint64, len(v.Panes))
	for i := range numbers {
		numbers[i] = pane(t, i).Totals[detect.PaneRequests]
	}
	return numbers
}

// throttledPositions gives where records of keys stand that the second pass saw refused. No other
// position is sure to show a refusal.
func throttledPositions(t *detect.TargetView) []ingest.Position {
	for _, k := range t.Keys {
		if k.Exact != nil && k.Exact.Totals.Throttled() > 0 {
			return k.Exact.Positions
		}
	}
	return nil
}

// tablePeak gives a target's load on one side in its busiest minute, as a mean a second.
func tablePeak(v *detect.View, t *detect.TargetView, s *side) measure {
	peak := measure{}
	if !rated(v, t) {
		return peak
	}
	for i, p := range v.Panes {
		n, width := pane(t, i).Totals, uint64(max(p.End-p.Start, 60))
		low := detect.Milli(v.Sampling.Low(n[s.pane], n[detect.PaneRequests]) / width)
		if low > peak.low {
			peak = measure{detect.Milli(v.Sampling.Scale(n[s.pane]) / width), low, detect.Milli(v.Sampling.High(n[s.pane], n[detect.PaneRequests]) / width)}
		}
	}
	return peak
}

// mostIn gives the largest sum of a number of the panes within so many minutes. A pane that is wider
// counts with its share, a lower bound of its best minutes.
func mostIn(v *detect.View, minutes uint64, of func(i int) uint64) uint64 {
	width := int64(minutes) * 60
	most := uint64(0)
	for from, first := range v.Panes {
		sum := uint64(0)
		for i := from; i < len(v.Panes) && v.Panes[i].End-first.Start <= width; i++ {
			sum += of(i)
		}
		if wide := first.End - first.Start; wide > width {
			sum = mul(of(from), uint64(width)) / uint64(wide)
		}
		most = max(most, sum)
	}
	return most
}

// isSystem reports whether a table belongs to the store itself.
func isSystem(t detect.Target) bool {
	keyspace, _, ok := strings.Cut(t.Table, ".")
	return ok && (keyspace == "system" || strings.HasPrefix(keyspace, "system_"))
}
