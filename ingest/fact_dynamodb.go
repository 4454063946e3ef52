package ingest

// Names of Facts that descriptions of DynamoDB tables give.
const (
	FactTTLAttribute  = "ttl-attribute" // empty: TTL is off
	FactTableClass    = "table-class"
	FactWarmRead      = "warm-read-units"  // what the table can take at once, a second
	FactWarmWrite     = "warm-write-units" // the same
	FactMaxReadUnits  = "max-on-demand-read-units"
	FactMaxWriteUnits = "max-on-demand-write-units"
	// What auto scaling moves provisioned units between, where it scales out; no facts where that is suspended.
	FactScalingMinRead  = "auto-scaling-min-read-units"
	FactScalingMaxRead  = "auto-scaling-max-read-units"
	FactScalingMinWrite = "auto-scaling-min-write-units"
	FactScalingMaxWrite = "auto-scaling-max-write-units"
	// Quotas of the account in a region, told for no table: units of all its provisioned tables, and of one table.
	FactAccountReadUnits  = "account-max-read-units"
	FactAccountWriteUnits = "account-max-write-units"
	FactTableReadQuota    = "table-max-read-units"
	FactTableWriteQuota   = "table-max-write-units"

	FactProjection   = "projection"           // of an index: ALL, KEYS_ONLY or INCLUDE
	FactProjected    = "projected-attributes" // of an index that has INCLUDE: their names
	FactInsights     = "contributor-insights" // status: ENABLED, DISABLED, ...
	FactInsightsMode = "contributor-insights-mode"
	FactStreamView   = "stream-view" // which images stream records hold
	// FactOpenShards is how many shards of a stream are open, as far as one page of its description goes.
	FactOpenShards = "open-stream-shards"

	// FactExportItems is how many items a data file of an export to S3 holds, by its manifest; the file's
	// name in the bucket is Node.
	FactExportItems = "export-file-items"
	FactExportMD5   = "export-file-md5" // of the same file, in base64
	// FactExportTotal is how many items an export holds in all, by its summary; Node is as for FactExportTime.
	FactExportTotal = "export-items"
	// FactExportTime is the time to which an export shows its table; the key of its list of data files is
	// Node. Of an incremental export FactExportFrom is the time from which on.
	FactExportTime = "export-time"
	FactExportFrom = "export-from"
	FactExportView = "export-view" // which images an incremental export holds

	// FactMetricQuery tells what results of CloudWatch are whose Points have no table: Node is the Id,
	// which stands in their Node, and Value the metric, the statistic, the period in seconds and the
	// operation, with a blank after each but the last.
	FactMetricQuery = "metric-query"
)
