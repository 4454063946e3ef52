package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// TimeBucket puts an entity or a shard beside the time in a key that moves with it.
var TimeBucket = detect.Remedy{
	Kind:  "time-bucket",
	Title: "Put an entity or a shard beside the time in the key",
	Rules: []string{"moving-hot-key", "growing-partition"},
	Doc: `A key that is a time alone sends all load of that time to one partition. The time may stay as a bucket,
if something that spreads stands beside it: the entity whose rows they are, or a shard number.

A partition that grows gets a bucket beside its key, so that each bucket stays small.

**Gate.** A certain finding: keys were seen to follow each other, or a partition to grow.

**Formula.** The bucket is the longest of minute, hour, day, week and month that the keys stayed at the top. N is
ceil(share / (moving-hot-key.share x shard-suffix.headroom)), then the next power of two, 2 to
shard-suffix.max-shards; share is the least that a key had while it was on top. Of a partition that grows the bucket is
time-bucket.partition-bytes / growth a day, rounded down to an hour, day, week or month.

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
	after := detect.Milli(ceilDiv(uint64(share.Value), n))
	return []detect.Proposal{{
		Kind:   "time-bucket",
		Title:  fmt.Sprintf("put the entity, or one of %d shards, beside the %s", n, bucket),
		Shards: n, Bucket: bucket, Change: change,
		Effects: []detect.Effect{
			{Measure: "share", Unit: "share", Before: share.Value, After: after},
			{Measure: "partitions_per_read", Unit: "partitions", Before: detect.Whole(1), After: detect.Whole(n)},
		},
		Costs: []string{fmt.Sprintf("a read of one %s over everything asks %d partitions in place of 1", bucket, n)},
		Risks: []string{
			"an entity that is itself hot stays hot: look at its share first",
			"a smaller bucket alone does not spread the load of now",
		},
		Steps: []string{
			"take the entity that most reads name as the first part of the key; a shard only if there is none",
			fmt.Sprintf("begin with the next %s: old buckets may stay as they are and expire", bucket),
		},
		Verify: fmt.Sprintf("run keyheat analyze on traffic after the change: no key should have more than about %d.%d %% of the requests", after/10, after%10),
	}}
}

// bucketGrowth gives a partition that grows a bucket in which it stays under the size to aim at.
func bucketGrowth(v *detect.View, f *detect.Finding) []detect.Proposal {
	growth, ok := measured(f, "growth_bytes_per_day")
	size, sized := measured(f, "partition_bytes")
	if f.Confidence != detect.Sure || !ok || !sized || growth.Value < 1000 {
		return nil
	}
	target := v.Limits.Of(detect.PartitionTarget).Value
	bucket := bucketOf(uint64(target/1000) * 86400 / uint64(growth.Value/1000))
	seconds := max(bucketSeconds(bucket), 60)
	each := detect.Milli(uint64(growth.Value) / 86400 * seconds)
	change := fmt.Sprintf("PRIMARY KEY ((partition key, %s), clustering columns)", bucket)
	if !isCQL(f.Subject.Target.Store) {
		change = "PK becomes PK#" + bucket
	}
	return []detect.Proposal{{
		Kind:   "time-bucket",
		Title:  fmt.Sprintf("put the %s beside the key: about %d MiB a partition", bucket, uint64(each/1000)>>20),
		Bucket: bucket, Change: change,
		Effects: []detect.Effect{{Measure: "partition_bytes", Unit: "bytes", Before: size.Value, After: min(each, size.Value)}},
		Costs:   []string{fmt.Sprintf("a read over a longer time asks one partition for each %s", bucket)},
		Risks:   []string{"it needs a new table and a migration; old partitions stay large until then", "the growth may change"},
		Steps: []string{
			"create the new table; write both; copy and compare; switch reads; drop the old table",
			"begin with the next " + bucket + ": reads look into the old table for what is older",
		},
		Verify: fmt.Sprintf("the largest partition of the new table after one %s should be about %d MiB", bucket, uint64(each/1000)>>20),
	}}
}
