package systable

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// Limits of ScyllaDB's db/config.cc, by which it is told which of two numbers of a row is over one.
const (
	scyllaPartitionLimit  = 1000 << 20
	scyllaRowsLimit       = 100_000
	scyllaCollectionLimit = 10_000
)

// A Sayer says what rows of the server's tables mean. One goroutine uses it at a time.
type Sayer struct {
	Schema *cql.Schema // nil: nothing is known
	key    []byte

	estimates estimates
	columns   Columns
	columnsAt ingest.Position
	reader    cqltrace.Reader
}

// KnownColumns reports whether a table of the server has these columns.
func KnownColumns(names [][]byte) bool {
	r := Row{}
	for _, c := range names {
		r.Names = append(r.Names, strings.ToLower(string(bytes.TrimSpace(c))))
	}
	return r.Has("keyspace_name", "table_name") || r.Has("keyspace_name", "replication") || r.Has("key", "release_version") ||
		r.Has("peer", "release_version") || r.Has("keyspace_name", "columnfamily_name") ||
		isSettings(&r) || r.Has("name", "active_tasks") || r.Has("table_name", "column_name", "kind", "type") ||
		len(r.Names) == 2 && r.Has("table_name", "comment") ||
		slices.ContainsFunc(toldNothing, func(columns []string) bool { return r.Has(columns...) })
}

// isSettings reports whether a table is of settings: system_views.settings and cql_metrics, or ScyllaDB's system.config.
func isSettings(r *Row) bool {
	return len(r.Names) == 2 && r.Has("name", "value") || len(r.Names) == 4 && r.Has("name", "source", "type", "value")
}

// toldNothing are columns of the servers' tables that say nothing of keys: who gives one is not refused. They are clients,
// queries that run, caches, connections between nodes, hints, gossip, batch_metrics and ScyllaDB's token_ring, cluster_status,
// runtime_info and load_per_node.
var toldNothing = [][]string{
	{"address", "connection_stage"}, {"thread_id", "task"}, {"name", "capacity_bytes"}, {"address", "dc", "rack"}, {"host_id", "files"},
	{"address", "generation"}, {"name", "p50th", "p999th"}, {"keyspace_name", "start_token"}, {"peer", "host_id", "status"},
	{"group", "item", "value"}, {"node", "tablets_allocated"},
}

// Say tells of one row, whose place is at; false: it says nothing.
func (s *Sayer) Say(r *Row, at ingest.Position, to ingest.Sink) bool {
	table := tableOf(r)
	switch {
	case r.Has("partition_size", "partition_key", "table_name"):
		return s.largePartition(r, table, at, to)
	case r.Has("row_size", "partition_key", "table_name"):
		return s.large(r, table, ingest.RowBytes, "row_size", r.Of("clustering_key"), at, to)
	case r.Has("cell_size", "partition_key", "table_name"):
		return s.largeCell(r, table, at, to)
	case r.Has("top_type", "top", "table_name"):
		return s.repaired(r, table, at, to)
	case r.Has("token_value", "key", "size_estimate"):
		n, ok := Count(r.Of("size_estimate"))
		return ok && s.state(to, ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceKeyStatistics, Measure: ingest.PartitionBytes, Value: n, AtLeast: true, At: at,
		}, r.Of("key"))
	case r.Has("times_reported", "query", "table_name"):
		return s.slowQuery(r, table, at, to)
	case r.Has("event_time", "category", "operation", "keyspace_name", "table_name"):
		return s.audited(r, at, to)
	case r.Has("kind", "rank", "partition_key", "count", "error"):
		return s.sampled(r, table, at, to)
	case r.Has("range_start", "range_end", "mean_partition_size", "partitions_count"):
		return s.estimated(r, table, at, to)
	case r.Has("column_name", "kind", "position", "type", "table_name", "keyspace_name"):
		return s.column(r, at, to)
	case r.Has("gc_grace_seconds", "default_time_to_live", "table_name"):
		return tableOptions(r, table, at, to)
	case r.Has("release_version") && (r.Has("key") || r.Has("peer")):
		return nodeFacts(r, at, to)
	case isSettings(r):
		return SettingFact(to, ingest.Fact{At: at}, string(r.Of("name")), string(r.Of("value")))
	}
	return view(r, table, at, to)
}

// End tells of what was held until the table's end.
func (s *Sayer) End(to ingest.Sink) {
	s.estimates.end(to)
	if t := s.columns.Flush(); t != nil {
		SchemaFacts(t, s.columnsAt, to)
	}
}

// column takes a row of system_schema.columns, and tells of the table before when it is of another.
func (s *Sayer) column(r *Row, at ingest.Position, to ingest.Sink) (told bool) {
	before := s.columnsAt
	if s.columns.table.Name != string(r.Of("table_name")) || s.columns.table.Keyspace != string(r.Of("keyspace_name")) {
		s.columnsAt = at
	}
	t := s.columns.Take(r)
	return t != nil && SchemaFacts(t, before, to)
}

func tableOf(r *Row) []byte {
	name := r.Of("table_name")
	if name == nil {
		name = r.Of("columnfamily_name")
	}
	return bytes.Join([][]byte{r.Of("keyspace_name"), name}, []byte{'.'})
}

func (s *Sayer) state(to ingest.Sink, st ingest.State, key []byte) bool {
	if len(key) > 0 && !bytes.HasPrefix(key, []byte("(details unavailable")) {
		s.key, st.KeyKnown = LargeKey(s.key, key, st.Table, s.Schema), true
		st.Key = s.key
	}
	to.State(&st)
	return true
}

// timeOf reads a timestamp as cqlsh prints it: 2018-07-23 08:10:34[.000000][+0000].
func timeOf(text []byte) int64 {
	at, _ := ingest.ParseTime(text, nil)
	return at
}

// largePartition reads a row of system.large_partitions. The server does not say which of its limits
// the partition passed: it is the size unless only the rows are over theirs.
func (s *Sayer) largePartition(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	size, ok := Count(r.Of("partition_size"))
	if !ok {
		return false
	}
	rows, _ := Count(r.Of("rows"))
	st := ingest.State{
		Store: ingest.Scylla, Table: table, Source: ingest.SourceLargeTable, AtLeast: true,
		UnixNano: timeOf(r.Of("compaction_time")), At: at,
	}
	byRows := rows > scyllaRowsLimit
	st.Measure, st.Value, st.Said = ingest.PartitionBytes, size, !byRows || size > scyllaPartitionLimit
	s.state(to, st, r.Of("partition_key"))
	if rows == 0 {
		return true
	}
	st.Measure, st.Value, st.Said = ingest.PartitionRows, rows, byRows
	s.state(to, st, r.Of("partition_key"))
	dead, _ := Count(r.Of("dead_rows"))
	ranges, _ := Count(r.Of("range_tombstones"))
	if dead+ranges > 0 {
		st.Measure, st.Value, st.Said = ingest.PartitionTombstones, dead+ranges, false
		st.Kinds = ingest.TombstoneKinds{Rows: rows - min(rows, ranges), RowDeletes: dead, Ranges: ranges}
		s.state(to, st, r.Of("partition_key"))
	}
	return true
}

// large reads a row of system.large_rows or large_cells.
func (s *Sayer) large(r *Row, table []byte, m ingest.Measure, column string, part []byte, at ingest.Position, to ingest.Sink) bool {
	n, ok := Count(r.Of(column))
	return ok && s.state(to, ingest.State{
		Store: ingest.Scylla, Table: table, Part: part, Source: ingest.SourceLargeTable, Measure: m, Value: n, AtLeast: true, Said: true,
		UnixNano: timeOf(r.Of("compaction_time")), At: at,
	}, r.Of("partition_key"))
}

func (s *Sayer) largeCell(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	part := r.Of("column_name")
	if ck := r.Of("clustering_key"); len(ck) > 0 {
		part = bytes.Join([][]byte{ck, part}, []byte{'/'})
	}
	if n, ok := Count(r.Of("collection_elements")); ok && n > scyllaCollectionLimit {
		s.large(r, table, ingest.CollectionItems, "collection_elements", part, at, to)
		return s.large(r, table, ingest.CollectionBytes, "cell_size", part, at, to)
	}
	return s.large(r, table, ingest.CellBytes, "cell_size", part, at, to)
}

// repaired reads a row of system.top_partitions: top is [('key', 12), …].
func (s *Sayer) repaired(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	measure := ingest.PartitionBytes
	if string(r.Of("top_type")) == "TOMBSTONES" {
		measure = ingest.PartitionTombstones
	}
	told := false
	for text := string(r.Of("top")); ; {
		key, value, rest, ok := topEntry(text)
		if !ok {
			return told
		}
		text = rest
		told = s.state(to, ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceTopPartitions, Measure: measure, Value: value,
			UnixNano: timeOf(r.Of("last_update")), At: at,
		}, []byte(key))
	}
}

// topEntry reads the next ('key', 12), of which quotes are doubled.
func topEntry(text string) (key string, value uint64, rest string, ok bool) {
	_, text, ok = strings.Cut(text, "('")
	for ok {
		var part string
		part, text, ok = strings.Cut(text, "'")
		key += part
		if !strings.HasPrefix(text, "'") {
			break
		}
		key, text = key+"'", text[1:]
	}
	text, found := strings.CutPrefix(text, ", ")
	number, rest, closed := strings.Cut(text, ")")
	value, err := strconv.ParseUint(number, 10, 64)
	return key, value, rest, ok && found && closed && err == nil
}

// sampled reads a row of ScyllaDB's system.toppartitions.
func (s *Sayer) sampled(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	n, ok := Count(r.Of("count"))
	if !ok || n == 0 {
		return false
	}
	tolerance, _ := Count(r.Of("error"))
	s.key = LargeKey(s.key, r.Of("partition_key"), table, s.Schema)
	e := ingest.Event{
		Store: ingest.Scylla, Coverage: ingest.Selected, Role: ingest.RoleSampler + "1", Op: ingest.OpRead, Table: table,
		Key: s.key, KeyKnown: true, Requests: n, Error: min(tolerance, n), At: at,
	}
	if strings.HasPrefix(string(r.Of("kind")), "write") {
		e.Op = ingest.OpWrite
	}
	to.Event(&e)
	return true
}

// view reads a row of a virtual table of statistics, if the SELECT before it says of which.
func view(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	p := ingest.Point{Store: ingest.Cassandra, Table: table, At: at}
	name := strings.TrimPrefix(r.From, "system_views.")
	switch name {
	case ingest.PointTombstonesPerRead, ingest.PointRowsPerRead:
		told := false
		for i, column := range []string{"max", "p50th", "p99th"} {
			stat := []string{"maximum", "p50", "p99"}[i]
			told = Tell(to, p, name, stat, r.Of(column)) || told
		}
		return Tell(to, p, name, "count", r.Of("count")) || told
	case "max_partition_size":
		n, ok := Count(r.Of("mebibytes"))
		if !ok || n == 0 || n > 1<<40 {
			return false
		}
		to.State(&ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceView, Measure: ingest.PartitionBytes, Value: n << 20, At: at,
		})
		return true
	case "local_read_latency":
		return Tell(to, p, ingest.PointReads, "count", r.Of("count"))
	case "local_write_latency":
		return Tell(to, p, ingest.PointWrites, "count", r.Of("count"))
	}
	return false
}
