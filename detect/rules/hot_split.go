package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// splitHelp says, in a clause that follows "it", whether DynamoDB's split for heat can help a hot key, with what shows it. Sort keys
// are counted by the second pass only. fired is the evidence that the finding has so far.
func splitHelp(v *detect.View, k *detect.KeyView, fired []detect.Evidence) (string, []detect.Evidence) {
	e := k.Exact
	if e == nil || e.SortKeys == nil || e.SortKnown == 0 {
		return "may or may not be helped by a split: its sort keys are not known", nil
	}
	value, low, high := e.SortKeys.Estimate()
	keys := measure{detect.Whole(value), detect.Whole(low), detect.Whole(high)}
	evidence := []detect.Evidence{
		keys.evidence("sort_keys", "sort keys"),
		ranged(e.TopSort).evidence("top_sort_key_requests", "requests"),
	}
	appends := detect.Ratio(e.Ascending, e.Ordered)
	if e.Ordered > 0 {
		evidence = append(evidence, measure{appends, appends, appends}.evidence("append_share", "share"))
	}
	if high <= 1 {
		return "is one item, which a split cannot help", evidence
	}
	for _, f := range fired {
		item := f.Low.Scaled(detect.Ratio(e.TopSort.Low, e.SortKnown))
		if limit, ok := partitionLimit(v, f.Measure); ok && item >= limit.Value {
			return fmt.Sprintf("has one item that alone takes %s %s, which a split cannot help", whole(item), f.Unit), evidence
		}
	}
	if e.Ordered >= v.Limits.Count(detect.SplitOrdered) && appends >= v.Limits.Of(detect.SplitAppends).Value {
		return fmt.Sprintf("has %s of its writes appended in sort-key order, which a split cannot help", percent(appends)), evidence
	}
	return fmt.Sprintf("can be helped by a split, with about %s, unless the table has a local secondary index", plural(value, "sort key")), evidence
}

// partitionLimit gives the limit of a measure that is a rate in a second.
func partitionLimit(v *detect.View, name string) (detect.Limit, bool) {
	for _, s := range sides {
		if s.name == name {
			return v.Limits.Of(s.limit), true
		}
	}
	return detect.Limit{}, false
}
