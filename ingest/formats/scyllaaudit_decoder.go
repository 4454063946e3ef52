package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// Names of fields, and what stands between them, with and without commas.
var (
	saNode     = []byte(`node="`)
	saCategory = []byte(`category="`)
	saQuery    = []byte(` query="`)
	saClient   = []byte(` client_ip="`)
	saComma    = []byte(`", "`)
)

// saOrdered is the number of fields without names.
const saOrdered = 9

type scyllaAudit struct {
	reader cqltrace.Reader
	event  ingest.Event
	to     ingest.Sink
	hand   func(*ingest.Event)
	plain  []byte // a query without escapes
	fields [saOrdered][]byte
}

func newScyllaAudit(o ingest.DecodeOptions) *scyllaAudit {
	d := &scyllaAudit{reader: cqltrace.Reader{Schema: o.Schema, Changes: o.Changes}}
	d.hand = func(e *ingest.Event) { d.to.Event(e) }
	return d
}

// scyllaAuditEntry gives where the entry of a line begins; -1: it has none.
func scyllaAuditEntry(line []byte) int {
	near := line[:min(len(line), maxScyllaPrefix)]
	if i := bytes.Index(near, saNode); i >= 0 && bytes.Contains(near[i:], saCategory) && bytes.Contains(near[i:], []byte(` keyspace="`)) {
		return i
	}
	i := bytes.IndexByte(near, '"')
	if i < 0 || i > 0 && near[i-1] != ' ' || !saOrderedCategory(line[i:]) {
		return -1
	}
	return i
}

// saOrderedCategory reports whether the second field is a category.
func saOrderedCategory(entry []byte) bool {
	_, rest, _ := bytes.Cut(entry, saComma)
	category, _, _ := bytes.Cut(rest, saComma)
	switch string(category) {
	case "QUERY", "DML", "DDL", "DCL", "AUTH", "ADMIN":
		return true
	}
	return false
}

// Decode implements ingest.Decoder.
func (d *scyllaAudit) Decode(rec *ingest.Record, to ingest.Sink) {
	at := scyllaAuditEntry(rec.Data)
	if at < 0 {
		to.Skip(auditSkipOther)
		return
	}
	entry := bytes.TrimRight(rec.Data[at:], " \r\n")
	var a cqltrace.Audit
	d.event, d.to = ingest.Event{Store: ingest.Scylla, At: rec.At}, to
	if rec.UnixNano != 0 {
		d.event.SetTime(rec.UnixNano)
	}
	failed, whole := false, false
	if entry[0] == '"' {
		failed, whole = d.ordered(entry, &a)
	} else {
		failed, whole = d.named(entry, &a)
	}
	if whole && (failed || !a.Request()) {
		to.Skip(auditSkipOther)
		return
	}
	if !whole || !d.reader.Audited(&d.event, &a, d.hand) {
		complain(to, auditProblem, firstLine(entry), rec.At)
	}
}

// named reads the fields that have names. The query ends at the last name that follows it: it may hold quotes.
func (d *scyllaAudit) named(entry []byte, a *cqltrace.Audit) (failed, whole bool) {
	start, end := bytes.Index(entry, saQuery), bytes.LastIndex(entry, saClient)
	if start < 0 || end < start {
		return false, false
	}
	a.Operation = d.unescaped(saUnquoted(entry[start+len(saQuery) : end]))
	for _, part := range [][]byte{entry[:start], entry[end:]} {
		for len(part) > 0 {
			name, value, rest := saField(part)
			if part = rest; name == nil {
				break
			}
			switch string(name) {
			case "category":
				a.Category = value
			case "cl":
				d.event.Consistency = ingest.ConsistencyOf(value)
			case "error":
				failed = string(value) == "true"
			case "keyspace":
				a.Keyspace = value
			case "table":
				a.Table = value
			}
		}
	}
	return failed, entry[len(entry)-1] == '"'
}

// saField takes name="value" off the front, and the comma behind it.
func saField(text []byte) (name, value, rest []byte) {
	name, rest, ok := bytes.Cut(bytes.TrimLeft(text, " ,"), []byte(`="`))
	if !ok {
		return nil, nil, nil
	}
	value, rest, _ = bytes.Cut(rest, []byte(`"`))
	return name, value, rest
}

// saUnquoted takes off the quote and comma that end the text.
func saUnquoted(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte(",")), []byte(`"`))
}

// ordered reads the fields that have no names: node, category, consistency level, then error, keyspace, query, client,
// table and user, or, as its documentation shows them, table, keyspace, query, client, user and error. Whatever more
// stands there belongs to the query.
func (d *scyllaAudit) ordered(entry []byte, a *cqltrace.Audit) (failed, whole bool) {
	const before, query, after = 5, 5, 3
	f := &d.fields
	if entry[len(entry)-1] != '"' {
		return false, false
	}
	text := entry[1 : len(entry)-1]
	for i := range before {
		f[i], text, _ = bytes.Cut(text, saComma)
	}
	for i := saOrdered - 1; i > query; i-- {
		n := bytes.LastIndex(text, saComma)
		if n < 0 {
			return false, false
		}
		f[i], text = text[n+len(saComma):], text[:n]
	}
	a.Category, d.event.Consistency = f[1], ingest.ConsistencyOf(f[2]) // the node is the coordinator: no replica
	a.Keyspace, a.Operation = f[4], d.unescaped(text)
	if string(f[3]) == "true" || string(f[3]) == "false" {
		a.Table = f[7]
		return string(f[3]) == "true", true
	}
	a.Table = f[3]
	return string(f[8]) == "true", true
}

// unescaped undoes the backslashes of newer versions; older ones write quotes as they are.
func (d *scyllaAudit) unescaped(query []byte) []byte {
	if bytes.IndexByte(query, '\\') < 0 {
		return query
	}
	for i := 0; i < len(query); i++ {
		switch {
		case query[i] == '"':
			return query
		case query[i] != '\\':
		case i+1 < len(query) && bytes.IndexByte([]byte(`"\nrt`), query[i+1]) >= 0:
			i++
		default:
			return query
		}
	}
	d.plain = ingest.AppendUnquoted(d.plain[:0], query)
	return d.plain
}
