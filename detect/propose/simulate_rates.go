package propose

import (
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A rate is one of the loads of a partition that are counted by the second.
type rate struct {
	second func(s *detect.ExactSecond) uint64
	pane   func(p *detect.KeyPane) detect.Range
	untold func(u detect.Untold) uint64 // of a key that a pane does not hold
}

var requestRate = rate{
	second: func(s *detect.ExactSecond) uint64 { return s.Requests },
	pane:   func(p *detect.KeyPane) detect.Range { return p.Requests },
	untold: func(u detect.Untold) uint64 { return u.Requests },
}

// writeRate and readRate are in thousandths of a unit. The cost of a key counts writes three times.
var writeRate = rate{
	second: func(s *detect.ExactSecond) uint64 { return s.WriteMilli },
	pane:   func(p *detect.KeyPane) detect.Range { return p.Writes },
	untold: func(u detect.Untold) uint64 { return u.Cost / 3 },
}

var readRate = rate{
	second: func(s *detect.ExactSecond) uint64 { return s.ReadMilli },
	pane:   func(p *detect.KeyPane) detect.Range { return p.Reads },
	untold: func(u detect.Untold) uint64 { return u.Cost },
}

// rates gives the busiest second of a partition, and how long partitions are over what they can serve.
func (l *measuredLane) rates(s *detect.Simulated) {
	if len(l.view.Panes) == 0 || l.view.Sampling.Unknown() {
		return
	}
	s.Peak = l.peak(&requestRate)
	if l.of.Target.Store != ingest.DynamoDB || l.of.Totals[detect.UnitsKnown] == 0 {
		return
	}
	s.PeakWrite, s.PeakRead = l.peak(&writeRate), l.peak(&readRate)
	s.SecondsOver = l.secondsOver()
}

// peak gives the largest load of one second on one partition: of counted seconds exactly, of other minutes
// within what their counts allow.
func (l *measuredLane) peak(r *rate) detect.Bounds {
	low, high := uint64(0), uint64(0)
	for _, k := range l.of.Keys {
		if k.Exact != nil {
			for i := range k.Exact.Seconds {
				low = max(low, r.second(&k.Exact.Seconds[i]))
			}
		}
		if r == &requestRate {
			low = max(low, k.PeakSecond.N)
		}
		l.uncounted(k, func(i int, p *detect.KeyPane) {
			low = max(low, r.pane(p).Low/uint64(l.width(i)))
			high = max(high, r.pane(p).High)
		})
	}
	for i := range l.of.Panes {
		high = max(high, r.untold(l.of.Panes[i].Untold))
	}
	of := l.view.Sampling.Scale
	b := detect.Within(detect.Milli(of(low)), detect.Milli(of(low)), detect.Milli(of(max(low, high))))
	if r == &requestRate {
		b = times(b, 1000, 1)
	}
	b = l.noisy(b, l.largest(r))
	b.Open = l.loose() > 0
	return b
}

// largest gives what a request adds to a rate at most, one at least.
func (l *measuredLane) largest(r *rate) detect.Milli {
	switch r {
	case &writeRate:
		return max(detect.Milli(l.tally.most.write), one)
	case &readRate:
		return max(detect.Milli(l.tally.most.read), one)
	}
	return one
}

func (l *measuredLane) width(i int) int64 {
	return max(l.view.Panes[i].End-l.view.Panes[i].Start, 1)
}

// uncounted calls do for each pane of a key whose seconds were not counted.
func (l *measuredLane) uncounted(k *detect.KeyView, do func(i int, p *detect.KeyPane)) {
	series := k.Series()
	for i := range series {
		if !l.counted(k, l.view.Panes[i]) {
			do(i, &series[i])
		}
	}
}

func (l *measuredLane) counted(k *detect.KeyView, p detect.PaneSpan) bool {
	if k.Exact == nil {
		return false
	}
	for at := p.Start; at < p.End; at += 60 {
		if _, ok := slices.BinarySearch(k.Exact.Minutes, uint32(at)); !ok {
			return false
		}
	}
	return true
}

// secondsOver gives the seconds in which a partition is over its limit. In minutes whose seconds were not
// counted there may be as many as their units make.
func (l *measuredLane) secondsOver() detect.Bounds {
	over, more := map[uint32]bool{}, uint64(0)
	for _, side := range []struct {
		rate  *rate
		limit detect.Milli
	}{
		{&writeRate, l.view.Limits.Of(detect.PartitionWriteUnits).Value},
		{&readRate, l.view.Limits.Of(detect.PartitionReadUnits).Value},
	} {
		limit := max(uint64(side.limit), 1)
		for _, k := range l.of.Keys {
			if k.Exact != nil {
				for i := range k.Exact.Seconds {
					if s := &k.Exact.Seconds[i]; l.view.Sampling.Scale(side.rate.second(s)) >= limit {
						over[s.Second] = true
					}
				}
			}
			l.uncounted(k, func(i int, p *detect.KeyPane) {
				more += min(l.view.Sampling.Scale(side.rate.pane(p).High)/limit, uint64(l.width(i)))
			})
		}
		for i := range l.of.Panes {
			more += min(l.view.Sampling.Scale(side.rate.untold(l.of.Panes[i].Untold))/limit, uint64(l.width(i)))
		}
	}
	n := uint64(len(over))
	b := detect.Within(detect.Whole(n), detect.Whole(n), detect.Whole(n+more))
	b.Open = l.loose() > 0
	return b
}
