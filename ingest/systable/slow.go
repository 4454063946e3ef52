package systable

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// slowQuery reads a row of system_views.slow_queries (Cassandra 6.0, db/virtual/SlowQueriesTable.java): a
// statement that was slower than the server's limit, so many times within a few seconds. Of its times the
// largest counts, as in the lines of debug.log.
func (s *Sayer) slowQuery(r *Row, table []byte, at ingest.Position, to ingest.Sink) bool {
	times, ok := Count(r.Of("times_reported"))
	if !ok || times == 0 {
		return false
	}
	e := ingest.Event{
		Store: ingest.Cassandra, Coverage: ingest.Selected, Role: "slow_queries", Op: ingest.OpRead, Slow: true, Requests: times, Table: table, At: at,
	}
	if nano := timeOf(r.Of("timestamp")); nano != 0 {
		e.SetTime(nano)
	}
	if millis, ok := Count(r.Of("max_ms")); ok {
		e.SetLatency(millis * 1000)
	}
	s.reader.Schema = s.Schema
	s.reader.Read(&e, cqltrace.Statement{Text: r.Of("query"), Keyspace: r.Of("keyspace_name"), Server: true})
	to.Event(&e)
	return true
}
