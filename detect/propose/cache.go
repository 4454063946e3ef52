package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Cache answers repeated reads of one key from memory.
var Cache = detect.Remedy{
	Kind:  "cache",
	Title: "Answer repeated reads from memory for a second",
	Rules: []string{"hot-partition"},
	Doc: `Reads of the same key within a second get the same answer. A service that lets one of them through and
hands its answer to the others takes the heat off without a change of the model.

**Gate.** A certain finding of at least *medium* on a key that the second pass counted, of whose requests nine in
ten read, with at least ten in its busiest second.

**Formula.** Requests in the busiest second, before: as counted; after: the most that any counted second has of one read and
all its writes, for each process that reads.

**Caveats.** Answers are up to a second old; each process has a cache of its own.`,
	Propose: proposeCache,
}

// cacheRequest is how many requests a second make a cache worth it.
const cacheRequest uint64 = 10

func proposeCache(v *detect.View, f *detect.Finding) []detect.Proposal {
	k := keyOf(v, f)
	if !worthIt(f) || k == nil || k.Exact == nil || k.PeakSecond.N < cacheRequest {
		return nil
	}
	reads, all := k.Exact.Totals.Reads(), k.Exact.Totals[detect.Requests]
	share := detect.Ratio(reads, all)
	if share < mostReads {
		return nil
	}
	sampled := v.SamplingOf(targetOf(v, f))
	peak := detect.Whole(sampled.Scale(k.PeakSecond.N))
	left := detect.Whole(sampled.Scale(leftOf(k.Exact.Seconds)))
	keep := "keep the answer for a second"
	if f.Subject.Target.Store == ingest.DynamoDB {
		keep += "; a DAX cluster does both for all processes, for reads that need not be strongly consistent"
	}
	return []detect.Proposal{{
		Kind:    "cache",
		Title:   fmt.Sprintf("answer reads from memory for a second: %d.%d %% of its requests read", share/10, share%10),
		Effects: []detect.Effect{settled("requests_per_second", "requests/s", peak, left)},
		Costs:   []string{"memory for the answer in each process that reads it"},
		Risks:   []string{"answers are up to a second old", "each process that reads has a cache of its own, so that many are left with many"},
		Steps: []string{
			"let one read of a key through at a time and hand its answer to the others that wait",
			keep,
			"undo: ask the store again, each time",
		},
		Verify: "run keyheat analyze on traffic after the change: the key's busiest second should fall to about " + amount(left) + " requests a reading process",
	}}
}

// leftOf gives the most requests that a second has when its reads become one.
func leftOf(seconds []detect.ExactSecond) (most uint64) {
	for i := range seconds {
		s := &seconds[i]
		most = max(most, s.Requests-s.Reads+min(s.Reads, 1))
	}
	return max(most, 1)
}
