package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest/cql"
)

// statements gives the shapes of statements, which hold no value: a report shows shapes also where it masks
// keys, and counts those that differ in values alone as one.
type statements struct {
	parser cql.Parser
	last   []byte // the statement whose shape is held
	shape  []byte
}

// of gives the shape of a statement. Of a text that is none, such as a name for it, the quoted values alone
// are left out. The shape is valid until the next one.
func (s *statements) of(text []byte) []byte {
	if bytes.Equal(text, s.last) {
		return s.shape
	}
	s.last = append(s.last[:0], text...)
	if st, err := s.parser.Parse(text); err == nil {
		s.shape = st.AppendShape(s.shape[:0])
	} else {
		s.shape = appendUnquoted(s.shape[:0], text)
	}
	return s.shape
}

// appendUnquoted appends text with ? in place of what stands between single quotes.
func appendUnquoted(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\'')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:i]...), '?')
		text = text[i+1:]
		if i = bytes.IndexByte(text, '\''); i < 0 {
			return dst
		}
		text = text[i+1:]
	}
}
