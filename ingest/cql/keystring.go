package cql

import "bytes"

// SplitKeyString takes apart a partition key as servers print it (AbstractType.getString): one
// component bare, several joined by `:` with `\:` inside, and `!` behind one that ends in `\` or `!`
// (AbstractCompositeType). t is the schema and may be nil: then only an escaped colon proves several
// components, and any other text is one. A text that does not have as many components as the schema
// says is returned whole.
func SplitKeyString(text []byte, t *Table) [][]byte {
	want := 0
	if t != nil {
		want = len(t.PartitionKey)
	}
	if want == 1 || want == 0 && !bytes.Contains(text, []byte(`\:`)) {
		return [][]byte{text}
	}
	parts := make([][]byte, 0, max(want, 2))
	for start, i := 0, 0; ; i++ {
		if i < len(text) && (text[i] != ':' || i > 0 && text[i-1] == '\\') {
			continue
		}
		parts = append(parts, component(text[start:i]))
		if start = i + 1; i >= len(text) {
			break
		}
	}
	if want > 0 && len(parts) != want || want == 0 && len(parts) == 1 {
		return [][]byte{text}
	}
	return parts
}

// component undoes the escapes of one component.
func component(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte(`\:`), []byte(":"))
	if n := len(b); n > 1 && b[n-1] == '!' && (b[n-2] == '\\' || b[n-2] == '!') {
		b = b[:n-1]
	}
	return b
}

// AppendKeyString appends the components as servers print a partition key: the inverse of
// SplitKeyString.
func AppendKeyString(dst []byte, parts ...[]byte) []byte {
	if len(parts) == 1 {
		return append(dst, parts[0]...)
	}
	for i, part := range parts {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = append(dst, bytes.ReplaceAll(part, []byte(":"), []byte(`\:`))...)
		if n := len(part); n > 0 && (part[n-1] == '\\' || part[n-1] == '!') {
			dst = append(dst, '!')
		}
	}
	return dst
}

// SplitLastRow takes apart what an aborted read says of its last scanned row: `(a, b), c1, c2` with
// clustering values, `a, b` without. The parts are the components of the partition key; known is false
// when the text can be read in several ways, which only a schema with one key column rules out for
// values with `, ` inside.
func SplitLastRow(text []byte, t *Table) (parts [][]byte, known bool) {
	want := 0
	if t != nil {
		want = len(t.PartitionKey)
	}
	key, certain := rowKey(text)
	if want == 1 {
		return [][]byte{key}, certain
	}
	parts = bytes.Split(key, []byte(", "))
	if want == 0 {
		return parts, certain && len(parts) == 1
	}
	return parts, certain && len(parts) == want
}

// rowKey is the part of the text that prints the partition key.
func rowKey(text []byte) (key []byte, certain bool) {
	if len(text) == 0 || text[0] != '(' {
		return text, true
	}
	first, count := -1, 0
	for i := 1; i < len(text); i++ {
		if text[i] == ')' && (i+1 == len(text) || bytes.HasPrefix(text[i+1:], []byte(", "))) {
			if count++; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return text, false
	}
	return text[1:first], count == 1
}
