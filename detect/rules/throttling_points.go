package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// CloudWatch's metrics of refusals. The first two count each refused write or read of an item, the third
// requests with any; the others tell the limit that was met, for reads and writes apart.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
const (
	metricWriteThrottles = "WriteThrottleEvents"
	metricReadThrottles  = "ReadThrottleEvents"
	metricThrottled      = "ThrottledRequests"
	metricWrites         = "ConsumedWriteCapacityUnits"
	metricReads          = "ConsumedReadCapacityUnits"
)

// reasonOfMetric gives the limit that a metric counts refusals for.
func reasonOfMetric(name string) ingest.Throttle {
	rest, ok := strings.CutSuffix(name, "ThrottleEvents")
	if !ok {
		return ingest.NotThrottled
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "Read"), "Write")
	switch rest {
	case "":
		return ingest.ThrottledUnknown
	case "KeyRangeThroughput":
		return ingest.ThrottledKeyRange
	case "ProvisionedThroughput":
		return ingest.ThrottledTable
	case "MaxOnDemandThroughput":
		return ingest.ThrottledMaximum
	case "AccountLimit":
		return ingest.ThrottledAccount
	}
	return ingest.NotThrottled
}

// A metricSeries is the sum of series of one metric, by the start of the period.
type metricSeries struct {
	at      []ingest.Position
	seconds uint32
	values  map[uint32]uint64
}

func (s *metricSeries) total() uint64 {
	sum := uint64(0)
	for _, n := range s.values {
		sum += n
	}
	return sum
}

// metricsOf gives the sums that CloudWatch tells, by target and metric. Series of one metric are of
// operations, or of queries whose table is not known: those of the largest query speak, for they may
// be of the same requests; operations are added up.
func metricsOf(v *detect.View) map[detect.Target]map[string]*metricSeries {
	found := map[detect.Target]map[string]*metricSeries{}
	queries := queriesOf(v)
	for i := range v.Points {
		p := &v.Points[i]
		t, operation := p.Target, p.Node
		if q, ok := queries[query{p.Node, p.Name}]; ok && t.Table == "" {
			t, operation = q.Target, q.Value[strings.LastIndexByte(q.Value, ' ')+1:]
		}
		if p.Stat != "sum" {
			continue
		}
		if found[t] == nil {
			found[t] = map[string]*metricSeries{}
		}
		s, was := newMetricSeries(p), found[t][p.Name]
		switch {
		case was == nil:
			found[t][p.Name] = s
		case t.Table != "" && operation != "":
			found[t][p.Name] = merged(was, s)
		case s.total() > was.total():
			found[t][p.Name] = s
		}
	}
	return found
}

func newMetricSeries(p *detect.PointStats) *metricSeries {
	s := &metricSeries{at: []ingest.Position{p.First}, values: map[uint32]uint64{}}
	for _, n := range p.Values {
		s.values[n.Unix] += n.Milli / 1000
		s.seconds = max(s.seconds, n.Seconds)
	}
	return s
}

// A query is what an answer of CloudWatch tells of its series: the Id and the metric.
type query struct{ id, metric string }

// queriesOf gives the queries that are known: answers name no table, and their queries do.
func queriesOf(v *detect.View) map[query]*detect.FactStats {
	found := map[query]*detect.FactStats{}
	for i := range v.Facts {
		f := &v.Facts[i]
		metric, _, ok := strings.Cut(f.Value, " ")
		if _, twice := found[query{f.Node, metric}]; f.Name == ingest.FactMetricQuery && ok && !twice {
			found[query{f.Node, metric}] = f
		}
	}
	return found
}

// merged adds up series by period; nil where there are none.
func merged(list ...*metricSeries) *metricSeries {
	sum := &metricSeries{values: map[uint32]uint64{}}
	for _, s := range list {
		if s == nil {
			continue
		}
		sum.at, sum.seconds = append(sum.at, s.at...), max(sum.seconds, s.seconds)
		for at, n := range s.values {
			sum.values[at] += n
		}
	}
	if len(sum.at) == 0 {
		return nil
	}
	return sum
}

// inOrder gives the starts of the periods.
func (s *metricSeries) inOrder() []uint32 {
	starts := []uint32{}
	for at := range s.values {
		starts = append(starts, at)
	}
	slices.Sort(starts)
	return starts
}

// most gives the largest sum within so many minutes; a longer period counts with its share.
func (s *metricSeries) most(minutes uint64) uint64 {
	starts, width, best := s.inOrder(), uint32(minutes)*60, uint64(0)
	for i, from := range starts {
		sum := uint64(0)
		for _, at := range starts[i:] {
			if at+s.seconds > from+max(width, s.seconds) {
				break
			}
			sum += s.values[at]
		}
		if s.seconds > width {
			sum = sum * uint64(width) / uint64(s.seconds)
		}
		best = max(best, sum)
	}
	return best
}

// row gives the seconds of the longest run of periods without a gap for which holds is true, and the end
// of the last one.
func (s *metricSeries) row(holds func(at uint32) bool) (longest, end uint32) {
	run, next := uint32(0), uint32(0)
	for _, at := range s.inOrder() {
		switch {
		case !holds(at):
			run = 0
			continue
		case at != next:
			run = 0
		}
		run += s.seconds
		next = at + s.seconds
		longest, end = max(longest, run), next
	}
	return longest, end
}

// A metricThrottling is what CloudWatch tells of the refusals of a target.
type metricThrottling struct {
	target   detect.Target
	refused  *metricSeries // items refused, else requests
	consumed *metricSeries // capacity units: at least as many as requests, as reads count half at least
	reasons  [ingest.Throttles]uint64
	end      uint32 // of the last period of any metric
	start    uint32
}

func metricThrottlingOf(t detect.Target, all map[string]*metricSeries) (*metricThrottling, bool) {
	m := &metricThrottling{target: t}
	m.refused = merged(all[metricWriteThrottles], all[metricReadThrottles])
	byReason := []*metricSeries{}
	for _, name := range sortedNames(all) {
		if r := reasonOfMetric(name); r > ingest.ThrottledUnknown {
			m.reasons[r] += all[name].total()
			byReason = append(byReason, all[name])
		}
		for at := range all[name].values {
			m.end = max(m.end, at+all[name].seconds)
			if m.start == 0 || at < m.start {
				m.start = at
			}
		}
	}
	if m.refused == nil {
		m.refused = all[metricThrottled]
	}
	if m.refused == nil {
		m.refused = merged(byReason...)
	}
	m.consumed = merged(all[metricWrites], all[metricReads], all[metricReads])
	return m, m.refused != nil && m.refused.total() > 0
}

func sortedNames(all map[string]*metricSeries) []string {
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// share bounds from below the share of refused requests in a period, 0 where it is not known.
func (m *metricThrottling) share(at uint32) detect.Milli {
	if m.consumed == nil || m.consumed.values[at] == 0 {
		return 0
	}
	n := m.refused.values[at]
	return detect.Ratio(n, n+m.consumed.values[at])
}

func (m *metricThrottling) severity(l *detect.Limits) detect.Severity {
	third := m.end - (m.end-m.start)/3
	high := func(at uint32) bool {
		s := m.share(at)
		return s > 0 && s >= l.Of(detect.ThrottleHighShare).Value
	}
	some := func(at uint32) bool { return m.refused.values[at] > 0 }
	run, last := m.refused.row(high)
	row, _ := m.refused.row(some)
	total, units := m.refused.total(), uint64(0)
	if m.consumed != nil {
		units = m.consumed.total()
	}
	switch {
	case uint64(run) >= 60*l.Count(detect.ThrottleHighMinutes) && last > third && run > 0:
		return detect.High
	case m.refused.most(l.Count(detect.ThrottleMediumMinutes)) >= l.Count(detect.ThrottleMedium),
		row > 0 && uint64(row) >= 60*l.Count(detect.ThrottleRow),
		units > 0 && total >= l.Count(detect.ThrottleShareRequests) && detect.Ratio(total, total+units) >= l.Of(detect.ThrottleShare).Value:
		return detect.Medium
	}
	return detect.Low
}

// metricThrottlings gives what CloudWatch tells of the refusals of each target that has any, in order.
func metricThrottlings(v *detect.View) []*metricThrottling {
	all := []*metricThrottling{}
	for t, metrics := range metricsOf(v) {
		if m, ok := metricThrottlingOf(t, metrics); ok {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *metricThrottling) int { return a.target.Compare(b.target) })
	return all
}

func (m *metricThrottling) finding(v *detect.View) detect.Finding {
	many := v.Limits.Of(detect.ThrottleMedium)
	total := m.refused.total()
	f := detect.Finding{
		Severity: m.severity(v.Limits),
		Subject:  detect.Subject{Target: m.target},
		Cost:     detect.Whole(total),
		Evidence: []detect.Evidence{
			exactly(total).against("throttled_requests", "requests", many.Value, many.Source),
			exactly(m.refused.most(v.Limits.Count(detect.ThrottleMediumMinutes))).evidence("throttled_in_ten_minutes", "requests"),
		},
		Message: fmt.Sprintf("%s refused for rate, as CloudWatch counts", pluralWere(total, "request")),
	}
	for _, at := range m.refused.inOrder() {
		if m.refused.values[at] > 0 {
			f.Span = joined(f.Span, detect.Span{Start: int64(at), End: int64(at + max(m.refused.seconds, 1))})
		}
	}
	if said := reasonList(func(r ingest.Throttle) uint64 { return m.reasons[r] }); said != "" {
		f.Message += ": " + said
	}
	for r, n := range m.reasons {
		if n > 0 {
			f.Evidence = append(f.Evidence, exactly(n).evidence("throttled_"+strings.ReplaceAll(ingest.Throttle(r).String(), "-", "_"), "requests"))
		}
	}
	for i := range f.Evidence {
		f.Evidence[i].How = detect.Stored
	}
	return told(f, m.refused.at)
}

// indexMetrics judges the refusals of an index: a share of its requests for minutes in a row.
func indexMetrics(v *detect.View) []detect.Finding {
	found := []detect.Finding{}
	for _, m := range metricThrottlings(v) {
		if m.target.Index == "" {
			continue
		}
		limit := v.Limits.Of(detect.IndexThrottleShare)
		best := detect.Milli(0)
		run, _ := m.refused.row(func(at uint32) bool {
			s := m.share(at)
			best = max(best, s)
			return s > 0 && s >= limit.Value
		})
		if run == 0 || uint64(run) < 60*v.Limits.Count(detect.MinutesInARow) {
			continue
		}
		e := measure{best, best, 1000}.against("throttled_share", "share", limit.Value, limit.Source)
		e.How = detect.Inferred
		found = append(found, settle(detect.Finding{
			Severity: detect.Medium, Subject: detect.Subject{Target: m.target}, Cost: detect.Whole(m.refused.total()),
			Evidence: []detect.Evidence{e, stored(exactly(m.refused.total()), "throttled_requests", "requests")},
			Message: fmt.Sprintf("the index refused at least %s of its requests for rate for %s in a row, which holds up writes to its table",
				percent(limit.Value), plural(uint64(run/60), "minute")),
		}, m.refused.at))
	}
	slices.SortStableFunc(found, func(a, b detect.Finding) int { return cmp.Compare(b.Cost, a.Cost) })
	return found
}
