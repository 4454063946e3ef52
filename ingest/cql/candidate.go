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

// eachKey tries readings of the WHERE clause as a partition key until one is taken, which it returns.
// try also gets the number of leading columns that the reading takes for the key.
func (s *Statement) eachKey(t *Table, try func(parts [][]byte, columns int) bool) [][]byte {
	if s.Kind == Batch || s.Kind == Other || len(s.Where) == 0 || s.hasTokenRange() {
		return nil
	}
	if values, ok := s.keyValues(t); ok {
		if parts, ok := s.texts(values); ok && try(parts, len(parts)) {
			return parts
		}
	}
	if first := &s.Where[0]; first.bare && first.Op == Equal && (t == nil || len(t.PartitionKey) == len(first.Columns)) {
		if parts := s.eachBare(first, try); parts != nil {
			return parts
		}
	}
	if t != nil {
		return nil
	}
	for n := 1; n <= min(s.leading(), 8); n++ { // 4.1 and later: a prefix of the equalities
		parts := s.parser.cands.parts[:0]
		for i := range n {
			if v := s.Where[i].Values[0]; v.Kind != Marker && !(s.Cut && v.Last) {
				parts = append(parts, v.Text)
			}
		}
		if s.parser.cands.parts = parts; len(parts) == n && try(parts, n) {
			return parts
		}
	}
	return nil
}

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

// eachBare tries every end of a value without quotes, and every split of a comma list.
func (s *Statement) eachBare(r *Restriction, try func([][]byte, int) bool) [][]byte {
	b, n := s.text, len(r.Columns)
	start := cap(b) - cap(r.right)
	tries := 0
	for end := start; end < len(b) && tries < maxTries; end++ {
		end = bareEnd(b, end)
		if s.Cut && end >= len(b) {
			return nil
		}
		tries++
		text := b[start:end]
		if len(text) > maxKeyText {
			return nil
		}
		for _, form := range [][]byte{text, bytes.TrimSpace(text), unquotedBare(bytes.TrimSpace(text))} {
			if parts := s.splits(form, n, &tries, try); parts != nil {
				return parts
			}
		}
	}
	return nil
}

// unquotedBare is a text whose literal quotes were taken for text.
func unquotedBare(b []byte) []byte {
	if len(b) >= 2 && b[0] == '\'' && b[len(b)-1] == '\'' {
		return b[1 : len(b)-1]
	}
	return b
}

// splits tries the splits of text into n parts at `, `.
func (s *Statement) splits(text []byte, n int, tries *int, try func([][]byte, int) bool) [][]byte {
	parts := s.parser.cands.parts[:0]
	var split func(rest []byte, left int) bool
	split = func(rest []byte, left int) bool {
		if left == 1 {
			*tries++
			parts = append(parts, rest)
			s.parser.cands.parts = parts
			if try(parts, n) {
				return true
			}
			parts = parts[:len(parts)-1]
			return false
		}
		for from := 0; *tries < maxTries; {
			k := bytes.Index(rest[from:], []byte(", "))
			if k < 0 {
				return false
			}
			parts = append(parts, rest[:from+k])
			if split(rest[from+k+2:], left-1) {
				return true
			}
			parts = parts[:len(parts)-1]
			from += k + 2
		}
		return false
	}
	if split(text, n) {
		return parts
	}
	return nil
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
