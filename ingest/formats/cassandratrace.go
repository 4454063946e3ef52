package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// CassandraTrace is query traces of Cassandra and DSE.
var CassandraTrace = ingest.Format{
	Name:       "cassandra-trace",
	Title:      "Query traces of Cassandra and DSE",
	Doc:        cassandraTraceDoc,
	Coverage:   ingest.Traffic,
	Carries:    []string{"time", "table", "key", "statement", "latency", "tombstones", "rows"},
	Sequential: true,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		store, why := cqltrace.Sniff(head)
		if store != ingest.Cassandra {
			return ingest.Verdict{Fit: ingest.No, Why: why}
		}
		return ingest.Verdict{Fit: ingest.Certain, Why: why}
	},
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return cqltrace.New(ingest.Cassandra, head, o), nil
	},
}

const cassandraTraceDoc = `
What cqlsh prints with TRACING ON; system_traces.sessions and events as cqlsh prints them, also with EXPAND ON, as SELECT
JSON, and as COPY TO writes them, with or without header; what drivers print of a trace. Cassandra 1.2 to 6.0.

A request is one row of sessions, or one print-out. Its key comes from the statement and its bound values (Cassandra 3.8
and later store both). Without a schema the column that reads of a table bind alone is taken for the key of inserts too.
Events tell how many live rows and tombstones it read; replicas of one read count the same data, so the largest count is
taken. Events whose request is in another input of the run take statement and key from there, and are no second request;
without it a read is counted apart, with the table as its events name it, mostly without keyspace. Each page of a read is
a session of its own.

What part of all requests is traced (nodetool gettraceprobability) is not in a trace: shares hold, rates do not.
https://cassandra.apache.org/doc/latest/cassandra/troubleshooting/reading_logs.html
`
