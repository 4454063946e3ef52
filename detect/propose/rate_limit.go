package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// RateLimit makes ScyllaDB refuse what a partition is asked beyond ten times the ordinary, as first aid.
var RateLimit = detect.Remedy{
	Kind:  "rate-limit",
	Title: "First aid: limit the requests of each partition",
	Rules: []string{"hot-partition"},
	Doc: `ScyllaDB can refuse requests for a partition beyond a number a second, which costs it less than to serve them.

**Gate.** A certain finding of at least *medium* on ScyllaDB, that lasts to the end of the input, whose key was counted by
the second, and a busiest second of another key is known.

**Formula.** Limit = 10 x the busiest second of any other key. Source: ScyllaDB, docs/dev/per-partition-rate-limit.md: an order
of magnitude over what is expected, because what is accepted may be larger by the replication factor.

**Caveats.** Legitimate requests are refused; the limit holds for every partition of the table, and roughly.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		t, k := targetOf(v, f), keyOf(v, f)
		if !worthIt(f) || f.Subject.Target.Store != ingest.Scylla || k == nil || k.PeakSecond.N == 0 || !stillOn(v, f) {
			return nil
		}
		others := uint64(0)
		for _, other := range t.Keys {
			if other != k {
				others = max(others, other.PeakSecond.N)
			}
		}
		sampled := v.SamplingOf(t)
		limit := 10 * sampled.Scale(others)
		peak := sampled.Scale(k.PeakSecond.N)
		if others == 0 || limit >= peak {
			return nil
		}
		table := word(f.Subject.Target.Table, "KEYSPACE.TABLE")
		return []detect.Proposal{{
			Kind:    "rate-limit",
			Title:   fmt.Sprintf("now: refuse more than %d requests a second for one partition: ten times the next key's busiest second", limit),
			Change:  fmt.Sprintf("ALTER TABLE %s WITH per_partition_rate_limit = {'max_reads_per_second': %d, 'max_writes_per_second': %d}", table, limit, limit),
			Effects: []detect.Effect{settled("requests_per_second", "requests/s", detect.Whole(peak), detect.Whole(limit))},
			Costs:   []string{"requests of the key beyond the limit fail"},
			Risks:   []string{"legitimate requests are refused", "the limit holds for every partition of the table; what is accepted may be larger by the replication factor"},
			Steps: []string{
				"ALTER the table as above; drivers see rate limit errors: do not send them again at once",
				"undo: ALTER TABLE " + table + " WITH per_partition_rate_limit = {}",
			},
			Verify: fmt.Sprintf("run keyheat analyze on the next minutes: the key's busiest second should be near %d accepted requests", limit),
		}}
	},
}
