package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// ScyllaAudit is the audit log of ScyllaDB as it is sent to syslog or stdout.
var ScyllaAudit = ingest.Format{
	Name:     "scylla-audit",
	Title:    "ScyllaDB audit log, from syslog or stdout",
	Doc:      scyllaAuditDoc,
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "key", "statement"},
	Sniff:    sniffScyllaAudit,
	Begins:   func(line []byte) bool { return scyllaAuditEntry(line) >= 0 },
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return newScyllaAudit(o), nil
	},
}

const scyllaAuditDoc = `
Entries of ScyllaDB's audit log that went to syslog or stdout (audit: "syslog"), those of audit.audit_log are read by
cqlsh-table. Since 2025.1 fields have names, before they have an order:

    node="10.0.0.7:0", category="QUERY", cl="ONE", error="false", keyspace="shop", query="SELECT …", client_ip="10.0.0.9:0", table="orders", username="app"
    "10.0.0.7", "QUERY", "ONE", "false", "shop", "SELECT …", "10.0.0.9", "orders", "app"

Each is a request to the coordinator that wrote it; statements of a batch have entries of their own. Those that failed
or were refused are passed over. Its key stands in the statement: prepared statements show ? in place of values. The
entry has no time of its own: that of syslog is used where it has a year.
https://docs.scylladb.com/manual/stable/operating-scylla/security/auditing.html, audit/audit_syslog_storage_helper.cc
`

// sniffScyllaAudit is certain of inputs without lines of the server's own log; those of logs that hold some are read
// with them.
func sniffScyllaAudit(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	entries := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if scyllaAuditEntry(line) >= 0 {
			entries++
		} else if _, at := scyllaLine(line); at >= 0 {
			return ingest.Verdict{Fit: ingest.No, Why: "lines of ScyllaDB's log between the entries of an audit log"}
		}
	}
	return certainOr(entries > 0, "entries of ScyllaDB's audit log", `no entry of ScyllaDB's audit log: node="…", category="…"`)
}
