package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// QueueBuckets puts a time bucket into the key of a queue.
var QueueBuckets = detect.Remedy{
	Kind:  "queue-buckets",
	Title: "Put a time bucket into the key of a queue",
	Rules: []string{"tombstone-dense-read"},
	Doc: `A queue in one partition keeps the markers of what was consumed for gc grace. With a bucket in the key they stay
behind in buckets that nobody reads, and a bucket that is done is deleted as a whole.

**Gate.** A certain finding with mechanism *queue*, known from the schema or measured; the tombstones of the partition
and the table's gc_grace_seconds are known.

**Formula.** The partition holds what was deleted within gc grace, so the bucket in which the warning threshold is not
reached is cassandra.tombstone-warn x gc grace / tombstones of the partition, rounded down to a minute, hour, day or week.

**Caveats.** A new table and a migration; the reader walks from bucket to bucket. A queue that is read by many belongs
in a message broker. A time to live alone does not help: expired rows are tombstones too (Temporal issue 1579).`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		grace := secondsOf(v, f, ingest.FactGCGrace)
		e, ok := measured(f, "partition_tombstones")
		if f.Confidence != detect.Sure || f.Mechanism != "queue" || !known(f) || ok && e.Value < 1000 || !ok && grace == 0 {
			return nil
		}
		const remedy = "size a bucket of the queue"
		switch {
		case !ok:
			return lacking(remedy, "how many tombstones the partition holds", "sstablepartitions --min-tombstones 1000 --csv on the data files of "+dotted(f.Subject.Target.Table))
		case grace == 0:
			return lacking(remedy, "the table's gc_grace_seconds", describeCQL(f))
		}
		tombs := uint64(e.Value / 1000)
		seconds := mulDiv(v.Limits.Count(detect.TombstonesWarnRead), grace, tombs)
		bucket := bucketOf(seconds)
		if bucket == "month" {
			return nil // the queue is slow enough as it is
		}
		each := mulDiv(tombs, max(bucketSeconds(bucket), 60), grace)
		return []detect.Proposal{{
			Kind:   "queue-buckets",
			Title:  fmt.Sprintf("put the %s into the key of the queue: about %d tombstones in each in place of %d", bucket, each, tombs),
			Bucket: bucket,
			Change: fmt.Sprintf("PRIMARY KEY ((queue, %s), clustering column); delete a whole %s when it is done", bucket, bucket),
			Effects: []detect.Effect{
				settled("partition_tombstones", "tombstones", e.Value, detect.Whole(min(each, tombs))),
			},
			Costs: []string{"a new table and a migration", "the reader keeps the bucket it is in, and looks into the next one"},
			Risks: []string{
				"rows that come late must go to the bucket that is read",
				"a time to live in place of deletes does not help: expired rows are tombstones too",
			},
			Steps: []string{
				"now: read after the cursor, which helps at once",
				"create the new table; write both; let the old one run dry; switch the reader; drop the old table; undo until then: switch the reader back",
				"delete a bucket by its partition key when all of it is consumed",
			},
			Verify: "run keyheat analyze on the log after the change: no read of the queue should be warned of",
		}}
	},
}
