package rules

import (
	_ "embed" // for the rule's text
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

//go:embed doc/skewed-key.md
var skewedKeyDoc string

// SkewedKey finds tables whose whole distribution of requests over keys is skewed.
var SkewedKey = detect.Rule{
	ID:     "skewed-key",
	Title:  "A few keys do most of a table's work",
	Needs:  "traffic",
	Counts: true,
	Doc:    skewedKeyDoc,
	Judge:  judgeSkewedKey,
}

func judgeSkewedKey(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	if !fromTraffic(v) {
		return nil, nil
	}
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range v.Targets {
		if t.Totals[detect.Requests] < v.Limits.Count(detect.SkewRequests) || t.Distinct.Low < v.Limits.Count(detect.SkewDistinct) {
			continue
		}
		if !t.Skew.Known {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"skew"},
				GetIt: "the keys of this table were too few in the sample: keyheat analyze --table " + tableName(t.Target) + " INPUT",
			})
			continue
		}
		if isSkewed(v, t) && len(hotKeys(v, t)) == 0 {
			found = append(found, skewFinding(v, t))
		}
	}
	return found, missing
}

func isSkewed(v *detect.View, t *detect.TargetView) bool {
	few := v.Limits.Of(detect.SkewPartitions).Value.Scaled(v.Limits.Of(detect.SkewTimesPartitions).Value)
	return t.Skew.Top10.Low >= v.Limits.Of(detect.SkewTopTen).Value && t.Skew.Effective < few
}

func skewFinding(v *detect.View, t *detect.TargetView) detect.Finding {
	ten, total := v.Limits.Of(detect.SkewTopTen), t.Totals[detect.Requests]
	few := v.Limits.Of(detect.SkewRequests)
	effective := measure{t.Skew.Effective, t.Skew.Effective, t.Skew.Effective}.evidence("effective_partitions", "partitions")
	effective.How = detect.Estimated
	gini := measure{t.Skew.Gini, t.Skew.Gini, t.Skew.Gini}.evidence("gini", "share")
	gini.How = detect.Estimated
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target},
		Span:     t.Span,
		Series:   tableSeries(v, t), SeriesOf: "requests",
		Cost: detect.Whole(total),
		Evidence: []detect.Evidence{
			shared(t.Skew.Top10).against("top_ten_share", "share", ten.Value, ten.Source),
			effective,
			measure{detect.Whole(t.Distinct.Value), detect.Whole(t.Distinct.Low), detect.Whole(t.Distinct.High)}.evidence("distinct_keys", "keys"),
			exactly(total).against("requests", "requests", few.Value, few.Source),
			gini,
		},
		Message: fmt.Sprintf("ten of about %s take %s of the requests, as if there were %s partitions",
			plural(t.Distinct.Value, "key"), percent(t.Skew.Top10.Value), whole(t.Skew.Effective)),
	}
	if e, ok := perEffectivePartition(v, t); ok {
		f.Severity, f.Evidence = detect.Medium, append(f.Evidence, e)
	}
	return settle(f, firstPositions(t))
}

// perEffectivePartition holds the peak divided by the effective partitions against a partition's limit.
func perEffectivePartition(v *detect.View, t *detect.TargetView) (detect.Evidence, bool) {
	for _, s := range sides {
		limit := v.Limits.Of(s.limit).Value.Scaled(v.Limits.Of(detect.SkewRateShare).Value)
		each := detect.Ratio(uint64(tablePeak(v, t, s).low), uint64(max(t.Skew.Effective, 1)))
		if each >= limit {
			return measure{each, each, each}.against(s.name+"_each", s.unit, limit, v.Limits.Of(detect.SkewRateShare).Source), true
		}
	}
	return detect.Evidence{}, false
}
