package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// TimeBucket puts an entity or a shard beside the time in a key that moves with it.
var TimeBucket = detect.Remedy{
	Kind:  "time-bucket",
	Title: "Put an entity or a shard beside the time in the key",
	Rules: []string{"moving-hot-key"},
	Doc: `A key that is a time alone sends all load of that time to one partition. The time may stay as a bucket,
if something that spreads stands beside it: the entity whose rows they are, or a shard number.

**Gate.** A certain finding: keys were seen to follow each other.

**Formula.** The bucket is the longest of minute, hour, day, week and month that the keys stayed at the top. N is
ceil(share / (moving-hot-key.share x shard-suffix.headroom)), then the next power of two, 2 to
shard-suffix.max-shards; share is the least that a key had while it was on top.

**Caveats.** A smaller bucket alone does not spread the load of now. Reads over several buckets or of all
entities ask more partitions.`,
	Propose: proposeBucket,
}

var buckets = []struct {
	name    string
	seconds uint64
}{{"month", 28 * 86400}, {"week", 7 * 86400}, {"day", 86400}, {"hour", 3600}, {"minute", 0}}

func proposeBucket(v *detect.View, f *detect.Finding) []detect.Proposal {
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

// bucketOf gives the longest unit of time that fits.
func bucketOf(seconds uint64) string {
	for _, b := range buckets {
		if seconds >= b.seconds {
			return b.name
		}
	}
	return ""
}
