package cql

import "bytes"

// maxKeyText is the longest text of a key: 65,535 bytes in hex.
const maxKeyText = 2 + 2*(1<<16-1)

// candidates is memory for readings of a statement.
type candidates struct {
	parts  [][]byte
	key    []byte
	stored []byte
	each   [][][]byte
	arena  []byte
}

// A proof is what a reading of a statement as a partition key is held against: a token, or the last
// scanned row.
type proof struct {
	table *Table
	token *int64
	row   []byte
}

func (s *Statement) holds(p proof, parts [][]byte) bool {
	if p.token != nil {
		return s.hasToken(p.table, parts, *p.token)
	}
	return rowOf(p.row, parts)
}

// provedKey tries readings of the WHERE clause as a partition key until one holds, and returns it with
// the number of leading relations that it takes for the key.
func (s *Statement) provedKey(p proof) (parts [][]byte, relations int) {
	if s.Kind == Batch || s.Kind == Other || len(s.Where) == 0 || s.hasTokenRange() {
		return nil, 0
	}
	if values, ok := s.keyValues(p.table); ok {
		if parts, ok := s.texts(values); ok && s.holds(p, parts) {
			return parts, 1
		}
	}
	if first := &s.Where[0]; first.bare && first.Op == Equal && (p.table == nil || len(p.table.PartitionKey) == len(first.Columns)) {
		if s.provedBare(p, first) {
			return s.parser.cands.parts, 1
		}
	}
	if p.table != nil {
		return nil, 0
	}
	for n := 1; n <= min(s.leading(), 8); n++ { // 4.1 and later: a prefix of the equalities
		parts := s.parser.cands.parts[:0]
		for i := range n {
			if v := s.Where[i].Values[0]; v.Kind != Marker && !(s.Cut && v.Last) {
				parts = append(parts, v.Text)
			}
		}
		if s.parser.cands.parts = parts; len(parts) == n && s.holds(p, parts) {
			return parts, n
		}
	}
	return nil, 0
}

// texts are the texts of values, none of which is a bind marker or cut.
func (s *Statement) texts(values []Value) ([][]byte, bool) {
	parts := s.parser.cands.parts[:0]
	for _, v := range values {
		if v.Kind == Marker || s.Cut && v.Last {
			return nil, false
		}
		parts = append(parts, v.Text)
	}
	s.parser.cands.parts = parts
	return parts, true
}

// provedBare tries every end of a value without quotes, and every split of a comma list.
func (s *Statement) provedBare(p proof, r *Restriction) bool {
	b := s.text
	start := cap(b) - cap(r.right)
	tries := 0
	for end := start; end < len(b) && tries < maxTries; end++ {
		end = bareEnd(b, end)
		if s.Cut && end >= len(b) || end-start > maxKeyText {
			return false
		}
		text := b[start:end]
		for _, form := range [...][]byte{text, bytes.TrimSpace(text), bare(bytes.TrimSpace(text))} {
			s.parser.cands.parts = s.parser.cands.parts[:0]
			if s.provedSplit(p, form, len(r.Columns), &tries) {
				return true
			}
		}
	}
	return false
}

// provedSplit tries the splits of text into so many parts at `, `; those of a split that holds are in
// the parser's memory.
func (s *Statement) provedSplit(p proof, text []byte, left int, tries *int) bool {
	c := &s.parser.cands
	mark := len(c.parts)
	if left == 1 {
		*tries++
		if c.parts = append(c.parts, text); s.holds(p, c.parts) {
			return true
		}
		c.parts = c.parts[:mark]
		return false
	}
	for from := 0; *tries < maxTries; {
		k := bytes.Index(text[from:], []byte(", "))
		if k < 0 {
			return false
		}
		c.parts = append(c.parts, text[:from+k])
		if s.provedSplit(p, text[from+k+2:], left-1, tries) {
			return true
		}
		c.parts = c.parts[:mark]
		from += k + 2
	}
	return false
}

// guessTypes are the types that a key may have whose schema is not known, the usual ones first.
var guessTypes = []cqlType{
	{kind: kindText}, {kind: kindInteger, size: 4}, {kind: kindInteger, size: 8}, {kind: kindUUID}, {kind: kindBlob}, {kind: kindTimestamp},
	{kind: kindDate}, {kind: kindBoolean}, {kind: kindInteger, size: 2}, {kind: kindInteger, size: 1}, {kind: kindVarint},
	{kind: kindFloat, size: 8}, {kind: kindFloat, size: 4}, {kind: kindDecimal}, {kind: kindInet}, {kind: kindTime},
}

// hasToken reports whether the parts, stored as the schema says or as any type that they may have, have
// this token.
func (s *Statement) hasToken(t *Table, parts [][]byte, token int64) bool {
	c := &s.parser.cands
	c.arena, c.each = c.arena[:0], c.each[:0]
	for i, part := range parts {
		var forms [][]byte
		if i < cap(c.each) {
			forms = c.each[:i+1][i][:0]
		}
		types := guessTypes
		if t != nil {
			typ, ok := parseType(t.PartitionKey[i].Type)
			if !ok {
				return false
			}
			types = []cqlType{typ}
		}
		for _, typ := range types {
			start := len(c.arena)
			out, err := typ.append(c.arena, part)
			if err != nil {
				continue
			}
			c.arena = out
			forms = append(forms, out[start:len(out):len(out)])
		}
		c.each = append(c.each, forms)
	}
	c.key = c.key[:0]
	tries := 0
	return c.anyToken(0, token, &tries)
}

// anyToken tries every combination of the forms of the components.
func (c *candidates) anyToken(i int, token int64, tries *int) bool {
	if i == len(c.each) {
		*tries++
		return Token(c.key) == token
	}
	for _, form := range c.each[i] {
		if *tries >= maxTries || len(form) > 1<<16-1 {
			return false
		}
		mark := len(c.key)
		if len(c.each) == 1 {
			c.key = append(c.key, form...)
		} else {
			c.key = append(append(append(c.key, byte(len(form)>>8), byte(len(form))), form...), 0)
		}
		found := c.anyToken(i+1, token, tries)
		if c.key = c.key[:mark]; found {
			return true
		}
	}
	return false
}

// verifiable reports whether a token can tell the key right from wrong.
func verifiable(t *Table, parts [][]byte) bool {
	for i, part := range parts {
		typ, ok := parseType(t.PartitionKey[i].Type)
		if !ok || lossy(typ, part) {
			return false
		}
		if _, err := typ.append(nil, part); err != nil {
			return false
		}
	}
	return true
}
