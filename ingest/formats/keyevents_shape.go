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
	tail   literal // what follows the last value
	text   []byte  // owns the literals
	fields uint32  // that the values give, by slot
	runs   bool    // records of the shape may be read in runs
	// anyOrder says that its values may come in another order, too: what follows the last one of it has no space or comma.
	anyOrder bool
}

// shaped is one value and the text before it, quote included.
type shaped struct {
	literal
	name   literal // the value's, with its quotes and colon
	quoted bool
	entry  *named // nil: the value is not used
	plain  field  // the entry's, when text can be assigned to it at once; else fieldNone
	run    runValue
	lengths
}

// A literal is text that is the same in each record. first and second are its first 16 bytes under their masks; rest
// is what is left of it.
type literal struct {
	first, second         uint64
	firstMask, secondMask uint64
	size                  int
	rest                  []byte
}

const (
	maxShape    = 40      // values of a shape
	neverSteady = 1 << 31 // in shape.fields: a bit that no record gives
)

// learn takes the shape of a record that the general way has read. Of one with too many members, with names that
// need unquoting, or with two names of one field there is none.
func (s *shape) learn(data []byte, p *plan) {
	s.values, s.text = s.values[:0], append(s.text[:0], data...)
	s.fields, s.runs = 0, false
	start, _ := opening(data)
	m := ingest.ReadJSON(data, start)
	from, runs := 0, true
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
		named := cap(data) - cap(name)
		v := shaped{literal: newLiteral(s.text[from:at]), name: newLiteral(s.text[named-1 : named+len(name)+1])}
		v.quoted = kind == ingest.JSONString || kind == ingest.JSONEscaped
		if v.entry = p.names.find(name); v.entry != nil {
			bit := uint32(1) << v.entry.target.field.slot() &^ 1
			twice := s.fields&bit != 0
			s.fields |= bit
			if v.entry.sub != nil || v.entry.target.field == fieldColumn {
				s.fields |= neverSteady
			} else if p.parts == 0 || v.entry.target.field != fieldKey {
				v.plain = v.entry.target.field
			}
			if twice && v.plain != fieldNone { // only one of the two may have a value
				s.values = s.values[:0]
				return
			}
		}
		v.length = len(text)
		v.run = v.inRun()
		runs = runs && v.run != runNever
		s.values = append(s.values, v)
		from = at + len(text)
	}
	s.tail = newLiteral(s.text[from:])
	s.runs = runs && s.fields&(1<<fieldKey) != 0
	s.anyOrder = len(s.values) > 0 && s.tail.size == endOf(&s.values[len(s.values)-1]).size
}

func newLiteral(text []byte) literal {
	l := literal{size: len(text)}
	l.first, l.firstMask = maskedWord(text)
	if len(text) > 8 {
		l.second, l.secondMask = maskedWord(text[8:])
	}
	if len(text) > 16 {
		l.rest = text[16:]
	}
	return l
}

// at reports whether the literal stands at buf[i], of which 16 bytes can be read.
func (l *literal) at(buf []byte, i int) bool {
	b := buf[i : i+16 : i+16]
	if (load(b)^l.first)&l.firstMask|(load(b[8:])^l.second)&l.secondMask != 0 {
		return false
	}
	return len(l.rest) == 0 || i+l.size <= len(buf) && string(buf[i+16:i+l.size]) == string(l.rest)
}

// fast reads a record that has the shape. false means nothing: the general way must read it. While the
// event is steady, seen is that of the shape, and a value that would change that is no match.
//
// It is one long function since it is most of the time that is spent on an input: a call for each value
// costs a quarter more.
func (d *ndjson) fast(data []byte) bool {
	n := len(data)
	if len(d.shape.values) == 0 || cap(data) < n+pastRecord {
		return false
	}
	buf := data[:n+pastRecord]
	i := 0
	for k := range d.shape.values {
		v := &d.shape.values[k]
		if !v.at(buf, i) { // i is below n, or 0
			return false
		}
		if i += v.size; i >= n {
			return false
		}
		end := i + v.length
		usual := true
		switch {
		case !v.quoted:
			end = digitsIn(buf, i)
			usual = end > i && end < n && (buf[end] == ',' || buf[end] == '}')
		case v.same < sameOften || end >= n || buf[end] != '"':
			end = v.search(buf, i, n)
			usual = buf[end] == '"'
		case v.plain == fieldTime:
			at, ok := d.times.SameMinute(data[i:end])
			if ok { // hence without a quote
				d.event.SetTime(at)
				d.seen |= 1 << fieldTime
				i = end
				continue
			}
			end = v.search(buf, i, n)
			usual = buf[end] == '"'
		case quoteBefore(buf, i, end):
			v.same, usual = 0, false
		}
		if !usual || end >= n {
			if end = d.unusual(v, data, i); end < 0 {
				return false
			}
			i = end
			continue
		}
		text := data[i:end]
		switch v.plain {
		case fieldNone:
			if !d.other(v, ingest.JSONString, text) {
				return false
			}
		case fieldKey:
			if !ingest.PlainKey(text) {
				d.setKey(text)
				break
			}
			d.event.Key, d.event.KeyKnown = text, true
		case fieldTable:
			d.event.Table = text
		case fieldOp:
			d.event.Op = opOf(text)
		default:
			if d.assign(v.plain, text) != "" {
				return false
			}
		}
		d.seen |= 1 << v.plain.slot() &^ 1
		i = end
	}
	return i < n && d.shape.tail.at(buf, i) && i+d.shape.tail.size == n
}

// search gives the place of the first quote or backslash at or after i, or one that is not below n.
func (v *shaped) search(buf []byte, i, n int) int {
	b := buf[i : i+16]
	low, high := quotesOf(load(b)), quotesOf(load(b[8:]))
	end := i + 16
	if low|high != 0 { // the usual value is short
		end = i + firstOf(low, high)
	} else {
		end = quoteIn(buf, end, n)
	}
	v.note(end - i)
	return end
}

// quoteBefore reports whether there is a quote or backslash in buf[i:end].
func quoteBefore(buf []byte, i, end int) bool {
	var m uint64
	for ; i+8 <= end; i += 8 {
		m |= quotesOf(load(buf[i : i+8]))
	}
	return m|quotesOf(load(buf[i:i+8]))&(1<<(8*(end-i))-1) != 0
}

// other takes a value that is not used, not plain, or a part of a composed key.
func (d *ndjson) other(v *shaped, kind ingest.JSONKind, text []byte) bool {
	if v.entry == nil {
		return true
	}
	if d.steady && (kind == ingest.JSONNull || kind >= ingest.JSONArray || v.plain == fieldNone) {
		return false
	}
	if d.steady {
		d.seen &^= 1 << v.plain.slot()
	}
	return d.value(v.entry, kind, text) == ""
}

// unusual reads a value with escapes, or one that is neither a string nor only digits, and gives its
// end; -1 when the general way must read it.
func (d *ndjson) unusual(v *shaped, data []byte, i int) (end int) {
	if v.quoted {
		i-- // at the quote that ends the literal
	}
	kind, text, end := ingest.ScanJSON(data, i)
	if string := kind == ingest.JSONString || kind == ingest.JSONEscaped; kind == ingest.JSONBroken || string != v.quoted {
		return -1
	}
	if v.quoted {
		end-- // the next literal begins with the quote
	}
	if end >= len(data) || !d.other(v, kind, text) {
		return -1
	}
	return end
}

// quoteIn gives the place of the first quote or backslash at or after i, or one that is not below n. It
// takes 16 bytes at a time and does not branch on which half has it: names of tables differ there.
func quoteIn(buf []byte, i, n int) int {
	for ; i < n; i += 16 {
		b := buf[i : i+16]
		if low, high := quotesOf(load(b)), quotesOf(load(b[8:])); low|high != 0 {
			return i + firstOf(low, high)
		}
	}
	return n
}

// digitsIn gives the place of the first byte at or after i that is no digit, as far as buf goes.
func digitsIn(buf []byte, i int) int {
	for ; i+8 <= len(buf); i += 8 {
		w := load(buf[i:i+8]) ^ everyByte*'0'
		if m := (w + everyByte*0x76 | w) & highBits; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return len(buf)
}

// opening skips space and the bracket that begins an array.
func opening(data []byte) (i int, bracket bool) {
	i = ingest.SkipSpace(data, 0)
	if i < len(data) && data[i] == '[' {
		return ingest.SkipSpace(data, i+1), true
	}
	return i, false
}
