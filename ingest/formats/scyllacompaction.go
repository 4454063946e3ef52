package formats

import (
	"github.com/keyheat/keyheat/ingest"
)

// ScyllaCompaction is ScyllaDB's listing of runs of SSTables.
var ScyllaCompaction = ingest.Format{
	Name:     "scylla-compaction",
	Title:    "ScyllaDB's listing of compaction runs",
	Coverage: ingest.StateOnly,
	Carries:  []string{"nothing of keys"},
	Doc: `A listing for debugging of runs of SSTables with their partitions, rows and tombstones:

    [Run 63909358709262440769742108126426970885: size: 135.7MiB, partitions: 1381223 rows: 1004787, tombstones: 377181
            { mc-115701-big-Scylla.db: size: 135.7MiB, partitions: 1381223, rows: 1004787, tombstones: 377181 }
    ]

It names no table and no age, so nothing is concluded from it.`,
	Sequential: true,
	Sniff:      sniffScyllaCompaction,
	New:        func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return compactionRuns{}, nil },
}

type compactionRuns struct{}

// Decode passes over a line.
func (compactionRuns) Decode(_ *ingest.Record, to ingest.Sink) {
	to.Skip("run of SSTables without its table")
}

var compactionRun = pattern(`^\s*(?:\[Run \S+: size: \S+, partitions: \d+|\{ \S+\.db: size: \S+, partitions: \d+, rows: \d+)`)

func sniffScyllaCompaction(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	found := false
	sniffLines(head, func(line []byte) bool { found = compactionRun().Match(line); return true })
	return certainOr(found, "runs of SSTables", "does not begin with [Run …: size: …, partitions: …")
}
