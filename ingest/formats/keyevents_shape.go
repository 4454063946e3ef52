package formats

import (
	"math/bits"

	"github.com/keyheat/keyheat/ingest"
)

// A shape is how the records of an input look when one program writes them all: the same names in the
// same order with the same text between the values. Then a record is read by comparing that text, 8
// bytes at a time, and looking for the end of each value.
type shape struct {
	values []shaped
	tail   shaped // what follows the last value
	text   []byte // owns the literals
}

// shaped is one value and the text before it, quote included. first and second are the literal's first
// 16 bytes under their masks; rest is what is left of it.
type shaped struct {
	first, second         uint64
	firstMask, secondMask uint64
	size                  int // of the literal, in bytes
	rest                  []byte
	quoted                bool
	entry                 *named // nil: the value is not used
}

const (
	maxShape   = 40 // values of a shape
	pastRecord = 64 // bytes after a record that may be read
	everyByte  = 0x0101010101010101
	highBits   = 0x8080808080808080
)

// learn takes the shape of a record that the general way has read. Of one with too many members, or
// with names that need unquoting, there is none.
func (s *shape) learn(data []byte, t *names) {
	s.values, s.text = s.values[:0], append(s.text[:0], data...)
	start, _ := opening(data)
	m := ingest.ReadJSON(data, start)
	from := 0
	for {
		name, kind, text, ok := m.Next()
		if !ok {
			break
		}
		if len(s.values) == maxShape || ingest.StringEnd(name, 0) >= 0 {
			s.values = s.values[:0]
			return
		}
		at := cap(data) - cap(text) // text is a part of data
		v := literal(s.text[from:at])
		v.quoted = kind == ingest.JSONString || kind == ingest.JSONEscaped
		v.entry = t.find(name)
		s.values = append(s.values, v)
		from = at + len(text)
	}
	s.tail = literal(s.text[from:])
}

func literal(text []byte) shaped {
	l := shaped{size: len(text)}
	l.first, l.firstMask = maskedWord(text)
	if len(text) > 8 {
		l.second, l.secondMask = maskedWord(text[8:])
	}
	if len(text) > 16 {
		l.rest = text[16:]
	}
	return l
}

func maskedWord(text []byte) (word, mask uint64) {
	for i := 0; i < min(len(text), 8); i++ {
		word |= uint64(text[i]) << (8 * i)
		mask |= 0xFF << (8 * i)
	}
	return word, mask
}

// at reports whether the literal stands at buf[i], of which 16 bytes can be read.
func (l *shaped) at(buf []byte, i int) bool {
	b := buf[i : i+16]
	if (load(b)^l.first)&l.firstMask|(load(b[8:])^l.second)&l.secondMask != 0 {
		return false
	}
	return len(l.rest) == 0 || i+l.size <= len(buf) && string(buf[i+16:i+l.size]) == string(l.rest)
}

// fast reads a record that has the shape. false means nothing: the general way must read it.
func (d *ndjson) fast(data []byte) bool {
	n := len(data)
	if len(d.shape.values) == 0 || cap(data) < n+pastRecord {
		return false
	}
	buf := data[:n+pastRecord]
	i := 0
	for k := range d.shape.values {
		v := &d.shape.values[k]
		if i >= n || !v.at(buf, i) {
			return false
		}
		i += v.size
		kind, end, next := ingest.JSONString, 0, 0
		if v.quoted {
			end = quoteIn(buf, i, n)
			next = end
			if end < n && buf[end] == '\\' {
				kind, end, next = escapedIn(data, i)
			}
		} else {
			kind, end, next = bareIn(data, i)
		}
		if end >= n {
			return false
		}
		if v.entry != nil && d.value(v.entry, kind, data[i:end]) != "" {
			return false
		}
		i = next
	}
	return i < n && d.shape.tail.at(buf, i) && i+d.shape.tail.size == n
}

// quoteIn gives the place of the first quote or backslash at or after i, or one that is not below n.
func quoteIn(buf []byte, i, n int) int {
	for ; i < n; i += 8 {
		w := load(buf[i : i+8])
		q, s := w^everyByte*'"', w^everyByte*'\\'
		if m := ((q-everyByte)&^q | (s-everyByte)&^s) & highBits; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return n
}

// escapedIn finds the end of a string with escapes; the literal that follows begins with its quote.
func escapedIn(data []byte, i int) (kind ingest.JSONKind, end, next int) {
	kind, text, _ := ingest.ScanJSON(data, i-1)
	if kind != ingest.JSONEscaped {
		return kind, len(data), len(data)
	}
	return kind, i + len(text), i + len(text)
}

// bareIn finds the end of a value that is no string.
func bareIn(data []byte, i int) (kind ingest.JSONKind, end, next int) {
	end = i
	for end < len(data) && data[end]-'0' <= 9 {
		end++
	}
	if end < len(data) && end > i && (data[end] == ',' || data[end] == '}') {
		return ingest.JSONNumber, end, end
	}
	kind, _, next = ingest.ScanJSON(data, i)
	if kind == ingest.JSONBroken || kind == ingest.JSONString || kind == ingest.JSONEscaped {
		return kind, len(data), len(data)
	}
	return kind, next, next
}
