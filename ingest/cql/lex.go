package cql

import "bytes"

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isName reports a byte of a name without quotes. Servers 3.0–4.0 print any name without quotes, so
// letters of other scripts belong to names too.
func isName(c byte) bool {
	return c == '_' || c >= 0x80 || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// at is b[i], or 0 behind the end.
func at(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

// skipBlank skips blanks and comments.
func skipBlank(b []byte, i int) int {
	for i < len(b) {
		switch {
		case isBlank(b[i]):
			i++
		case b[i] == '/' && at(b, i+1) == '*':
			i = skipTo(b, i+2, "*/")
		case b[i] == '-' && at(b, i+1) == '-' || b[i] == '/' && at(b, i+1) == '/':
			i = skipTo(b, i+2, "\n")
		default:
			return i
		}
	}
	return i
}

// skipTo is the index behind the next end, or the end of b.
func skipTo(b []byte, i int, end string) int {
	n := bytes.Index(b[i:], []byte(end))
	if n < 0 {
		return len(b)
	}
	return i + n + len(end)
}

// word is the index behind the keyword at i, which ends there; -1 when it does not stand there.
// w is in upper case.
func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) {
		return -1
	}
	for k := range len(w) {
		c := b[i+k]
		if c >= 'a' && c <= 'z' {
			c -= 0x20
		}
		if c != w[k] {
			return -1
		}
	}
	i += len(w)
	if i < len(b) && isName(b[i]) {
		return -1
	}
	return i
}

// words is the index behind keywords with blanks between them, -1 when they do not stand there.
func words(b []byte, i int, list ...string) int {
	for n, w := range list {
		if n > 0 {
			i = skipBlank(b, i)
		}
		if i = word(b, i, w); i < 0 {
			return -1
		}
	}
	return i
}

// nameAt is the name at i with its quotes and the index behind it; nil when none stands there, or when
// its closing quote is missing.
func nameAt(b []byte, i int) ([]byte, int) {
	if at(b, i) == '"' {
		end, ok := quoted(b, i)
		if !ok {
			return nil, i
		}
		return b[i:end], end
	}
	end := i
	for end < len(b) && isName(b[end]) {
		end++
	}
	if end == i {
		return nil, i
	}
	return b[i:end], end
}

// quoted is the index behind the quoted text at i, whose quotes are doubled inside; false and the end
// of b when its closing quote is missing.
func quoted(b []byte, i int) (int, bool) {
	q := b[i]
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], q)
		if n < 0 {
			return len(b), false
		}
		if i += n; at(b, i+1) != q {
			return i + 1, true
		}
		i++
	}
	return len(b), false
}

// dollared is the index behind a $$ text at i.
func dollared(b []byte, i int) (int, bool) {
	n := bytes.Index(b[i+2:], []byte("$$"))
	if n < 0 {
		return len(b), false
	}
	return i + 2 + n + 2, true
}

// balanced is the index behind the bracket that closes the one at i, with quoted texts skipped; false
// when the text ends before.
func balanced(b []byte, i int) (int, bool) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return i + 1, true
			}
		case '\'', '"':
			end, ok := quoted(b, i)
			if !ok {
				return len(b), false
			}
			i = end
			continue
		}
		i++
	}
	return len(b), false
}

// isUUID reports whether a canonical uuid stands at i.
func isUUID(b []byte, i int) bool {
	if len(b)-i < 36 || i+36 < len(b) && isName(b[i+36]) {
		return false
	}
	for k := range 36 {
		if k == 8 || k == 13 || k == 18 || k == 23 {
			if b[i+k] != '-' {
				return false
			}
		} else if !isHex(b[i+k]) {
			return false
		}
	}
	return true
}

// unquote takes the quotes off and undoes doubled ones; the result is a part of b unless there were any.
// scratch takes the result then.
func unquote(scratch, b []byte) (text, rest []byte) {
	if len(b) < 2 {
		return nil, scratch
	}
	q, inner := b[0], b[1:len(b)-1]
	if bytes.IndexByte(inner, q) < 0 {
		return inner, scratch
	}
	start := len(scratch)
	for i := 0; i < len(inner); i++ {
		scratch = append(scratch, inner[i])
		if inner[i] == q && at(inner, i+1) == q {
			i++
		}
	}
	return scratch[start:len(scratch):len(scratch)], scratch
}
