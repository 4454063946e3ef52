package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// columns measures text as terminals show it. It does not depend on the locale, unlike the package's default.
func columns() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// narrow are signs of our own that take one column each.
const narrow = "·–—…→≥≤×✗✓▁▂▃▄▅▆▇█"

// widthOf gives the columns that s takes. For other signs than these the package fills tables of 2 MiB.
func widthOf(s string) int {
	n := 0
	for _, r := range s {
		if (r < ' ' || r > '~') && !strings.ContainsRune(narrow, r) {
			return columns().StringWidth(s)
		}
		n++
	}
	return n
}

// maxMarks is how many combining marks may follow each other; more would cover the lines around.
const maxMarks = 2

// visible gives s as one line that a terminal cannot take for commands: what is not printable (control
// characters, bidirectional and zero-width ones, line ends, unusual spaces) is escaped, invalid UTF-8 as \xNN.
func visible(s string) string {
	var b strings.Builder
	marks := 0
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if marks++; !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r) && marks <= maxMarks:
			b.WriteString(s[:n])
		default:
			b.WriteString(escapeRune(r))
		}
		s = s[n:]
	}
	return b.String()
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// VisibleKey gives a key, in the form of ingest.AppendKey, as text reports show it: one line of printable text.
func VisibleKey(form []byte) string { return visibleKey(form) }

// visibleKey gives a key for people: bytes that are no text as 0x and hex, an empty key as "".
func visibleKey(form []byte) string {
	n := nameKey(form)
	switch {
	case n.text == "":
		return `""`
	case n.encoding == asText && len(n.parts) == 1:
		return visible(n.text)
	}
	names := make([]string, len(n.parts))
	for i, p := range n.parts {
		names[i] = visiblePart(p, len(n.parts) > 1)
	}
	text := strings.Join(names, ", ")
	if n.cut {
		text += "…"
	}
	if len(names) > 1 {
		text = "(" + text + ")"
	}
	return text
}

// visiblePart gives a component; beside others it is quoted where it could be taken for several or for none.
func visiblePart(p keyPart, beside bool) string {
	switch {
	case p.encoding == asHex:
		return "0x" + p.value
	case beside && (p.value == "" || strings.ContainsAny(p.value, `,()"`)):
		return visible(strconv.Quote(p.value))
	}
	return visible(p.value)
}

// chop breaks visible text into lines of w columns, wherever that falls: for what must not lose a space.
func chop(s string, w int) []string {
	var lines []string
	for widthOf(s) > w {
		head := columns().Truncate(s, w, "")
		lines, s = append(lines, head), s[len(head):]
	}
	return append(lines, s)
}

// fit cuts visible text in the middle to at most w columns: keys and paths differ at both ends.
func fit(s string, w int) string {
	all := widthOf(s)
	if all <= w {
		return s
	}
	c := columns()
	if w < 5 {
		return c.Truncate(s, w, "")
	}
	tail := (w - 1) / 3
	return c.Truncate(s, w-1-tail, "") + "…" + c.TruncateLeft(s, all-tail, "")
}

// padRight and padLeft fill visible text to w columns.
func padRight(s string, w int) string { return s + strings.Repeat(" ", max(0, w-widthOf(s))) }
func padLeft(s string, w int) string  { return strings.Repeat(" ", max(0, w-widthOf(s))) + s }

// wrap breaks visible text into lines of at most w columns, between words where it can. Less than the
// widest rune's 2 columns counts as 2.
func wrap(s string, w int) []string {
	w = max(w, 2)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		size := widthOf(word)
		if used > 0 && used+1+size <= w {
			line, used = line+" "+word, used+1+size
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for size > w {
			head := columns().Truncate(word, w, "")
			if head == "" { // a cluster that is wider than the line
				_, n := utf8.DecodeRuneInString(word)
				head = word[:n]
			}
			lines, word = append(lines, head), word[len(head):]
			size = widthOf(word)
		}
		line, used = word, size
	}
	if used > 0 {
		lines = append(lines, line)
	}
	return lines
}
