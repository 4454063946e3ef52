package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// retried adds to a finding what is known of retries among the refused requests of a target: those that their records
// call so are no load of their own, so the share without them is told too; those that only look so are told as such.
func retried(t *detect.TargetView, f *detect.Finding) {
	refused, total := t.Totals.Throttled(), t.Totals[detect.Requests]
	if n := t.Totals[detect.Retried]; n > 0 {
		share := detect.Ratio(refused-min(n, refused), total-n)
		f.Evidence = append(f.Evidence,
			exactly(n).evidence("retries", "requests"),
			measure{share, share, share}.evidence("throttled_share_without_retries", "share"))
		f.Message += fmt.Sprintf("; %s of all requests are retries, which are no load of their own: each counted once, %s were refused for good", grouped(n), percent(share))
		return
	}
	sum := detect.Repeats{}
	for _, k := range t.Keys {
		if k.Exact != nil {
			sum.Refused += k.Exact.Repeats.Refused
			sum.Requests += k.Exact.Repeats.Requests
			sum.Longest = max(sum.Longest, k.Exact.Repeats.Longest)
		}
	}
	if sum.Refused == 0 {
		return
	}
	e := exactly(sum.Refused).evidence("likely_retries", "requests")
	e.How, e.Open = detect.Inferred, true
	longest := exactly(sum.Longest).evidence("most_attempts", "attempts")
	longest.How = detect.Inferred
	f.Evidence = append(f.Evidence, e, longest)
	what := "look like retries"
	if 2*sum.Refused >= refused {
		what = "look like a storm of retries"
	}
	f.Message += fmt.Sprintf("; at least %s of the refusals %s: the same operation on the same item, up to %s, at growing intervals",
		grouped(sum.Refused), what, plural(sum.Longest, "time"))
}
