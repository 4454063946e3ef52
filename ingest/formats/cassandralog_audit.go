package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// audit reads an entry of an audit log that is written into the server's log. Unlike all else there these
// are all requests, of those that the coordinator was told to audit.
func (d *cassandra) audit(s clText) bool {
	if d.audits == nil {
		d.audits = &cassandraAudit{reader: cqltrace.Reader{Schema: d.schema, Changes: d.changes}, times: d.times}
		d.audits.hand = func(e *ingest.Event) { d.audits.to.Event(e) }
	}
	rec := ingest.Record{Data: s.rest, At: d.rec.At, UnixNano: d.nano, Node: d.rec.Node}
	d.said = true
	d.audits.Decode(&rec, clAudits{d.to, d.rec.Node})
	return true
}

// clAudits hands on what an entry tells, as traffic.
type clAudits struct {
	ingest.Sink
	node []byte
}

// Event implements ingest.Sink.
func (s clAudits) Event(e *ingest.Event) {
	e.Coverage, e.Node = ingest.Traffic, s.node
	s.Sink.Event(e)
}
