package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/cqlevent"
)

const clSkipAudit = "audited, but no request of rows"

// audit reads an entry of FileAuditLogger (audit/AuditLogEntry.java, 4.0 on). Unlike all else in the log
// these are all requests, of those that the coordinator was told to audit.
//
//	user:app|host:/10.0.0.1:7000|source:/10.0.0.9|port:60878|timestamp:1714651872123|type:SELECT|category:QUERY|ks:shop|scope:orders|operation:SELECT …
func (d *cassandra) audit(s clText) bool {
	fields, ok := s.until("|operation:")
	if !ok || !clAudited[string(clAuditField(fields, "|type:"))] {
		return d.skip(clSkipAudit)
	}
	e := d.request(ingest.OpUnknown)
	e.Coverage = ingest.Traffic
	told := d.requests.Each(e, cqlevent.Statement{Text: bytes.TrimSpace(s.rest), Keyspace: clAuditField(fields, "|ks:")}, d.to.Event)
	d.said = d.said || told
	return told || d.skip(clSkipAudit)
}

// clAudited are the types of entries that are requests of rows; a batch has one for each statement.
var clAudited = map[string]bool{"SELECT": true, "UPDATE": true, "DELETE": true}

// clAuditField gives the value of a field, which begins with a bar and its name.
func clAuditField(fields []byte, name string) []byte {
	i := clIndex(fields, name)
	if i < 0 {
		return nil
	}
	value, _, _ := bytes.Cut(fields[i+len(name):], []byte("|"))
	return value
}
