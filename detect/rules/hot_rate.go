package rules

import (
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A side is one of the two loads of a DynamoDB partition, which have limits of their own.
type side struct {
	name   string // of the measures
	unit   string
	limit  detect.LimitID
	total  detect.Counter
	pane   detect.PaneCounter
	of     func(*detect.KeyPane) detect.Range
	second func(*detect.ExactSecond) uint64
	// atLeast gives the units of this side in a span whose weighted cost, 3 x write + read, is known.
	atLeast func(cost uint64, p *detect.KeyPane) uint64
}

var sides = []*side{&writeSide, &readSide}

var writeSide = side{
	name: "write_units_per_second", unit: "WCU/s", limit: detect.PartitionWriteUnits,
	total: detect.WriteMilli, pane: detect.PaneWriteMilli,
	of:     func(p *detect.KeyPane) detect.Range { return p.Writes },
	second: func(s *detect.ExactSecond) uint64 { return s.WriteMilli },
	atLeast: func(cost uint64, p *detect.KeyPane) uint64 {
		return min((cost-min(cost, p.Reads.High))/3, p.Writes.High)
	},
}

var readSide = side{
	name: "read_units_per_second", unit: "RCU/s", limit: detect.PartitionReadUnits,
	total: detect.ReadMilli, pane: detect.PaneReadMilli,
	of:     func(p *detect.KeyPane) detect.Range { return p.Reads },
	second: func(s *detect.ExactSecond) uint64 { return s.ReadMilli },
	atLeast: func(cost uint64, p *detect.KeyPane) uint64 {
		return min(cost-min(cost, 3*min(p.Writes.High, cost)), p.Reads.High)
	},
}

// A load is what one key does to one side of a partition.
type load struct {
	v     *detect.View
	t     *detect.TargetView
	k     *detect.KeyView
	panes []detect.KeyPane
	*side
}

// rated reports whether rates of a target can be held against DynamoDB's limits.
func rated(v *detect.View, t *detect.TargetView) bool {
	return t.Target.Store == ingest.DynamoDB && t.Totals[detect.UnitsKnown] > 0 && !v.Sampling.Unknown()
}

// rateHeat judges a key's rate on one side.
func rateHeat(v *detect.View, t *detect.TargetView, k *detect.KeyView, panes []detect.KeyPane, s *side) (heat, bool) {
	if !rated(v, t) || t.Totals[s.total] == 0 {
		return heat{}, false
	}
	l := &load{v, t, k, panes, s}
	h, ok := l.sustained()
	if fast, over := l.seconds(); over {
		fast.evidence, fast.span = append(fast.evidence, h.evidence...), joined(fast.span, h.span)
		return fast, true
	}
	return h, ok
}

// mean gives the load of pane i as a mean a second. A pane counts as a minute at least.
func (l *load) mean(i int) measure {
	p, r := l.v.Panes[i], l.of(&l.panes[i])
	width := uint64(max(p.End-p.Start, 60))
	n := l.panes[i].Requests
	return measure{
		value: detect.Milli(l.v.Sampling.Scale(r.Middle()) / width),
		low:   detect.Milli(l.v.Sampling.Low(r.Low, n.Low) / width),
		high:  detect.Milli(l.v.Sampling.High(r.High, max(n.Low, 1)) / width),
	}
}

func anyPane(int) bool { return true }

// busiest gives the pane with the highest mean of those that count; false when none does.
func (l *load) busiest(counts func(i int) bool) (int, bool) {
	best, found := 0, false
	for i := range l.v.Panes {
		if !counts(i) {
			continue
		}
		if !found || l.mean(i).low > l.mean(best).low {
			best, found = i, true
		}
	}
	return best, found
}

func (l *load) half() detect.Milli {
	return l.v.Limits.Of(l.limit).Value.Scaled(l.v.Limits.Of(detect.PartitionHalf).Value)
}

// sustained judges minutes in a row with means of half the limit.
func (l *load) sustained() (heat, bool) {
	best, ok := l.busiest(anyPane)
	if !ok {
		return heat{}, false
	}
	mean := l.mean(best)
	h := heat{severity: detect.Medium}
	h.evidence = []detect.Evidence{mean.against(l.name+"_mean", l.unit, l.half(), l.v.Limits.Of(detect.PartitionHalf).Source)}
	hot := func(i int) bool { return l.mean(i).low >= l.half() }
	run, ok := inARow(l.v, l.v.Limits.Count(detect.MinutesInARow), hot)
	if !ok {
		return h, false
	}
	h.span = detect.Span{Start: l.v.Panes[run.from].Start, End: l.v.Panes[run.to-1].End}
	h.said = fmt.Sprintf("takes half of a partition's %s %s or more for %s in a row, %s at most",
		whole(l.v.Limits.Of(l.limit).Value), l.unit, plural(uint64(seconds(l.v, run)/60), "minute"), whole(mean.value))
	return h, true
}

// seconds judges single seconds over the limit: counted ones where there are, and in other minutes what
// is known of the busiest second and of means.
func (l *load) seconds() (heat, bool) {
	if h, ok := l.countedSeconds(); ok {
		return h, true
	}
	return l.likelySeconds()
}

// counted reports whether the second pass counted the seconds of all minutes from start to end.
func (l *load) counted(start, end int64) bool {
	if l.k.Exact == nil {
		return false
	}
	for at := start - start%60; at < end; at += 60 {
		if _, ok := slices.BinarySearch(l.k.Exact.Minutes, uint32(at)); !ok {
			return false
		}
	}
	return true
}

// countedSeconds judges the seconds of the second pass.
func (l *load) countedSeconds() (heat, bool) {
	if l.k.Exact == nil {
		return heat{}, false
	}
	limit := l.v.Limits.Of(l.limit)
	over, peak := []int64{}, measure{}
	for i := range l.k.Exact.Seconds {
		s := &l.k.Exact.Seconds[i]
		units := l.second(s)
		low := detect.Milli(l.v.Sampling.Low(units, s.Requests))
		if low >= limit.Value {
			over = append(over, int64(s.Second))
		}
		if low > peak.low {
			peak = measure{detect.Milli(l.v.Sampling.Scale(units)), low, detect.Milli(l.v.Sampling.High(units, s.Requests))}
		}
	}
	minute, ok := denseMinute(over, int(l.v.Limits.Count(detect.RateSeconds)), l.refusedAt)
	if !ok {
		return heat{}, false
	}
	most := mostWithin(over, int64(l.v.Limits.Count(detect.RateLongSpan)))
	h := heat{severity: detect.High, span: detect.Span{Start: over[0], End: over[len(over)-1] + 1}}
	if uint64(most) >= l.v.Limits.Count(detect.RateLongSeconds) || l.refusedAt(minute) {
		h.severity = detect.Critical
	}
	all, atLeast := uint64(len(over)), ""
	busiest := peak.against(l.name, l.unit, limit.Value, limit.Source)
	long := exactly(all).evidence(l.secondsName(), "seconds")
	rest := l.uncounted()
	if busiest.Open = rest > peak.high; busiest.Open {
		busiest.How = detect.Estimated
	}
	if long.Open = rest >= limit.Value; long.Open {
		long.How, atLeast = detect.Estimated, "at least "
	}
	h.evidence = append([]detect.Evidence{busiest, long}, l.refused(minute)...)
	h.said = fmt.Sprintf("takes %s %s in its busiest second and is over the %s that one partition can serve in %s%s",
		whole(peak.value), l.unit, whole(limit.Value), atLeast, plural(all, "second"))
	return h, true
}

// uncounted gives the most that one of the seconds can have that were not counted.
func (l *load) uncounted() detect.Milli {
	most := detect.Milli(0)
	rest := l.k.Exact.Uncounted(l.v.Width)
	for i := range rest {
		most = max(most, detect.Milli(l.v.Sampling.High(l.second(&rest[i]), rest[i].Requests)))
	}
	return most
}

func (l *load) secondsName() string {
	return map[*side]string{&writeSide: "seconds_over_write_limit", &readSide: "seconds_over_read_limit"}[l.side]
}

// likelySeconds judges the minutes whose seconds were not counted.
func (l *load) likelySeconds() (heat, bool) {
	best, ok := l.busiest(func(i int) bool { return !l.counted(l.v.Panes[i].Start, l.v.Panes[i].End) })
	if !ok {
		return heat{}, false
	}
	limit, mean := l.v.Limits.Of(l.limit), l.mean(best)
	second, at := l.busySecond()
	if mean.low < limit.Value && (second.low < limit.Value || mean.low < l.half()) {
		return heat{}, false
	}
	h := heat{severity: detect.High}
	minute := l.v.Panes[best].Start
	if second.low >= limit.Value {
		minute = at
	}
	if mean.low >= limit.Value || l.refusedAt(minute) {
		h.severity = detect.Critical
	}
	h.span = spanOf(l.v, func(i int) bool { return l.mean(i).low >= l.half() })
	// The busiest second is at least as busy as the busiest minute's mean.
	second.value, second.low = max(second.value, mean.low), max(second.low, mean.low)
	e := second.against(l.name, l.unit, limit.Value, limit.Source)
	e.Open, e.How = true, detect.Estimated
	h.evidence = append([]detect.Evidence{e}, l.refused(minute)...)
	h.said = fmt.Sprintf("takes at least %s %s in its busiest second, of %s that one partition can serve, and %s as a minute's mean",
		whole(second.low), l.unit, whole(limit.Value), whole(mean.value))
	return h, true
}

// busySecond gives a lower bound of the units in the second that cost most, and when that was. What
// the other side can have had of that cost is at most what its pane had.
func (l *load) busySecond() (measure, int64) {
	peak := l.k.CostSecond
	i := paneAt(l.v, int64(peak.At))
	if peak.N == 0 || i < 0 || l.counted(int64(peak.At), int64(peak.At)+1) {
		return measure{}, 0
	}
	units := l.atLeast(peak.N, &l.panes[i])
	low := detect.Milli(l.v.Sampling.Low(units, l.k.PeakSecond.N))
	return measure{detect.Milli(l.v.Sampling.Scale(units)), low, low}, int64(peak.At)
}

// refusedAt reports whether the target refused requests for its key range in the pane of a second.
func (l *load) refusedAt(second int64) bool { return l.keyRange(second) > 0 }

func (l *load) keyRange(second int64) uint64 {
	i := paneAt(l.v, second)
	if i < 0 {
		return 0
	}
	p := pane(l.t, i)
	return p.Totals[detect.PaneThrottle+detect.PaneCounter(ingest.ThrottledKeyRange)] + reportedRefusals(l.t, i, ingest.ThrottledKeyRange, ingest.ThrottledKeyRange)
}

func (l *load) refused(second int64) []detect.Evidence {
	n := l.keyRange(second)
	if n == 0 {
		return nil
	}
	return []detect.Evidence{exactly(n).evidence("throttled_key_range", "requests")}
}

// paneAt gives the pane that holds a second, -1 when there is none.
func paneAt(v *detect.View, second int64) int {
	return slices.IndexFunc(v.Panes, func(p detect.PaneSpan) bool { return p.Start <= second && second < p.End })
}

// denseMinute gives a minute with at least so many of the seconds, one for which better holds first.
func denseMinute(seconds []int64, least int, better func(second int64) bool) (int64, bool) {
	found, minute := false, int64(0)
	for i := 0; i < len(seconds); {
		end := i
		for end < len(seconds) && seconds[end]/60 == seconds[i]/60 {
			end++
		}
		if end-i >= least && (!found || !better(minute) && better(seconds[i])) {
			found, minute = true, seconds[i]
		}
		i = end
	}
	return minute, found
}

// mostWithin gives the largest number of the seconds, which are in order, that lie within a span.
func mostWithin(seconds []int64, span int64) int {
	span = max(span, 1)
	most, from := 0, 0
	for i, s := range seconds {
		for s-seconds[from] >= span {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// hiddenRate reports whether a key that no pane holds may have half of a partition's limit for minutes
// in a row. Its cost counts writes three times, as their limit is a third.
func hiddenRate(v *detect.View, t *detect.TargetView) bool {
	half := v.Limits.Of(detect.PartitionReadUnits).Value.Scaled(v.Limits.Of(detect.PartitionHalf).Value)
	_, hidden := inARow(v, v.Limits.Count(detect.MinutesInARow), func(i int) bool {
		p := v.Panes[i]
		return pane(t, i).Untold.Cost/uint64(max(p.End-p.Start, 60)) >= uint64(half)
	})
	return hidden
}
