package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// A Statement is one CQL text and what stands beside it.
type Statement struct {
	Text     []byte
	Keyspace []byte // in which the text was sent, empty when unknown
	Server   bool   // the server printed the text, not the client
	Cut      bool   // the record ends within the text
	// Bound gives the value of a bind marker, numbered from 0, as the store prints it; quotes are undone.
	// Nil, and false: it is not known whole.
	Bound func(marker int) (text []byte, ok bool)
	// Stored are the stored values of the markers, in order; nil is null, unset or not whole. Without a
	// schema the bytes themselves are the key.
	Stored [][]byte
}

// A Reader reads statements. It reuses its memory: one goroutine uses it at a time, and what it filled in
// is valid until its next call. The zero value knows no schema.
type Reader struct {
	Schema *cql.Schema
	// Changes asks for Event.Changes.
	Changes bool
	// Learn makes the reader take a column that reads bind alone for the partition key of its table, so
	// that later inserts, whose texts do not tell, have a key. What a text says then depends on those
	// before it.
	Learn bool

	client, server, again cql.Parser
	learned               map[string]*cql.Table
	table, key, shape     []byte
	bound                 []byte
	parts                 [][]byte
	one                   [1]*cql.Statement
	event                 ingest.Event
	changes               []ingest.Change
	names                 []byte // of the columns in changes
	audit                 auditBound
}

// maxLearned bounds the tables of which a key column is learned.
const maxLearned = 1024

// Read fills in what the statement tells; of a batch, its first table and the number of its statements.
// False: it is no statement with a table.
func (r *Reader) Read(e *ingest.Event, s Statement) bool {
	st := r.parse(s)
	if st == nil {
		return false
	}
	if st.Kind == cql.Batch {
		e.Op, e.Partitions = ingest.OpWrite, uint64(max(len(st.Statements), 1))
		if len(st.Statements) > 0 {
			e.Table = r.named(st.Statements[0], s.Keyspace)
		}
		r.shapeOf(e, st)
		return true
	}
	if st.Table == "" {
		return false
	}
	r.fill(e, st, s)
	return true
}

// Each hands over one event for the statement, or one for each statement of a batch, the first of which
// has the number of them; base is what all have in common. False: there is none with a table.
func (r *Reader) Each(base *ingest.Event, s Statement, hand func(*ingest.Event)) bool {
	st := r.parse(s)
	if st == nil {
		return false
	}
	r.one[0] = st
	list := r.one[:]
	if st.Kind == cql.Batch {
		list = st.Statements
	}
	said := false
	for _, inner := range list {
		if inner.Table == "" {
			continue
		}
		e := &r.event
		*e = *base
		r.fill(e, inner, s)
		if !said && len(list) > 1 {
			e.Partitions = uint64(len(list))
		}
		hand(e)
		said = true
	}
	return said
}

func (r *Reader) parse(s Statement) *cql.Statement {
	r.client.Client, r.again.Client = true, true
	parser := &r.client
	if s.Server {
		parser = &r.server
	}
	st, err := parser.Parse(s.Text)
	if err != nil || st.Kind == cql.Other {
		return nil
	}
	st.Cut = st.Cut || s.Cut
	return st
}

// ops are the operations of kinds of statements.
var ops = [...]ingest.Op{
	cql.Other: ingest.OpUnknown, cql.Select: ingest.OpRead, cql.Insert: ingest.OpWrite, cql.Update: ingest.OpUpdate,
	cql.Delete: ingest.OpDelete, cql.Batch: ingest.OpWrite,
}

func (r *Reader) fill(e *ingest.Event, st *cql.Statement, s Statement) {
	e.Op = ops[st.Kind]
	e.Table = r.named(st, s.Keyspace)
	t := r.tableOf(e.Table)
	parts, known := st.Key(t, nil)
	if known {
		r.setKey(e, parts)
	}
	if n := st.Partitions(t); n > 1 {
		e.Partitions = n
	}
	if scan, told := st.Scan(t); st.Kind == cql.Select && told && scan && !known {
		e.Op = ingest.OpScan
	}
	r.shapeOf(e, st)
	r.learn(st, t, e.Table)
	switch {
	case known || st.Markers == 0 || e.Op == ingest.OpScan:
	case s.Bound != nil:
		r.boundKey(e, t, s)
	case len(s.Stored) > 0:
		r.storedKey(e, st, t, s.Stored)
	}
	if st.Kind == cql.Select && len(st.Where) > 1 {
		r.window(e, st, s)
	}
	if r.Changes && st.Kind == cql.Update && e.KeyKnown {
		r.assigned(e, st, s)
	}
}

// assigned tells the values that an update assigns, literals and those of its markers.
func (r *Reader) assigned(e *ingest.Event, st *cql.Statement, s Statement) {
	r.changes, r.names = r.changes[:0], r.names[:0]
	nanos, _ := e.UnixNano()
	for _, name := range st.Set {
		r.names = append(r.names, name...)
	}
	from := 0
	for i, v := range st.Assigned {
		name := r.names[from : from+len(st.Set[i])]
		from += len(name)
		text := v.Text
		switch {
		case v.Kind == cql.Compound || v.Last:
			continue
		case v.Kind == cql.Marker && s.Bound != nil:
			bound, ok := s.Bound(v.Marker)
			if !ok {
				continue
			}
			text = bound
		case v.Kind == cql.Marker:
			if v.Marker >= len(s.Stored) || s.Stored[v.Marker] == nil {
				continue
			}
			text = s.Stored[v.Marker]
		}
		if ingest.IsStamp(text, nanos) {
			continue
		}
		r.changes = append(r.changes, ingest.Change{Name: name, Value: ingest.HashValue(text), Bytes: uint64(len(text))})
	}
	e.Changes = r.changes
}

func (r *Reader) setKey(e *ingest.Event, parts [][]byte) {
	r.key = ingest.AppendKey(r.key[:0], parts...)
	e.Key, e.KeyKnown = r.key, true
}

func (r *Reader) shapeOf(e *ingest.Event, st *cql.Statement) {
	r.shape = st.AppendShape(r.shape[:0])
	if st.Cut {
		r.shape = append(r.shape, " …"...)
	}
	e.Shape = r.shape
}

// named gives the table with its keyspace, as far as it is known.
func (r *Reader) named(st *cql.Statement, keyspace []byte) []byte {
	r.table = r.table[:0]
	switch {
	case st.Keyspace != "":
		r.table = append(append(r.table, st.Keyspace...), '.')
	case len(keyspace) > 0:
		r.table = append(append(r.table, keyspace...), '.')
	case r.Schema != nil:
		if t := r.Schema.Table("", st.Table); t != nil && t.Keyspace != "" {
			r.table = append(append(r.table, t.Keyspace...), '.')
		}
	}
	r.table = append(r.table, st.Table...)
	return r.table
}

func (r *Reader) tableOf(name []byte) *cql.Table {
	if r.Schema != nil {
		keyspace, table, ok := bytes.Cut(name, []byte("."))
		if !ok {
			keyspace, table = nil, name
		}
		if t := r.Schema.Table(string(keyspace), string(table)); t != nil {
			return t
		}
	}
	return r.learned[string(name)]
}

// learn takes the column that a read binds alone for the key of its table. Two reads that bind different
// ones show that it may be another, and none is taken.
func (r *Reader) learn(st *cql.Statement, t *cql.Table, name []byte) {
	if !r.Learn || st.Kind != cql.Select || len(st.Where) == 0 || t != nil && t.Name != "" {
		return
	}
	if _, known := st.KeyValues(nil); !known || len(st.Where[0].Columns) != 1 {
		return
	}
	column := st.Where[0].Columns[0]
	old, seen := r.learned[string(name)]
	switch {
	case seen && (old == nil || old.PartitionKey[0].Name == column), !seen && len(r.learned) >= maxLearned:
	case seen:
		r.learned[string(name)] = nil
	default:
		if r.learned == nil {
			r.learned = map[string]*cql.Table{}
		}
		r.learned[string(bytes.Clone(name))] = &cql.Table{PartitionKey: []cql.Column{{Name: string([]byte(column))}}}
	}
}

// boundKey reads the statement again with the values of its markers in their place.
func (r *Reader) boundKey(e *ingest.Event, t *cql.Table, s Statement) {
	r.bound = appendBound(r.bound[:0], s.Text, s.Bound)
	st, err := r.again.Parse(r.bound)
	if err != nil || st.Kind == cql.Batch {
		return
	}
	if parts, known := st.Key(t, nil); known {
		r.setKey(e, parts)
	}
}

// appendBound appends text with the values of its bind markers, as string literals, in their place.
func appendBound(dst, text []byte, bound func(int) ([]byte, bool)) []byte {
	marker := 0
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end = closing(text, i)
		case c == '?', c == ':' && i+1 < len(text) && letter(text[i+1]):
			for c == ':' && end < len(text) && (letter(text[end]) || text[end]-'0' <= 9) {
				end++
			}
			value, ok := bound(marker)
			if marker++; ok {
				dst = appendLiteral(dst, value)
				i = end
				continue
			}
		}
		dst = append(dst, text[i:end]...)
		i = end
	}
	return dst
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// closing gives where the quoted text that begins at text[i] ends.
func closing(text []byte, i int) int {
	n := bytes.IndexByte(text[i+1:], text[i])
	if n < 0 {
		return len(text)
	}
	return i + 1 + n + 1
}

// appendLiteral appends a printed value as a string literal; one that is one already, and a whole number,
// stays.
func appendLiteral(dst, value []byte) []byte {
	n := len(value)
	quoted := n >= 2 && value[0] == '\'' && value[n-1] == '\''
	if quoted || n > 0 && len(bytes.Trim(value, "0123456789")) == 0 {
		return append(dst, value...)
	}
	dst = append(dst, '\'')
	for _, c := range value {
		if c == '\'' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

// storedKey takes the key from the stored values of the markers.
func (r *Reader) storedKey(e *ingest.Event, st *cql.Statement, t *cql.Table, values [][]byte) {
	bound, known := st.KeyValues(t)
	if !known {
		return
	}
	r.parts = r.parts[:0]
	for i, v := range bound {
		switch {
		case v.Kind != cql.Marker:
			r.parts = append(r.parts, v.Text)
		case v.Marker >= len(values) || values[v.Marker] == nil:
			return
		default:
			r.parts = append(r.parts, printed(t, i, values[v.Marker]))
		}
	}
	r.setKey(e, r.parts)
}

// printed gives the form in which servers print the i-th component of a key of the table.
func printed(t *cql.Table, i int, stored []byte) []byte {
	if t == nil || i >= len(t.PartitionKey) || t.PartitionKey[i].Type == "" {
		return stored
	}
	text, err := cql.AppendText(nil, t.PartitionKey[i].Type, stored)
	if err != nil {
		return stored
	}
	return text
}
