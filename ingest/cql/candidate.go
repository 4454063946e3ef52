package cql

import "bytes"

// maxKeyText is the longest text of a key: 65,535 bytes in hex.
const maxKeyText = 2 + 2*(1<<16-1)

// candidates is memory for readings of a statement.
type candidates struct {
	parts  [][]byte
	key    []byte
	stored []byte
	types  [][]cqlType // of each component
	known  []cqlType   // of those that a schema tells
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
		last := -1
		for _, form := range [...][]byte{text, bytes.TrimSpace(text), bare(bytes.TrimSpace(text))} {
			if len(form) == last { // nothing was trimmed
				continue
			}
			last = len(form)
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
	c.types, c.known = c.types[:0], c.known[:0]
	for i := range parts {
		if t == nil {
			c.types = append(c.types, guessTypes)
			continue
		}
		typ, ok := parseType(t.PartitionKey[i].Type)
		if !ok {
			return false
		}
		c.known = append(c.known, typ)
		c.types = append(c.types, c.known[i:i+1])
	}
	c.key = c.key[:0]
	tries := 0
	return c.anyToken(parts, 0, token, &tries)
}

// anyToken tries every combination of the types of the components from i on, behind those in key. A form
// is made when it is tried: the first is mostly the one.
func (c *candidates) anyToken(parts [][]byte, i int, token int64, tries *int) bool {
	if i == len(parts) {
		*tries++
		return Token(c.key) == token
	}
	mark := len(c.key)
	for _, typ := range c.types[i] {
		if *tries >= maxTries {
			return false
		}
		key, ok := appendComponent(c.key, typ, parts[i], len(parts) == 1)
		c.key = key
		found := ok && c.anyToken(parts, i+1, token, tries)
		if c.key = c.key[:mark]; found {
			return true
		}
	}
	return false
}

// appendComponent appends a value to a key of one component or of several, unless it is none of the type
// or longer than a component may be.
func appendComponent(key []byte, typ cqlType, part []byte, alone bool) ([]byte, bool) {
	start := len(key)
	if !alone {
		key = append(key, 0, 0)
	}
	from := len(key)
	key, err := typ.append(key, part)
	size := len(key) - from
	switch {
	case err != nil || size > 1<<16-1:
		return key[:start], false
	case alone:
		return key, true
	}
	key[start], key[start+1] = byte(size>>8), byte(size)
	return append(key, 0), true
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
