package detect

import (
	"fmt"
	"slices"
	"strings"
)

// A LimitID names a limit or floor in code; Limit.Name names it for people and in --limits-file.
type LimitID int

// The limits of stores and the floors of rules, each written once in defaultLimits.
const (
	PartitionWriteUnits LimitID = iota
	PartitionReadUnits
	ShareRequestsOfKey
	ShareRequestsOfTable
	ShareOfTable
	ShareTimesUniform
	ShareMediumRequests
	ShareHighRate
	MovingKeys
	MovingShare
	MovingRequests
	SkewRequests
	SkewDistinct
	SkewTopTen
	SkewPartitions
	CardinalityRequests
	CardinalityMinutes
	CardinalityDistinct
	NodeRatio
	NodeMinutes
	NodeEvents
	NodesAtLeast
	TombstonesWarnRead
	TombstonesMediumRead
	TombstonesHighRead
	TombstonesMediumTotal
	TombstonesHighHour
	TombstonesPerLiveRow
	TombstonesMeanRead
	CassandraPartitionBytes
	CassandraPartitionRows
	DynamoPartitionBytes
	PartitionHalf
	RateSeconds
	RateLongSeconds
	RateLongSpan
	MinutesInARow
	ShareSampledLow
	ShareNodesRatio
	ShareLatencyTimes
	MovingOutside
	MovingStoredShare
	SkewTimesPartitions
	SkewRateShare
	CardinalityRateShare
	CardinalityWrites
	NodeTopKeys
	TombstonesReads
	TombstonesOfRead
	TombstonesDenseReads
	TombstonesDenseShare
	TombstonesAbortRead
	TombstonesOfKey
	QueueTombstones
	BlindShare
	BlindShown
	IndexSpread
	IndexThrottleShare
	ThrottleMedium
	ThrottleMediumMinutes
	ThrottleRow
	ThrottleShare
	ThrottleShareRequests
	ThrottleHighShare
	ThrottleHighMinutes
	SplitAppends
	SplitOrdered
	ShardHeadroom
	ShardMax
	TombstonesWarnings
	ScyllaPartitionBytes
	ScyllaPartitionRows
	PartitionMediumBytes
	PartitionHighBytes
	CollectionHighBytes
	CollectionCriticalBytes
	DynamoItemBytes
	CassandraMutationBytes
	ScyllaRowBytes
	ScyllaCellBytes
	ScyllaCollectionItems
	ItemMediumShare
	ItemHighShare
	GrowingDays
	GrowingHours
	GrowingShare
	GrowingBytes
	GrowingNetBytes
	GrowingWrites
	GrowingLowDays
	GrowingMediumDays
	TombPartition
	TombPartitionOfRows
	TombPartitionMedium
	TombPartitionHigh
	PurgeRatio
	PurgeRatioOnce
	PurgeBytes
	PurgeSlack
	ScanHour
	ScanShare
	ScanJobReads
	FanPartitions
	FanRequests
	FanFewRequests
	FanShare
	FanWide
	SamplerRequests
	SamplerTimes
	SamplerMedium
	SlowOfKey
	SlowShare
	PartitionTarget
	WindowsOfTTL
	OwnTableKeys
	OwnTableShare
	RepairInterval
	PageFromRows
	PageRows
	ChecklistStrong
	ChecklistDeletes
	limitCount
)

// A Limit is a number that rules hold evidence against.
type Limit struct {
	Name   string // rule or store, dot, what: dynamodb.partition-write-units
	Value  Milli
	Unit   string
	About  string // one clause
	Source string // link to the document that states it, or "keyheat: detect floors" for our own floors
}

// floors is the source of floors that are keyheat's own choice.
const floors = "https://github.com/keyheat/keyheat/blob/main/docs/rules.md"

const (
	ddbPartition = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
	ddbItems     = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections.SizeLimit"
	ddbBurst     = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html"
	ddbShard     = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-sharding.html"
	casTombs     = "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#tombstone_warn_threshold"
	casAbort     = "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#tombstone_failure_threshold"
	ddbItem      = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items"
	casMutation  = "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#max_mutation_size"
	casPartTombs = "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#partition_tombstones_warn_threshold"
	casTWCS      = "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/twcs.html"
	scyLarge     = "https://opensource.docs.scylladb.com/stable/troubleshooting/large-partition-table.html"
	scyLargeRow  = "https://opensource.docs.scylladb.com/stable/troubleshooting/large-rows-large-cells-tables.html"
	casSize      = "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#partition_size_warn_threshold"
)

var defaultLimits = [limitCount]Limit{
	PartitionWriteUnits:     {"dynamodb.partition-write-units", Whole(1000), "WCU/s", "what one partition can serve", ddbPartition},
	PartitionReadUnits:      {"dynamodb.partition-read-units", Whole(3000), "RCU/s", "what one partition can serve", ddbPartition},
	ShareRequestsOfKey:      {"hot-partition.share-key-requests", Whole(30), "requests", "a key with fewer has no share", floors},
	ShareRequestsOfTable:    {"hot-partition.share-table-requests", Whole(100), "requests", "a table with fewer has no shares", floors},
	ShareOfTable:            {"hot-partition.share", 200, "share", "of its table's requests", floors},
	ShareTimesUniform:       {"hot-partition.share-times-uniform", Whole(3), "times", "share over one divided by the distinct keys", floors},
	ShareMediumRequests:     {"hot-partition.share-medium-requests", Whole(1000), "requests", "medium from here", floors},
	ShareHighRate:           {"hot-partition.share-high-rate", Whole(1000), "requests/s", "for a minute, with harm: high", floors},
	MovingKeys:              {"moving-hot-key.keys", Whole(3), "keys", "successive top keys", floors},
	MovingShare:             {"moving-hot-key.share", 200, "share", "of the run of minutes in which it is on top", floors},
	MovingRequests:          {"moving-hot-key.requests", Whole(100), "requests", "of the key in its run", floors},
	SkewRequests:            {"skewed-key.requests", Whole(10000), "requests", "fewer are not judged", floors},
	SkewDistinct:            {"skewed-key.distinct", Whole(100), "keys", "fewer are not judged", floors},
	SkewTopTen:              {"skewed-key.top-ten-share", 500, "share", "of the ten largest keys", floors},
	SkewPartitions:          {"skewed-key.partitions", Whole(20), "partitions", "taken where the number of partitions is not known", floors},
	CardinalityRequests:     {"low-cardinality-key.requests", Whole(1000), "requests", "fewer are not judged", floors},
	CardinalityMinutes:      {"low-cardinality-key.minutes", Whole(10), "minutes", "shorter input is not judged", floors},
	CardinalityDistinct:     {"low-cardinality-key.distinct", Whole(20), "keys", "or fewer", floors},
	NodeRatio:               {"hot-node.ratio", 1750, "times", "of the median node", floors},
	NodeMinutes:             {"hot-node.minutes", Whole(10), "minutes", "at least", floors},
	NodeEvents:              {"hot-node.events", Whole(1000), "requests", "of the node in those minutes", floors},
	NodesAtLeast:            {"hot-node.nodes", Whole(3), "nodes", "with traffic over the same minutes", floors},
	TombstonesWarnRead:      {"cassandra.tombstone-warn", Whole(1000), "tombstones", "of one read", casTombs},
	TombstonesMediumRead:    {"tombstone-dense-read.medium-read", Whole(10000), "tombstones", "of one read", floors},
	TombstonesHighRead:      {"tombstone-dense-read.high-read", Whole(50000), "tombstones", "of one read", floors},
	TombstonesMediumTotal:   {"tombstone-dense-read.medium-total", Whole(100000), "tombstones", "of all reads", floors},
	TombstonesHighHour:      {"tombstone-dense-read.high-hour", Whole(10_000_000), "tombstones", "of all reads of an hour", floors},
	TombstonesPerLiveRow:    {"tombstone-dense-read.per-live-row", Whole(4), "tombstones", "a live row, on average", floors},
	TombstonesMeanRead:      {"tombstone-dense-read.mean-read", Whole(100), "tombstones", "a read, on average", floors},
	CassandraPartitionBytes: {"cassandra.partition-bytes", Whole(100 << 20), "bytes", "of one partition", casSize},
	CassandraPartitionRows:  {"cassandra.partition-rows", Whole(100_000), "rows", "of one partition", floors},
	DynamoPartitionBytes:    {"dynamodb.partition-bytes", Whole(10 << 30), "bytes", "of one item collection under a local index", ddbItems},

	PartitionHalf:         {"hot-partition.rate-half", 500, "share", "of what one partition can serve, as a minute's mean", floors},
	RateSeconds:           {"hot-partition.rate-seconds", Whole(3), "seconds", "over a partition's limit within one minute: high", floors},
	RateLongSeconds:       {"hot-partition.rate-long-seconds", Whole(60), "seconds", "over a partition's limit within rate-long-span: critical", floors},
	RateLongSpan:          {"hot-partition.rate-long-span", Whole(300), "seconds", "that burst capacity covers", ddbBurst},
	MinutesInARow:         {"hot-partition.minutes-in-a-row", Whole(5), "minutes", "judged like the whole input", floors},
	ShareSampledLow:       {"hot-partition.share-sampled-low", 150, "share", "Wilson 95 % lower bound, of sampled input", floors},
	ShareNodesRatio:       {"hot-partition.share-nodes-ratio", 1500, "times", "its replicas over the other nodes: harm", floors},
	ShareLatencyTimes:     {"hot-partition.share-latency-times", Whole(3), "times", "its p99 over its table's: harm", floors},
	MovingOutside:         {"moving-hot-key.outside", 500, "share", "of its share in its run that a key may have outside of it", floors},
	MovingStoredShare:     {"moving-hot-key.stored-share", 800, "share", "of an export's or a scan's items whose keys name a date or an hour: possible", floors},
	SkewTimesPartitions:   {"skewed-key.times-partitions", Whole(2), "times", "the partitions; fewer effective ones are skewed", floors},
	SkewRateShare:         {"skewed-key.rate-share", 500, "share", "of a partition's limit, as peak over effective partitions: medium", floors},
	CardinalityRateShare:  {"low-cardinality-key.rate-share", 250, "share", "of a partition's limit, as a key's minute mean: medium", floors},
	CardinalityWrites:     {"low-cardinality-key.lookup-writes", 10, "share", "of requests that write; fewer make it a lookup table", floors},
	NodeTopKeys:           {"hot-node.top-keys", Whole(5), "keys", "of the input, taken off the node", floors},
	TombstonesReads:       {"tombstone-dense-read.reads", Whole(3), "reads", "with known tombstones", floors},
	TombstonesOfRead:      {"tombstone-dense-read.of-read", 250, "share", "of the rows and tombstones that one read scanned", floors},
	TombstonesDenseReads:  {"tombstone-dense-read.dense-reads", Whole(100), "reads", "of a shape, of which half are over the warn limit", floors},
	TombstonesDenseShare:  {"tombstone-dense-read.dense-share", 500, "share", "of a shape's reads over the warn limit: high", floors},
	TombstonesAbortRead:   {"cassandra.tombstone-abort", Whole(100_000), "tombstones", "of one read", casAbort},
	TombstonesOfKey:       {"tombstone-dense-read.key-share", 500, "share", "of the table's tombstones; a key with more is named", floors},
	QueueTombstones:       {"tombstone-dense-read.queue-per-live-row", Whole(10), "tombstones", "a live row of a queue pattern", floors},
	BlindShare:            {"blind-spot.share", 50, "share", "of requests that lack what rules need", floors},
	BlindShown:            {"blind-spot.shown", Whole(5), "findings", "at most", floors},
	IndexSpread:           {"hot-index.spread", 500, "share", "of the index's top share that the base table's may have", floors},
	IndexThrottleShare:    {"hot-index.throttle-share", 10, "share", "of an index's requests refused over five minutes: medium", floors},
	ThrottleMedium:        {"throttling.medium", Whole(100), "requests", "refused within medium-minutes", floors},
	ThrottleMediumMinutes: {"throttling.medium-minutes", Whole(10), "minutes", "in which medium is counted", floors},
	ThrottleRow:           {"throttling.minutes-in-a-row", Whole(5), "minutes", "each with refused requests: medium", floors},
	ThrottleShare:         {"throttling.share", 10, "share", "of share-requests or more: medium", floors},
	ThrottleShareRequests: {"throttling.share-requests", Whole(1000), "requests", "fewer have no share", floors},
	ThrottleHighShare:     {"throttling.high-share", 50, "share", "for high-minutes and still so in the last third: high", floors},
	ThrottleHighMinutes:   {"throttling.high-minutes", Whole(5), "minutes", "in a row", floors},
	SplitAppends:          {"hot-partition.append-share", 900, "share", "of writes in rising sort-key order; a split does not help", ddbBurst},
	SplitOrdered:          {"hot-partition.append-writes", Whole(100), "writes", "with one before them; fewer tell nothing of their order", floors},
	ShardHeadroom:         {"shard-suffix.headroom", 500, "share", "of a partition's limit that one shard may use", ddbShard},
	ShardMax:              {"shard-suffix.max-shards", Whole(64), "shards", "that a reader can ask one by one", floors},

	TombstonesWarnings:      {"tombstone-dense-read.warnings", Whole(100), "warnings", "of the store about one kind of read: medium", floors},
	ScyllaPartitionBytes:    {"scylla.partition-bytes", Whole(1000 << 20), "bytes", "of one partition", scyLarge},
	ScyllaPartitionRows:     {"scylla.partition-rows", Whole(100_000), "rows", "of one partition", scyLarge},
	PartitionMediumBytes:    {"large-partition.medium-bytes", Whole(256 << 20), "bytes", "of one partition", floors},
	PartitionHighBytes:      {"large-partition.high-bytes", Whole(2 << 30), "bytes", "of one partition", floors},
	CollectionHighBytes:     {"large-partition.collection-high-bytes", Whole(8 << 30), "bytes", "of an item collection under a local index", ddbItems},
	CollectionCriticalBytes: {"large-partition.collection-critical-bytes", Whole(9728 << 20), "bytes", "of an item collection under a local index", floors},
	DynamoItemBytes:         {"dynamodb.item-bytes", Whole(400 << 10), "bytes", "of one item", ddbItem},
	CassandraMutationBytes:  {"cassandra.mutation-bytes", Whole(16 << 20), "bytes", "of one write", casMutation},
	ScyllaRowBytes:          {"scylla.row-bytes", Whole(10 << 20), "bytes", "of one row", scyLargeRow},
	ScyllaCellBytes:         {"scylla.cell-bytes", Whole(1 << 20), "bytes", "of one cell", scyLargeRow},
	ScyllaCollectionItems:   {"scylla.collection-items", Whole(10_000), "elements", "of one collection", scyLargeRow},
	ItemMediumShare:         {"large-item.medium-share", 800, "share", "of the store's limit", floors},
	ItemHighShare:           {"large-item.high-share", 950, "share", "of the store's limit", floors},
	GrowingDays:             {"growing-partition.days", Whole(3), "days", "on which the same node and statement tell a size", floors},
	GrowingHours:            {"growing-partition.hours", Whole(24), "hours", "from the first to the last size", floors},
	GrowingShare:            {"growing-partition.share", 100, "share", "of its first size that it has grown by", floors},
	GrowingBytes:            {"growing-partition.bytes", Whole(10 << 20), "bytes", "that it has grown by", floors},
	GrowingNetBytes:         {"growing-partition.net-bytes", Whole(1 << 20), "bytes", "that changes of its items add in all, over an hour or more", floors},
	GrowingWrites:           {"growing-partition.writes", Whole(100), "changes", "of its items", floors},
	GrowingLowDays:          {"growing-partition.low-days", Whole(90), "days", "until it passes a limit", floors},
	GrowingMediumDays:       {"growing-partition.medium-days", Whole(14), "days", "until it passes a limit: medium", floors},
	TombPartition:           {"tombstone-partition.tombstones", Whole(1000), "tombstones", "of one partition", floors},
	TombPartitionOfRows:     {"tombstone-partition.of-rows", 500, "share", "tombstones for each row, where the rows are known", floors},
	TombPartitionMedium:     {"tombstone-partition.medium", Whole(10_000), "tombstones", "of one partition", floors},
	TombPartitionHigh:       {"tombstone-partition.high", Whole(100_000), "tombstones", "of one partition", casPartTombs},
	PurgeRatio:              {"purge-blocked.ratio", 300, "share", "droppable, at two times more than gc grace apart", floors},
	PurgeRatioOnce:          {"purge-blocked.ratio-once", 500, "share", "droppable in one SSTable", floors},
	PurgeBytes:              {"purge-blocked.bytes", Whole(50 << 20), "bytes", "of that SSTable", floors},
	PurgeSlack:              {"purge-blocked.slack", Whole(86_400), "seconds", "beyond gc grace that its oldest tombstone must have", floors},
	ScanHour:                {"full-scan.hour", Whole(10), "reads", "an hour without partition key", floors},
	ScanShare:               {"full-scan.share", 50, "share", "of the table's reads", floors},
	ScanJobReads:            {"full-scan.job-reads", Whole(16), "reads", "of one token-range statement: an analytics job", floors},
	FanPartitions:           {"fan-out.partitions", Whole(10), "partitions", "of one request", floors},
	FanRequests:             {"fan-out.requests", Whole(100), "requests", "to so many partitions", floors},
	FanFewRequests:          {"fan-out.few-requests", Whole(10), "requests", "to so many partitions, with share of the table's", floors},
	FanShare:                {"fan-out.share", 50, "share", "of the table's requests", floors},
	FanWide:                 {"fan-out.wide", Whole(WidePartitions), "partitions", "of one request: medium", floors},
	SamplerRequests:         {"hot-partition.sampler-requests", Whole(150), "requests", "of the key in one list, its error taken off", floors},
	SamplerTimes:            {"hot-partition.sampler-times", Whole(3), "times", "the median of the other keys of the list", floors},
	SamplerMedium:           {"hot-partition.sampler-medium", Whole(1000), "requests", "of the key in one list: medium", floors},
	SlowOfKey:               {"hot-partition.slow-requests", Whole(30), "requests", "of the key that were slow or timed out in one minute", floors},
	SlowShare:               {"hot-partition.slow-share", 800, "share", "of the table's slow requests of that minute", floors},
	PartitionTarget:         {"time-bucket.partition-bytes", Whole(50 << 20), "bytes", "that a partition should reach at most", floors},
	OwnTableKeys:            {"own-table.keys", Whole(100), "keys", "of a table, for its largest to get a table of their own", floors},
	OwnTableShare:           {"own-table.share", 500, "share", "of the requests that its one to three largest keys have", floors},
	RepairInterval:          {"gc-grace.repair-interval", 0, "seconds", "in which a full repair is done on every node; 0: not known", floors},
	PageFromRows:            {"smaller-page.rows", Whole(1000), "rows", "of a read, on average", floors},
	PageRows:                {"smaller-page.page", Whole(500), "rows", "of a page", floors},
	ChecklistStrong:         {"checklist.strong-share", 500, "share", "of reads that wait for a majority: worth asking whether they must", floors},
	ChecklistDeletes:        {"checklist.delete-share", 200, "share", "of DynamoDB writes that delete: worth a time to live", floors},
	WindowsOfTTL:            {"time-window.windows", Whole(24), "windows", "of compaction before data expires", casTWCS},
}

// Limits are the limits of one run. The zero value is not usable; see DefaultLimits.
type Limits struct{ of [limitCount]Limit }

// DefaultLimits gives the documented limits and floors.
func DefaultLimits() *Limits { return &Limits{of: defaultLimits} }

// Of gives one limit.
func (l *Limits) Of(id LimitID) Limit { return l.of[id] }

// Count gives the value of a limit whose unit is a count, rounded down.
func (l *Limits) Count(id LimitID) uint64 { return uint64(l.of[id].Value / 1000) }

// All gives the limits in order of their names.
func (l *Limits) All() []Limit {
	all := slices.Clone(l.of[:])
	slices.SortFunc(all, func(a, b Limit) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Override sets limits by name; it reports every name that there is not.
func (l *Limits) Override(values map[string]Milli) error {
	unknown := []string{}
	for name, value := range values {
		i := slices.IndexFunc(l.of[:], func(x Limit) bool { return x.Name == name })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		l.of[i].Value, l.of[i].Source = value, "set by the user"
	}
	slices.Sort(unknown)
	if len(unknown) > 0 {
		return fmt.Errorf("unknown limits %v: see keyheat limits", unknown)
	}
	return nil
}
