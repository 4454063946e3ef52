package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/growing-partition.md
var growingPartitionDoc string

// GrowingPartition finds partitions that will pass a limit of their store if they go on growing.
var GrowingPartition = detect.Rule{
	ID:    "growing-partition",
	Title: "A partition will pass a limit if it goes on growing",
	Needs: "sizes of the same partition on several days",
	Doc:   growingPartitionDoc,
	Judge: judgeGrowingPartition,
}

func judgeGrowingPartition(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	sizes, judged := false, false
	for _, t := range v.Targets {
		if t.Target.Store == ingest.DynamoDB && t.Target.Index == "" && t.Totals.Writes() >= v.Limits.Count(detect.ShareRequestsOfTable) && len(collectionsOf(t)) == 0 {
			missing = append(missing, detect.NotAssessed{
				Missing: []string{"collection_sizes"},
				GetIt:   "writes do not tell how large a collection was before: give a full export of the table beside them",
			})
		}
		growing := append(growingCollections(v, t), growingByChanges(v, t)...)
		for i := range t.States {
			s := &t.States[i]
			if s.Measure != ingest.PartitionBytes {
				continue
			}
			sizes = sizes || t.Target.Store != ingest.DynamoDB
			if s.Source == ingest.SourceCollections {
				growing = append(growing, growingByMetrics(v, t, s)...)
			}
			if !comparable(v.Limits, s) {
				continue
			}
			judged = true
			if f, ok := growthFinding(v, t, s, growthOf(s.Days)); ok {
				growing = append(growing, f)
			}
		}
		found = append(found, oncePerKey(growing)...)
	}
	if sizes && !judged {
		missing = append(missing, detect.NotAssessed{
			Missing: []string{"sizes_over_time"},
			GetIt:   "no partition was measured on three days by the same means: give system.top_partitions of several days",
		})
	}
	return found, missing
}

// oncePerKey keeps of each partition the finding that is worst.
func oncePerKey(found []detect.Finding) []detect.Finding {
	slices.SortStableFunc(found, func(a, b detect.Finding) int { return int(b.Severity) - int(a.Severity) })
	seen := map[string]bool{}
	return withoutNameless(slices.DeleteFunc(found, func(f detect.Finding) bool {
		id := fmt.Sprintf("%t %s", f.Subject.HasKey, f.Subject.Key)
		twice := seen[id]
		seen[id] = true
		return twice
	}))
}

// wallOrSign says in a clause what DynamoDB's limit on an item collection means to a table; nothing of other
// stores.
func wallOrSign(v *detect.View, t *detect.TargetView, stated bool) string {
	if t.Target.Store != ingest.DynamoDB {
		return ""
	}
	switch local, known := localIndex(v, t, stated); {
	case local:
		return "; under a local secondary index writes that grow it are refused from then on (ItemCollectionSizeLimitExceeded)"
	case known:
		return "; without a local secondary index it may grow on"
	}
	return "; under a local secondary index, if the table has one, that is a wall"
}

// comparable reports whether sizes of several days can be compared: whole partitions, by one node and
// one statement. A record of one write or one SSTable is not: SSTables grow by merging. Neither is the
// top of a histogram bucket, which moves by a fifth at a time.
func comparable(l *detect.Limits, s *detect.StateStats) bool {
	return !s.AtLeast && !s.Bucketed() && uint64(len(s.Days)) >= l.Count(detect.GrowingDays) &&
		uint64(max(s.Last-s.First, 0)/1e9) >= 3600*l.Count(detect.GrowingHours)
}

// A growth is a straight line through daily sizes, with the 95 % interval of its slope.
type growth struct {
	slope, low, high float64 // bytes a day
	first, last      uint64
	lastDay          uint32
	band             uint64 // sizes are the lower ends of ranges so wide, in bytes
}

// tQuantile is the two-sided 95 % quantile of Student's t by degrees of freedom, from 1.
var tQuantile = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

func studentT(freedom int) float64 { return tQuantile[min(max(freedom, 1), len(tQuantile))-1] }

// growthOf fits the line by least squares. Conversions forbid fused multiplication, so that the result
// is the same on every machine.
func growthOf(days []detect.DayMax) growth {
	n := float64(len(days))
	sumX, sumY := 0.0, 0.0
	for _, d := range days {
		sumX, sumY = sumX+float64(d.Day), sumY+float64(d.Value)
	}
	meanX, meanY := sumX/n, sumY/n
	sxx, sxy := 0.0, 0.0
	for _, d := range days {
		dx, dy := float64(d.Day)-meanX, float64(d.Value)-meanY
		sxx, sxy = sxx+float64(dx*dx), sxy+float64(dx*dy)
	}
	g := growth{slope: sxy / sxx, first: days[0].Value, last: days[len(days)-1].Value, lastDay: days[len(days)-1].Day}
	rest := 0.0
	for _, d := range days {
		e := float64(d.Value) - meanY - float64(g.slope*(float64(d.Day)-meanX))
		rest += float64(e * e)
	}
	t := studentT(len(days) - 2)
	margin := float64(t * math.Sqrt(rest/float64((n-2)*sxx)))
	g.low, g.high = g.slope-margin, g.slope+margin
	return g
}

// nextLimit gives the first limit that a size has not reached.
func nextLimit(v *detect.View, t *detect.TargetView, size uint64) (detect.Limit, bool) {
	limits := []detect.Limit{v.Limits.Of(detect.DynamoPartitionBytes)}
	if t.Target.Store != ingest.DynamoDB {
		store, _ := partitionLimits(v, t)
		limits = []detect.Limit{store, v.Limits.Of(detect.PartitionMediumBytes), v.Limits.Of(detect.PartitionHighBytes)}
		slices.SortStableFunc(limits, func(a, b detect.Limit) int { return int(min(max(int64(a.Value)-int64(b.Value), -1), 1)) })
	}
	i := slices.IndexFunc(limits, func(l detect.Limit) bool { return l.Value > detect.Whole(size) })
	if i < 0 {
		return detect.Limit{}, false
	}
	return limits[i], true
}

func growthFinding(v *detect.View, t *detect.TargetView, s *detect.StateStats, g growth) (detect.Finding, bool) {
	l := v.Limits
	grown := g.last - min(g.first, g.last)
	limit, ok := nextLimit(v, t, g.last)
	least := l.Of(detect.GrowingBytes)
	if !ok || g.low <= 0 || detect.Whole(grown) < least.Value || detect.Ratio(grown, max(g.first, 1)) < l.Of(detect.GrowingShare).Value {
		return detect.Finding{}, false
	}
	left := float64(uint64(limit.Value/1000) - g.last)
	days := milliDays(left, g.slope)
	severity := detect.Low
	switch {
	case days > l.Of(detect.GrowingLowDays).Value:
		return detect.Finding{}, false
	case days <= l.Of(detect.GrowingMediumDays).Value:
		severity = detect.Medium
	}
	needed := detect.Milli(left * 1000 / float64(max(l.Count(detect.GrowingLowDays), 1)))
	c := condition{measure: s.Measure, key: s.Key, keyKnown: s.KeyKnown, best: s}
	early, late := milliDays(max(left-float64(g.band), 0), g.high), milliDays(left, g.low)
	f := detect.Finding{
		Severity: severity, Subject: c.subject(t), Cost: costOf(g.last),
		Span: detect.Span{Start: s.First / 1e9, End: s.Last/1e9 + 1},
		Evidence: []detect.Evidence{
			measure{milliBytes(g.slope), milliBytes(g.low), milliBytes(g.high)}.against("growth_bytes_per_day", "bytes/day", needed, limit.Source),
			within(grown, grown-min(g.band, grown), grown+g.band).evidence("grown_bytes", "bytes"),
			within(g.last, g.last, g.last+g.band).evidence("partition_bytes", "bytes"),
			stored(exactly(uint64(limit.Value/1000)), "next_limit_bytes", "bytes"),
			measure{days, early, late}.evidence("days_until_limit", "days"),
		},
		Message: fmt.Sprintf("a partition of %s grows by %s a day and passes %s about %s (%s to %s)",
			sized(g.last), sized(uint64(g.slope)), sized(uint64(limit.Value/1000)), dayAfter(g.lastDay, days), dayAfter(g.lastDay, early), dayAfter(g.lastDay, late)),
	}
	f.Evidence[4].How = detect.Inferred
	f.Message += wallOrSign(v, t, s.Source == ingest.SourceCollections)
	return settle(f, s.Positions), true
}

// milliDays gives how long a rest takes at a slope, at most ten thousand years.
func milliDays(left, perDay float64) detect.Milli {
	const most = 3_650_000_000
	if perDay <= 0 || left/perDay*1000 > most {
		return most
	}
	return detect.Milli(left / perDay * 1000)
}

func milliBytes(perDay float64) detect.Milli {
	return detect.Milli(min(max(perDay*1000, 0), 1<<62))
}

// dayAfter gives the date so many days after a day; a date too far to mean anything is "never".
func dayAfter(day uint32, after detect.Milli) string {
	if after > 36_500_000 {
		return "never"
	}
	return time.Unix(int64(day)*86400+int64(after)*86400/1000, 0).UTC().Format(time.DateOnly)
}
