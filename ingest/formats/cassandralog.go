package formats

import (
	"github.com/keyheat/keyheat/ingest"
)

// CassandraLog is the server's own log, of Apache Cassandra and DSE.
var CassandraLog = ingest.Format{
	Name:     "cassandra-log",
	Title:    "Cassandra and DSE server logs",
	Doc:      cassandraLogDoc,
	Coverage: ingest.Selected,
	Carries:  []string{"time", "table", "index", "key", "statement", "tombstones", "rows", "latency", "partition size", "collection size", "thresholds"},
	Sniff:    sniffCassandraLog,
	Begins:   cassandraLogBegins,
	Quiet:    cassandraQuiet, QuietKind: clSkipOther,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return newCassandra(head, o, ""), nil
	},
}

const cassandraLogDoc = `
system.log, debug.log and the console of Cassandra 1.2 to 6.0 and DSE 4.5 to 6.9, rotated or not. Read are warnings and
ends of reads for their tombstones, with or without statement, token and last row; large partitions and tombstones written
to an SSTable; guardrails; slow and timed-out operations (debug.log); batches over many partitions; aggregations without
partition key; what a coordinator says of its replicas' reads (read_thresholds_enabled); entries of an audit log that is written there;
lists of the background sampler; thresholds. All other lines are
skipped. Times without a zone are in --timezone; those of 5.0.7 and later (with a T) are UTC.

Every INFO line of debug.log is in system.log too, and each replica of a read logs its own line: they are counted apart.
From 5.0 on nothing is said of large partitions unless a guardrail is set.
`
