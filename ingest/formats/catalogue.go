// Package formats holds one file for each kind of log or export that keyheat reads. A format knows
// how its records look and nothing of what is done with them; formats do not know each other.
package formats

import "github.com/keyheat/keyheat/ingest"

// Catalogue lists every format, in the order in which reports and help name them and inputs are shown to
// them: those of JSON tell at a glance what is theirs, those of text search every line.
func Catalogue() []*ingest.Format {
	return []*ingest.Format{
		&KeyEventsNDJSON,
		&KeyEventsCSV,
		&DynamoStream,
		&DynamoExport,
		&DynamoScan,
		&CloudTrail,
		&CloudTrailTable,
		&CloudWatch,
		&ContributorInsights,
		&AWSDescription,
		&CassandraLog,
		&CassandraClient,
		&ScyllaLog,
		&CassandraTrace,
		&ScyllaTrace,
		&CassandraAudit,
		&ScyllaAudit,
		&CassandraFQL,
		&ThrottleText,
		&TableStats,
		&TableStatsJSON,
		&TableHistograms,
		&TopPartitions,
		&ProfileLoad,
		&ScyllaTopPartitions,
		&SSTablePartitions,
		&SSTableMetadata,
		&SSTableDump,
		&ScyllaDump,
		&ScyllaSSTable,
		&ScyllaCompaction,
		&CQLShTable,
		&CassandraSchema,
		&CassandraSettings,
		&NodetoolOther,
	}
}

// Tables lists the formats that are no text.
func Tables() []*ingest.Format { return []*ingest.Format{&KeyEventsTable} }
