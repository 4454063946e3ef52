package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// An Audit is one entry of an audit log, of whatever store and form. Its texts are those of the record; what it
// does not tell is empty.
type Audit struct {
	Category  []byte // QUERY, DML, ...
	Kind      []byte // SELECT, CQL_UPDATE, BATCH, ...; ScyllaDB tells none
	Keyspace  []byte
	Table     []byte // without keyspace
	Operation []byte // the statement; old interfaces have none
}

// Request reports whether the entry stands for a request to a table. A statement that was prepared or
// refused is none; of a batch that a driver put together, the statements have entries of their own.
func (a *Audit) Request() bool {
	switch string(a.Category) {
	case "QUERY", "DML":
	default:
		return false
	}
	switch string(a.Kind) {
	case "BATCH":
		return a.batch()
	case "SET_KS", "USE_KEYSPACE", "PREPARE_STATEMENT", "CQL_PREPARE_STATEMENT":
		return false
	}
	return len(a.Operation) > 0 || len(a.Table) > 0
}

// batch reports whether the operation is the text of a batch.
func (a *Audit) batch() bool {
	return len(a.Operation) >= len("BEGIN") && bytes.EqualFold(a.Operation[:len("BEGIN")], []byte("BEGIN"))
}

// auditBound is the values that DSE adds to a prepared statement: "SELECT … WHERE k = ? [k=a,b,v=1]". Values are as
// the server prints them, without quotes or escapes, so that a comma or = of a value may look like the next one.
type auditBound struct {
	values [][]byte
	at     func(marker int) ([]byte, bool) // of values
}

// read takes the values off a statement. None is known when their number is another than that of the markers.
func (b *auditBound) read(operation []byte) (statement []byte) {
	b.values = b.values[:0]
	start := boundStart(operation)
	if start < 0 {
		return operation
	}
	list := operation[start+len(" [") : len(operation)-1]
	for len(list) > 0 {
		name := bytes.IndexByte(list, '=')
		end := nextBound(list[name+1:])
		b.values = append(b.values, list[name+1:name+1+end])
		list = bytes.TrimPrefix(list[name+1+end:], []byte(","))
	}
	statement = operation[:start]
	if len(b.values) != markers(statement) {
		b.values = b.values[:0]
	}
	if b.at == nil {
		b.at = func(marker int) ([]byte, bool) {
			if marker >= len(b.values) || bytes.HasSuffix(b.values[marker], auditOmitted) {
				return nil, false
			}
			return b.values[marker], true
		}
	}
	return statement
}

var auditOmitted = []byte(" chars omitted)") // of values over the writer's limit

// boundStart gives where the list of bound values begins behind a statement; -1: there is none.
func boundStart(operation []byte) int {
	end := bytes.TrimRight(operation, " ")
	if len(end) == 0 || len(end) != len(operation) || end[len(end)-1] != ']' {
		return -1
	}
	for i := 0; i < len(operation); {
		switch c := operation[i]; {
		case c == '\'' || c == '"':
			i = closing(operation, i)
			continue
		case c == ' ' && i+2 < len(operation) && operation[i+1] == '[' && boundName(operation[i+2:]) > 0:
			return i
		}
		i++
	}
	return -1
}

// boundName gives the length of the "name=" that text begins with; 0: none.
func boundName(text []byte) int {
	for i, c := range text {
		switch {
		case c == '=' && i > 0:
			return i + 1
		case !letter(c) && c-'0' > 9 && c != '[' && c != ']' && c != '(' && c != ')':
			return 0
		}
	}
	return 0
}

// nextBound gives the length of a value: up to a comma that the name of another follows.
func nextBound(list []byte) int {
	for i, c := range list {
		if c == ',' && boundName(list[i+1:]) > 0 {
			return i
		}
	}
	return len(list)
}

// markers counts the bind markers of a statement.
func markers(statement []byte) (n int) {
	for i := 0; i < len(statement); {
		switch c := statement[i]; {
		case c == '\'' || c == '"':
			i = closing(statement, i)
			continue
		case c == '?', c == ':' && i+1 < len(statement) && letter(statement[i+1]):
			n++
		}
		i++
	}
	return n
}

// Audited hands over what an entry that is a request tells: one event, or one for each statement of a batch.
// base is what all have in common, and is written over. False: it names no table.
func (r *Reader) Audited(base *ingest.Event, a *Audit, hand func(*ingest.Event)) bool {
	base.Witness = ingest.AuditLog
	s := Statement{Text: r.audit.read(a.Operation), Keyspace: a.Keyspace}
	if len(r.audit.values) > 0 {
		s.Bound = r.audit.at
	}
	switch {
	case a.batch():
		return r.Each(base, s, hand)
	case len(a.Operation) > 0 && r.Read(base, s):
	case len(a.Table) > 0:
		r.table = append(append(append(r.table[:0], a.Keyspace...), '.'), a.Table...)
		base.Table, base.Op = r.table, a.op()
	default:
		return false
	}
	hand(base)
	return true
}

// op tells the operation from the kind; old interfaces have no text.
func (a *Audit) op() ingest.Op {
	switch {
	case bytes.Contains(a.Kind, []byte("DELETE")), bytes.Contains(a.Kind, []byte("REMOVE")):
		return ingest.OpDelete
	case string(a.Category) == "DML":
		return ingest.OpWrite
	case bytes.Contains(a.Kind, []byte("RANGE_SLICE")), bytes.Contains(a.Kind, []byte("INDEXED")):
		return ingest.OpScan
	}
	return ingest.OpRead
}
