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

// fewCollections judges what an export or a scan tells of how many keys a table or an index has: items of a
// few large ones cannot spread.
func fewCollections(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	s, limit := &t.Stored, v.Limits.Of(detect.CassandraPartitionBytes)
	most := v.Limits.Of(detect.CardinalityDistinct)
	high := s.Distinct.High + s.Keyless
	if t.Totals[detect.Requests] >= v.Limits.Count(detect.CardinalityRequests) || len(s.Collections) == 0 ||
		detect.Whole(high) > most.Value || detect.Whole(s.Collections[0].Bytes.Low) < limit.Value {
		return detect.Finding{}, false
	}
	c := &s.Collections[0]
	return settle(detect.Finding{
		Severity: detect.Low, Subject: detect.Subject{Target: t.Target}, Cost: costOf(s.Bytes),
		Evidence: []detect.Evidence{
			ranged(c.Bytes).against("collection_bytes", "bytes", limit.Value, limit.Source),
			measure{detect.Whole(s.Distinct.Value), detect.Whole(s.Distinct.Low), detect.Whole(high)}.evidence("distinct_keys", "keys"),
			exactly(s.Items).evidence("items", "items"),
		},
		Message: fmt.Sprintf("%s of %s share %s, the largest of %s: they cannot spread",
			plural(s.Items, "item"), sized(s.Bytes), plural(s.Distinct.Value, "key"), sized(c.Bytes.Low)),
	}, c.At), true
}
