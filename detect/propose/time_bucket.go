package propose

import (
	"fmt"
	"math"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// TimeBucket puts an entity or a shard beside the time in a key that moves with it.
var TimeBucket = detect.Remedy{
	Kind:  "time-bucket",
	Title: "Put an entity or a shard beside the time in the key",
	Rules: []string{"moving-hot-key", "growing-partition"},
	Doc: `A key that is a time alone sends all load of that time to one partition. The time may stay as a bucket,
if something that spreads stands beside it: the entity whose rows they are, or a shard number.

A partition that grows gets a bucket beside its key, so that each bucket stays small. What is over is deleted bucket by bucket.

**Gate.** A certain finding: keys were seen to follow each other, or a partition to grow.

**Formula.** The bucket is the longest of minute, hour, day, week and month that the keys stayed at the top. N is
ceil(share / (moving-hot-key.share x shard-suffix.headroom)), then the next power of two, 2 to
shard-suffix.max-shards; share is the least that a key had while it was on top. Where the second pass counted these keys by the shard of their sort key,
the share of the busiest shard is counted, unless that spreads worse than shards drawn at random (see shard-suffix). Of a partition that grows the bucket is
time-bucket.partition-bytes / growth a day, or where the rows are known the bytes of cassandra.partition-rows of them if that is less;
of DynamoDB large-partition.collection-high-bytes x shard-suffix.headroom; rounded down to an hour, day, week or month; where reads tell the time that they ask for, no
longer than the unit that holds half of these. A read of W seconds asks W / bucket buckets, rounded up, and one more unless it begins with one.

**Caveats.** A smaller bucket alone does not spread the load of now. Reads over several buckets or of all
entities ask more partitions.`,
	Propose: proposeBucket,
}

func proposeBucket(v *detect.View, f *detect.Finding) []detect.Proposal {
	if f.Rule == "growing-partition" {
		return bucketGrowth(v, f)
	}
	share, shareKnown := measured(f, "share")
	run, runKnown := measured(f, "longest_run")
	if f.Confidence != detect.Sure || !shareKnown || !runKnown {
		return nil
	}
	each := v.Limits.Of(detect.MovingShare).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
	n := min(powerOfTwo(ceilDiv(uint64(share.Value), uint64(each))), v.Limits.Count(detect.ShardMax))
	bucket := bucketOf(uint64(run.Value / 1000))
	change := fmt.Sprintf("the %s alone becomes entity#%s, or %s#0 … %s#%d", bucket, bucket, bucket, bucket, n-1)
	if isCQL(f.Subject.Target.Store) {
		change += fmt.Sprintf("; in CQL PRIMARY KEY ((entity, %s), …) or ((%s, shard), …)", bucket, bucket)
	}
	requests, _ := measured(f, "requests")
	part, basis, shard := shareOfDrawing(share.Value, uint64(requests.Low/1000), n), basisOfMoment(requests), "at random"
	fanout := settled("partitions_per_read", "partitions", detect.Whole(1), detect.Whole(n))
	if r := reigning(v, f, n); len(r.parts) > 0 && r.effect(share).After <= part.High {
		part, basis, shard = r.effect(share), r.basis(n), fmt.Sprintf("hash(sort key) mod %d", n)
		fanout = r.fanout(n)
	}
	basis += "; an entity spreads as its own requests do: " + simulated(v, f, "key, ENTITY")
	after := part.After
	return []detect.Proposal{{
		Kind:   "time-bucket",
		Title:  fmt.Sprintf("put the entity, or one of %d shards, beside the %s", n, bucket),
		Shards: n, Bucket: bucket, Change: change,
		Effects: []detect.Effect{part, fanout},
		Basis:   basis,
		Costs:   []string{fmt.Sprintf("a read of one %s over everything asks %d partitions in place of 1", bucket, n)},
		Risks: []string{
			"an entity that is itself hot stays hot: look at its share first",
			"a smaller bucket alone does not spread the load of now",
		},
		Steps: []string{
			"take the entity that most reads name as the first part of the key; a shard only if there is none: " + shard,
			fmt.Sprintf("begin with the next %s: old buckets may stay as they are and expire; undo: write the %s alone again from the next on, and read both", bucket, bucket),
		},
		Verify: fmt.Sprintf("run keyheat analyze on traffic after the change: no key should have more than about %d.%d %% of the requests", after/10, after%10),
	}}
}

// bucketGrowth gives a partition that grows a bucket in which it stays under the size to aim at.
func bucketGrowth(v *detect.View, f *detect.Finding) []detect.Proposal {
	growth, ok := measured(f, "growth_bytes_per_day")
	size, sized := measured(f, "partition_bytes")
	if f.Confidence != detect.Sure || !ok || growth.Value < 1000 {
		return nil
	}
	if !sized {
		return lackingSize(f)
	}
	target := bucketTarget(v, f, size)
	bucket := bucketOf(uint64(target/1000) * 86400 / uint64(growth.Value/1000))
	asked := askedOf(v, f)
	if asked.reads > 0 {
		bucket = shorter(bucket, bucketHolding(asked.typical))
	}
	seconds := max(bucketSeconds(bucket), 60)
	each := detect.Milli(uint64(growth.Value) / 86400 * seconds)
	change, risk, steps := ofNewTable(bucket)
	if !isCQL(f.Subject.Target.Store) {
		change, risk, steps = ofSameTable(bucket)
	}
	return []detect.Proposal{{
		Kind:   "time-bucket",
		Title:  fmt.Sprintf("put the %s beside the key: about %d MiB a partition", bucket, uint64(each/1000)>>20),
		Bucket: bucket, Change: change,
		Effects: append([]detect.Effect{partOfGrowth(growth, size, seconds)}, asked.effects(seconds)...),
		Basis:   asked.basis(bucket),
		Costs:   []string{fmt.Sprintf("a read over a longer time asks one partition for each %s", bucket)},
		Risks:   []string{risk, "the growth may change"},
		Steps:   steps,
		Verify:  fmt.Sprintf("the largest new partition after one %s should be about %d MiB", bucket, uint64(each/1000)>>20),
	}}
}

// ofNewTable is how a bucket comes into the key of a table in CQL.
func ofNewTable(bucket string) (change, risk string, steps []string) {
	return fmt.Sprintf("PRIMARY KEY ((partition key, %s), clustering columns)", bucket),
		"it needs a new table and a migration; old partitions stay large until then",
		[]string{
			"create the new table; write both; copy and compare; switch reads; drop the old table; undo until then: read the old table, which is still written",
			"begin with the next " + bucket + ": reads look into the old table for what is older",
			fmt.Sprintf("retention: delete a %s that is over by its partition key, one marker for all of its rows; keep sums of old ones in a table of their own where they are asked for", bucket),
		}
}

// ofSameTable is how it comes into the key of a DynamoDB table, whose items may have any.
func ofSameTable(bucket string) (change, risk string, steps []string) {
	return "PK becomes PK#" + bucket + ", as USER#123#2026-06 of a month",
		"what is there stays under the old key until it is moved or expires",
		[]string{
			"readers first: look under the buckets of the time they ask for, and under the old key for what is older; then writers, from the next " + bucket + " on; undo: write to PK again, readers go on looking under both",
			"move old items at a rate of the table's choice: put under the new key with a condition that it is not there, then delete",
			"retention: a time to live on the items of a " + bucket + ", which takes them for no write units",
		}
}

// lackingSize says that how large the partition is now is not told.
func lackingSize(f *detect.Finding) []detect.Proposal {
	command := "nodetool tablestats " + word(f.Subject.Target.Table, "KEYSPACE.TABLE")
	if !isCQL(f.Subject.Target.Store) {
		command = "aws dynamodb export-table-to-point-in-time --table-arn ARN --s3-bucket BUCKET"
	}
	return lacking("size a time bucket", "how large the partition is now", command)
}

// bucketTarget is the size that a bucket should reach at most. In CQL a partition of small rows reaches the number of
// rows before; in DynamoDB no collection may pass 10 GiB under a local index, and each should stay under half of that.
func bucketTarget(v *detect.View, f *detect.Finding, size detect.Evidence) detect.Milli {
	if !isCQL(f.Subject.Target.Store) {
		return v.Limits.Of(detect.CollectionHighBytes).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
	}
	target := v.Limits.Of(detect.PartitionTarget).Value
	if rows := rowsOf(v, f); rows > 0 {
		target = min(target, detect.Milli(mulDiv(uint64(size.Value), uint64(rowsTarget(v)/1000), rows)))
	}
	return max(target, 1000)
}

// rowsOf gives the rows of the finding's partition, 0 where no input tells them.
func rowsOf(v *detect.View, f *detect.Finding) (rows uint64) {
	t := targetOf(v, f)
	if t == nil || !f.Subject.HasKey {
		return 0
	}
	for i := range t.States {
		if s := &t.States[i]; s.KeyKnown && s.Key == string(f.Subject.Key) && s.Measure == ingest.PartitionRows {
			rows = max(rows, s.Max)
		}
	}
	return rows
}

// partOfGrowth gives what a partition comes to while a bucket lasts, with the interval of its growth; it has no more than
// today's partition where that is smaller.
func partOfGrowth(growth, size detect.Evidence, seconds uint64) detect.Effect {
	each := func(m detect.Milli) detect.Milli { return min(detect.Milli(uint64(m)/86400*seconds), size.Value) }
	out := becomes(growth, each)
	out.Measure, out.Unit, out.Before = "partition_bytes", "bytes", size.Value
	return out
}

// shareOfDrawing gives the share of the busiest of n shards drawn at random of a key with so many requests.
func shareOfDrawing(share detect.Milli, requests, n uint64) detect.Effect {
	if requests == 0 {
		return between("share", "share", share, over(n)(share), over(n)(share), share)
	}
	l := alike.drawn(float64(requests), float64(n), 1, 1).over(float64(requests))
	of := func(part float64, round func(float64) float64) detect.Milli {
		return detect.Milli(round(part * float64(share)))
	}
	return between("share", "share", share, of(l.low, math.Floor), of(l.value, math.Ceil), of(l.high, math.Ceil))
}

func basisOfMoment(requests detect.Evidence) string {
	if requests.Value == 0 {
		return "not simulated: how many requests the key had is not known"
	}
	return fmt.Sprintf("estimated for shards drawn at random by each of the least %s requests that a key had while it was on top", fmt.Sprint(uint64(requests.Low/1000)))
}
