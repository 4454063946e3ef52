package ingest

// A Measure says what a State measures.
type Measure uint8

// The measures. Sizes are in bytes.
const (
	PartitionBytes Measure = iota
	PartitionRows
	PartitionCells
	PartitionTombstones
	RowBytes
	CellBytes
	CollectionBytes
	CollectionItems
	ItemBytes
	WriteBytes // of one write to a partition
	Measures   // number of measures
)

// String gives the name used in reports.
func (m Measure) String() string {
	return [...]string{
		"partition_bytes", "partition_rows", "partition_cells", "partition_tombstones", "row_bytes",
		"cell_bytes", "collection_bytes", "collection_items", "item_bytes", "write_bytes",
	}[min(m, WriteBytes)]
}

// A State is a measured condition of one partition, row, cell, collection or item at one time; of
// several the largest, the first, the last and the growth count, never the sum. Its slices are valid
// only during the call that hands it over.
type State struct {
	Store    Store
	Table    []byte
	Index    []byte
	Key      []byte // in the form of AppendKey
	KeyKnown bool   // false: the largest of the table, or a line without key
	Part     []byte // clustering key, column or sort key that it is about; empty: the whole partition
	Node     []byte
	Source   string // constant: which statement of the store it is, for comparing like with like

	Measure  Measure
	Value    uint64
	AtLeast  bool   // the value is a lower bound: of one SSTable, of one write
	Said     bool   // the store itself reported it as passing a limit
	Limit    uint64 // the store's own limit where the record tells it, else 0
	UnixNano int64  // 0: unknown
	Kinds    TombstoneKinds
	At       Position
}

// TombstoneKinds tells apart what the tombstones of a partition are; all zero when a record does not.
type TombstoneKinds struct {
	Rows       uint64 // live and dead rows of the partition
	RowDeletes uint64
	Ranges     uint64 // range markers
	Cells      uint64
	Complex    uint64 // collection markers
	Expired    uint64 // expired rows or cells
	Partition  uint64 // partition deletions
}

// A Fact is a setting, a piece of schema or of topology. The last one wins; unlike values of one name
// are reported. Its slices are valid only during the call that hands it over.
type Fact struct {
	Store    Store
	Table    []byte // empty: of the node or the cluster
	Index    []byte
	Node     []byte // empty: of all nodes
	Name     string // constant: one of the Fact names
	Value    []byte
	UnixNano int64
	At       Position
}

// The names of Facts. Lists are joined by commas without blanks.
const (
	FactPartitionKey  = "partition-key" // names of the columns, in order
	FactClustering    = "clustering"    // names of the columns, in order, each with " desc" where it is
	FactCollections   = "collections"   // names of the columns of a non-frozen collection
	FactDefaultTTL    = "default-ttl"   // seconds
	FactGCGrace       = "gc-grace"      // seconds
	FactCompaction    = "compaction"    // class without package
	FactTombstoneWarn = "tombstone-warn-threshold"
	FactTombstoneFail = "tombstone-fail-threshold"
	FactReplicas      = "replicas"     // of a row in a data centre; several numbers where they differ
	FactLocalIndex    = "local-index"  // names of local secondary indexes
	FactGlobalIndex   = "global-index" // names of global secondary indexes
	FactBilling       = "billing-mode"
	FactReadUnits     = "provisioned-read-units"
	FactWriteUnits    = "provisioned-write-units"
	FactItems         = "items"
	FactTableBytes    = "table-bytes"

	FactVersion             = "version"                             // of the server
	FactPartitioner         = "partitioner"                         // class without package
	FactDatacenter          = "datacenter"                          // of a node
	FactRack                = "rack"                                // of a node
	FactTokens              = "tokens"                              // how many a node has
	FactNodeState           = "node-state"                          // UN, DN, UJ, ...
	FactPartitionWarn       = "partition-size-warn-threshold"       // bytes; 0: off
	FactPartitionTombsWarn  = "partition-tombstones-warn-threshold" // 0: off
	FactPartitionRowsWarn   = "partition-rows-warn-threshold"
	FactSlowQuery           = "slow-query-timeout"         // milliseconds; 0: off
	FactReadThresholds      = "read-thresholds"            // true or false
	FactTombstonePageLimit  = "tombstone-page-limit"       // Scylla: a page ends after so many
	FactMinTrackedPartition = "min-tracked-partition-size" // bytes
	FactTraceProbability    = "trace-probability"          // of a node: the share of requests that it traces, 0.001
)

// Sources of States that decoders of print-outs use: which statement of the store it is.
const (
	SourceTableStats      = "tablestats"      // largest partition of a node's SSTables, the top of a bucket
	SourceTableHistograms = "tablehistograms" // the same
	SourceTopPartitions   = "top_partitions"  // what the last full repair saw
	SourceView            = "system_views"    // largest partition in a virtual table, the top of a bucket in MiB
	SourceKeyStatistics   = "partition_key_statistics"
	SourcePartitions      = "sstablepartitions" // sum over the SSTables of one print-out
	SourceMetadata        = "sstablemetadata"   // of one SSTable
	SourceDump            = "sstabledump"       // of one SSTable
	SourceSampler         = "profileload"       // maxima of a sampler while it ran
	SourceLargeTable      = "large_data"        // rows of Scylla's system.large_* tables, of one SSTable
)

// SourceCollections are sizes of item collections as DynamoDB tells them after a write, under a local index alone: the
// value is the lower end of a range of 1 GiB.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ItemCollectionMetrics.html
const SourceCollections = "item collection metrics"

// Names of Points that print-outs of Cassandra and Scylla give. Statistics are average, maximum, p50,
// p99, count (how many reads) and reading.
const (
	PointTombstonesPerRead = "tombstones_per_read"
	PointRowsPerRead       = "rows_per_read" // live rows; of old versions live cells of a slice
	PointReads             = "reads"         // since the node's start
	PointWrites            = "writes"
	PointPartitions        = "partitions" // estimate
	PointMeanPartition     = "mean_partition_bytes"
	PointDroppable         = "droppable_tombstone_ratio" // estimate of a table, gc_grace taken off
	// PointSSTableDroppable and PointSSTableBytes are of one SSTable: UnixNano is when its oldest
	// tombstone was written or expired, and Seconds reach to its last write. The ratio of Cassandra's
	// tool takes gc_grace for 0 unless told, so it may be over 1.
	PointSSTableDroppable = "sstable_droppable_tombstone_ratio"
	PointSSTableBytes     = "sstable_bytes" // at least
)

// BucketFloor gives the lower edge of the histogram bucket of which value is the top: the least value
// that is shown so. Buckets grow by a fifth (Cassandra's EstimatedHistogram). A value that is the top
// of none is exact, and given back.
func BucketFloor(value uint64) uint64 {
	if value <= 1 {
		return 0 // nothing is shown as 1
	}
	last, top := uint64(1), uint64(2)
	for top < value && top < 1<<60 {
		last, top = top, max((top*12+5)/10, top+1)
	}
	if top != value {
		return value
	}
	return last + 1
}

// A Point is one datapoint of a table's metric, with the statistic of its own. Its slices are valid only
// during the call that hands it over.
type Point struct {
	Store    Store
	Table    []byte // empty: of the whole account or node
	Index    []byte
	Node     []byte
	Name     []byte // of the metric, as its store calls it
	Stat     string // constant: sum, average, maximum, minimum, p99, ...
	Milli    uint64 // value in thousandths
	UnixNano int64  // start of the period; 0: unknown
	Seconds  uint32 // length of the period; 0: a reading at one time
	At       Position
}
