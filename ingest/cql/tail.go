package cql

// maxSpan bounds one clause behind WHERE, in bytes, so that a hostile text costs no quadratic time.
const maxSpan = 1024

// A tail is what follows the restrictions of a SELECT.
type tail struct {
	limit, perPartition       uint64
	hasLimit, hasPerPartition bool
	limitMarker, perMarker    bool
	filtering, reversed       bool
	group, order, extra       []byte // GROUP BY …, ORDER BY …, options of a store
	markers                   int
	cut                       bool // the text ends within a clause
	limitLast                 bool // a limit's number ends the text
	limitIsLimit              bool // the last limit read is LIMIT, not PER PARTITION LIMIT
	groupLimit                bool
}

// readTail reads the clauses from i to the end of the text, or to a semicolon in a client's text; false
// when anything else stands there.
func readTail(b []byte, i int, client bool) (tail, bool) {
	var t tail
	for {
		i = skipBlank(b, i)
		if i >= len(b) || b[i] == ';' && (client || skipBlank(b, i+1) >= len(b)) {
			return t, true
		}
		n, ok := t.clause(b, i)
		if !ok {
			return t, false
		}
		i = n
	}
}

// clause reads one clause; each may stand there once.
func (t *tail) clause(b []byte, i int) (int, bool) {
	t.limitLast = false
	if n := word(b, i, "LIMIT"); n >= 0 && !t.hasLimit && !t.limitMarker {
		t.limitIsLimit = true
		return t.number(b, n, &t.limit, &t.hasLimit, &t.limitMarker)
	}
	if n := words(b, i, "PER", "PARTITION", "LIMIT"); n >= 0 && !t.hasPerPartition && !t.perMarker {
		t.limitIsLimit = false
		return t.number(b, n, &t.perPartition, &t.hasPerPartition, &t.perMarker)
	}
	if n := words(b, i, "ALLOW", "FILTERING"); n >= 0 && !t.filtering {
		t.filtering = true
		return n, true
	}
	if n := words(b, i, "ORDER", "BY"); n >= 0 && t.order == nil {
		end := spanEnd(b, n)
		t.order, t.reversed = b[n:end], firstDescends(b[n:end])
		return end, true
	}
	if n := words(b, i, "GROUP", "BY"); n >= 0 && t.group == nil {
		end := spanEnd(b, n)
		t.group = b[n:end]
		return end, true
	}
	return t.storeClause(b, i)
}

// storeClause reads what some versions and stores add.
func (t *tail) storeClause(b []byte, i int) (int, bool) {
	var skip uint64
	var has, marker bool
	for _, limit := range [][]string{{"GROUP", "LIMIT"}, {"GROUP", "PER", "PARTITION", "LIMIT"}} {
		if n := words(b, i, limit...); n >= 0 && !t.groupLimit {
			t.groupLimit = true
			return t.number(b, n, &skip, &has, &marker)
		}
	}
	for _, w := range []string{"WITH", "USING", "BYPASS", "THRIFT"} {
		if n := word(b, i, w); n >= 0 && t.extra == nil {
			end := spanEnd(b, n)
			t.extra = b[i:end]
			return end, true
		}
	}
	for _, w := range []string{"LIMIT", "PER PARTITION LIMIT", "ALLOW FILTERING", "ORDER BY"} {
		if len(b)-i < len(w) && prefixOf(b[i:], w) {
			t.cut = true
			return len(b), true
		}
	}
	return i, false
}

// prefixOf reports whether b, folded to upper case, begins w.
func prefixOf(b []byte, w string) bool {
	if len(b) == 0 || len(b) > len(w) {
		return false
	}
	for k, c := range b {
		if c >= 'a' && c <= 'z' {
			c -= 0x20
		}
		if c != w[k] {
			return false
		}
	}
	return true
}

// number reads the number or bind marker of a limit.
func (t *tail) number(b []byte, i int, n *uint64, has, marker *bool) (int, bool) {
	i = skipBlank(b, i)
	start := i
	for i < len(b) && isDigit(b[i]) && i-start < 19 {
		*n = *n*10 + uint64(b[i]-'0')
		i++
	}
	switch {
	case i > start:
		*has, t.limitLast = true, i >= len(b)
		return i, !isName(at(b, i))
	case i >= len(b):
		t.cut = true
		return i, true
	case b[i] == '?' || b[i] == ':':
		*marker = true
		t.markers++
		_, end := nameAt(b, i+1)
		return end, true
	}
	return i, false
}

// spanEnd is where a clause of free form ends: before the next clause, a semicolon or the end.
func spanEnd(b []byte, i int) int {
	limit := min(len(b), i+maxSpan)
	for i < limit {
		switch c := b[i]; {
		case c == ';':
			return i
		case c == '\'' || c == '"':
			i, _ = quoted(b[:limit], i)
		case c == '(' || c == '{' || c == '[':
			i, _ = balanced(b[:limit], i)
		case isName(c):
			if isName(at(b, i-1)) {
				i++
				continue
			}
			for _, w := range []string{"LIMIT", "PER", "ALLOW", "ORDER", "GROUP", "BYPASS", "USING", "WITH", "THRIFT"} {
				if word(b, i, w) >= 0 {
					return i
				}
			}
			i++
		default:
			i++
		}
	}
	return limit
}

// firstDescends reports whether the first column of an ORDER BY is descending.
func firstDescends(b []byte) bool {
	for i := 0; i < len(b) && b[i] != ','; i++ {
		if isBlank(at(b, i-1)) && word(b, i, "DESC") >= 0 {
			return true
		}
	}
	return false
}
