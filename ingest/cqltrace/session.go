package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A session is what is known of one traced request.
type session struct {
	id       string          // hex without hyphens; empty: the print-out tells none
	at       ingest.Position // of its row of sessions, or of the first line that tells of it
	named    ingest.Position // of the line that tells its statement, else its table; zero: none does
	nano     int64           // Unix nanoseconds; 0: unknown
	head     bool            // the request itself is told, not only events of it
	row      bool            // a row of sessions tells of it
	titled   bool            // its print-out has a title
	bare     bool            // lines of activities alone
	lone     bool            // an error without a trace
	prepare  bool
	batch    bool
	slow     bool // a row of the slow log
	micros   uint64
	measured bool // micros is known

	statements []statement
	server     []byte // the statement as the server printed it
	table      []byte // as activities name it, mostly without keyspace
	tables     []byte // as parameters name it, with keyspace
	operation  []byte // of Alternator
	level      ingest.Consistency
	keyHex     []byte // of the partition, ScyllaDB
	node       []byte // of the slow log

	reads, scans, writes uint64
	sources              []source
	reading              map[string]string // table by node
	aborted, timedOut    bool
	warned, limited      bool
	warnings             []warning
}

// A statement is one text of a session, and the values of its bind markers.
type statement struct {
	text  []byte
	cut   bool
	bound []value
}

// A value is one bound value as it is printed.
type value struct {
	text  []byte
	known bool
}

// A source is what one node of a session counted of one table.
type source struct {
	node    []byte
	table   []byte // as activities name it; empty: they do not
	rows    uint64
	tombs   uint64
	aborted uint64 // tombstones at which it ended a read
}

// maxSources bounds the nodes and tables told apart in one session; the others count as the last.
const maxSources = 32

func (s *session) setTime(unixNano int64) {
	if s.nano == 0 {
		s.nano = unixNano
	}
}

func (s *session) setDuration(micros uint64) { s.micros, s.measured = micros, true }

// source gives the counts of a node for the table that it reads now.
func (s *session) source(node []byte) *source {
	table := s.reading[string(node)]
	for i := range s.sources {
		if c := &s.sources[i]; string(c.node) == string(node) && string(c.table) == table {
			return c
		}
	}
	if len(s.sources) < maxSources {
		s.sources = append(s.sources, source{node: clone(node), table: []byte(table)})
	}
	return &s.sources[len(s.sources)-1]
}

// readsFrom notes which table a node reads from now on.
func (s *session) readsFrom(node, table []byte) {
	if s.reading == nil {
		s.reading = map[string]string{}
	}
	if len(s.reading) < maxSources {
		s.reading[string(node)] = string(table)
	}
}

// counts gives rows and tombstones of the request. Replicas of one read count the same data, so those of
// the node that counted most are the read's, at least.
func (s *session) counts() (rows, tombs uint64, known bool) {
	for _, c := range s.sources {
		if s.aside(c.table) {
			continue
		}
		if n := max(c.tombs, c.aborted); !known || n > tombs || n == tombs && c.rows > rows {
			rows, tombs, known = c.rows, n, true
		}
	}
	return rows, tombs, known
}

// aside reports whether a table is one that no statement of the session names: the server looks up roles
// and permissions within the session of a request.
func (s *session) aside(table []byte) bool {
	table, _, _ = bytes.Cut(bytes.ToLower(table), []byte(".")) // behind the dot an index is named
	if len(table) == 0 {
		return false
	}
	named := false
	for i := range s.statements {
		text := s.statements[i].text
		if bytes.Contains(bytes.ToLower(text), table) {
			return false
		}
		named = named || len(text) > 0
	}
	return named
}

func (s *session) statement(i int) *statement {
	for len(s.statements) <= i {
		s.statements = append(s.statements, statement{})
	}
	return &s.statements[i]
}

func (t *statement) set(text []byte) {
	t.cut = len(text) > maxText
	t.text = clone(text[:min(len(text), maxText)])
}

// maxMarkers bounds the bound values of a statement.
const maxMarkers = 1024

func (t *statement) bind(i int, text []byte, known bool) {
	if i < 0 || i >= maxMarkers {
		return
	}
	for len(t.bound) <= i {
		t.bound = append(t.bound, value{})
	}
	t.bound[i] = value{clone(text), known}
}

func (t *statement) value(i int) ([]byte, bool) {
	if i >= len(t.bound) {
		return nil, false
	}
	return t.bound[i].text, t.bound[i].known
}

func clone(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return append(make([]byte, 0, len(b)), b...)
}
