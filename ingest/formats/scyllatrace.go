package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// ScyllaTrace is query traces and the slow query log of ScyllaDB.
var ScyllaTrace = ingest.Format{
	Name:       "scylla-trace",
	Title:      "Query traces and slow queries of ScyllaDB",
	Doc:        scyllaTraceDoc,
	Coverage:   ingest.Traffic,
	Carries:    []string{"time", "table", "key", "statement", "latency", "tombstones", "rows"},
	Sequential: true,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		store, why := cqltrace.Sniff(head)
		if store != ingest.Scylla {
			return ingest.Verdict{Fit: ingest.No, Why: why}
		}
		return ingest.Verdict{Fit: ingest.Certain, Why: why}
	},
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return cqltrace.New(ingest.Scylla, head, o), nil
	},
}

const scyllaTraceDoc = `
system_traces.sessions, events and node_slow_log of ScyllaDB as cqlsh prints them, as SELECT JSON, and as COPY TO writes
them (commas or semicolons), and what cqlsh prints with TRACING ON.

Live rows and tombstones come from the page statistics of the events, keys from the statement and its parameters, else
from the range that a replica queries. Values over 64 characters are cut by the server, so such keys are not told.
Rows of node_slow_log are requests slower than the server's threshold, not a sample of all.
https://docs.scylladb.com/manual/stable/using-scylla/tracing.html
`
