package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// datedItems judges what an export or a scan tells of a table or an index without traffic: items kept under the
// date, hour or week that they are of were written to one key after the other. Whether they still are, and how
// fast, no item tells, so this is possible only.
func datedItems(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	s := &t.Stored
	keys, items, all := uint64(0), uint64(0), uint64(0)
	var latest *detect.Collection
	last := period{}
	for i := range s.Collections {
		c := &s.Collections[i]
		all += c.Items.Low
		p, ok := keyPeriod(c.Key)
		if !ok {
			continue
		}
		keys, items = keys+1, items+c.Items.Low
		if latest == nil || p.start.After(last.start) {
			latest, last = c, p
		}
	}
	floor, part := v.Limits.Of(detect.MovingKeys), v.Limits.Of(detect.MovingStoredShare)
	share := detect.Ratio(items, all)
	if detect.Whole(keys) < floor.Value || items < v.Limits.Count(detect.MovingRequests) || share < part.Value {
		return detect.Finding{}, false
	}
	f := settle(detect.Finding{
		Severity: detect.Low, Subject: detect.Subject{Target: t.Target, Key: latest.Key, HasKey: true}, Cost: costOf(s.Bytes),
		Evidence: []detect.Evidence{
			exactly(keys).against("dated_keys", "keys", floor.Value, floor.Source),
			measure{share, share, share}.against("dated_items", "share", part.Value, part.Source),
			exactly(last.seconds()).evidence("key_period", "seconds"),
		},
		Message: fmt.Sprintf("%s of the items are kept under %s that name a %s each, so what is written at one time meets in one partition",
			percent(share), plural(keys, "key"), last.unit),
	}, latest.At)
	f.Confidence = detect.Maybe
	return f, true
}
