package formats

import (
	"bytes"
	"unicode"

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
	to     ingest.Sink
	hand   func(*ingest.Event)
}

// An auditRecord is one entry taken apart. Its texts are parts of the record.
type auditRecord struct {
	cqltrace.Audit
	timestamp []byte
	level     ingest.Consistency
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
	if !a.Request() {
		to.Skip(auditSkipOther)
		return
	}
	d.to = to
	d.event = ingest.Event{Store: ingest.Cassandra, At: rec.At, Consistency: a.level}
	if nano, cause := d.times.Parse(a.timestamp); cause == "" {
		d.event.SetTime(nano)
	} else if rec.UnixNano != 0 {
		d.event.SetTime(rec.UnixNano)
	}
	if !d.reader.Audited(&d.event, &a.Audit, d.hand) {
		to.Problem(ingest.Problem{Cause: auditProblem, Text: string(first[:min(len(first), ingest.MaxProblemText)]), At: rec.At})
	}
}

// auditFields takes an entry apart. The operation stands last and may hold anything; DSE adds the
// consistency level behind it.
func auditFields(entry []byte) (a auditRecord) {
	if i := bytes.Index(entry, []byte(auditOperation)); i >= 0 {
		a.Operation = entry[i+len(auditOperation):]
		entry = entry[:i]
	}
	if i := bytes.LastIndex(a.Operation, []byte(auditLevel)); i >= 0 {
		a.level = ingest.ConsistencyOf(bytes.TrimSpace(a.Operation[i+len(auditLevel):]))
		a.Operation = a.Operation[:i]
	}
	a.Operation = withoutMetadata(a.Operation)
	for len(entry) > 0 {
		var pair []byte
		pair, entry, _ = bytes.Cut(entry, []byte("|"))
		name, value, _ := bytes.Cut(pair, []byte(":"))
		switch string(bytes.TrimSpace(name)) {
		case "timestamp":
			a.timestamp = value
		case "type":
			a.Kind = value
		case "category":
			a.Category = value
		case "ks":
			a.Keyspace = value
		case "scope", "cf":
			a.Table = value
		}
	}
	return a
}

// withoutMetadata takes off what 6.0 may append to an operation, `|name:value` each: no statement holds a bar outside of
// quotes, and values that DSE lists behind a statement end in a bracket.
func withoutMetadata(operation []byte) []byte {
	for {
		i := bytes.LastIndexByte(operation, '|')
		if i < 0 || bytes.Count(operation[:i], []byte("'"))%2 != 0 || bytes.IndexByte(operation[i:], ']') >= 0 {
			return operation
		}
		name, _, found := bytes.Cut(operation[i+1:], []byte(":"))
		if !found || len(name) == 0 || bytes.ContainsFunc(name, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return operation
		}
		operation = operation[:i]
	}
}
