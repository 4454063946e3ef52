package cql

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// appendCompound reads a literal of a frozen collection or tuple, or the form in which servers print
// them as keys: bare hex of collections, fields of a tuple with `:` between them.
func (t cqlType) appendCompound(dst, b []byte) ([]byte, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return dst, ErrValue
	}
	if t.kind == kindTuple && b[0] != '(' {
		return t.appendTuple(dst, printedFields(b))
	}
	if isHex(b[0]) {
		return appendHex(dst, b)
	}
	items, ok := literalItems(b)
	if !ok {
		return dst, ErrValue
	}
	switch t.kind {
	case kindTuple:
		return t.appendTuple(dst, items)
	case kindMap:
		return t.appendMap(dst, items)
	}
	values := make([][]byte, len(items))
	for i, item := range items {
		v, err := t.args[0].append(nil, item)
		if err != nil {
			return dst, err
		}
		values[i] = v
	}
	if t.sorted {
		slices.SortStableFunc(values, t.args[0].compare)
		values = slices.CompactFunc(values, bytes.Equal)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(values)))
	for _, v := range values {
		dst = appendSized(dst, v)
	}
	return dst, nil
}

func appendSized(dst, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(v))), v...)
}

func (t cqlType) appendTuple(dst []byte, items [][]byte) ([]byte, error) {
	if len(items) > len(t.args) {
		return dst, ErrValue
	}
	for i, item := range items {
		if word(item, 0, "NULL") == len(item) {
			dst = binary.BigEndian.AppendUint32(dst, 1<<32-1)
			continue
		}
		v, err := t.args[i].append(nil, item)
		if err != nil {
			return dst, err
		}
		dst = appendSized(dst, v)
	}
	return dst, nil
}

// printedFields takes apart what TupleType.getString prints; a null field is `@`.
func printedFields(b []byte) [][]byte {
	var fields [][]byte
	for start, i := 0, 0; ; i++ {
		if i < len(b) && (b[i] != ':' || i > 0 && b[i-1] == '\\') {
			continue
		}
		field := b[start:i]
		if string(field) == "@" {
			field = []byte("null")
		}
		field = bytes.ReplaceAll(field, []byte(`\:`), []byte(":"))
		fields = append(fields, bytes.ReplaceAll(field, []byte(`\@`), []byte("@")))
		if start = i + 1; i >= len(b) {
			return fields
		}
	}
}

func (t cqlType) appendMap(dst []byte, items [][]byte) ([]byte, error) {
	var pairs [][2][]byte
	for _, item := range items {
		left, right, ok := cutPair(item)
		if !ok {
			return dst, ErrValue
		}
		k, err := t.args[0].append(nil, left)
		if err != nil {
			return dst, err
		}
		v, err := t.args[1].append(nil, right)
		if err != nil {
			return dst, err
		}
		pairs = append(pairs, [2][]byte{k, v})
	}
	slices.SortStableFunc(pairs, func(a, b [2][]byte) int { return t.args[0].compare(a[0], b[0]) })
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(pairs)))
	for _, p := range pairs {
		dst = appendSized(appendSized(dst, p[0]), p[1])
	}
	return dst, nil
}

// compare orders stored values as the server does, for types that sort by their bytes or as signed
// numbers; others keep the order in which they are printed.
func (t cqlType) compare(a, b []byte) int {
	switch t.kind {
	case kindText, kindBlob, kindDate, kindTime, kindInet, kindBoolean:
		return bytes.Compare(a, b)
	case kindInteger, kindTimestamp:
		if len(a) == len(b) && len(a) > 0 && (a[0]^b[0])&0x80 != 0 {
			return bytes.Compare(b, a)
		}
		return bytes.Compare(a, b)
	}
	return 0
}

// literalItems are the members between the brackets of a literal, string literals without quotes.
func literalItems(b []byte) ([][]byte, bool) {
	end, ok := balanced(b, 0)
	if !ok || end != len(b) || bytes.IndexByte([]byte("([{"), b[0]) < 0 {
		return nil, false
	}
	inner := b[1 : len(b)-1]
	if len(bytes.TrimSpace(inner)) == 0 {
		return nil, true
	}
	var items [][]byte
	for start, i := 0, 0; ; i++ {
		if i >= len(inner) || inner[i] == ',' {
			item := bytes.TrimSpace(inner[start:min(i, len(inner))])
			items = append(items, unquoted(item))
			start = i + 1
			if i >= len(inner) {
				return items, true
			}
			continue
		}
		i = skipMember(inner, i)
	}
}

// skipMember is the last index of the quoted text or bracket at i, or i.
func skipMember(b []byte, i int) int {
	switch b[i] {
	case '\'', '"':
		end, _ := quoted(b, i)
		return end - 1
	case '(', '[', '{':
		end, _ := balanced(b, i)
		return end - 1
	}
	return i
}

func unquoted(b []byte) []byte {
	if len(b) < 2 || b[0] != '\'' {
		return b
	}
	if end, ok := quoted(b, 0); !ok || end != len(b) {
		return b
	}
	text, _ := unquote(nil, b)
	return text
}

// cutPair cuts `key: value` at the colon outside of quotes and brackets.
func cutPair(b []byte) (left, right []byte, ok bool) {
	for i := 0; i < len(b); i++ {
		if b[i] == ':' {
			return unquoted(bytes.TrimSpace(b[:i])), unquoted(bytes.TrimSpace(b[i+1:])), true
		}
		i = skipMember(b, i)
	}
	return nil, nil, false
}
