package ingest

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONKind is the kind of a JSON value.
type JSONKind uint8

// The kinds. JSONBroken is text that is cut off or no JSON; JSONEscaped is a string that has a
// backslash, so that its text must go through AppendUnquoted.
const (
	JSONBroken JSONKind = iota
	JSONString
	JSONEscaped
	JSONNumber
	JSONTrue
	JSONFalse
	JSONNull
	JSONArray
	JSONObject
)

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// zeroBytes has the high bit set of each byte of x that is zero. Bits above the lowest one may be
// wrong, so only the lowest may be used.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & highBits }

// StringEnd gives the offset of the first quote or backslash of data at or after i, or -1.
func StringEnd(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		if m := zeroBytes(w^everyByte*'"') | zeroBytes(w^everyByte*'\\'); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(data); i++ {
		if data[i] == '"' || data[i] == '\\' {
			return i
		}
	}
	return -1
}

// SkipSpace gives the offset of the first byte of data at or after i that is no JSON white space.
func SkipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// ScanJSON finds the value that begins at data[i], which is no white space. text is a part of data:
// what stands between the quotes of a string, or the whole of another value; next is the offset after
// the value. It checks as much as is needed to find the end: a number may be malformed, and in arrays
// and objects only strings and brackets are looked at.
func ScanJSON(data []byte, i int) (kind JSONKind, text []byte, next int) {
	if i >= len(data) {
		return JSONBroken, nil, i
	}
	switch c := data[i]; {
	case c == '"':
		if end := StringEnd(data, i+1); end >= 0 && data[end] == '"' {
			return JSONString, data[i+1 : end], end + 1
		}
		return scanString(data, i+1)
	case c == '-' || '0' <= c && c <= '9':
		next = i + 1
		for next < len(data) && numberByte(data[next]) {
			next++
		}
		return JSONNumber, data[i:next], next
	case c == '{' || c == '[':
		return scanNested(data, i)
	}
	return scanLiteral(data, i)
}

func numberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// scanString reads a string whose contents begin at data[start].
func scanString(data []byte, start int) (JSONKind, []byte, int) {
	kind, i := JSONString, start
	for {
		i = StringEnd(data, i)
		switch {
		case i < 0:
			return JSONBroken, nil, len(data)
		case data[i] == '"':
			return kind, data[start:i], i + 1
		}
		kind, i = JSONEscaped, i+2
		if i > len(data) {
			return JSONBroken, nil, len(data)
		}
	}
}

func scanLiteral(data []byte, i int) (JSONKind, []byte, int) {
	rest := data[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("true")):
		return JSONTrue, rest[:4], i + 4
	case bytes.HasPrefix(rest, []byte("false")):
		return JSONFalse, rest[:5], i + 5
	case bytes.HasPrefix(rest, []byte("null")):
		return JSONNull, rest[:4], i + 4
	}
	return JSONBroken, nil, i
}

// scanNested finds the end of an array or object at most 64 levels deep; open holds a bit a level,
// set for an object.
func scanNested(data []byte, start int) (JSONKind, []byte, int) {
	kind := JSONArray
	if data[start] == '{' {
		kind = JSONObject
	}
	var open uint64
	depth := 0
	for i := start; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			k, _, next := scanString(data, i+1)
			if k == JSONBroken {
				return JSONBroken, nil, next
			}
			i = next - 1
		case '{', '[':
			if depth++; depth > 64 {
				return JSONBroken, nil, i
			}
			open = open<<1 | uint64(c>>5&1) // '{' is 0x7B, '[' is 0x5B
		case '}', ']':
			if open&1 != uint64(c>>5&1) {
				return JSONBroken, nil, i
			}
			open >>= 1
			if depth--; depth == 0 {
				return kind, data[start : i+1], i + 1
			}
		}
	}
	return JSONBroken, nil, len(data)
}

// AppendUnquoted appends what the text between the quotes of a JSON string stands for. Like
// encoding/json it makes a surrogate without its half U+FFFD; other than encoding/json it keeps bytes
// that are no UTF-8 and escapes that JSON does not know. The result is never longer than text, and dst
// may end where text begins or before, in the same array.
func AppendUnquoted(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		c := text[i+1]
		if c == 'u' {
			r, n := unquoteRune(text[i:])
			if n == 0 {
				dst = append(dst, '\\', 'u')
				n = 2
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			text = text[i+n:]
			continue
		}
		dst, text = appendEscape(dst, c), text[i+2:]
	}
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\', '/':
		return append(dst, c)
	case 'b':
		return append(dst, '\b')
	case 'f':
		return append(dst, '\f')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	}
	return append(dst, '\\', c)
}

// unquoteRune reads a \uXXXX escape, or two that are a surrogate pair, and gives the bytes it takes; 0
// when it is malformed.
func unquoteRune(text []byte) (rune, int) {
	r := hexRune(text)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if pair := utf16.DecodeRune(r, hexRune(text[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return utf8.RuneError, 6
}

// hexRune reads \uXXXX at the beginning of text; -1 when there is none.
func hexRune(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// JSONMembers steps through the members of one JSON object in place. The zero value is at the end of
// a broken object; ReadJSON begins at one.
type JSONMembers struct {
	data  []byte
	at    int
	first bool
	ended bool
}

// ReadJSON begins at the object whose brace stands at data[i].
func ReadJSON(data []byte, i int) JSONMembers {
	if i >= len(data) || data[i] != '{' {
		return JSONMembers{}
	}
	return JSONMembers{data: data, at: i + 1, first: true}
}

// Next gives the next member: its name as written between the quotes, and its value as ScanJSON gives
// it. ok is false at the end of the object and where it is broken; Ended tells which.
func (m *JSONMembers) Next() (name []byte, kind JSONKind, text []byte, ok bool) {
	data := m.data
	i := SkipSpace(data, m.at)
	if i < len(data) && data[i] == '}' {
		m.at, m.ended = i+1, true
		return nil, 0, nil, false
	}
	if !m.first {
		if i >= len(data) || data[i] != ',' {
			return nil, 0, nil, false
		}
		i = SkipSpace(data, i+1)
	}
	m.first = false
	if i >= len(data) || data[i] != '"' {
		return nil, 0, nil, false
	}
	kind, name, i = ScanJSON(data, i)
	if i = SkipSpace(data, i); kind == JSONBroken || i >= len(data) || data[i] != ':' {
		return nil, 0, nil, false
	}
	kind, text, m.at = ScanJSON(data, SkipSpace(data, i+1))
	return name, kind, text, kind != JSONBroken
}

// Ended gives the offset after the object's closing brace; ok is false when it was not reached.
func (m *JSONMembers) Ended() (next int, ok bool) { return m.at, m.ended }
