// Package propose holds the remedies, one file each. A remedy is data and a pure function of a view and
// one finding; each number in a proposal comes from the evidence. It knows no rule's code.
package propose

import "github.com/keyheat/keyheat/detect"

// Catalogue gives every remedy once, in the order in which they are asked: confirm comes last, because
// it looks at what the others proposed.
func Catalogue() []*detect.Remedy {
	return []*detect.Remedy{
		&ShardSuffix,
		&ReadCopies,
		&TimeBucket,
		&ReadAfterCursor,
		&QueueBuckets,
		&Unset,
		&CollectionUpdate,
		&AlignedDelete,
		&TimeBoundRead,
		&TimeWindow,
		&ScanOwner,
		&PurgeOrder,
		&ChildTable,
		&SinglePartition,
		&Cache,
		&EventualReads,
		&OwnTable,
		&CounterShards,
		&TTLDeletes,
		&MultiAttributeKey,
		&SparseIndex,
		&DropLocalIndex,
		&WaitForSplit,
		&ProvisionedCapacity,
		&AutoScaling,
		&OnDemandMaximum,
		&OnDemand,
		&WarmThroughput,
		&SmallerPage,
		&GCGrace,
		&UncheckedCompaction,
		&GarbageCollect,
		&TargetedCompaction,
		&Guardrail,
		&RateLimit,
		&CircuitBreaker,
		&Denylist,
		&RaiseThreshold,
		&Confirm,
	}
}
