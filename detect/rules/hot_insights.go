package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// meteredKeys judges the keys whose capacity Contributor Insights tells by the minute: read units plus three times write
// units, of which a partition serves 3,000 a second, whatever their mix. It lists the largest keys alone, so shares are not
// judged.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html
func meteredKeys(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	if t.Target.Store != ingest.DynamoDB {
		return found
	}
	for _, s := range t.Selected {
		if s.KeyKnown && s.Counts[detect.SelectedUnits].Low > 0 {
			if f, ok := metered(v, t, s); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

func metered(v *detect.View, t *detect.TargetView, s *detect.SelectedView) (detect.Finding, bool) {
	limit, most := v.Limits.Of(detect.PartitionReadUnits), detect.Milli(0)
	half := limit.Value.Scaled(v.Limits.Of(detect.PartitionHalf).Value)
	rates := make([]uint64, len(v.Panes))
	mean := func(i int) detect.Milli {
		p := v.Panes[i]
		told := s.Series.Of(uint32(i))
		return detect.Milli(told[detect.SelectedUnits] / uint64(max(p.End-p.Start, 60)))
	}
	for i := range v.Panes {
		most = max(most, mean(i))
		rates[i] = uint64(mean(i) / 1000)
	}
	run, long := inARow(v, v.Limits.Count(detect.MinutesInARow), func(i int) bool { return mean(i) >= half })
	f := detect.Finding{
		Severity: detect.Medium,
		Subject:  detect.Subject{Target: t.Target, Key: s.Key, HasKey: true},
		Span:     spanOf(v, func(i int) bool { return mean(i) >= half }),
		Series:   rates, SeriesOf: "units a second, 3 x write + read", Cost: detect.Whole(s.Counts[detect.SelectedUnits].Low / 1000),
		Evidence: []detect.Evidence{stored(measure{most, most, most}, "weighed_units_per_second_mean", "units/s")},
		Message: fmt.Sprintf("takes %s of what one partition can serve in its busiest minute, as Contributor Insights meters it: reads and writes together",
			percent(detect.Ratio(uint64(most), uint64(limit.Value)))),
	}
	f.Evidence[0].Limit, f.Evidence[0].LimitSource = half, v.Limits.Of(detect.PartitionHalf).Source
	switch {
	case most >= limit.Value:
		f.Severity = detect.High
	case !long:
		return detect.Finding{}, false
	default:
		f.Message += fmt.Sprintf(", and half of it or more for %s in a row", plural(uint64(seconds(v, run)/60), "minute"))
	}
	f.Message = "one key " + f.Message
	return settle(f, s.Positions), true
}
