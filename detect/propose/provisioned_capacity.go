package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// ProvisionedCapacity gives a table that is short of it more provisioned capacity.
var ProvisionedCapacity = detect.Remedy{
	Kind:  "provisioned-capacity",
	Title: "Provision more capacity",
	Rules: []string{"throttling"},
	Doc: `Where the table or index as a whole is short, and not one key range of it, more provisioned units end the throttles.

**Gate.** A certain finding of at least *medium* on DynamoDB; more requests were refused for the table or index than for key
ranges; its billing mode and provisioned units are known, and the units of a minute; no auto scaling is known to set that side: see auto-scaling.

**Formula.** Units = busiest minute's mean / (1 - refused share) / 0.7, rounded up: 70 % is the target of auto scaling. Only the side
that needs more than is provisioned. Source: AWS, "Managing throughput capacity automatically with auto scaling".

**Caveats.** It does not help one key above a partition's limit. Capacity can be lowered only some times a day.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, refused := shortTable(v, f)
		if t == nil {
			return nil
		}
		switch billing(v, t.Target) {
		case "":
			return lacking("set its capacity", "the table's billing mode and provisioned units", describeTable(f))
		case onDemandMode:
			return nil
		}
		if sides[0].busiest(v, t)+sides[1].busiest(v, t) == 0 {
			return lacking("set its capacity", "the units that its busiest minute consumed", consumedUnits(f))
		}
		now, then := [2]uint64{}, [2]uint64{}
		effects := []detect.Effect{}
		for i := range sides {
			s := &sides[i]
			now[i] = number(v, t.Target, s.provisioned)
			then[i] = max(now[i], ceilDiv(uint64(s.wanted(v, t, refused)), headroom))
			if number(v, t.Target, s.scaleMax) > 0 {
				then[i] = now[i]
			}
			if then[i] > now[i] && now[i] > 0 {
				effects = append(effects,
					settled("provisioned_"+s.name+"_units", "units/s", detect.Whole(now[i]), detect.Whole(then[i])),
					settled("provisioned_"+s.name+"_unit_hours_per_month", "unit hours/month", detect.Whole(720*now[i]), detect.Whole(720*then[i])))
			}
		}
		if len(effects) == 0 {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "provisioned-capacity",
			Title:   fmt.Sprintf("provision %d write and %d read units in place of %d and %d", then[0], then[1], now[0], now[1]),
			Change:  updateCapacity(t.Target, then[1], then[0]),
			Effects: effects,
			Costs:   []string{fmt.Sprintf("%d write and %d read unit hours a month more", 720*(then[0]-now[0]), 720*(then[1]-now[1]))},
			Risks:   []string{"it does not help one key above a partition's limit: look for key-range throttles", quotaRisk(v, then)},
			Steps: []string{
				"set it, or set the auto scaling maximum to it with a target of 70 %",
				"undo: " + updateCapacity(t.Target, now[1], now[0]),
			},
			Verify: "aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name ThrottledRequests: none in the next busy hour",
		}}
	},
}
