package formats

import (
	"bytes"
	"html"
	"strings"
)

// unquoted undoes what mail and web pages do to whole lines: marks of a quotation before each, and blanks
// that do not break. Only short inputs and those of clients are pasted.
func (d *cassandra) unquoted(data []byte) []byte {
	if !d.short && d.role == "" || len(data) == 0 {
		return data
	}
	if data[0] == '>' {
		d.paste = clUnmarked(d.paste[:0], data)
		data = d.paste
	}
	if bytes.Contains(data, clHardBlank) {
		data = bytes.ReplaceAll(data, clHardBlank, clBlank)
	}
	if bytes.Contains(data, clWindowsEnd) { // of a message that is wrapped
		data = bytes.ReplaceAll(data, clWindowsEnd, clWindowsEnd[1:])
	}
	return data
}

var (
	clWindowsEnd = []byte("\r\n")

	clHardBlank = []byte("\u00a0")
	clBlank     = []byte(" ")
)

// clUnmarked appends text without the marks of a quotation, as far as all its lines have them.
func clUnmarked(dst, text []byte) []byte {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '>' {
			return append(dst, line...)
		}
		dst = append(dst, bytes.TrimPrefix(bytes.TrimLeft(line, ">"), clBlank)...)
	}
	return dst
}

// pasted undoes what pages do to a message: the end of a code block, entities of HTML, and round quotes
// around values.
func (d *cassandra) pasted(text []byte) []byte {
	if i := bytes.Index(text, clFence); i >= 0 {
		text = text[:i]
	}
	switch {
	case clEscaped(text):
		body, _, _ := bytes.Cut(text, clEndTag)
		return []byte(html.UnescapeString(string(body)))
	case bytes.Contains(text, clRoundValue) && bytes.IndexByte(text, '\'') < 0:
		return []byte(clStraight.Replace(string(text)))
	}
	return text
}

// joined gives a message that was wrapped within the words that end it in one piece.
func (d *cassandra) joined(text []byte) []byte {
	if !d.short && d.role == "" || bytes.IndexByte(text, '\n') < 0 || clEnds(text) {
		return text
	}
	if d.flat = clFlat(d.flat[:0], text); clEnds(d.flat) {
		return d.flat
	}
	return text
}

// clEnds reports whether a text holds what ends a message, or its statement.
func clEnds(text []byte) bool {
	for _, end := range clEndings {
		if bytes.Contains(text, end) {
			return true
		}
	}
	return false
}

// clEscaped reports whether a text was escaped for HTML: it has entities, and no bracket of its own.
func clEscaped(text []byte) bool {
	if bytes.IndexByte(text, '&') < 0 {
		return false
	}
	body, _, _ := bytes.Cut(text, clEndTag)
	if bytes.ContainsAny(body, "<>") {
		return false
	}
	for _, entity := range clEntities {
		if bytes.Contains(body, entity) {
			return true
		}
	}
	return false
}

var (
	clEndings = [][]byte{
		[]byte("(see tombstone_"), []byte("(last scanned row "), []byte("- more than the "), []byte(" to sstable "),
		[]byte("threshold of "), []byte("slow timeout"), []byte("msec, timeout"),
	}
	clFence      = []byte("\n```")
	clEndTag     = []byte("</")
	clRoundValue = []byte("= ‘")
	clStraight   = strings.NewReplacer("‘", "'", "’", "'")
	clEntities   = [][]byte{[]byte("&gt;"), []byte("&lt;"), []byte("&quot;"), []byte("&#39;"), []byte("&#x27;"), []byte("&apos;")}
)
