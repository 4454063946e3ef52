package rules

import (
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A scope is what a key has of the whole input or of minutes in a row.
type scope struct {
	part     detect.Range
	total    uint64
	distinct uint64 // lower bound
	span     detect.Span
	window   window
	timed    bool // window holds its panes
}

// passes reports whether the floors of a share are reached.
func (s *scope) passes(v *detect.View, sampled detect.Rate) bool {
	l := v.Limits
	uniform := l.Count(detect.ShareTimesUniform)
	switch {
	case s.part.Low < l.Count(detect.ShareRequestsOfKey) || s.total < l.Count(detect.ShareRequestsOfTable):
		return false
	case detect.Ratio(s.part.Low, s.total) < l.Of(detect.ShareOfTable).Value:
		return false
	case s.distinct == 0 || s.part.Low < ceilDiv(mul(uniform, s.total), s.distinct):
		return false
	case sampled.All():
		return true
	}
	return detect.WilsonLow(s.part.Low, s.total) >= l.Of(detect.ShareSampledLow).Value
}

func ceilDiv(a, b uint64) uint64 { return a/b + min(a%b, 1) }

// mul multiplies and saturates.
func mul(a, b uint64) uint64 {
	if a != 0 && b > ^uint64(0)/a {
		return ^uint64(0)
	}
	return a * b
}

// shareHeat judges the share that a key takes of its table.
func shareHeat(v *detect.View, t *detect.TargetView, k *detect.KeyView, panes []detect.KeyPane, spans []window) (heat, bool) {
	s, ok := bestScope(v, t, k, panes, spans)
	if !ok {
		return heat{}, false
	}
	h := heat{severity: detect.Low, span: s.span}
	floor := v.Limits.Of(detect.ShareRequestsOfKey)
	harm, clause := []detect.Evidence(nil), ""
	if many := v.Limits.Of(detect.ShareMediumRequests); detect.Whole(s.part.Low) >= many.Value {
		h.severity, floor = detect.Medium, many
		if harm, clause = shareHarm(v, t, k, panes, s); clause != "" {
			h.severity = detect.High
		}
	}
	share := detect.ShareOf(s.part, s.total)
	h.evidence = append([]detect.Evidence{
		shareEvidence(v, v.SamplingOf(t), s, share),
		ranged(s.part).against("requests", "requests", floor.Value, floor.Source),
	}, harm...)
	h.evidence = append(h.evidence, scaled(v.SamplingOf(t), s.part)...)
	h.evidence = append(h.evidence, readsAndWrites(k)...)
	h.said = fmt.Sprintf("takes %s of %s%s%s", percent(share.Value), plural(s.total, "request"), s.when(v), clause)
	return h, true
}

// readsAndWrites tells apart what heats a key, over the whole input, where both were counted: reads can be
// cached, writes cannot.
func readsAndWrites(k *detect.KeyView) []detect.Evidence {
	if k.Exact == nil {
		return nil
	}
	reads, writes := k.Exact.Totals.Reads(), k.Exact.Totals.Writes()
	if reads == 0 || writes == 0 {
		return nil
	}
	return []detect.Evidence{exactly(reads).evidence("reads", "requests"), exactly(writes).evidence("writes", "requests")}
}

// when says which part of the input a scope is, if it is not all of it.
func (s *scope) when(v *detect.View) string {
	if s.timed && s.window.to-s.window.from < len(v.Panes) {
		return fmt.Sprintf(" within %s", plural(uint64(seconds(v, s.window)/60), "minute"))
	}
	return ""
}

// scaled gives how many requests there were in all, of those that a sample of known rate holds.
func scaled(rate detect.Rate, seen detect.Range) []detect.Evidence {
	if rate.All() || rate.Unknown() {
		return nil
	}
	n := seen.Middle()
	e := measure{detect.Whole(rate.Scale(n)), detect.Whole(rate.Low(seen.Low, seen.Low)), detect.Whole(rate.High(seen.High, max(seen.Low, 1)))}
	return []detect.Evidence{e.evidence("scaled_requests", "requests")}
}

func shareEvidence(v *detect.View, sampled detect.Rate, s *scope, share detect.ShareRange) detect.Evidence {
	limit := v.Limits.Of(detect.ShareOfTable)
	if sampled.All() {
		return shared(share).against("share", "share", limit.Value, limit.Source)
	}
	limit = v.Limits.Of(detect.ShareSampledLow)
	share.Low = min(share.Low, detect.WilsonLow(s.part.Low, s.total))
	share.High = max(share.High, 1000-detect.WilsonLow(s.total-min(s.part.High, s.total), s.total))
	return shared(share).against("share", "share", limit.Value, limit.Source)
}

// bestScope gives the whole input where it passes, else the stretch of minutes in a row with most requests of the key.
func bestScope(v *detect.View, t *detect.TargetView, k *detect.KeyView, panes []detect.KeyPane, spans []window) (*scope, bool) {
	all := &scope{
		part: requests(k), total: t.Totals[detect.Requests], distinct: t.Distinct.Low,
		span: t.Span, window: window{0, len(v.Panes)}, timed: len(v.Panes) > 0,
	}
	sampled := v.SamplingOf(t)
	if all.passes(v, sampled) {
		return all, true
	}
	best := (*scope)(nil)
	for _, w := range stretches(spans, func(w window) bool { return inWindow(v, t, panes, w).passes(v, sampled) }) {
		if s := trimmed(v, t, panes, w); best == nil || s.part.Low > best.part.Low {
			best = s
		}
	}
	return best, best != nil
}

// trimmed gives what a key has of a stretch without the panes at its ends in which its share is
// smaller, as far as the floors allow: they only blur when it began.
func trimmed(v *detect.View, t *detect.TargetView, panes []detect.KeyPane, w window) *scope {
	s := inWindow(v, t, panes, w)
	low := func(i int) bool {
		return detect.Ratio(panes[i].Requests.Low, pane(t, i).Totals[detect.PaneRequests]) < v.Limits.Of(detect.ShareOfTable).Value
	}
	for {
		shorter := w
		switch {
		case low(w.from):
			shorter.from++
		case low(w.to - 1):
			shorter.to--
		default:
			return s
		}
		if seconds(v, shorter) < 60*int64(v.Limits.Count(detect.MinutesInARow)) {
			return s
		}
		less := inWindow(v, t, panes, shorter)
		if !less.passes(v, v.SamplingOf(t)) {
			return s
		}
		s, w = less, shorter
	}
}

// inWindow gives what a key has of a run of panes.
func inWindow(v *detect.View, t *detect.TargetView, panes []detect.KeyPane, w window) *scope {
	s := &scope{span: detect.Span{Start: v.Panes[w.from].Start, End: v.Panes[w.to-1].End}, window: w, timed: true}
	for i := w.from; i < w.to; i++ {
		p := pane(t, i)
		s.part = s.part.Plus(panes[i].Requests)
		s.total += p.Totals[detect.PaneRequests]
		s.distinct = max(s.distinct, p.Distinct.Low)
	}
	return s
}

// shareHarm looks for harm in the minutes of a scope in which the key has its share; the clause is
// empty where there is none, or where the scope is too short to tell.
func shareHarm(v *detect.View, t *detect.TargetView, k *detect.KeyView, panes []detect.KeyPane, s *scope) ([]detect.Evidence, string) {
	if s.span.End-s.span.Start < 60 || !s.timed {
		return nil, ""
	}
	minutes := []int{}
	for i := s.window.from; i < s.window.to; i++ {
		total := pane(t, i).Totals[detect.PaneRequests]
		if total > 0 && detect.Ratio(panes[i].Requests.Low, total) >= v.Limits.Of(detect.ShareOfTable).Value {
			minutes = append(minutes, i)
		}
	}
	for _, harm := range []func(*hotMinutes) ([]detect.Evidence, string){
		(*hotMinutes).refused, (*hotMinutes).nearLimit, (*hotMinutes).timeOuts, (*hotMinutes).slow, (*hotMinutes).replicas,
	} {
		if evidence, clause := harm(&hotMinutes{v, t, k, panes, minutes}); clause != "" {
			return evidence, clause
		}
	}
	return nil, ""
}

// hotMinutes are the panes in which a key has its share.
type hotMinutes struct {
	v       *detect.View
	t       *detect.TargetView
	k       *detect.KeyView
	panes   []detect.KeyPane
	minutes []int
}

func (h *hotMinutes) refused() ([]detect.Evidence, string) {
	n := uint64(0)
	for _, i := range h.minutes {
		p := pane(h.t, i)
		n += p.Throttled() + reportedRefusals(h.t, i, ingest.ThrottledUnknown, ingest.Throttles-1)
	}
	if n == 0 {
		return nil, ""
	}
	return []detect.Evidence{exactly(n).evidence("throttled", "requests")},
		fmt.Sprintf(" while the table refused %s for rate", plural(n, "request"))
}

func (h *hotMinutes) nearLimit() ([]detect.Evidence, string) {
	if !rated(h.v, h.t) {
		return nil, ""
	}
	for _, s := range sides {
		l := &load{h.v, h.t, h.k, h.panes, s}
		for _, i := range h.minutes {
			if m := l.mean(i); m.low >= l.half() {
				source := h.v.Limits.Of(detect.PartitionHalf).Source
				return []detect.Evidence{m.against(l.name+"_mean", l.unit, l.half(), source)},
					fmt.Sprintf(" and %s %s in a minute's mean", whole(m.value), l.unit)
			}
		}
	}
	return nil, ""
}

func (h *hotMinutes) timeOuts() ([]detect.Evidence, string) {
	if h.k.Exact == nil {
		return nil, ""
	}
	n := uint64(0)
	for _, e := range h.k.Exact.Panes {
		if slices.ContainsFunc(h.minutes, func(i int) bool { return h.v.Panes[i].Start == int64(e.Start) }) {
			n += e.Failed
		}
	}
	if n == 0 {
		return nil, ""
	}
	return []detect.Evidence{exactly(n).evidence("time_outs", "requests")},
		fmt.Sprintf("; %s of it timed out", plural(n, "request"))
}

// slow compares the key's 99th percentile with its table's, each by the lower edge of its bucket.
func (h *hotMinutes) slow() ([]detect.Evidence, string) {
	if h.k.Exact == nil || h.k.Exact.Latency == nil || h.t.Latency == nil || h.k.Exact.Latency.Count() == 0 {
		return nil, ""
	}
	own, high := h.k.Exact.Latency.Quantile(99, 100)
	table, _ := h.t.Latency.Quantile(99, 100)
	limit := h.v.Limits.Of(detect.ShareLatencyTimes)
	most := detect.Whole(table).Scaled(limit.Value)
	if table == 0 || detect.Whole(own) < most {
		return nil, ""
	}
	e := measure{detect.Whole(own), detect.Whole(own), detect.Whole(high)}.against("latency_p99", "µs", most, limit.Source)
	return []detect.Evidence{e}, fmt.Sprintf("; its p99 is %s µs, the table's %s", grouped(own), grouped(table))
}

// replicas looks for a minute at a high rate in which the nodes that serve the key are busier than the others.
func (h *hotMinutes) replicas() ([]detect.Evidence, string) {
	if h.k.Exact == nil || len(h.k.Exact.Nodes) == 0 || h.v.SamplingOf(h.t).Unknown() {
		return nil, ""
	}
	rate, ratio := h.v.Limits.Of(detect.ShareHighRate), h.v.Limits.Of(detect.ShareNodesRatio)
	for _, i := range h.minutes {
		p, n := h.v.Panes[i], h.panes[i].Requests
		perSecond := detect.Whole(h.v.SamplingOf(h.t).Low(n.Low, n.Low)) / detect.Milli(max(p.End-p.Start, 60))
		if perSecond < rate.Value {
			continue
		}
		own, others := h.nodeMeans(i)
		if others > 0 && detect.Ratio(own, others) >= ratio.Value {
			times := detect.Ratio(own, others)
			return []detect.Evidence{
				measure{perSecond, perSecond, perSecond}.against("requests_per_second", "requests/s", rate.Value, rate.Source),
				measure{times, times, times}.against("replica_load", "times", ratio.Value, ratio.Source),
			}, fmt.Sprintf("; its nodes serve %s times as much as the others", whole(times))
		}
	}
	return nil, ""
}

// nodeMeans gives the mean requests in pane i of the nodes that serve the key and of the other nodes.
func (h *hotMinutes) nodeMeans(i int) (own, others uint64) {
	count := [2]uint64{}
	sum := [2]uint64{}
	for _, n := range h.v.Nodes {
		if i >= len(n.Requests) || n.Requests[i] == 0 {
			continue
		}
		side := 1
		if slices.ContainsFunc(h.k.Exact.Nodes, func(c detect.NodeCount) bool { return c.Node == n.Name && c.Requests > 0 }) {
			side = 0
		}
		sum[side], count[side] = sum[side]+n.Requests[i], count[side]+1
	}
	return sum[0] / max(count[0], 1), sum[1] / max(count[1], 1)
}
