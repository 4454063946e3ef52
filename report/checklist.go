package report

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// The answers of the checklist: yes is good, no is trouble.
const (
	yes     = "yes"
	no      = "no"
	unknown = "unknown"
)

// checklist answers the questions of the modelling checklist from what was seen of one target. What the
// input cannot tell is unknown, with what would tell it.
func checklist(l *detect.Limits, t *detect.TargetView) []Answer {
	return []Answer{
		accessPatterns(&t.Totals),
		cardinality(l, t),
		{"growth", unknown, "sizes of partitions over days were not judged"},
		{"consistency", unknown, "records do not tell the consistency of requests"},
		deletes(l, t),
		aggregateSize(l, t),
		{"write-fan-out", unknown, "records do not tell which attributes are written"},
	}
}

// accessPatterns asks whether each read names its partition.
func accessPatterns(t *detect.Totals) Answer {
	const question = "access-patterns"
	reads, scans := t.Reads(), scansOf(t)
	switch {
	case scans > 0:
		return Answer{question, no, fmt.Sprintf("%d of %d reads name no partition", scans, reads)}
	case reads+t.Writes() == 0:
		return Answer{question, unknown, "records do not tell the operation"}
	case reads == 0:
		return Answer{question, unknown, "no read was seen"}
	}
	return Answer{question, yes, fmt.Sprintf("each of %d reads names its partition", reads)}
}

// cardinality asks whether there are enough keys for load to spread; floors as of low-cardinality-key.
func cardinality(l *detect.Limits, t *detect.TargetView) Answer {
	const question = "cardinality"
	few, floor, requests := l.Count(detect.CardinalityDistinct), l.Count(detect.CardinalityRequests), knownKeys(t)
	switch {
	case t.Totals[detect.Requests] == 0:
		return Answer{question, unknown, "no traffic of this table was seen"}
	case requests == 0:
		return Answer{question, unknown, "records do not tell the key"}
	case t.Distinct.Low > few:
		return Answer{question, yes, fmt.Sprintf("at least %d different keys", t.Distinct.Low)}
	case requests < floor:
		return Answer{question, unknown, fmt.Sprintf("%d requests are too few to tell (fewer than %d)", requests, floor)}
	case t.Distinct.High <= few:
		return Answer{question, no, fmt.Sprintf("at most %d different keys in %d requests", t.Distinct.High, requests)}
	}
	return Answer{question, unknown, fmt.Sprintf("between %d and %d different keys", t.Distinct.Low, t.Distinct.High)}
}

// deletes asks whether reads are spared the tombstones of what was deleted; floors as of tombstone-dense-read.
func deletes(l *detect.Limits, target *detect.TargetView) Answer {
	const question = "deletes"
	t := &target.Totals
	known, tombs := t[detect.TombstonesKnown], t[detect.Tombstones]
	warned := uint64(0)
	for _, s := range target.Selected {
		warned += s.Reads().Low
	}
	if warned > 0 {
		return Answer{question, no, fmt.Sprintf("the store warned of the tombstones of at least %d reads", warned)}
	}
	if known == 0 {
		return Answer{question, unknown, "records do not tell the tombstones of reads"}
	}
	mean := perOne(tombs, known)
	said := fmt.Sprintf("%d tombstones in %d reads", tombs, known)
	if mean < l.Of(detect.TombstonesMeanRead).Value {
		return Answer{question, yes, said}
	}
	if rows := t[detect.Rows]; t[detect.RowsKnown] > 0 && rows > 0 {
		said += fmt.Sprintf(", %d live rows", rows)
		if perOne(tombs, rows) < l.Of(detect.TombstonesPerLiveRow).Value {
			return Answer{question, yes, said}
		}
	}
	return Answer{question, no, said}
}

// aggregateSize asks whether the partitions that were measured are small.
func aggregateSize(l *detect.Limits, t *detect.TargetView) Answer {
	const question = "aggregate-size"
	limit := l.Count(detect.CassandraPartitionBytes)
	if t.Target.Store == ingest.DynamoDB {
		limit = l.Count(detect.DynamoPartitionBytes)
	}
	largest, whole := uint64(0), false
	for i := range t.States {
		if s := &t.States[i]; s.Measure == ingest.PartitionBytes {
			if s.Said || s.Max >= limit {
				return Answer{question, no, fmt.Sprintf("a partition has at least %d bytes", s.Max)}
			}
			largest, whole = max(largest, s.Max), whole || !s.AtLeast
		}
	}
	if !whole {
		return Answer{question, unknown, "no size of a whole partition was measured"}
	}
	return Answer{question, yes, fmt.Sprintf("the largest partition that was measured has %d bytes", largest)}
}

func scansOf(t *detect.Totals) uint64 { return t[detect.ByOp+detect.Counter(ingest.OpScan)] }
