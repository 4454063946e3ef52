package cql

import "bytes"

// maxTries bounds the readings of one statement that are tried against a token or a row.
const maxTries = 256

// KeyValues tells the values that bind the partition key, in key order, bind markers among them; known
// is false when the statement binds none, or several partitions, or does not tell. t is the schema and
// may be nil. Without a schema the comma list of servers 3.0–4.0 and a tuple that stands first name the
// partition key; of a single leading equality it is assumed, unless a token range, a second equality
// or the ALLOW FILTERING of a client speaks against it.
func (s *Statement) KeyValues(t *Table) (values []Value, known bool) {
	values, ok := s.keyValues(t)
	if !ok || len(bytes.TrimSpace(s.Rest)) > 0 {
		return nil, false
	}
	for _, v := range values {
		if s.Cut && v.Last || v.Kind == Plain && word(v.Text, 0, "NULL") == len(v.Text) && len(v.Text) > 0 {
			return nil, false
		}
	}
	return values, len(values) > 0
}

func (s *Statement) keyValues(t *Table) ([]Value, bool) {
	if s.Kind == Batch || s.Kind == Other {
		return nil, false
	}
	if t != nil && len(t.PartitionKey) > 0 {
		values := make([]Value, 0, 4)
		for _, c := range t.PartitionKey {
			v, ok := s.bound(c.Name)
			if !ok {
				return nil, false
			}
			values = append(values, v)
		}
		return values, true
	}
	if s.Kind == Insert || len(s.Where) == 0 || s.hasTokenRange() {
		return nil, false
	}
	first := &s.Where[0]
	if first.Op != Equal || first.Element || len(first.Columns) == 0 || len(first.Values) != len(first.Columns) {
		return nil, false
	}
	if len(first.Columns) == 1 && (s.leading() > 1 || s.clientFilters()) {
		return nil, false
	}
	return first.Values, true
}

// bound is the one value to which the column is bound.
func (s *Statement) bound(column string) (Value, bool) {
	for i := range s.Where {
		r := &s.Where[i]
		if r.Token || r.Element || r.Op != Equal && r.Op != In || len(r.Values) != len(r.Columns) {
			continue
		}
		for k, c := range r.Columns {
			if c == column {
				return r.Values[k], true
			}
		}
	}
	return Value{}, false
}

// leading counts the equalities of one column each with which the WHERE clause begins.
func (s *Statement) leading() int {
	n := 0
	for n < len(s.Where) && s.Where[n].Op == Equal && len(s.Where[n].Columns) == 1 && !s.Where[n].Token && !s.Where[n].Element && len(s.Where[n].Values) == 1 {
		n++
	}
	return n
}

func (s *Statement) hasTokenRange() bool {
	for i := range s.Where {
		if s.Where[i].Token {
			return true
		}
	}
	return false
}

// clientFilters says that a client asked to filter: a partition key alone would not need it.
func (s *Statement) clientFilters() bool {
	return s.AllowFiltering && s.parser != nil && s.parser.Client
}

// Key tells the components of the partition key that the statement binds, in key order, as servers
// print keys; known is false when KeyValues knows none, when one is a bind marker, or when the text may
// be cut within one. token is the token that the log printed beside the statement and may be nil: with
// it every reading of the text is tried (places where a value without quotes may end, prefixes of a
// list of equalities, types of columns), the one that has this token is certain, and when none has,
// known is false. The parts are valid until the next call of Key or Parse.
func (s *Statement) Key(t *Table, token *int64) (parts [][]byte, known bool) {
	if token == nil {
		return s.plainKey(t)
	}
	found, relations := s.provedKey(proof{table: t, token: token})
	if found == nil {
		if parts, ok := s.plainKey(t); ok && t != nil && !verifiable(t, parts) {
			return parts, true
		}
		s.refused = true
		return nil, false
	}
	s.prove(relations)
	return s.printed(t, found), true
}

// KeyOfRow is Key for a statement that was aborted: row is what the abort says of the last scanned row,
// `(a, b), c1, c2` with clustering values or `a, b` without. A read of one partition stopped in that
// partition, so the reading that the row confirms is certain, and when none is confirmed, known is false.
func (s *Statement) KeyOfRow(t *Table, row []byte) (parts [][]byte, known bool) {
	found, relations := s.provedKey(proof{table: t, row: row})
	if found == nil {
		s.refused = true
		return nil, false
	}
	s.prove(relations)
	return s.printed(t, found), true
}

// rowOf reports whether the row is one of the partition.
func rowOf(row []byte, parts [][]byte) bool {
	if rest, ok := cutJoined(row, parts); ok && len(rest) == 0 {
		return true
	}
	if len(row) == 0 || row[0] != '(' {
		return false
	}
	rest, ok := cutJoined(row[1:], parts)
	return ok && len(rest) > 0 && rest[0] == ')' && (len(rest) == 1 || rest[1] == ',')
}

// cutJoined takes parts joined by `, ` off the front of row. Blobs have no 0x there.
func cutJoined(row []byte, parts [][]byte) ([]byte, bool) {
	for i, part := range parts {
		if i > 0 {
			if !bytes.HasPrefix(row, []byte(", ")) {
				return row, false
			}
			row = row[2:]
		}
		if !bytes.HasPrefix(row, part) {
			if part = bytes.TrimPrefix(part, []byte("0x")); !bytes.HasPrefix(row, part) {
				return row, false
			}
		}
		row = row[len(part):]
	}
	return row, true
}

// prove remembers that the first relations of the WHERE clause bind the partition key.
func (s *Statement) prove(relations int) {
	s.keyCols = s.keyCols[:0]
	for i := range min(relations, len(s.Where)) {
		s.keyCols = append(s.keyCols, s.Where[i].Columns...)
	}
}

func (s *Statement) plainKey(t *Table) ([][]byte, bool) {
	values, ok := s.KeyValues(t)
	if !ok {
		return nil, false
	}
	parts := s.parser.cands.parts[:0]
	for _, v := range values {
		if v.Kind == Marker {
			return nil, false
		}
		parts = append(parts, v.Text)
	}
	s.parser.cands.parts = parts
	return s.printed(t, parts), true
}

// printed gives literals the form in which servers print keys, where the type is known or plain.
func (s *Statement) printed(t *Table, parts [][]byte) [][]byte {
	p := s.parser
	for i, part := range parts {
		if t == nil {
			if len(part) > 2 && part[0] == '0' && part[1]|0x20 == 'x' {
				if _, err := appendHex(nil, part); err == nil {
					parts[i] = part[2:]
				}
			}
			continue
		}
		typ, ok := parseType(t.PartitionKey[i].Type)
		if !ok || typ.kind == kindText || lossy(typ, part) {
			continue
		}
		stored, err := typ.append(p.cands.stored[:0], part)
		if p.cands.stored = stored[:0]; err != nil {
			continue
		}
		start := len(p.scratch)
		if text, ok := typ.appendText(p.scratch, stored); ok {
			p.scratch, parts[i] = text, text[start:len(text):len(text)]
		}
	}
	return parts
}

// lossy reports a timestamp that is printed to the minute, as servers up to 3.11 print keys: it stands
// for many partitions.
func lossy(t cqlType, text []byte) bool {
	if t.kind != kindTimestamp {
		return false
	}
	_, exact, ok := timestamp(bare(text))
	return ok && !exact
}
