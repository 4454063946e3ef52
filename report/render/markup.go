package render

import "strings"

// mdCode gives text as a code span of Markdown, where nothing is taken for markup, a link or a mention.
// It may stand in a cell of a table.
func mdCode(s string) string {
	s = strings.ReplaceAll(visible(s), "|", `\|`)
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// mdText gives a sentence for Markdown: its punctuation says nothing to a parser. Words that sites turn
// into mentions or references become code.
func mdText(s string) string {
	words := strings.Split(visible(s), " ")
	for i, w := range words {
		if strings.ContainsAny(w, "@#") || strings.Contains(w, "://") {
			words[i] = mdCode(w)
			continue
		}
		words[i] = mdEscaper.Replace(w)
	}
	return strings.Join(words, " ")
}

// mdEscaper escapes what begins markup within a line.
var mdEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "~", `\~`)

// mdKey is how many columns of a key or a query a ticket shows.
const mdKey = 200

// arrowTo gives what leads on, nothing of nothing.
func arrowTo(text string) string {
	if text == "" {
		return ""
	}
	return " → " + text
}
