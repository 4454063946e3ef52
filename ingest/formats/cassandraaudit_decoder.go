package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// What a skipped record, and an entry that cannot be read, is.
const (
	auditSkipOther   = "entries of an audit log that are no requests"
	auditProblem     = "entry of an audit log cut or changed"
	auditOperation   = "|operation:"
	auditLevel       = "|consistency level:"
	auditViewerTitle = "\nType: audit"
)

type cassandraAudit struct {
	reader cqltrace.Reader
	times  ingest.TimeParser
	event  ingest.Event
	table  []byte
	to     ingest.Sink
	hand   func(*ingest.Event)
}

// An auditRecord is one entry taken apart. Its texts are parts of the record.
type auditRecord struct {
	timestamp, kind, category, keyspace, table, operation []byte
	level                                                 ingest.Consistency
}

// auditStarts are the names with which entries begin, and those that must follow: Cassandra's and DSE's.
var auditStarts = [...]struct{ first, second []byte }{
	{[]byte("user:"), []byte("|host:")},
	{[]byte("host:"), []byte("|source:")},
}

// auditEntry gives where the entry of a line begins; -1: it has none.
func auditEntry(line []byte) int {
	near := line[:min(len(line), 512)]
	for _, start := range auditStarts {
		i := bytes.Index(near, start.first)
		if i < 0 || i > 0 && line[i-1] != ' ' || !bytes.Contains(near[i:], start.second) {
			continue
		}
		if bytes.Contains(near[i:], []byte("|timestamp:")) && bytes.Contains(near[i:], []byte("|category:")) {
			return i
		}
	}
	return -1
}

// Decode implements ingest.Decoder.
func (d *cassandraAudit) Decode(rec *ingest.Record, to ingest.Sink) {
	first, _, _ := bytes.Cut(rec.Data, []byte("\n"))
	at := auditEntry(first)
	if at < 0 {
		to.Skip(auditSkipOther)
		return
	}
	a := auditFields(bytes.TrimSuffix(bytes.TrimRight(rec.Data[at:], " \r\n"), []byte(auditViewerTitle)))
	if !a.isRequest() {
		to.Skip(auditSkipOther)
		return
	}
	d.to = to
	d.event = ingest.Event{Store: ingest.Cassandra, Witness: ingest.AuditLog, At: rec.At, Consistency: a.level}
	if nano, cause := d.times.Parse(a.timestamp); cause == "" {
		d.event.SetTime(nano)
	} else if rec.UnixNano != 0 {
		d.event.SetTime(rec.UnixNano)
	}
	if !d.request(&a) {
		to.Problem(ingest.Problem{Cause: auditProblem, Text: string(first[:min(len(first), ingest.MaxProblemText)]), At: rec.At})
	}
}

// auditFields takes an entry apart. The operation stands last and may hold anything; DSE adds the
// consistency level behind it.
func auditFields(entry []byte) (a auditRecord) {
	if i := bytes.Index(entry, []byte(auditOperation)); i >= 0 {
		a.operation = entry[i+len(auditOperation):]
		entry = entry[:i]
	}
	if i := bytes.LastIndex(a.operation, []byte(auditLevel)); i >= 0 {
		a.level = ingest.ConsistencyOf(bytes.TrimSpace(a.operation[i+len(auditLevel):]))
		a.operation = a.operation[:i]
	}
	for len(entry) > 0 {
		var pair []byte
		pair, entry, _ = bytes.Cut(entry, []byte("|"))
		name, value, _ := bytes.Cut(pair, []byte(":"))
		switch string(bytes.TrimSpace(name)) {
		case "timestamp":
			a.timestamp = value
		case "type":
			a.kind = value
		case "category":
			a.category = value
		case "ks":
			a.keyspace = value
		case "scope", "cf":
			a.table = value
		}
	}
	return a
}

// isRequest reports whether the entry stands for a request to a table. A statement that was prepared or
// refused is none; of a batch that a driver put together, the statements have entries of their own.
func (a *auditRecord) isRequest() bool {
	switch string(a.category) {
	case "QUERY", "DML":
	default:
		return false
	}
	switch string(a.kind) {
	case "BATCH":
		return a.isBatchText()
	case "SET_KS", "USE_KEYSPACE", "PREPARE_STATEMENT", "CQL_PREPARE_STATEMENT":
		return false
	}
	return len(a.operation) > 0 || len(a.table) > 0
}

func (a *auditRecord) isBatchText() bool {
	return len(a.operation) >= len("BEGIN") && bytes.EqualFold(a.operation[:len("BEGIN")], []byte("BEGIN"))
}

func (d *cassandraAudit) request(a *auditRecord) bool {
	s := cqltrace.Statement{Text: a.operation, Keyspace: a.keyspace}
	e := &d.event
	switch {
	case a.isBatchText():
		return d.reader.Each(e, s, d.hand)
	case len(a.operation) > 0 && d.reader.Read(e, s):
	case len(a.table) > 0:
		d.table = append(append(append(d.table[:0], a.keyspace...), '.'), a.table...)
		e.Table, e.Op = d.table, auditOp(a)
	default:
		return false
	}
	d.to.Event(e)
	return true
}

// auditOp tells the operation from the type; old interfaces have no text.
func auditOp(a *auditRecord) ingest.Op {
	switch {
	case bytes.Contains(a.kind, []byte("DELETE")), bytes.Contains(a.kind, []byte("REMOVE")):
		return ingest.OpDelete
	case string(a.category) == "DML":
		return ingest.OpWrite
	case bytes.Contains(a.kind, []byte("RANGE_SLICE")), bytes.Contains(a.kind, []byte("INDEXED")):
		return ingest.OpScan
	}
	return ingest.OpRead
}
