package rules

import (
	_ "embed" // for the rule's text
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/low-cardinality-key.md
var lowCardinalityKeyDoc string

// LowCardinalityKey finds tables with too few different keys for their load to spread.
var LowCardinalityKey = detect.Rule{
	ID:     "low-cardinality-key",
	Title:  "Too few different keys for the load to spread",
	Needs:  "traffic with time, or numbers and sizes of partitions",
	Counts: true,
	Doc:    lowCardinalityKeyDoc,
	Judge:  judgeLowCardinalityKey,
}

func judgeLowCardinalityKey(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range v.Targets {
		if f, ok := fewCollections(v, t); ok {
			found = append(found, f)
		}
		if f, ok := fewPartitions(v, t); ok && t.Totals[detect.Requests] < v.Limits.Count(detect.CardinalityRequests) {
			found = append(found, f)
		}
	}
	if !fromTraffic(v) {
		return found, nil
	}
	for _, t := range v.Targets {
		if t.Totals[detect.Requests] < v.Limits.Count(detect.CardinalityRequests) || t.Distinct.Low == 0 {
			continue
		}
		if !t.Timed() {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"time"}, GetIt: "records with a time: keyheat analyze --map ts=FIELD INPUT",
			})
			continue
		}
		if f, ok := fewKeys(v, t); ok {
			found = append(found, f)
		} else if t.Distinct.High <= v.Limits.Count(detect.CardinalityDistinct) && distinctHigh(t) > t.Distinct.High {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"key"}, GetIt: "some records tell no key: keyheat analyze --map pk=FIELD INPUT",
			})
		}
	}
	return found, missing
}

// distinctHigh bounds the different keys: each request that should have one and tells none may be another.
func distinctHigh(t *detect.TargetView) uint64 {
	scans := t.Totals[detect.ByOp+detect.Counter(ingest.OpScan)]
	unknown := t.Totals[detect.KeyUnknown]
	return t.Distinct.High + unknown - min(unknown, scans)
}

func fewKeys(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	most := v.Limits.Count(detect.CardinalityDistinct)
	needed, keys := neededPartitions(v, t), distinctHigh(t)
	minutes := v.Limits.Of(detect.CardinalityMinutes)
	lasted := max(t.Span.End-t.Span.Start, 0)
	if keys > max(most, needed) || uint64(lasted) < 60*v.Limits.Count(detect.CardinalityMinutes) {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target},
		Span:     t.Span,
		Series:   tableSeries(v, t), SeriesOf: "requests",
		Cost: detect.Whole(t.Totals[detect.Requests]),
		Message: fmt.Sprintf("%s share %s, so no more than %s can work on them",
			plural(t.Distinct.Value, "key"), plural(t.Totals[detect.Requests], "request"), plural(t.Distinct.Value, "partition")),
	}
	peak, near := nearestKey(v, t)
	if near {
		f.Severity, f.Evidence = detect.Medium, append(f.Evidence, peak)
	}
	if isLookup(v, t) && !near && keys > needed {
		return detect.Finding{}, false
	}
	floor := v.Limits.Of(detect.CardinalityRequests)
	f.Evidence = append(f.Evidence,
		measure{detect.Whole(t.Distinct.Value), detect.Whole(t.Distinct.Low), detect.Whole(keys)}.evidence("distinct_keys", "keys"),
		exactly(t.Totals[detect.Requests]).against("requests", "requests", floor.Value, floor.Source),
		exactly(uint64(lasted/60)).against("minutes", "minutes", minutes.Value, minutes.Source),
	)
	if needed > 1 {
		f.Evidence = append(f.Evidence, exactly(needed).evidence("needed_partitions", "partitions"))
	}
	return settle(f, firstPositions(t)), true
}

// neededPartitions gives how many partitions the busiest minute's mean needs at their limits.
func neededPartitions(v *detect.View, t *detect.TargetView) uint64 {
	needed := uint64(0)
	for _, s := range sides {
		limit := max(v.Limits.Of(s.limit).Value, 1)
		needed = max(needed, ceilDiv(uint64(tablePeak(v, t, s).low), uint64(limit)))
	}
	return needed
}

// isLookup reports whether hardly any request of a target writes.
func isLookup(v *detect.View, t *detect.TargetView) bool {
	reads, writes := t.Totals.Reads(), t.Totals.Writes()
	return reads > 0 && detect.Ratio(writes, reads+writes) < v.Limits.Of(detect.CardinalityWrites).Value
}

// nearestKey gives the busiest minute's mean of any key and whether it nears a partition's limit.
func nearestKey(v *detect.View, t *detect.TargetView) (detect.Evidence, bool) {
	if !rated(v, t) {
		return detect.Evidence{}, false
	}
	for _, s := range sides {
		limit := v.Limits.Of(s.limit).Value.Scaled(v.Limits.Of(detect.CardinalityRateShare).Value)
		best := measure{}
		for _, k := range t.Keys {
			l := &load{v, t, k, series(v, k), s}
			if i, ok := l.busiest(anyPane); ok && l.mean(i).low > best.low {
				best = l.mean(i)
			}
		}
		if best.low >= limit {
			return best.against(s.name+"_mean", s.unit, limit, v.Limits.Of(detect.CardinalityRateShare).Source), true
		}
	}
	return detect.Evidence{}, false
}
