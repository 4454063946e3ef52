// Package ddl writes the text to paste for a proposal: CQL for a new table and the way to it, and calls of
// the AWS command line. It executes nothing, and must not know files, clocks or reports.
package ddl

import (
	"strings"

	"github.com/keyheat/keyheat/ingest/cql"
)

// A Change is what a proposal does to the partition key of a table of CQL: shards, copies of hot rows, or a bucket of time.
type Change struct {
	Shards uint64 // 0: none
	Copies uint64 // of the rows of a few keys, each read from one of them; 0: none
	Bucket string // minute, hour, day, week, month; empty: none
	// RowsPerSecond is how fast rows are copied at most; 0 is leastPace.
	RowsPerSecond uint64
}

// leastPace is how many rows a second a backfill copies at least: slow enough for any table.
const leastPace = 100

// reserved are the words that CQL takes for no name without quotes.
// https://cassandra.apache.org/doc/latest/cassandra/developing/cql/appendices.html#appendix-A
const reserved = " add allow alter and apply asc authorize batch begin by columnfamily create default delete desc describe " +
	"drop entries execute from full grant if in index infinity insert into is keyspace limit materialized mbean mbeans modify nan " +
	"norecursive not null of on or order primary rename replace revoke schema select set table to token truncate unlogged unset " +
	"update use using view where with "

// quoted writes a name as CQL takes it: bare where it needs no quotes.
func quoted(name string) string {
	bare := name != "" && name[0] >= 'a' && name[0] <= 'z'
	for _, c := range name {
		bare = bare && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')
	}
	if bare && !strings.Contains(reserved, " "+name+" ") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func names(columns []cql.Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = quoted(c.Name)
	}
	return out
}

// dotted writes a table with its keyspace, where it has one.
func dotted(keyspace, name string) string {
	if keyspace == "" {
		return quoted(name)
	}
	return quoted(keyspace) + "." + quoted(name)
}

// markers gives n bind markers.
func markers(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
