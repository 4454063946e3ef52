package cql

import "bytes"

// maxRestricted bounds the columns of one relation.
const maxRestricted = 64

// restrictions reads the relations behind WHERE; the index is behind the last one that was read.
func (p *Parser) restrictions(s *Statement, b []byte, i int) int {
	for {
		start := skipBlank(b, i)
		r := s.add()
		n, ok := p.left(r, b, start)
		if ok {
			n, ok = p.right(r, b, n)
		}
		if !ok {
			s.Where = s.Where[:len(s.Where)-1]
			s.Cut = s.Cut || n >= len(b)
			return start
		}
		if len(r.Columns) == 0 && r.Op == Equal { // `() = ()` of 3.0 restricts nothing
			s.Where = s.Where[:len(s.Where)-1]
		}
		i = n
		if n = word(b, skipBlank(b, i), "AND"); n < 0 {
			return i
		}
		i = n
	}
}

// left reads what a relation restricts.
func (p *Parser) left(r *Restriction, b []byte, i int) (int, bool) {
	start := i
	n, ok := p.subject(r, b, i)
	if !ok {
		return n, false
	}
	r.left = b[start:n]
	op, end := operator(b, skipBlank(b, n))
	if op == 0 {
		if n > start && b[n-1] == ')' && !r.Token && len(r.Columns) == 0 { // expr(index, '…')
			r.Op = Matches
			return n, true
		}
		return n, false
	}
	if !isBlank(at(b, n)) || !isBlank(at(b, end)) && end < len(b) {
		p.client = true // servers print blanks around operators
	}
	r.Op = op
	return end, true
}

// subject reads `c`, `c['x']`, `c.f`, `k1, k2`, `(c1, c2)`, `token(k)` or a function.
func (p *Parser) subject(r *Restriction, b []byte, i int) (int, bool) {
	if at(b, i) == '(' {
		return p.bracketed(r, b, i)
	}
	name, n := nameAt(b, i)
	if name == nil {
		return i, false
	}
	if at(b, n) == '(' || isBlank(at(b, n)) && at(b, skipBlank(b, n)) == '(' && name[0] != '"' && word(name, 0, "IN") < 0 {
		n = skipBlank(b, n)
		if r.Token = word(name, 0, "TOKEN") == len(name); r.Token {
			return p.bracketed(r, b, n)
		}
		return balanced(b, n)
	}
	r.Columns = append(r.Columns, p.name(name))
	switch at(b, n) {
	case '[':
		r.Element = true
		return balanced(b, n)
	case '.':
		r.Element = true
		_, n = nameAt(b, n+1)
		return n, true
	}
	for at(b, skipBlank(b, n)) == ',' && len(r.Columns) < maxRestricted {
		name, end := nameAt(b, skipBlank(b, skipBlank(b, n)+1))
		if name == nil {
			return end, false
		}
		r.Columns, r.List, n = append(r.Columns, p.name(name)), true, end
	}
	return n, true
}

// bracketed reads names in brackets.
func (p *Parser) bracketed(r *Restriction, b []byte, i int) (int, bool) {
	for i++; len(r.Columns) < maxRestricted; i++ {
		i = skipBlank(b, i)
		if at(b, i) == ')' {
			return i + 1, true
		}
		name, n := nameAt(b, i)
		if name == nil {
			return i, false
		}
		r.Columns = append(r.Columns, p.name(name))
		if i = skipBlank(b, n); at(b, i) == ')' {
			return i + 1, true
		}
		if at(b, i) != ',' {
			return i, false
		}
	}
	return i, false
}

// operator reads an operator and its index behind it; 0 when none stands there.
func operator(b []byte, i int) (Operator, int) {
	switch at(b, i) {
	case '=':
		return Equal, i + 1
	case '!':
		if at(b, i+1) == '=' {
			return NotEqual, i + 2
		}
	case '<':
		if at(b, i+1) == '=' {
			return LessEqual, i + 2
		}
		return Less, i + 1
	case '>':
		if at(b, i+1) == '=' {
			return GreaterEqual, i + 2
		}
		return Greater, i + 1
	case ':':
		return Matches, i + 1
	}
	return wordOperator(b, i)
}

func wordOperator(b []byte, i int) (Operator, int) {
	for _, o := range []struct {
		op    Operator
		words []string
	}{
		{In, []string{"IN"}},
		{NotIn, []string{"NOT", "IN"}},
		{Between, []string{"BETWEEN"}},
		{ContainsKey, []string{"CONTAINS", "KEY"}},
		{Contains, []string{"CONTAINS"}},
		{NotContainsKey, []string{"NOT", "CONTAINS", "KEY"}},
		{NotContains, []string{"NOT", "CONTAINS"}},
		{Like, []string{"LIKE"}},
		{IsNotNull, []string{"IS", "NOT", "NULL"}},
		{IsNull, []string{"IS", "NULL"}},
		{Matches, []string{"ANN", "OF"}},
	} {
		if n := words(b, i, o.words...); n >= 0 {
			return o.op, n
		}
	}
	return 0, i
}

// right reads the values of a relation from behind its operator.
func (p *Parser) right(r *Restriction, b []byte, i int) (int, bool) {
	if r.Op == IsNull || r.Op == IsNotNull || r.Op == Matches && len(r.Columns) == 0 {
		return i, true
	}
	start := i
	if at(b, i) == ' ' { // one blank only: a value of 3.0–4.0 may begin with more
		start = i + 1
	}
	if first := skipBlank(b, start); at(b, first) == '(' && (r.Op == In || r.Op == NotIn || !r.List && (len(r.Columns) != 1 || r.Token)) {
		if n, ok := p.group(r, b, first); ok {
			r.right = b[first:n]
			return n, true
		}
	}
	n := p.value(r, b, start)
	if r.Op == Between {
		if k := word(b, skipBlank(b, n), "AND"); k >= 0 {
			n = p.value(r, b, skipBlank(b, k))
		}
	}
	r.right = b[start:n]
	return n, true
}

// group reads `(v1, v2)` and `((a, b), (c, d))`.
func (p *Parser) group(r *Restriction, b []byte, i int) (int, bool) {
	end, ok := balanced(b, i)
	if !p.client && !(ok && ends(b, end)) {
		end = looseEnd(b, i)
		p.loose(r, bytes.TrimSuffix(b[i+1:end], []byte(")")))
		return end, true
	}
	for k := i + 1; k < end; {
		k = skipBlank(b, k)
		if at(b, k) == ')' {
			return end, true
		}
		if at(b, k) == '(' && len(r.Columns) > 1 {
			inner, _ := balanced(b, k)
			for m := k + 1; m < inner-1; {
				m = p.member(r, b, m, inner-1)
			}
			k = skipBlank(b, inner)
			if at(b, k) == ',' {
				k++
			}
			continue
		}
		k = p.member(r, b, k, end-1)
	}
	return end, true
}

// loose reads the values of a list that has quotes or brackets in values without quotes.
func (p *Parser) loose(r *Restriction, b []byte) {
	if len(r.Columns) > 1 {
		b = bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("(")), []byte(")"))
	}
	for row := range bytes.SplitSeq(b, []byte("), (")) {
		for v := range bytes.SplitSeq(row, []byte(", ")) {
			r.Values = append(r.Values, Value{Text: v})
		}
	}
}

// looseEnd is the first index behind a closing bracket at which the rest of the text may go on.
func looseEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], ')')
		if n < 0 {
			break
		}
		if i += n; ends(b, i+1) {
			return i + 1
		}
	}
	return len(b)
}

// member reads one value of a list that ends at end; the index is behind its comma.
func (p *Parser) member(r *Restriction, b []byte, i, end int) int {
	i = skipBlank(b, i)
	n := i
	for n < end && b[n] != ',' {
		switch b[n] {
		case '(', '[', '{':
			n, _ = balanced(b[:end], n)
		case '\'', '"':
			n, _ = quoted(b[:end], n)
		default:
			n++
		}
	}
	n = min(max(n, i), end)
	if n < i {
		return end
	}
	r.Values = append(r.Values, p.single(bytes.TrimSpace(b[i:n]), false))
	return n + 1
}
