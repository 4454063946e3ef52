// Package cql reads what logs and tools print of CQL: statements as servers and clients write them,
// schemas as DESCRIBE prints them, partition keys and values as text, and the tokens that prove a
// guess. It must not know of formats of logs, events or reports.
//
// Sources of the forms: Cassandra's db/ReadCommand.java, cql3/statements and db/marshal, versions 2.1
// to 6.0; real output of 4.0, 4.1, 5.0 and 6.0-alpha2.
package cql

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// ErrNoStatement is returned for a text that does not begin as a CQL statement does.
var ErrNoStatement = errors.New("no CQL statement")

const (
	// serverCut is where servers cut a query text in a warning, in UTF-16 units, without a mark.
	serverCut = 512
	// maxNames bounds the names that a Parser keeps.
	maxNames = 4096
	// maxNameLength is the longest name that a Parser keeps, in bytes.
	maxNameLength = 256
)

// A Parser reads statements. It reuses its memory: one goroutine uses it at a time, and a Statement is
// valid until the next Parse. The zero value is ready and reads texts of servers.
type Parser struct {
	// Client says that texts are as clients wrote them (audit logs, query logs, traces): unquoted names
	// are folded to lower case, and values without quotes end where CQL says. Servers 3.0–4.0 print
	// names with their case and values without quotes, which is what Parse reads otherwise.
	Client bool

	names   map[string]string
	pool    []*Statement
	used    int
	scratch []byte // string literals with doubled quotes, and keys
	fold    []byte
	markers int
	client  bool // of the statement that is being read
	cands   candidates
}

// Parse reads one statement. It accepts every text that begins as a statement does and keeps what it
// understood of it.
func (p *Parser) Parse(text []byte) (*Statement, error) {
	p.used, p.markers, p.scratch, p.client = 0, 0, p.scratch[:0], p.Client
	text, cut := trimEnd(text)
	s := p.statement(text)
	i := skipBlank(text, 0)
	if !p.read(s, text, i) {
		return nil, ErrNoStatement
	}
	s.Markers = p.markers
	s.Cut = s.Cut || cut || cutByServer(text, s.AllowFiltering)
	if s.Cut && s.clauses.limitLast {
		s.HasLimit, s.HasPerPartition = s.HasLimit && !s.clauses.limitIsLimit, s.HasPerPartition && s.clauses.limitIsLimit
	}
	return s, nil
}

// trimEnd takes off an ellipsis, which says that the text is cut.
func trimEnd(text []byte) ([]byte, bool) {
	end := bytes.TrimRight(text, " \n\t\r")
	for _, mark := range []string{"...", "…"} {
		if bytes.HasSuffix(end, []byte(mark)) {
			return bytes.TrimRight(end, ". \n\t\r…"), true
		}
	}
	return text, false
}

// cutByServer reports whether the text has the length at which servers cut; a complete text of 4.1 and
// later ends with ALLOW FILTERING.
func cutByServer(text []byte, filtering bool) bool {
	if len(text) < serverCut || len(text) > 3*serverCut || filtering {
		return false
	}
	units := 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if units++; r > 0xffff {
			units++
		}
		text = text[n:]
	}
	return units == serverCut || units == serverCut-1
}

func (p *Parser) statement(text []byte) *Statement {
	if p.used == len(p.pool) {
		p.pool = append(p.pool, new(Statement))
	}
	s := p.pool[p.used]
	p.used++
	s.reset(p, text)
	return s
}

// name is the name that b prints, with its quotes taken off; unquoted names of clients are folded.
func (p *Parser) name(b []byte) string {
	if len(b) > 0 && b[0] == '"' {
		b, p.scratch = unquote(p.scratch, b)
	} else if p.client {
		p.fold = appendLower(p.fold[:0], b)
		b = p.fold
	}
	return p.keep(b)
}

// keep is b as a string, which costs nothing when it was met before.
func (p *Parser) keep(b []byte) string {
	if s, ok := p.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(b) <= maxNameLength && len(p.names) < maxNames {
		if p.names == nil {
			p.names = make(map[string]string)
		}
		p.names[s] = s
	}
	return s
}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// read reads the statement that begins at i into s.
func (p *Parser) read(s *Statement, b []byte, i int) bool {
	if n := word(b, i, "SELECT"); n >= 0 {
		s.Kind = Select
		p.client = p.client || b[i] == 's' // servers print keywords in upper case
		p.selection(s, b, n)
		return true
	}
	p.client = true // servers rebuild reads only
	if n := word(b, i, "BEGIN"); n >= 0 {
		return p.batch(s, b, n)
	}
	if _, ok := p.write(s, b, i); ok {
		return true
	}
	return p.other(s, b, i)
}

// selection reads a SELECT from behind its first word.
func (p *Parser) selection(s *Statement, b []byte, i int) {
	for {
		i = skipBlank(b, i)
		if n := word(b, i, "DISTINCT"); n >= 0 && at(b, n) != ',' && word(b, skipBlank(b, n), "FROM") < 0 {
			s.Distinct, i = true, n
		} else if n := word(b, i, "JSON"); n >= 0 && at(b, n) != ',' && word(b, skipBlank(b, n), "FROM") < 0 {
			s.JSON, i = true, n
		} else {
			break
		}
	}
	i, found := p.list(&s.Columns, b, i, "FROM")
	if !found {
		s.Cut = true
		return
	}
	if i = p.table(s, b, i); s.Table == "" {
		s.Cut = s.Cut || i >= len(b)
		s.Rest = b[i:]
		return
	}
	p.rest(s, b, i)
}

// rest reads what follows the table of a SELECT.
func (p *Parser) rest(s *Statement, b []byte, i int) {
	if n := word(b, skipBlank(b, i), "WHERE"); n >= 0 {
		s.where = true
		i = p.restrictions(s, b, n)
	}
	t, ok := readTail(b, i, p.client)
	if !ok {
		s.Rest = b[i:]
		return
	}
	p.markers += t.markers
	s.clauses = t
	s.Limit, s.HasLimit, s.PerPartition, s.HasPerPartition = t.limit, t.hasLimit, t.perPartition, t.hasPerPartition
	s.AllowFiltering, s.Reversed, s.Cut = t.filtering, t.reversed, s.Cut || t.cut
}

// list reads items between commas up to a keyword of the outermost level; the index is behind it. end
// may be empty: then the list ends before a closing bracket or at the end.
func (p *Parser) list(dst *[]string, b []byte, i int, end string) (int, bool) {
	start := skipBlank(b, i)
	for i = start; i < len(b); {
		switch c := b[i]; {
		case c == ',' || c == ')':
			p.item(dst, b[start:i])
			if c == ')' {
				return i, end == ""
			}
			i++
			start = i
		case c == '(' || c == '[' || c == '{':
			i, _ = balanced(b, i)
		case c == '\'' || c == '"':
			i, _ = quoted(b, i)
		case isName(c):
			if n := word(b, i, end); end != "" && n >= 0 && i > start {
				p.item(dst, b[start:i])
				return n, true
			}
			for i < len(b) && isName(b[i]) {
				i++
			}
		case c == '?':
			p.markers++
			i++
		default:
			i++
		}
	}
	p.item(dst, b[start:])
	return i, end == ""
}

func (p *Parser) item(dst *[]string, b []byte) {
	if b = bytes.TrimSpace(b); len(b) > 0 {
		*dst = append(*dst, p.keep(b))
	}
}

// table reads `name` or `keyspace.name`.
func (p *Parser) table(s *Statement, b []byte, i int) int {
	i = skipBlank(b, i)
	first, n := nameAt(b, i)
	if first == nil {
		if at(b, i) == '"' {
			s.Cut = true
		}
		return i
	}
	if at(b, n) != '.' {
		s.Table = p.name(first)
		return n
	}
	second, end := nameAt(b, n+1)
	if second == nil {
		s.Keyspace, s.Cut = p.name(first), s.Cut || n+1 >= len(b)
		return n + 1
	}
	s.Keyspace, s.Table = p.name(first), p.name(second)
	return end
}

// other reads statements that touch no single rows: their table, if they name one.
func (p *Parser) other(s *Statement, b []byte, i int) bool {
	for _, verb := range otherVerbs {
		n := word(b, i, verb)
		if n < 0 {
			continue
		}
		s.Rest = b[i:]
		if verb == "TRUNCATE" {
			if k := word(b, skipBlank(b, n), "TABLE"); k >= 0 {
				n = k
			}
			p.table(s, b, n)
		}
		return true
	}
	return false
}

var otherVerbs = []string{"CREATE", "ALTER", "DROP", "TRUNCATE", "USE", "GRANT", "REVOKE", "LIST", "DESCRIBE", "COMMENT", "PRUNE", "APPLY", "COMMIT"}
