package propose

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// AutoScaling changes the limits between which capacity is set.
var AutoScaling = detect.Remedy{
	Kind:  "auto-scaling",
	Title: "Change the limits of auto scaling",
	Rules: []string{"throttling"},
	Doc: `Auto scaling sets capacity between two limits, some minutes after the load: at its maximum it adds nothing more, and a peak
that is over before it acts is refused although the maximum is far.

**Gate.** A certain finding of at least *medium* on a DynamoDB table in provisioned mode; more was refused for the table or index
than for key ranges; the limits of auto scaling are known (aws application-autoscaling describe-scalable-targets), and the units of a minute.

**Formula.** Units = busiest minute's mean / (1 - refused share) / 0.7, rounded up. Where they are over the maximum, it becomes them; else the minimum does.
Source: AWS, "Managing throughput capacity automatically with DynamoDB auto scaling".

**Caveats.** A minimum is paid all day: for peaks at known times raise it by scheduled actions. It does not help one key above a partition's limit.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, refused := shortTable(v, f)
		if t == nil || billing(v, t.Target) == onDemandMode {
			return nil
		}
		out := []detect.Proposal{}
		for i := range sides {
			if p, ok := sides[i].rescaled(v, t, refused); ok {
				out = append(out, p)
			}
		}
		return out
	},
}

// rescaled gives the limits of auto scaling that would refuse nothing on one side.
func (s *side) rescaled(v *detect.View, t *detect.TargetView, refused detect.Milli) (detect.Proposal, bool) {
	least, most := number(v, t.Target, s.scaleMin), number(v, t.Target, s.scaleMax)
	needed := ceilDiv(uint64(s.wanted(v, t, refused)), headroom)
	limit, now := "maximum", most
	if needed <= most {
		limit, now = "minimum", least
	}
	if most == 0 || now == 0 || needed <= now {
		return detect.Proposal{}, false
	}
	change, back := s.register(t.Target, limit, needed), s.register(t.Target, limit, now)
	p := detect.Proposal{
		Kind:    "auto-scaling",
		Title:   fmt.Sprintf("raise the %s of auto scaling from %d to %d %s units", limit, now, needed, s.name),
		Change:  change,
		Effects: []detect.Effect{{Measure: "scaling_" + limit + "_" + s.name + "_units", Unit: "units/s", Before: detect.Whole(now), After: detect.Whole(needed)}},
		Costs:   []string{"capacity above the old maximum is paid while the load asks for it"},
		Risks:   []string{"it does not help one key above a partition's limit: look for key-range throttles", "scaling acts some minutes after the load: short peaks may be refused still"},
		Steps:   []string{"set it; nothing is refused by the change", "undo: " + back},
		Verify:  "run keyheat analyze on the next peak: no throttles for the table",
	}
	if limit == "minimum" {
		p.Costs = []string{fmt.Sprintf("%d %s unit hours a month more, if it stays all day: scheduled actions raise it for known peaks alone", 720*(needed-now), s.name)}
		p.Risks = p.Risks[:1]
	}
	return p, true
}

// register is the command that sets a limit of auto scaling.
func (s *side) register(t detect.Target, limit string, units uint64) string {
	id, of := "table/"+word(t.Table, "TABLE"), "table"
	if t.Index != "" {
		id, of = id+"/index/"+word(t.Index, "INDEX"), "index"
	}
	return fmt.Sprintf("aws application-autoscaling register-scalable-target --service-namespace dynamodb --resource-id %s --scalable-dimension dynamodb:%s:%s --%s-capacity %d",
		id, of, s.setting, strings.TrimSuffix(limit, "imum"), units)
}
