package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// denseStatistics judges a store's own statistics of the tombstones that reads of a table meet. They
// name no key, and their maxima are tops of histogram buckets.
func denseStatistics(v *detect.View, t *detect.TargetView) []detect.Finding {
	s := statisticsOf(v, t)
	l := v.Limits
	rows, known := s.rows.Value, s.rowsKnown
	few := s.counted && s.reads < l.Of(detect.TombstonesReads).Value
	average := !few && known && s.typical >= l.Of(detect.TombstonesMeanRead).Value &&
		s.typical >= detect.Milli(mul(uint64(rows), l.Count(detect.TombstonesPerLiveRow)))
	part := s.mean.value
	most := s.most.low >= l.Of(detect.TombstonesWarnRead).Value &&
		(!known || part == 0 || detect.Ratio(uint64(part), uint64(part+rows)) >= l.Of(detect.TombstonesOfRead).Value)
	severity := s.severity(l, isSystem(t.Target))
	if !average && !most || severity == 0 {
		return nil
	}
	f := detect.Finding{
		Severity: severity, Subject: detect.Subject{Target: t.Target}, Span: s.span,
		Message: s.message(), Mechanism: "unknown", Cost: s.most.value,
	}
	add := func(m measure, name string, id detect.LimitID) {
		if m.value > 0 {
			e := m.against(name, "tombstones", l.Of(id).Value, l.Of(id).Source)
			e.How = detect.Stored
			f.Evidence = append(f.Evidence, e)
		}
	}
	add(s.most, "largest_read_tombstones", detect.TombstonesWarnRead)
	add(s.mean, "tombstones_per_read", detect.TombstonesMeanRead)
	if known {
		f.Evidence = append(f.Evidence, stored(measure{rows, meanFloor(rows), rows}, "live_rows_per_read", "rows"))
	}
	(&cause{}).bySchema(&f, v, t)
	return []detect.Finding{told(f, s.at)}
}

// readStatistics are what a store keeps of the reads of a table.
type readStatistics struct {
	most      measure      // tombstones of the largest read
	mean      measure      // on average, or the median
	typical   detect.Milli // what is judged of it: the average as it is told, the lower edge of a median's bucket
	meanAt    ingest.Position
	rows      detect.Evidence
	rowsKnown bool // rows holds the average or median live rows
	reads     detect.Milli
	counted   bool // reads is known
	at        []ingest.Position
	span      detect.Span
}

// statisticsOf gives the statistics of the node that tells of most tombstones.
func statisticsOf(v *detect.View, t *detect.TargetView) readStatistics {
	s := readStatistics{}
	for i := range v.Points {
		p := &v.Points[i]
		if !pointOf(p, t.Target) {
			continue
		}
		n := largestValue(p)
		switch {
		case p.Name == ingest.PointTombstonesPerRead && p.Stat == "maximum" && n.Milli > uint64(s.most.value):
			low := detect.Whole(ingest.BucketFloor(n.Milli / 1000))
			s.most = measure{detect.Milli(n.Milli), min(low, detect.Milli(n.Milli)), detect.Milli(n.Milli)}
			s.at = append([]ingest.Position{p.First}, s.at...)
			s.span = joined(s.span, n.span())
		case p.Name == ingest.PointTombstonesPerRead && (p.Stat == "average" || p.Stat == "p50") && n.Milli > uint64(s.mean.value):
			s.mean = measure{detect.Milli(n.Milli), meanFloor(detect.Milli(n.Milli)), detect.Milli(n.Milli)}
			s.typical = s.mean.value
			if p.Stat == "p50" {
				s.mean.low = min(s.mean.value, detect.Whole(ingest.BucketFloor(n.Milli/1000)))
				s.typical = s.mean.low
			}
			s.at, s.meanAt = append(s.at, p.First), p.First
		case p.Name == ingest.PointTombstonesPerRead && p.Stat == "count":
			s.reads, s.counted = max(s.reads, detect.Milli(n.Milli)), true
		case p.Name == ingest.PointRowsPerRead && (p.Stat == "average" || p.Stat == "p50"):
			s.rows.Value, s.rowsKnown = max(s.rows.Value, detect.Milli(n.Milli)), true
		}
	}
	return s
}

// meanFloor gives the least that the mean of a histogram may be: it is that of the tops of buckets, which are up to
// a fifth over what is in them, and 1 for nothing (Cassandra's EstimatedHistogram).
func meanFloor(mean detect.Milli) detect.Milli {
	least := mean - mean/6
	return least - min(least, detect.Whole(1))
}

// severity gives the level by the largest read; 0 for none.
func (s *readStatistics) severity(l *detect.Limits, system bool) detect.Severity {
	severity := detect.Low
	switch {
	case s.most.low >= l.Of(detect.TombstonesHighRead).Value:
		severity = detect.High
	case s.most.low >= l.Of(detect.TombstonesMediumRead).Value:
		severity = detect.Medium
	}
	if system {
		severity--
	}
	return severity
}

func (s *readStatistics) message() string {
	said := "reads of the table meet tombstones"
	if s.mean.value > 0 {
		said += fmt.Sprintf(", %s each on average", whole(s.mean.value))
		if s.rowsKnown {
			said += fmt.Sprintf(" beside %s", plural(uint64(s.rows.Value/1000), "live row"))
		}
	}
	if s.most.value > 0 {
		said += fmt.Sprintf(", up to %s", whole(s.most.value))
	}
	return said + ": the store's statistics, which name no key"
}
