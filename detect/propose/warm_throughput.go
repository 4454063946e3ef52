package propose

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// WarmThroughput prepares an on-demand table for a peak.
var WarmThroughput = detect.Remedy{
	Kind:  "warm-throughput",
	Title: "Prepare the table for the peak",
	Rules: []string{"throttling"},
	Doc: `An on-demand table takes at once what it is warm for: 4,000 writes and 12,000 reads a second when it is new, then twice the
last peak. A known peak beyond is prepared for by raising its warm throughput.

**Gate.** A certain finding of at least *medium* on DynamoDB in on-demand mode; more was refused for the table or index than for key
ranges; the units of its busiest minute are known and, with what was refused, over what a new table takes.

**Formula.** Warm units = busiest minute's mean / (1 - refused share), rounded up to thousands. Source: AWS, "Warm throughput".

**Caveats.** It is paid once, and cannot be taken back. It does not help one key above a partition's limit.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, refused := shortTable(v, f)
		if t == nil || t.Target.Index != "" || billing(v, t.Target) != onDemandMode {
			return nil
		}
		effects, units := []detect.Effect{}, []string{}
		for i := len(sides) - 1; i >= 0; i-- {
			s := &sides[i]
			wanted := 1000 * ceilDiv(uint64(s.wanted(v, t, refused)), 1_000_000)
			if wanted <= s.fresh {
				continue
			}
			units = append(units, fmt.Sprintf("%sUnitsPerSecond=%d", strings.ToUpper(s.name[:1])+s.name[1:], wanted))
			effects = append(effects, settled("warm_"+s.name+"_units", "units/s", detect.Whole(s.fresh), detect.Whole(wanted)))
		}
		if len(effects) == 0 {
			return nil
		}
		return []detect.Proposal{{
			Kind:    "warm-throughput",
			Title:   "prepare the table for its peak: " + strings.Join(units, ", "),
			Change:  "aws dynamodb update-table --table-name " + word(f.Subject.Target.Table, "TABLE") + " --warm-throughput " + strings.Join(units, ","),
			Effects: effects,
			Costs:   []string{"a price for each unit that is added, once"},
			Risks:   []string{"it cannot be taken back", "before is what a new table takes: the table may be warmer already"},
			Steps:   []string{describeTable(f) + " shows WarmThroughput: raise it only if it is less", "set it before the peak, and wait until its Status is ACTIVE; there is no undo, and nothing more to pay"},
			Verify:  "run keyheat analyze on the next peak: no throttles for the table",
		}}
	},
}
