package systable

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// auditColumns are those of ScyllaDB's audit.audit_log, in the order in which COPY TO writes them
// (audit/audit_cf_storage_helper.cc).
var auditColumns = []string{
	"date", "node", "event_time", "category", "consistency", "error", "keyspace_name", "operation", "source", "table_name", "username",
}

// AuditRow gives the names of the columns when values are a row of audit.audit_log without a header; nil: they are not.
func AuditRow(values [][]byte) []string {
	if len(values) != len(auditColumns) || cqltrace.TimeOfUUID(bytes.ReplaceAll(values[2], []byte("-"), nil)) == 0 {
		return nil
	}
	switch string(values[3]) {
	case "QUERY", "DML", "DDL", "DCL", "AUTH", "ADMIN":
		return auditColumns
	}
	return nil
}

// audited reads a row of ScyllaDB's audit.audit_log or of DSE's dse_audit.audit_log: a request to the coordinator
// that wrote it, which need not be a replica and is not told. Those that failed or were refused are passed over, as in
// audit logs of Cassandra.
func (s *Sayer) audited(r *Row, at ingest.Position, to ingest.Sink) (told bool) {
	a := cqltrace.Audit{
		Category: r.Of("category"), Kind: r.Of("type"), Keyspace: r.Of("keyspace_name"), Table: r.Of("table_name"),
		Operation: unescaped(r.Of("operation")),
	}
	if !a.Request() || bytes.EqualFold(r.Of("error"), []byte("true")) {
		return false
	}
	e := ingest.Event{
		Store: ingest.Cassandra, Coverage: ingest.Traffic, Consistency: ingest.ConsistencyOf(r.Of("consistency")), At: at,
	}
	if r.Has("error") {
		e.Store = ingest.Scylla
	}
	if nano := cqltrace.TimeOfUUID(bytes.ReplaceAll(r.Of("event_time"), []byte("-"), nil)); nano != 0 {
		e.SetTime(nano)
	}
	s.reader.Schema = s.Schema
	return s.reader.Audited(&e, &a, to.Event)
}

// unescaped undoes what cqlsh makes of line ends, tabs and backslashes.
func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	return ingest.AppendUnquoted(nil, text)
}
