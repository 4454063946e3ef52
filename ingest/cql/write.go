package cql

import (
	"bytes"
	"encoding/json"
)

// write reads an INSERT, UPDATE or DELETE; the index is behind it.
func (p *Parser) write(s *Statement, b []byte, i int) (int, bool) {
	if n := words(b, i, "INSERT", "INTO"); n >= 0 {
		s.Kind = Insert
		return p.insert(s, b, p.table(s, b, n)), true
	}
	if n := word(b, i, "UPDATE"); n >= 0 {
		s.Kind = Update
		return p.update(s, b, p.table(s, b, n)), true
	}
	if n := word(b, i, "DELETE"); n >= 0 {
		s.Kind = Delete
		return p.remove(s, b, n), true
	}
	return i, false
}

func (p *Parser) insert(s *Statement, b []byte, i int) int {
	i = skipBlank(b, i)
	if n := word(b, i, "JSON"); n >= 0 {
		s.JSON = true
		return p.insertJSON(s, b, skipBlank(b, n))
	}
	if at(b, i) != '(' {
		s.Cut = s.Cut || i >= len(b)
		return p.conditions(s, b, i)
	}
	i, ok := p.list(&s.Columns, b, i+1, "")
	if n := word(b, skipBlank(b, i+1), "VALUES"); n >= 0 && ok {
		if i = skipBlank(b, n); at(b, i) == '(' {
			return p.conditions(s, b, p.values(s, b, i+1))
		}
	}
	s.Cut = s.Cut || i+1 >= len(b)
	return p.conditions(s, b, min(i+1, len(b)))
}

// values reads the values of an INSERT as equalities of its columns.
func (p *Parser) values(s *Statement, b []byte, i int) int {
	for n := 0; i < len(b); n++ {
		i = skipBlank(b, i)
		if at(b, i) == ')' {
			return i + 1
		}
		end := clientEnd(b, i)
		for end < len(b) && b[end] != ',' && b[end] != ')' && b[end] != ';' { // a name like `order` as value
			end = clientEnd(b, end+1)
		}
		value := p.single(bytes.TrimSpace(b[i:end]), end >= len(b))
		if n < len(s.Columns) {
			r := s.add()
			r.Columns, r.Op, r.right = append(r.Columns, p.name([]byte(s.Columns[n]))), Equal, b[i:end]
			r.Values = append(r.Values, value)
		}
		if i = end; at(b, i) == ';' {
			return i
		}
		if at(b, i) == ',' {
			i++
		}
	}
	s.Cut = true
	return len(b)
}

// insertJSON reads the members of the object as equalities.
func (p *Parser) insertJSON(s *Statement, b []byte, i int) int {
	end := clientEnd(b, i)
	v := p.single(bytes.TrimSpace(b[i:end]), end >= len(b))
	if v.Kind != Quoted {
		return p.conditions(s, b, end)
	}
	d := json.NewDecoder(bytes.NewReader(v.Text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return p.conditions(s, b, end)
	}
	for d.More() {
		name, err := d.Token()
		key, isName := name.(string)
		var raw json.RawMessage
		if err != nil || !isName || d.Decode(&raw) != nil {
			s.Cut = s.Cut || v.Last
			break
		}
		r := s.add()
		r.Columns, r.Op = append(r.Columns, p.jsonName(key)), Equal
		r.Values = append(r.Values, jsonValue(raw))
	}
	return p.conditions(s, b, end)
}

// jsonName is the column of a JSON member: folded, unless it has quotes of its own.
func (p *Parser) jsonName(key string) string {
	client := p.client
	p.client = true
	name := p.name([]byte(key))
	p.client = client
	return name
}

func jsonValue(raw json.RawMessage) Value {
	var text string
	switch {
	case len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return Value{Kind: Quoted, Text: []byte(text)}
	case len(raw) > 0 && (raw[0] == '{' || raw[0] == '['):
		return Value{Kind: Compound, Text: raw}
	}
	return Value{Text: raw}
}

func (p *Parser) update(s *Statement, b []byte, i int) int {
	i = p.usingClause(s, b, i)
	n := word(b, skipBlank(b, i), "SET")
	if n < 0 {
		s.Cut = s.Cut || skipBlank(b, i) >= len(b)
		return p.conditions(s, b, i)
	}
	start := skipBlank(b, n)
	for i = start; ; i++ {
		name, end := nameAt(b, skipBlank(b, i))
		i = assignmentEnd(b, end)
		if name != nil {
			s.Set, s.Assigned = append(s.Set, p.name(name)), append(s.Assigned, p.assigned(b[min(end, i):i], i >= len(b)))
		}
		p.markers += countMarkers(b[min(end, i):i])
		if at(b, i) != ',' {
			break
		}
	}
	s.assign = bytes.TrimSpace(b[start:i])
	return p.writeWhere(s, b, i)
}

// assigned gives the value behind a column and =, of the marker that comes next if it is one; what is no single value, as
// a sum or an element of a collection, is compound. It counts no marker.
func (p *Parser) assigned(b []byte, last bool) Value {
	b = bytes.TrimSpace(b)
	if at(b, 0) != '=' {
		return Value{Kind: Compound, Text: b, Last: last}
	}
	client, markers := p.client, p.markers
	p.client = true
	v := p.single(bytes.TrimSpace(b[1:]), last)
	p.client, p.markers = client, markers
	return v
}

// assignmentEnd is the comma, WHERE or semicolon that ends an assignment.
func assignmentEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == ',' || c == ';':
			return i
		case c == '\'' || c == '"':
			i, _ = quoted(b, i)
		case c == '(' || c == '[' || c == '{':
			i, _ = balanced(b, i)
		case isName(c):
			if word(b, i, "WHERE") >= 0 {
				return i
			}
			for i < len(b) && isName(b[i]) {
				i++
			}
		default:
			i++
		}
	}
	return len(b)
}

func (p *Parser) remove(s *Statement, b []byte, i int) int {
	i = skipBlank(b, i)
	n := word(b, i, "FROM")
	if n < 0 {
		var found bool
		if n, found = p.list(&s.Columns, b, i, "FROM"); !found {
			s.Cut = true
			return n
		}
	}
	return p.writeWhere(s, b, p.usingClause(s, b, p.table(s, b, n)))
}

// usingClause reads USING TTL and TIMESTAMP.
func (p *Parser) usingClause(s *Statement, b []byte, i int) int {
	n := skipBlank(b, i)
	if word(b, n, "USING") < 0 {
		return i
	}
	end := n
	for end < len(b) && b[end] != ';' && word(b, end, "SET") < 0 && word(b, end, "WHERE") < 0 && word(b, end, "IF") < 0 &&
		word(b, end, "INSERT") < 0 && word(b, end, "UPDATE") < 0 && word(b, end, "DELETE") < 0 && word(b, end, "APPLY") < 0 {
		for isName(at(b, end)) && isName(at(b, end+1)) {
			end++
		}
		end++
	}
	s.using = bytes.TrimSpace(b[n:min(end, len(b))])
	p.markers += countMarkers(s.using)
	return min(end, len(b))
}

func (p *Parser) writeWhere(s *Statement, b []byte, i int) int {
	if n := word(b, skipBlank(b, i), "WHERE"); n >= 0 {
		s.where = true
		i = p.restrictions(s, b, n)
	} else {
		s.Cut = s.Cut || skipBlank(b, i) >= len(b)
	}
	return p.conditions(s, b, i)
}

// conditions reads IF …, USING … and the semicolon behind a write.
func (p *Parser) conditions(s *Statement, b []byte, i int) int {
	i = p.usingClause(s, b, i)
	n := skipBlank(b, i)
	end := n
	for end < len(b) && b[end] != ';' {
		switch {
		case b[end] == '\'' || b[end] == '"':
			end, _ = quoted(b, end)
			continue
		case isName(b[end]) && !isName(at(b, end-1)) && (word(b, end, "USING") >= 0 || startsWrite(b, end)):
			s.setCondition(p, b[n:end])
			if word(b, end, "USING") >= 0 {
				return p.usingClause(s, b, end)
			}
			return end
		}
		end++
	}
	s.setCondition(p, b[n:end])
	return end
}

func (s *Statement) setCondition(p *Parser, b []byte) {
	if b = bytes.TrimSpace(b); len(b) > 0 {
		s.cond = b
		p.markers += countMarkers(b)
	}
}

func startsWrite(b []byte, i int) bool {
	return words(b, i, "INSERT", "INTO") >= 0 || word(b, i, "UPDATE") >= 0 || word(b, i, "DELETE") >= 0 || words(b, i, "APPLY", "BATCH") >= 0
}

// batch reads BEGIN … BATCH from behind its first word.
func (p *Parser) batch(s *Statement, b []byte, i int) bool {
	start := i
	for _, w := range []string{"UNLOGGED", "LOGGED", "COUNTER"} {
		if n := word(b, skipBlank(b, i), w); n >= 0 {
			i = n
		}
	}
	n := word(b, skipBlank(b, i), "BATCH")
	if n < 0 {
		return false
	}
	s.Kind = Batch
	i = p.usingClause(s, b, n)
	s.using = bytes.TrimSpace(b[start:i])
	for {
		for i = skipBlank(b, i); at(b, i) == ';'; i = skipBlank(b, i) {
			i++
		}
		if words(b, i, "APPLY", "BATCH") >= 0 {
			return true
		}
		inner := p.statement(b)
		end, ok := p.write(inner, b, i)
		if !ok || end <= i {
			p.used--
			s.Cut = s.Cut || i >= len(b)
			s.Rest = b[i:]
			return true
		}
		inner.text = b[i:end]
		s.Statements = append(s.Statements, inner)
		s.Cut = s.Cut || inner.Cut
		i = end
	}
}
