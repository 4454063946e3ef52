package rules

import (
	"slices"
	"strings"
	"unicode"
)

// A statement is what a normalised CQL text tells of a read without the schema.
type statement struct {
	scan  bool   // nothing is bound by equality, or a token range is
	equal bool   // some column is bound by equality
	lower bool   // some column has a lower bound
	limit string // of its own; "" when there is none
}

// queue reports whether the statement reads from the head of a partition: key bound, no lower bound,
// and a limit that is no page size.
func (s statement) queue() bool {
	page := s.limit == "" || s.limit == "?" || s.limit == "100" || s.limit == "1000" || s.limit == "5000"
	return !s.scan && s.equal && !s.lower && !page
}

// readShape reads a normalised SELECT. ALLOW FILTERING tells nothing: Cassandra 5.0 logs it with every
// statement, and whether the key is bound shows only with the schema. A text that is none is a statement of which nothing is known.
func readShape(text string) statement {
	words := tokens(text)
	s := statement{}
	if len(words) == 0 || words[0] != "select" {
		return s
	}
	where := slices.Index(words, "where")
	if where < 0 {
		s.scan = true
		where = len(words) - 1
	}
	for i := where; i < len(words); i++ {
		switch words[i] {
		case "token":
			s.scan = true
		case "=", "in":
			s.equal = true
		case ">", ">=":
			s.lower = true
		}
	}
	if i := slices.Index(words, "limit"); i >= 0 && i+1 < len(words) && words[max(i-1, 0)] != "partition" {
		s.limit = words[i+1]
	}
	if !s.equal {
		s.scan = true
	}
	return s
}

// tokens splits CQL into lower-case words, numbers and comparison signs.
func tokens(text string) []string {
	words, last := []string{}, 0
	for _, r := range strings.ToLower(text) {
		kind := 0
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			kind = 1
		case strings.ContainsRune("<>=!", r):
			kind = 2
		case r == '?':
			kind = 3
		}
		switch {
		case kind == 0:
		case kind == last && kind != 3:
			words[len(words)-1] += string(r)
		default:
			words = append(words, string(r))
		}
		last = kind
	}
	return words
}
