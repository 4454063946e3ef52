package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// fewPartitions judges what nodes tell of how many partitions a table has: a few large ones cannot
// spread. Each node estimates its own, so their sum bounds the number.
func fewPartitions(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	number, at := uint64(0), []ingest.Position{}
	for i := range v.Points {
		p := &v.Points[i]
		if p.Name == ingest.PointPartitions && pointOf(p, t.Target) {
			number += ceilDiv(largestValue(p).Milli, 1000)
			at = append(at, p.First)
		}
	}
	if number == 0 || number > v.Limits.Count(detect.CardinalityDistinct) || isSystem(t.Target) {
		return detect.Finding{}, false
	}
	sizes := conditionsOf(t, ingest.PartitionBytes)
	limit := v.Limits.Of(detect.CassandraPartitionBytes)
	if len(sizes) == 0 || sizes[0].size().low < limit.Value {
		return detect.Finding{}, false
	}
	e := sizes[0].evidence("bytes", limit.Value, limit.Source)
	return settle(detect.Finding{
		Severity: detect.Low, Subject: detect.Subject{Target: t.Target}, Cost: costOf(sizes[0].best.Max),
		Evidence: []detect.Evidence{e, measure{detect.Whole(number), detect.Whole(1), detect.Whole(number)}.evidence("distinct_keys", "keys")},
		Message:  fmt.Sprintf("the table has about %s, the largest of %s: its data cannot spread", plural(number, "partition"), sized(sizes[0].best.Max)),
	}, append(sizes[0].at, at...)), true
}
