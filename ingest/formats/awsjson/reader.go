// Package awsjson reads the JSON that AWS services, their SDKs and command lines write about DynamoDB:
// items with typed attributes, their sizes, key attributes, resource names and reasons of throttling. It
// works in place and allocates nothing. It must not know what a format makes of it.
package awsjson

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A Reader steps through JSON text once, from its beginning to its end. Where the text is cut off or no
// JSON it is Broken, and all further steps end at once. Slices that it gives are parts of the text.
type Reader struct {
	data   []byte
	at     int
	depth  int  // objects and arrays that are open
	fresh  bool // an object or array was opened, and nothing of it read
	broken bool
}

// maxDepth bounds what is open at once. DynamoDB allows 32 levels of attributes, each two objects, and
// what is around them has less than that.
const maxDepth = 128

// Read begins at data[at].
func Read(data []byte, at int) Reader { return Reader{data: data, at: at} }

// On gives a Reader that stands in another text as r stands in its own, inside of as many objects.
func (r Reader) On(data []byte, at int) Reader {
	r.data, r.at = data, at
	return r
}

// At gives the offset of what comes next.
func (r *Reader) At() int { return r.at }

// Broken reports whether the text was no JSON.
func (r *Reader) Broken() bool { return r.broken }

// Peek gives the first byte of what comes next, 0 at the end.
func (r *Reader) Peek() byte {
	r.at = ingest.SkipSpace(r.data, r.at)
	if r.at >= len(r.data) || r.broken {
		return 0
	}
	return r.data[r.at]
}

// Open steps into an object or array, whose bracket is given; what is no such value is passed over.
func (r *Reader) Open(bracket byte) bool {
	if r.Peek() != bracket {
		r.Skip()
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.broken = true
		return false
	}
	r.at, r.fresh = r.at+1, true
	return true
}

// Member gives the name of the next member of the open object, as written between the quotes; its value
// comes next and must be read or passed over. ok is false at the object's end, which is passed.
func (r *Reader) Member() (name []byte, ok bool) {
	if !r.more('}') {
		return nil, false
	}
	if r.Peek() == '"' {
		if end := ingest.StringEnd(r.data, r.at+1); end >= 0 && r.data[end] == '"' {
			name, r.at = r.data[r.at+1:end], end+1
		} else {
			_, name, r.at = ingest.ScanJSON(r.data, r.at)
		}
		if r.Peek() == ':' {
			r.at++
			return name, true
		}
	}
	r.broken = true
	return nil, false
}

// Element reports whether the open array has another element, which comes next and must be read or
// passed over. At the array's end it is passed.
func (r *Reader) Element() bool { return r.more(']') }

// more passes the comma before another member or element, or the closing bracket.
func (r *Reader) more(closing byte) bool {
	c := r.Peek()
	switch {
	case c == closing:
		r.at, r.fresh, r.depth = r.at+1, false, r.depth-1
		return false
	case r.fresh && c != 0:
		r.fresh = false
		return true
	case c == ',':
		r.at++
		return r.Peek() != 0
	}
	r.broken = true
	return false
}

// Value gives the next value as ingest.ScanJSON does, and passes it.
func (r *Reader) Value() (ingest.JSONKind, []byte) {
	if r.Peek() == 0 {
		r.broken = true
		return ingest.JSONBroken, nil
	}
	kind, text, next := ingest.ScanJSON(r.data, r.at)
	r.at, r.fresh = next, false
	r.broken = r.broken || kind == ingest.JSONBroken
	return kind, text
}

// Text gives the next value if it is a string or number, else nothing, and passes it. Escapes stay.
func (r *Reader) Text() []byte {
	kind, text := r.Value()
	if kind == ingest.JSONString || kind == ingest.JSONEscaped || kind == ingest.JSONNumber {
		return text
	}
	return nil
}

// Skip passes the next value.
func (r *Reader) Skip() { r.Value() }

// Find passes the next value, and gives the text of its member of this name if it is an object with one.
func (r *Reader) Find(wanted string) (text []byte) {
	if !r.Open('{') {
		return nil
	}
	for {
		name, ok := r.Member()
		if !ok {
			return text
		}
		if string(name) == wanted {
			text = r.Text()
		} else {
			r.Skip()
		}
	}
}

// Next steps over what may stand between the JSON values of a record, commas and the brackets of an
// array around them, to the next object, and reports whether there is one. Other text is passed over.
func (r *Reader) Next() bool {
	if r.depth = 0; r.broken {
		return false
	}
	i := bytes.IndexByte(r.data[min(r.at, len(r.data)):], '{')
	if i < 0 {
		return false
	}
	r.at += i
	return true
}

// Fold gives name in lower case without "_" and "-", in buf; a longer one is cut.
func Fold(buf *[32]byte, name []byte) []byte {
	n := 0
	for _, c := range name {
		if n == len(buf) {
			break
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != '_' && c != '-' {
			buf[n] = c
			n++
		}
	}
	return buf[:n]
}
