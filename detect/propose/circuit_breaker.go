package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// CircuitBreaker lets the service itself refuse what one key asks beyond its share, as first aid.
var CircuitBreaker = detect.Remedy{
	Kind:  "circuit-breaker",
	Title: "First aid: refuse the excess of one key in the service",
	Rules: []string{"hot-partition"},
	Doc: `While a key takes the partition's whole throughput, requests beyond it fail slowly and are sent again. A limit in the
service lets them fail at once, and leaves the others alone, until the key is spread.

**Gate.** A certain finding of at least *high* that lasts to the end of the input, about a rate of units that passes a
partition's limit.

**Formula.** Let through the limit x 0.9 of the key's units; refused: 1 - that / rate. Source: AWS, "Partition key design" (1,000
write and 3,000 read units a second).

**Caveats.** Legitimate requests of that key are refused: it is first aid, and is taken off when the key is spread.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if f.Confidence != detect.Sure || f.Severity < detect.High || !f.Subject.HasKey || !stillOn(v, f) {
			return nil
		}
		for _, r := range rates {
			e, ok := rateOf(f, r.measure)
			through := v.Limits.Of(r.limit).Value.Scaled(900)
			if !ok || e.Value <= through {
				continue
			}
			refused := 1000 - detect.Ratio(uint64(through), uint64(e.Value))
			return []detect.Proposal{{
				Kind:    "circuit-breaker",
				Title:   fmt.Sprintf("now: let %s %s of this key through, refuse the other %d.%d %% at once", amount(through), e.Unit, refused/10, refused%10),
				Change:  "a limit by partition key in the service, in front of the store's client",
				Effects: []detect.Effect{settled(e.Measure, e.Unit, e.Value, through)},
				Costs:   []string{fmt.Sprintf("%d.%d %% of the key's requests fail at once", refused/10, refused%10)},
				Risks:   []string{"legitimate requests of the key are refused", "each process of the service needs its part of the limit"},
				Steps: []string{
					"put a token bucket for this key in front of the client, and cut retries to one, with a random wait",
					"undo: take the limit off when the key is spread and its rate is under the limit",
				},
				Verify: "run keyheat analyze on the next minutes: throttles of the table should end, and the key's busiest second be under the limit",
			}}
		}
		return nil
	},
}
