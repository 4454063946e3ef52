package formats

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// Limits of ScyllaDB's db/config.cc, by which it is told which of two numbers of a row is over one.
const (
	scyllaPartitionLimit  = 1000 << 20
	scyllaRowsLimit       = 100_000
	scyllaCollectionLimit = 10_000
)

// A cqlSayer says what rows of the server's tables mean.
type cqlSayer struct {
	known  *cql.Schema
	key    []byte
	schema schemaColumns
}

// knownColumns reports whether a table of the server has these columns.
func knownColumns(names [][]byte) bool {
	r := cqlRow{}
	for _, c := range names {
		r.names = append(r.names, strings.ToLower(string(bytes.TrimSpace(c))))
	}
	return r.has("keyspace_name", "table_name") || r.has("keyspace_name", "replication") || r.has("key", "release_version") ||
		r.has("peer", "release_version") || r.has("keyspace_name", "columnfamily_name") ||
		len(r.names) == 2 && r.has("name", "value") || r.has("name", "active_tasks") || r.has("table_name", "column_name", "kind", "type") ||
		len(r.names) == 2 && r.has("table_name", "comment")
}

// row tells of one row; false: it says nothing.
func (s *cqlSayer) row(r *cqlRow, at ingest.Position, to ingest.Sink) bool {
	table := tableOf(r)
	switch {
	case r.has("partition_size", "partition_key", "table_name"):
		return s.largePartition(r, table, at, to)
	case r.has("row_size", "partition_key", "table_name"):
		return s.large(r, table, ingest.RowBytes, "row_size", r.of("clustering_key"), at, to)
	case r.has("cell_size", "partition_key", "table_name"):
		return s.largeCell(r, table, at, to)
	case r.has("top_type", "top", "table_name"):
		return s.repaired(r, table, at, to)
	case r.has("token_value", "key", "size_estimate"):
		n, ok := countOf(r.of("size_estimate"))
		return ok && s.state(to, ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceKeyStatistics, Measure: ingest.PartitionBytes, Value: n, AtLeast: true, At: at,
		}, r.of("key"))
	case r.has("kind", "rank", "partition_key", "count", "error"):
		return s.sampled(r, table, at, to)
	case r.has("column_name", "kind", "position", "type", "table_name", "keyspace_name"):
		return s.schema.take(r, at, to)
	case r.has("gc_grace_seconds", "default_time_to_live", "table_name"):
		return tableOptions(r, table, at, to)
	case r.has("release_version") && (r.has("key") || r.has("peer")):
		return nodeFacts(r, at, to)
	case len(r.names) == 2 && r.has("name", "value"):
		return settingFact(to, ingest.Fact{At: at}, string(r.of("name")), string(r.of("value")))
	}
	return view(r, table, at, to)
}

// end is called behind a table.
func (s *cqlSayer) end(to ingest.Sink) { s.schema.flush(to) }

func tableOf(r *cqlRow) []byte {
	name := r.of("table_name")
	if name == nil {
		name = r.of("columnfamily_name")
	}
	return bytes.Join([][]byte{r.of("keyspace_name"), name}, []byte{'.'})
}

func (s *cqlSayer) state(to ingest.Sink, st ingest.State, key []byte) bool {
	if len(key) > 0 && !bytes.HasPrefix(key, []byte("(details unavailable")) {
		s.key, st.KeyKnown = largeKey(s.key, key, st.Table, s.known), true
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
func (s *cqlSayer) largePartition(r *cqlRow, table []byte, at ingest.Position, to ingest.Sink) bool {
	size, ok := countOf(r.of("partition_size"))
	if !ok {
		return false
	}
	rows, _ := countOf(r.of("rows"))
	st := ingest.State{
		Store: ingest.Scylla, Table: table, Source: ingest.SourceLargeTable, AtLeast: true,
		UnixNano: timeOf(r.of("compaction_time")), At: at,
	}
	byRows := rows > scyllaRowsLimit
	st.Measure, st.Value, st.Said = ingest.PartitionBytes, size, !byRows || size > scyllaPartitionLimit
	s.state(to, st, r.of("partition_key"))
	if rows == 0 {
		return true
	}
	st.Measure, st.Value, st.Said = ingest.PartitionRows, rows, byRows
	s.state(to, st, r.of("partition_key"))
	dead, _ := countOf(r.of("dead_rows"))
	ranges, _ := countOf(r.of("range_tombstones"))
	if dead+ranges > 0 {
		st.Measure, st.Value, st.Said = ingest.PartitionTombstones, dead+ranges, false
		st.Kinds = ingest.TombstoneKinds{Rows: rows - min(rows, ranges), RowDeletes: dead, Ranges: ranges}
		s.state(to, st, r.of("partition_key"))
	}
	return true
}

// large reads a row of system.large_rows or large_cells.
func (s *cqlSayer) large(r *cqlRow, table []byte, m ingest.Measure, column string, part []byte, at ingest.Position, to ingest.Sink) bool {
	n, ok := countOf(r.of(column))
	return ok && s.state(to, ingest.State{
		Store: ingest.Scylla, Table: table, Part: part, Source: ingest.SourceLargeTable, Measure: m, Value: n, AtLeast: true, Said: true,
		UnixNano: timeOf(r.of("compaction_time")), At: at,
	}, r.of("partition_key"))
}

func (s *cqlSayer) largeCell(r *cqlRow, table []byte, at ingest.Position, to ingest.Sink) bool {
	part := r.of("column_name")
	if ck := r.of("clustering_key"); len(ck) > 0 {
		part = bytes.Join([][]byte{ck, part}, []byte{'/'})
	}
	if n, ok := countOf(r.of("collection_elements")); ok && n > scyllaCollectionLimit {
		s.large(r, table, ingest.CollectionItems, "collection_elements", part, at, to)
		return s.large(r, table, ingest.CollectionBytes, "cell_size", part, at, to)
	}
	return s.large(r, table, ingest.CellBytes, "cell_size", part, at, to)
}

// repaired reads a row of system.top_partitions: top is [('key', 12), …].
func (s *cqlSayer) repaired(r *cqlRow, table []byte, at ingest.Position, to ingest.Sink) bool {
	measure := ingest.PartitionBytes
	if string(r.of("top_type")) == "TOMBSTONES" {
		measure = ingest.PartitionTombstones
	}
	told := false
	for text := string(r.of("top")); ; {
		key, value, rest, ok := topEntry(text)
		if !ok {
			return told
		}
		text = rest
		told = s.state(to, ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceTopPartitions, Measure: measure, Value: value,
			UnixNano: timeOf(r.of("last_update")), At: at,
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
func (s *cqlSayer) sampled(r *cqlRow, table []byte, at ingest.Position, to ingest.Sink) bool {
	n, ok := countOf(r.of("count"))
	if !ok || n == 0 {
		return false
	}
	tolerance, _ := countOf(r.of("error"))
	s.key = largeKey(s.key, r.of("partition_key"), table, s.known)
	e := ingest.Event{
		Store: ingest.Scylla, Coverage: ingest.Selected, Role: ingest.RoleSampler + "1", Op: ingest.OpRead, Table: table,
		Key: s.key, KeyKnown: true, Requests: n, Error: min(tolerance, n), At: at,
	}
	if strings.HasPrefix(string(r.of("kind")), "write") {
		e.Op = ingest.OpWrite
	}
	to.Event(&e)
	return true
}

// view reads a row of a virtual table of statistics, if the SELECT before it says of which.
func view(r *cqlRow, table []byte, at ingest.Position, to ingest.Sink) bool {
	p := ingest.Point{Store: ingest.Cassandra, Table: table, At: at}
	name := strings.TrimPrefix(r.from, "system_views.")
	switch name {
	case ingest.PointTombstonesPerRead, ingest.PointRowsPerRead:
		told := false
		for i, column := range []string{"max", "p50th", "p99th"} {
			stat := []string{"maximum", "p50", "p99"}[i]
			told = tell(to, p, name, stat, r.of(column)) || told
		}
		return tell(to, p, name, "count", r.of("count")) || told
	case "max_partition_size":
		n, ok := countOf(r.of("mebibytes"))
		if !ok || n == 0 || n > 1<<40 {
			return false
		}
		to.State(&ingest.State{
			Store: ingest.Cassandra, Table: table, Source: ingest.SourceView, Measure: ingest.PartitionBytes, Value: n << 20, At: at,
		})
		return true
	case "local_read_latency":
		return tell(to, p, ingest.PointReads, "count", r.of("count"))
	case "local_write_latency":
		return tell(to, p, ingest.PointWrites, "count", r.of("count"))
	}
	return false
}
