package formats

import (
	"bytes"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// CassandraSchema is what DESCRIBE prints of keyspaces and tables.
var CassandraSchema = ingest.Format{
	Name:     "cassandra-schema",
	Title:    "DESCRIBE output of cqlsh, schema.cql",
	Coverage: ingest.StateOnly,
	Carries:  []string{"schema"},
	Doc: `Output of DESCRIBE SCHEMA, KEYSPACE or TABLE of any version of Cassandra, DSE and ScyllaDB, or a file of the
same CREATE statements (https://cassandra.apache.org/doc/latest/cassandra/reference/cql-commands/create-table.html).
Of tables are taken: the columns of the key, collections, default_time_to_live, gc_grace_seconds, compaction.`,
	Document: true,
	Sniff:    sniffSchema,
	New:      func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return schemaText{}, nil },
}

type schemaText struct{}

// Decode reads the whole text.
func (schemaText) Decode(rec *ingest.Record, to ingest.Sink) {
	schema, faults := cql.ParseSchema(rec.Data)
	told, place := false, places{rec: rec}
	tables := slices.SortedFunc(slices.Values(schema.Tables()), func(a, b *cql.Table) int { return a.Offset - b.Offset })
	for _, t := range tables {
		told = systable.SchemaFacts(t, place.at(t.Offset), to) || told
	}
	for _, f := range faults {
		complain(to, f.Cause, firstLine(rec.Data[min(f.Offset, len(rec.Data)):]), place.at(f.Offset))
		told = true
	}
	if !told {
		to.Skip("statements that create no table")
	}
}

var (
	createLine = pattern(`(?i)^\s*CREATE\s+(?:OR\s+REPLACE\s+)?` +
		`(?:TABLE|COLUMNFAMILY|KEYSPACE|MATERIALIZED\s+VIEW|TYPE|CUSTOM\s+INDEX|INDEX|FUNCTION|AGGREGATE|ROLE)\b`)
	aboutSchema = pattern(`(?i)^(?:WARNING: |--|//|/\*|\s*(?:\S+@)?cqlsh\S*>|\$ |USE |DROP )`)
)

// sniffSchema is certain of a text that begins with a CREATE statement, comments and prompts aside.
func sniffSchema(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	begins, comment := false, false
	log := sniffLines(head, func(line []byte) bool {
		comment = comment || bytes.Contains(line, []byte("/*"))
		if comment {
			comment = !bytes.Contains(line, []byte("*/"))
			return false
		}
		begins = createLine().Match(line)
		return begins || !aboutSchema().Match(line)
	})
	return certainOr(!log && begins, "begins with a CREATE statement", "does not begin with a CREATE statement")
}
