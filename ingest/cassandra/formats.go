package cassandra

import "github.com/keyheat/keyheat/ingest"

// liveFormats are what the inputs of a cluster hold. ScyllaDB has no table of its log.
type liveFormats struct{ traces, tables, log ingest.Format }

// logFormat names the format of the file whose lines the table of the log holds.
const logFormat = "cassandra-log"

// Formats are the formats of the inputs, for lists of what can be read.
func Formats() []*ingest.Format {
	return []*ingest.Format{&cassandraFormats.traces, &cassandraFormats.tables, &cassandraFormats.log, &scyllaFormats.traces, &scyllaFormats.tables}
}

var cassandraFormats = liveFormats{
	traces: ingest.Format{
		Name:     "cassandra-live-traces",
		Title:    "query traces of a running Cassandra",
		Coverage: ingest.Traffic,
		Carries:  []string{"time", "table", "key", "statement", "latency", "tombstones", "rows"},
		Doc: `Rows of system_traces of a running cluster (cassandra://…), each request once, when it is finished and the nodes
have written their events. They say what rows of an export say: see cassandra-trace. The node of a request is the first
replica of its key. Requests of drivers and of keyheat itself to the server's own tables are left out. Live reading was
tested against Cassandra 5.0; DSE is read by the same code and was never tried: untested live.`,
	},
	tables: ingest.Format{
		Name:     "cassandra-live-tables",
		Title:    "schema, settings and virtual tables of a running Cassandra",
		Coverage: ingest.StateOnly,
		Carries:  []string{"partition sizes with key", "tombstones and rows a read", "settings", "schema", "topology"},
		Doc: `system_schema, system.local and the peers, and of each node system_views, system.top_partitions and
system.size_estimates of a running cluster (cassandra://…). They say what rows of an export say: see cqlsh-table. Counts of
requests are told as what came between two polls. Columns *_ms hold seconds in 4.1, 5.0 and 6.0, and are read so.`,
	},
	log: ingest.Format{
		Name:     "cassandra-live-log",
		Title:    "warnings in the log of a running Cassandra",
		Coverage: ingest.Selected,
		Carries:  []string{"time", "table", "key", "tombstones", "rows", "partition sizes with key"},
		Doc: `Rows of system_views.system_logs (5.0 and later, where the appender of class VirtualTableAppender is on in logback.xml),
each line once. They say what lines of system.log say: see cassandra-log. What both tell counts once.`,
	},
}

var scyllaFormats = liveFormats{
	traces: ingest.Format{
		Name:     "scylla-live-traces",
		Title:    "query traces and slow queries of a running ScyllaDB (untested live)",
		Coverage: ingest.Traffic,
		Carries:  []string{"time", "table", "key", "statement", "latency", "tombstones", "rows"},
		Doc: `Rows of system_traces of a running cluster (scylla://…), node_slow_log included. They say what rows of an export
say: see scylla-trace. Tested against recorded answers, never against a running ScyllaDB: untested live.`,
	},
	tables: ingest.Format{
		Name:     "scylla-live-tables",
		Title:    "schema and large_* tables of a running ScyllaDB (untested live)",
		Coverage: ingest.StateOnly,
		Carries:  []string{"partition, row and cell sizes with key", "schema", "topology"},
		Doc: `system_schema, system.local and the peers, and of each node system.large_partitions, large_rows, large_cells and
size_estimates of a running cluster (scylla://…). They say what rows of an export say: see cqlsh-table. Tested against
recorded answers, never against a running ScyllaDB: untested live.`,
	},
}
