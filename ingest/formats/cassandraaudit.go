package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// CassandraAudit is the audit log of Cassandra and DSE.
var CassandraAudit = ingest.Format{
	Name:     "cassandra-audit",
	Title:    "Audit logs of Cassandra and DSE",
	Doc:      cassandraAuditDoc,
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "key", "statement"},
	Sniff:    sniffCassandraAudit,
	Begins:   func(line []byte) bool { return auditEntry(line) >= 0 },
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		d := &cassandraAudit{reader: cqltrace.Reader{Schema: o.Schema, Changes: o.Changes}, times: ingest.TimeParser{Location: o.Location}}
		d.hand = func(e *ingest.Event) { d.to.Event(e) }
		return d, nil
	},
}

const cassandraAuditDoc = `
audit.log of Cassandra 4.0 and later (FileAuditLogger), what auditlogviewer prints of binary audit logs, and DSE's audit.log:
entries of names and values, ` + "`user:app|host:/10.0.0.7:7000|…|type:SELECT|category:QUERY|ks:shop|scope:orders|operation:SELECT …`" + `.

Each statement that was executed is a request, of its coordinator only. Its key stands in the statement: prepared
statements show ? in place of values, so workloads of those have no keys here; the full query log has them. Inserts have
a key only with a schema. Prepared, refused and other entries without a request are skipped.
https://cassandra.apache.org/doc/latest/cassandra/managing/operating/auditlogging.html
`

// sniffCassandraAudit is certain of inputs whose lines with a head are all entries; others are logs that
// hold some.
func sniffCassandraAudit(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	entries := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case auditEntry(line) >= 0:
			entries++
		case auditForeign(line):
			return ingest.Verdict{Fit: ingest.No, Why: "other lines of a log between the entries of an audit log"}
		}
	}
	if entries == 0 {
		return ingest.Verdict{Fit: ingest.No, Why: "no entry of an audit log: user:…|host:…|timestamp:…|category:…"}
	}
	return ingest.Verdict{Fit: ingest.Certain, Why: "entries of an audit log"}
}

// auditForeign reports whether a line begins as one of a log that is no entry.
func auditForeign(line []byte) bool {
	level, rest, _ := bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
	switch string(level) {
	case "INFO", "WARN", "ERROR", "DEBUG", "TRACE":
		return bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("["))
	}
	return false
}
