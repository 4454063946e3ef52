package cql

import "bytes"

// value reads the one value of a relation, or the values of a comma list, and appends them.
func (p *Parser) value(r *Restriction, b []byte, i int) int {
	if at(b, i) == '?' && !isName(at(b, i+1)) { // servers bind all markers
		p.client = true
	}
	if p.client {
		i = skipBlank(b, i)
		end := clientEnd(b, i)
		r.Values = append(r.Values, p.single(bytes.TrimSpace(b[i:end]), end >= len(b)))
		return end
	}
	if first := skipBlank(b, i); !r.List && first < len(b) {
		if end, ok := literalEnd(b, first); ok {
			r.Values = append(r.Values, p.single(b[first:end], end >= len(b)))
			return end
		}
	}
	r.bare = true
	end := bareEnd(b, i)
	text := bareText(b, i, end)
	if !r.List {
		r.Values = append(r.Values, p.single(text, end >= len(b)))
		return end
	}
	for n, rest := 1, text; ; n++ {
		part, after, found := bytes.Cut(rest, []byte(", "))
		if n == len(r.Columns) || !found {
			r.Values = append(r.Values, Value{Text: rest, Last: end >= len(b)})
			return end
		}
		r.Values = append(r.Values, Value{Text: part})
		rest = after
	}
}

// bareText is the value without quotes between i and end. Blanks belong to it, unless someone wrapped
// the line there.
func bareText(b []byte, i, end int) []byte {
	text := b[min(i, end):end]
	if n := bytes.TrimRight(text, " \n\t\r"); bytes.IndexByte(text[len(n):], '\n') >= 0 {
		text = n
	}
	if n := bytes.TrimLeft(text, " \n\t\r"); bytes.IndexByte(text[:len(text)-len(n)], '\n') >= 0 {
		text = n
	}
	return text
}

// single is the value that the text prints.
func (p *Parser) single(text []byte, last bool) Value {
	v := Value{Text: text, Last: last}
	if len(text) == 0 {
		return v
	}
	switch c := text[0]; {
	case c == '\'':
		end, ok := quoted(text, 0)
		switch {
		case ok && end == len(text):
			v.Kind = Quoted
			v.Text, p.scratch = unquote(p.scratch, text)
		case !ok: // cut within the literal
			v.Kind, v.Last = Quoted, true
			v.Text = text[1:]
		case p.client:
			v.Kind = Compound
		}
	case c == '$' && at(text, 1) == '$' && p.client:
		v.Kind = Quoted
		v.Text = bytes.TrimSuffix(text[2:], []byte("$$"))
	case c == '?' && len(text) == 1 || c == ':' && p.client && len(text) > 1:
		v.Kind, v.Marker, v.Text = Marker, p.markers, text[1:]
		p.markers++
	case c == '{' || c == '[' || c == '(' || p.client && bytes.IndexAny(text, "( +") > 0:
		v.Kind = Compound
		if p.client {
			p.markers += countMarkers(text)
		}
	}
	return v
}

// countMarkers counts bind markers outside of quotes.
func countMarkers(b []byte) int {
	count := 0
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\'' || b[i] == '"':
			end, _ := quoted(b, i)
			i = end - 1
		case b[i] == '?' || b[i] == ':' && isName(at(b, i+1)) && !isDigit(at(b, i+1)) && !isName(at(b, i-1)):
			count++
		}
	}
	return count
}

// literalEnd is the end of a literal at i with quotes or brackets, when the statement can go on behind it.
func literalEnd(b []byte, i int) (int, bool) {
	var end int
	var ok bool
	switch b[i] {
	case '\'':
		if end, ok = quoted(b, i); !ok {
			return end, true // cut
		}
	case '{', '[', '(':
		end, ok = balanced(b, i)
	default:
		return i, false
	}
	return end, ok && ends(b, end)
}

// ends reports whether a value may end at i: the text ends, or a clause or a relation follows.
func ends(b []byte, i int) bool {
	if i >= len(b) {
		return true
	}
	if !isBlank(b[i]) {
		return b[i] == ';' && skipBlank(b, i+1) >= len(b)
	}
	n := skipBlank(b, i)
	if n >= len(b) {
		return true
	}
	switch b[n] | 0x20 {
	case 'a', 'l', 'o', 'p', 'g', 't', 'w', 'b', 'u', ';':
	default:
		return false
	}
	if k := word(b, n, "AND"); k >= 0 {
		return relationFollows(b, k)
	}
	_, ok := readTail(b, n, false)
	return ok
}

// relationFollows reports whether a relation as servers print it stands behind an AND.
func relationFollows(b []byte, i int) bool {
	if at(b, i) != ' ' && at(b, i) != '\n' {
		return i >= len(b)
	}
	i = skipBlank(b, i)
	if i >= len(b) {
		return true // cut behind AND
	}
	n := i
	if at(b, i) != '(' {
		name, end := nameAt(b, i)
		if name == nil {
			return false
		}
		if n = end; n >= len(b) {
			return true // cut within the name
		}
	}
	if at(b, n) == '(' || at(b, n) == '[' {
		limit := min(len(b), n+maxSpan)
		end, ok := balanced(b[:limit], n)
		if !ok {
			return limit == len(b)
		}
		n = end
	}
	if !isBlank(at(b, n)) {
		return n >= len(b)
	}
	op, end := operator(b, skipBlank(b, n))
	return op != 0 && (op == IsNotNull || op == IsNull || isBlank(at(b, end)) || end >= len(b))
}

// bareEnd is the first place at or behind i where a value without quotes may end.
func bareEnd(b []byte, i int) int {
	for i < len(b) {
		n := bytes.IndexAny(b[i:], " \n")
		if n < 0 {
			break
		}
		if i += n; ends(b, i) && (skipBlank(b, i) < len(b) || b[i] == '\n') {
			for isBlank(at(b, i+1)) { // one blank separates, the others belong to the value
				i++
			}
			return i
		}
		i++
	}
	return len(b)
}

// clientEnd is the end of the value at i in a client's text.
func clientEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == ';' || c == ',' || c == ')':
			return i
		case c == '\'' || c == '"':
			i, _ = quoted(b, i)
		case c == '(' || c == '[' || c == '{':
			i, _ = balanced(b, i)
		case c == '$' && at(b, i+1) == '$':
			i, _ = dollared(b, i)
		case isName(c):
			if !isName(at(b, i-1)) && at(b, i-1) != ':' && endsValue(b, i) {
				return i
			}
			for i < len(b) && isName(b[i]) {
				i++
			}
		default:
			i++
		}
	}
	return len(b)
}

// endsValue reports whether a word that ends a value stands at i.
func endsValue(b []byte, i int) bool {
	for _, w := range []string{"AND", "IF", "LIMIT", "ORDER", "ALLOW", "PER", "GROUP", "USING", "WHERE", "BYPASS", "WITH", "APPLY", "INSERT", "UPDATE", "DELETE"} {
		if word(b, i, w) >= 0 {
			return true
		}
	}
	return false
}
