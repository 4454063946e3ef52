package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// OnDemandMaximum raises the maximum that an on-demand table was given.
var OnDemandMaximum = detect.Remedy{
	Kind:  "on-demand-maximum",
	Title: "Raise the table's own maximum",
	Rules: []string{"throttling"},
	Doc: `An on-demand table or index may have been given a maximum, so that a runaway client is refused and not billed. Load that
passes it is refused although the store could serve it.

**Gate.** A certain finding of at least *medium* on DynamoDB; more was refused for that maximum than for anything else; the maximum
is known (aws dynamodb describe-table, OnDemandThroughput), and the units of a minute.

**Formula.** Units = busiest minute's mean / (1 - refused share) / 0.7, rounded up. Source: AWS, "On-demand capacity mode", maximum throughput.

**Caveats.** Ask who set it, and why: what it refused will be billed. It does not help one key above a partition's limit.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t := targetOf(v, f)
		own, _ := measured(f, "throttled_on_demand_maximum")
		if !worthIt(f) || t == nil || f.Subject.Target.Store != ingest.DynamoDB || own.Low == 0 {
			return nil
		}
		for _, other := range []string{"throttled_key_range", "throttled_table", "throttled_index", "throttled_account"} {
			if e, _ := measured(f, other); e.Low >= own.Low {
				return nil
			}
		}
		out, known := []detect.Proposal{}, false
		for i := range sides {
			s := &sides[i]
			now := number(v, t.Target, s.maximum)
			known = known || now > 0
			if needed := ceilDiv(uint64(s.wanted(v, t, refusedShare(f))), headroom); now > 0 && needed > now {
				out = append(out, s.raised(t.Target, now, needed))
			}
		}
		if !known {
			return lacking("raise the maximum", "the maximum throughput that the table was given", describeTable(f))
		}
		return out
	},
}

// raised is the proposal of another maximum on one side.
func (s *side) raised(t detect.Target, now, needed uint64) detect.Proposal {
	return detect.Proposal{
		Kind:    "on-demand-maximum",
		Title:   fmt.Sprintf("raise the maximum from %d to %d %s units a second", now, needed, s.name),
		Change:  s.capped(t, needed),
		Effects: []detect.Effect{{Measure: "maximum_" + s.name + "_units", Unit: "units/s", Before: detect.Whole(now), After: detect.Whole(needed)}},
		Costs:   []string{"what was refused is served and billed"},
		Risks:   []string{"the maximum may be there to stop a runaway client: see whether the load is wanted", "it does not help one key above a partition's limit"},
		Steps:   []string{"ask who set the maximum, and why", "set it; -1 takes it away", "undo: " + s.capped(t, now)},
		Verify:  "run keyheat analyze on the next peak: no throttles for the maximum",
	}
}

// capped is the command that sets a maximum.
func (s *side) capped(t detect.Target, units uint64) string {
	setting := map[string]string{"read": "MaxReadRequestUnits", "write": "MaxWriteRequestUnits"}[s.name]
	command := "aws dynamodb update-table --table-name " + word(t.Table, "TABLE")
	if t.Index == "" {
		return fmt.Sprintf("%s --on-demand-throughput %s=%d", command, setting, units)
	}
	return fmt.Sprintf(`%s --global-secondary-index-updates '[{"Update":{"IndexName":"%s","OnDemandThroughput":{"%s":%d}}}]'`,
		command, word(t.Index, "INDEX"), setting, units)
}
