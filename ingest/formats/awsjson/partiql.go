package awsjson

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A Statement is what a PartiQL statement tells of the items that it touches.
type Statement struct {
	Op    ingest.Op
	Table []byte
	Index []byte
}

// PartiQL reads a statement as far as it tells its table, and appends the attributes that it compares
// with a literal to dst. Of a condition that may hold for several keys it appends none.
func PartiQL(text []byte, dst []Attribute) (Statement, []Attribute) {
	s := Statement{}
	rest := bytes.TrimSpace(text)
	word, after := nextWord(rest)
	switch {
	case equalFold(word, "select"):
		s.Op, rest = ingest.OpRead, behind(after, "from")
	case equalFold(word, "insert"):
		s.Op, rest = ingest.OpWrite, behind(after, "into")
	case equalFold(word, "update"):
		s.Op, rest = ingest.OpUpdate, after
	case equalFold(word, "delete"):
		s.Op, rest = ingest.OpDelete, behind(after, "from")
	default:
		return s, dst
	}
	s.Table, rest = identifier(rest)
	if len(rest) > 0 && rest[0] == '.' {
		s.Index, rest = identifier(rest[1:])
	}
	where := behind(rest, "where")
	if where == nil {
		if s.Op == ingest.OpRead {
			s.Op = ingest.OpScan
		}
		return s, dst
	}
	return s, conditions(where, dst)
}

// conditions appends the attributes of conditions name = literal.
func conditions(text []byte, dst []Attribute) []Attribute {
	n := len(dst)
	for len(text) > 0 {
		var a Attribute
		a.Name, text = identifier(text)
		word, after := nextWord(text)
		switch {
		case equalFold(a.Name, "or"), equalFold(word, "in"), equalFold(word, "between"):
			return dst[:n]
		case len(a.Name) == 0:
			text = text[1:]
			continue
		case string(word) != "=":
			continue
		}
		if a.Kind, a.Text, text = literal(after); a.Kind != 0 {
			dst = append(dst, a)
		}
	}
	return dst
}

// literal reads a text in single quotes or a number.
func literal(text []byte) (kind byte, value, rest []byte) {
	text = bytes.TrimLeft(text, " ")
	if len(text) > 0 && text[0] == '\'' {
		if end := bytes.IndexByte(text[1:], '\''); end >= 0 {
			return 'S', text[1 : 1+end], text[2+end:]
		}
	}
	n := 0
	for n < len(text) && (text[n]-'0' <= 9 || text[n] == '.' || text[n] == '-') {
		n++
	}
	if n > 0 {
		kind = 'N'
	}
	return kind, text[:n], text[n:]
}

// identifier reads a name, in double quotes or bare.
func identifier(text []byte) (name, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) > 0 && text[0] == '"' {
		if end := bytes.IndexByte(text[1:], '"'); end >= 0 {
			return text[1 : 1+end], text[2+end:]
		}
	}
	n := 0
	for n < len(text) && nameByte(text[n]) && text[n] != '.' {
		n++
	}
	return text[:n], text[n:]
}

// behind gives what follows a word, nil when it is not there.
func behind(text []byte, word string) []byte {
	for len(text) > 0 {
		var w []byte
		if w, text = nextWord(text); equalFold(w, word) {
			return text
		}
	}
	return nil
}

func nextWord(text []byte) (word, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n")
	n := bytes.IndexAny(text, " \t\r\n")
	if n < 0 {
		n = len(text)
	}
	return text[:n], text[n:]
}

func equalFold(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i, c := range word {
		if c|0x20 != lower[i]|0x20 {
			return false
		}
	}
	return true
}
