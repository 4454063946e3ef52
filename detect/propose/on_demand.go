package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// OnDemand lets DynamoDB follow load that comes in peaks.
var OnDemand = detect.Remedy{
	Kind:  "on-demand",
	Title: "Let capacity follow the load",
	Rules: []string{"throttling"},
	Doc: `Load that comes in peaks is refused under provisioned capacity while its mean is far below it. On-demand mode takes it up
to twice the last peak, and bills requests.

**Gate.** A certain finding of at least *medium* on a DynamoDB table in provisioned mode; more was refused for the table than for key
ranges; an hour of input or more, whose busiest minute is at least four times its mean.

**Formula.** Units a month: before, provisioned units x seconds of 30 days; after, those consumed in the input / its seconds x the same.
Source: AWS, "Read/write capacity mode".

**Caveats.** A request unit costs several times a provisioned one: compare with the prices of the region. It does not help one
key above a partition's limit. The mode can be changed back once a day.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, _ := shortTable(v, f)
		if t == nil || f.Subject.Target.Index != "" || billing(v, t.Target) != provisionedMode {
			return nil
		}
		effects := []detect.Effect{}
		for i := range sides {
			s := &sides[i]
			provisioned, consumed := number(v, t.Target, s.provisioned), t.Totals[s.total]
			month, ok := monthly(v, consumed)
			if !ok || consumed == 0 || provisioned == 0 || s.busiest(v, t) < 4*month/secondsOfMonth {
				continue
			}
			effects = append(effects, settled(s.name+"_units_per_month", "units/month", detect.Whole(provisioned*secondsOfMonth), month))
		}
		if len(effects) == 0 {
			return nil
		}
		table := word(f.Subject.Target.Table, "TABLE")
		used := detect.Ratio(uint64(effects[0].After), uint64(effects[0].Before))
		back := updateCapacity(t.Target, number(v, t.Target, ingest.FactReadUnits), number(v, t.Target, ingest.FactWriteUnits))
		return []detect.Proposal{{
			Kind:    "on-demand",
			Title:   fmt.Sprintf("bill by request: the peaks need more, while %d.%d %% of what is provisioned is used", used/10, used%10),
			Change:  "aws dynamodb update-table --table-name " + table + " --billing-mode PAY_PER_REQUEST",
			Effects: effects,
			Costs:   []string{"a request unit costs several times a provisioned unit: multiply both months by the prices of the region"},
			Risks:   []string{"peaks over twice the last one are refused for up to half an hour: see warm-throughput", "a runaway client is billed, not refused"},
			Steps: []string{
				"compare the prices of both months, then change the mode; it takes minutes and refuses nothing",
				"undo, once a day: " + back + " --billing-mode PROVISIONED",
			},
			Verify: "run keyheat analyze on the next day's metrics: no throttles for the table",
		}}
	},
}
