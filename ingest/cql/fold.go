package cql

// appendFolded appends CQL text with its blanks folded to one, its keywords in upper case and, with
// holes, its literals and bind markers replaced by ?. Unquoted names of clients get lower case.
func appendFolded(dst, b []byte, client, holes bool) []byte {
	f := folder{dst: dst, b: b, client: client, holes: holes, start: len(dst)}
	for i := skipBlank(b, 0); i < len(b); i = skipBlank(b, i) {
		f.blank = i > 0 && isBlank(b[i-1])
		i = f.token(i)
	}
	return f.dst
}

type folder struct {
	dst, b        []byte
	client, holes bool
	start         int  // of this text in dst
	blank         bool // a blank stands before the token
	value         bool // the last token ends a value or name, so that a sign behind it is an operator
}

// token writes the token at i; the index is behind it.
func (f *folder) token(i int) int {
	b := f.b
	switch c := b[i]; {
	case c == '\'' || c == '$' && at(b, i+1) == '$':
		end, _ := quotedAny(b, i)
		return f.literal(i, end)
	case c == '"':
		end, _ := quoted(b, i)
		f.put(b[i:end], true)
		return end
	case c == '?' || c == ':' && isName(at(b, i+1)) && !f.value:
		_, end := nameAt(b, i+1)
		return f.literal(i, end)
	case c == '{' || c == '[':
		end, _ := balanced(b, i)
		if c == '[' && f.value && !f.blank { // m['x']
			f.dst = append(f.dst, "[?]"...)
			return end
		}
		return f.literal(i, end)
	case isDigit(c) || (c == '-' || c == '.') && isDigit(at(b, i+1)) && !f.value:
		return f.literal(i, numberEnd(b, i))
	case isName(c):
		return f.word(i)
	}
	return f.punctuation(i)
}

func quotedAny(b []byte, i int) (int, bool) {
	if b[i] == '$' {
		return dollared(b, i)
	}
	return quoted(b, i)
}

// numberEnd is the end of a number, a duration or a uuid.
func numberEnd(b []byte, i int) int {
	if isUUID(b, i) {
		return i + 36
	}
	for i++; i < len(b) && (isName(b[i]) || b[i] == '.' || (b[i] == '-' || b[i] == '+') && b[i-1]|0x20 == 'e' && isDigit(at(b, i+1))); i++ {
	}
	return i
}

func (f *folder) literal(i, end int) int {
	if f.holes {
		f.put([]byte("?"), true)
	} else {
		f.put(f.b[i:end], true)
	}
	return end
}

func (f *folder) word(i int) int {
	if isUUID(f.b, i) {
		return f.literal(i, i+36)
	}
	end := i
	for end < len(f.b) && isName(f.b[end]) {
		end++
	}
	w := f.b[i:end]
	switch {
	case constantWord(w):
		return f.literal(i, end)
	case at(f.b, i-1) != '.' && keyword(w):
		f.space()
		for _, c := range w {
			if c >= 'a' && c <= 'z' {
				c -= 0x20
			}
			f.dst = append(f.dst, c)
		}
		f.value = false
	case f.client:
		f.space()
		f.dst, f.value = appendLower(f.dst, w), true
	default:
		f.put(w, true)
	}
	return end
}

// space separates a word from what stands before it.
func (f *folder) space() {
	if n := len(f.dst); n > f.start {
		if c := f.dst[n-1]; c != '(' && c != '.' && c != ' ' {
			f.dst = append(f.dst, ' ')
		}
	}
}

func (f *folder) put(b []byte, value bool) {
	f.space()
	f.dst, f.value = append(f.dst, b...), value
}

func (f *folder) punctuation(i int) int {
	c := f.b[i]
	switch {
	case c == ',':
		f.dst, f.value = append(f.dst, ", "...), false
	case c == '.' || c == ')' || c == ';' || c == '(' && f.value && !f.blank:
		f.dst, f.value = append(f.dst, c), c == ')'
	case c == '(':
		f.put([]byte{c}, false)
	case (c == '<' || c == '>' || c == '!') && at(f.b, i+1) == '=':
		f.put(f.b[i:i+2], false)
		return i + 2
	default:
		f.put([]byte{c}, c == '*')
	}
	return i + 1
}

func constantWord(w []byte) bool {
	switch len(w) {
	case 3:
		return word(w, 0, "NAN") == 3
	case 4:
		return word(w, 0, "TRUE") == 4 || word(w, 0, "NULL") == 4
	case 5:
		return word(w, 0, "FALSE") == 5
	case 8:
		return word(w, 0, "INFINITY") == 8
	}
	return false
}

// keyword reports a word of the grammar that is in upper case in a shape. Words that are more often
// names of columns (key, count, time, type, …) are not among them.
func keyword(w []byte) bool {
	for _, k := range keywords {
		if len(k) == len(w) && word(w, 0, k) == len(w) {
			return true
		}
	}
	return false
}

var keywords = []string{
	"ADD", "ALLOW", "ALTER", "AND", "APPLY", "AS", "ASC", "BATCH", "BEGIN", "BETWEEN", "BY", "BYPASS", "CAST", "COLUMNFAMILY",
	"CONTAINS", "CREATE", "CUSTOM", "DEFAULT", "DELETE", "DESC", "DESCRIBE", "DISTINCT", "DROP", "EXISTS", "FILTERING",
	"FROM", "GRANT", "GROUP", "IF", "IN", "INDEX", "INSERT", "INTO", "IS", "JSON", "LIKE", "LIMIT",
	"LOGGED", "MATERIALIZED", "NOT", "OF", "ON", "OR", "ORDER", "PER", "PRIMARY", "REVOKE", "SELECT", "SET", "TABLE",
	"TO", "TRIGGER", "TRUNCATE", "UNLOGGED", "UNSET", "UPDATE", "USE", "USING", "VALUES", "VIEW", "WHERE", "WITH",
}
