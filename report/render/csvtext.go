package render

import (
	"strings"
	"unicode/utf8"
)

// csvText guards text against spreadsheets that take it for a formula. Excel takes the full-width
// forms of the signs for the signs.
// https://owasp.org/www-community/attacks/CSV_Injection
func csvText(s string) string {
	s = validText(s)
	if r, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@\t\r＝＋－＠", r) {
		return "'" + s
	}
	return s
}
