package rules

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// growingCollections judges the item collections of which exports of several times tell the size.
func growingCollections(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	if t.Target.Index != "" || len(t.Earlier) == 0 {
		return found
	}
	for i := range t.Stored.Collections {
		s := sizesOverTime(t, t.Stored.Collections[i].Key)
		if len(s.Days) < 2 || uint64(s.Last-s.First) < uint64(3600e9)*v.Limits.Count(detect.GrowingHours) {
			continue
		}
		g := betweenTwo(s)
		if len(s.Days) > 2 {
			g = growthOf(s.Days)
		}
		f, ok := growthFinding(v, t, s, g)
		if ok && len(s.Days) == 2 {
			f.Confidence = detect.Maybe
			f.Message += "; two times tell no interval"
		}
		if ok {
			found = append(found, f)
		}
	}
	return found
}

// sizesOverTime gives the sizes of one collection as states, each by its lower bound.
func sizesOverTime(t *detect.TargetView, key []byte) *detect.StateStats {
	s := &detect.StateStats{Measure: ingest.PartitionBytes, Key: string(key), KeyKnown: true}
	for _, at := range append(slices.Clone(t.Earlier), t.Stored) {
		i := slices.IndexFunc(at.Collections, func(c detect.Collection) bool { return bytes.Equal(c.Key, key) })
		if i < 0 || at.UnixNano == 0 {
			continue
		}
		c := &at.Collections[i]
		if s.First == 0 {
			s.First = at.UnixNano
		}
		s.Last, s.Positions, s.Max = at.UnixNano, c.At, max(s.Max, c.Storage.Low)
		day := detect.DayMax{Day: uint32(at.UnixNano / 1e9 / 86400), Value: c.Storage.Low}
		if n := len(s.Days); n > 0 && s.Days[n-1].Day == day.Day {
			s.Days[n-1].Value = max(s.Days[n-1].Value, day.Value)
			continue
		}
		s.Days = append(s.Days, day)
	}
	return s
}

// betweenTwo is the growth from the first to the last size; its interval is not known.
func betweenTwo(s *detect.StateStats) growth {
	first, last := s.Days[0], s.Days[len(s.Days)-1]
	days := float64(s.Last-s.First) / 86400e9
	slope := (float64(last.Value) - float64(first.Value)) / max(days, 1)
	return growth{slope: slope, low: slope, high: slope, first: first.Value, last: last.Value, lastDay: last.Day}
}

// growingByMetrics judges the sizes of one collection that DynamoDB told after writes on several days. Each is the lower
// end of a range, so growth is certain from two ranges on.
func growingByMetrics(v *detect.View, t *detect.TargetView, s *detect.StateStats) []detect.Finding {
	n := uint64(len(s.Days))
	if n < v.Limits.Count(detect.GrowingDays) || uint64(max(s.Last-s.First, 0)/1e9) < 3600*v.Limits.Count(detect.GrowingHours) {
		return nil
	}
	g := betweenTwo(s)
	days := float64(s.Last-s.First) / 86400e9
	g.low, g.high, g.band = g.slope-metricsBand/days, g.slope+metricsBand/days, metricsBand
	f, ok := growthFinding(v, t, s, g)
	if !ok {
		return nil
	}
	f.Evidence[0].How, f.Evidence[1].How, f.Evidence[2].How = detect.Inferred, detect.Inferred, detect.Stored
	return []detect.Finding{f}
}

// growingByChanges judges by how much records of changes made the items of a key grow.
func growingByChanges(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	span := t.Grew.End - t.Grew.Start
	if t.Target.Index != "" || span < 3600 {
		return found
	}
	floor := v.Limits.Of(detect.GrowingNetBytes)
	for i := range t.Growing {
		k := &t.Growing[i]
		net := k.Net()
		if detect.Whole(net.Low) < floor.Value || k.Changes.Low < v.Limits.Count(detect.GrowingWrites) {
			continue
		}
		g := rateOf(k, t.Grew, v.Width)
		f := detect.Finding{
			Severity: detect.Low, Subject: detect.Subject{Target: t.Target, Key: k.Key, HasKey: true}, Span: t.Grew, Cost: costOf(net.Middle()),
			Evidence: []detect.Evidence{
				ranged(net).against("net_growth_bytes", "bytes", floor.Value, floor.Source),
				ranged(k.Changes).evidence("changes", "changes"),
				measure{milliBytes(g.slope), milliBytes(g.low), milliBytes(g.high)}.evidence("growth_bytes_per_day", "bytes/day"),
			},
			Message: fmt.Sprintf("the items of a key grew by at least %s in %s, at a pace of %s a day", sized(net.Low), lasting(span), sized(uint64(g.slope))),
		}
		if passed := whenPassed(v, t, k, g, &f); !passed {
			f.Message += "; how large they were before is not told"
		}
		f = settle(f, k.At)
		v.Doubt(&f)
		found = append(found, f)
	}
	return found
}

// rateOf gives the growth of a key a day: the mean of its panes, with the 95 % interval of that mean where
// the second pass counted them, panes without a change as well.
func rateOf(k *detect.GrowingKey, span detect.Span, width uint32) growth {
	seconds := float64(span.End - span.Start)
	whole := float64(k.Net().Middle())
	g := growth{slope: whole * 86400 / seconds, lastDay: uint32(span.End / 86400)}
	n := int(math.Ceil(seconds / float64(max(width, 1))))
	if k.Panes == nil || n < 3 {
		g.high = float64(k.Net().High) * 86400 / seconds
		return g
	}
	mean, squares := whole/float64(n), 0.0
	for i := range k.Panes {
		e := float64(k.Panes[i].Grown) - float64(k.Panes[i].Shrunk) - mean
		squares += float64(e * e)
	}
	squares += float64(float64(max(n-len(k.Panes), 0)) * float64(mean*mean))
	margin := studentT(n-1) * math.Sqrt(squares/float64(n-1)/float64(n)) * float64(n) * 86400 / seconds
	g.low, g.high = max(g.slope-margin, 0), g.slope+margin
	return g
}

// metricsBand is how wide the ranges are in which item collection metrics tell a size, in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ItemCollectionMetrics.html
const metricsBand = 1 << 30

// whenPassed adds to a finding when the key passes the limit of an item collection, if its size is known
// from elsewhere. It reports whether that is so.
func whenPassed(v *detect.View, t *detect.TargetView, k *detect.GrowingKey, g growth, f *detect.Finding) bool {
	limit := v.Limits.Of(detect.DynamoPartitionBytes)
	for _, c := range collectionsOf(t) {
		if !bytes.Equal(c.subject.Key, k.Key) {
			continue
		}
		size := c.bytes.evidence("collection_bytes", "bytes")
		size.How, size.Open = c.howBytes, c.open
		f.Evidence = append(f.Evidence, size)
		if c.bytes.low >= limit.Value {
			return true // large-partition tells of it
		}
		left := float64(limit.Value-c.bytes.low) / 1000
		least := left
		if c.open {
			least -= min(left, metricsBand)
		}
		days, early, late := milliDays(left, g.slope), milliDays(least, g.high), milliDays(left, g.low)
		e := measure{days, early, late}.evidence("days_until_limit", "days")
		e.How = detect.Inferred
		f.Evidence = append(f.Evidence, e)
		if days <= v.Limits.Of(detect.GrowingMediumDays).Value {
			f.Severity = detect.Medium
		}
		f.Message += fmt.Sprintf("; with %s there now they pass %s about %s (%s to %s)", sized(uint64(c.bytes.value/1000)), sized(uint64(limit.Value/1000)),
			dayAfter(g.lastDay, days), dayAfter(g.lastDay, early), dayAfter(g.lastDay, late)) + wallOrSign(v, t, c.stated)
		return true
	}
	return false
}

// lasting writes a time as people do.
func lasting(seconds int64) string {
	if seconds < 2*86400 {
		return plural(uint64(seconds/3600), "hour")
	}
	return plural(uint64(seconds/86400), "day")
}
