package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// parameters reads the map of a session: {'query': 'SELECT …', 'bound_var_0_id': '7'} as CQL prints it, or
// a JSON object.
func (d *Decoder) parameters(s *session, text []byte) {
	if bytes.HasPrefix(text, []byte(`{"`)) {
		for members := ingest.ReadJSON(text, 0); ; {
			name, kind, value, ok := members.Next()
			if !ok {
				return
			}
			if kind == ingest.JSONEscaped {
				value = ingest.AppendUnquoted(nil, value)
			}
			s.parameter(name, value)
		}
	}
	rest := text
	for {
		var name, value []byte
		var ok bool
		if name, rest, ok = quoted(rest); !ok {
			return
		}
		if value, rest, ok = quoted(rest); !ok {
			return
		}
		s.parameter(name, value)
	}
}

// quoted gives the next string in single quotes, doubled ones undone.
func quoted(text []byte) (inner, rest []byte, ok bool) {
	i := bytes.IndexByte(text, '\'')
	if i < 0 {
		return nil, nil, false
	}
	for i++; i < len(text); i++ {
		if text[i] != '\'' {
			inner = append(inner, text[i])
			continue
		}
		if i+1 >= len(text) || text[i+1] != '\'' {
			return inner, text[i+1:], true
		}
		inner = append(inner, '\'')
		i++
	}
	return inner, nil, true // cut off
}

// parameter takes one entry of the map. Names of bound values are bound_var_0_id (Cassandra), param[0],
// param[0](id), and in batches param[2][0] (ScyllaDB).
func (s *session) parameter(name, text []byte) {
	switch base, rest, indexed := bytes.Cut(name, []byte("[")); {
	case string(name) == "query":
		s.statement(0).set(text)
	case string(base) == "query" && indexed:
		if i, _, ok := number(rest); ok && i < maxMarkers {
			s.statement(int(i)).set(text)
			s.batch = true
		}
	case string(name) == "table", string(base) == "table" && indexed:
		if len(s.tables) == 0 {
			s.tables = clone(text)
		}
	case string(name) == "consistency_level":
		s.level = ingest.ConsistencyOf(text)
	case string(name) == "alternator_op":
		s.operation = clone(text)
	case bytes.HasPrefix(name, []byte("bound_var_")):
		if i, _, ok := number(name[len("bound_var_"):]); ok && i < maxMarkers {
			s.statement(0).bind(int(i), text, !cutCassandra(text) && string(text) != "<unset>" && string(text) != "null")
		}
	case string(base) == "param" && indexed:
		s.scyllaValue(rest, text)
	}
}

// scyllaValue takes `0]`, `0](id)` or `2][0]`.
func (s *session) scyllaValue(index, text []byte) {
	i, rest, ok := number(index)
	if !ok || i >= maxMarkers {
		return
	}
	st := 0
	if inner, more := bytes.CutPrefix(rest, []byte("][")); more {
		st = int(i)
		if i, _, ok = number(inner); !ok {
			return
		}
	}
	cut := len(text) >= 67 && bytes.HasSuffix(text, []byte("...")) // 64 characters are printed
	s.statement(st).bind(int(min(i, maxMarkers)), text, !cut && string(text) != "null" && string(text) != "unset value")
}

// cutCassandra reports whether a value was cut: the first 1,000 characters are printed.
func cutCassandra(text []byte) bool {
	return len(text) > 1000 && (bytes.HasSuffix(text, []byte("...'")) || bytes.HasSuffix(text, []byte("...")))
}
