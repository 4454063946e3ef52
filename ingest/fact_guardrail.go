package ingest

// The names of Facts of a Cassandra cluster that say from which amount on it warns of what it is asked, or refuses it;
// 0: off. Their names in cassandra.yaml are the same with underscores.
const (
	FactPartitionFail      = "partition-size-fail-threshold" // bytes
	FactPartitionTombsFail = "partition-tombstones-fail-threshold"
	FactLocalReadWarn      = "local-read-size-warn-threshold" // bytes
	FactLocalReadFail      = "local-read-size-fail-threshold" // bytes
	FactPageWarn           = "page-size-warn-threshold"       // rows
	FactPageFail           = "page-size-fail-threshold"       // rows
	FactKeysInSelectWarn   = "partition-keys-in-select-warn-threshold"
	FactKeysInSelectFail   = "partition-keys-in-select-fail-threshold"
	FactCartesianWarn      = "in-select-cartesian-product-warn-threshold"
	FactCartesianFail      = "in-select-cartesian-product-fail-threshold"
	FactCellWarn           = "column-value-size-warn-threshold" // bytes
	FactCellFail           = "column-value-size-fail-threshold" // bytes
	FactCollectionWarn     = "collection-size-warn-threshold"   // bytes
	FactCollectionFail     = "collection-size-fail-threshold"   // bytes
	FactBatchWarn          = "unlogged-batch-across-partitions-warn-threshold"
)
