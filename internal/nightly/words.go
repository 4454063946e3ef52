package nightly

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// visible gives outside text as one line that neither a terminal nor a chat takes for a command: what is
// not printable is escaped, and the signs by which chats name people and links are replaced.
func visible(s string) string {
	b := strings.Builder{}
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteRune('‹')
		case r == '>':
			b.WriteRune('›')
		case r == '@':
			b.WriteRune('＠')
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			escaped := strconv.QuoteRuneToASCII(r)
			b.WriteString(escaped[1 : len(escaped)-1])
		}
	}
	return b.String()
}

// clip cuts a text to n bytes at most, at the beginning of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n -= len("…"); !utf8.RuneStart(s[n]); n-- {
	}
	return s[:n] + "…"
}

const (
	maxWord = 120 // bytes of a name or a key in a line
	hidden  = "####"
)

// keyText gives a key for people: components in parentheses, bytes that are no text as 0x and hex.
func keyText(form []byte) string {
	k := ingest.ParseKey(form)
	parts := []string{}
	for _, p := range k.Parts {
		text := string(p)
		if !utf8.Valid(p) && !k.Cut {
			text = "0x" + hex.EncodeToString(p)
		}
		parts = append(parts, visible(text))
	}
	text := strings.Join(parts, ", ")
	if len(parts) > 1 {
		text = "(" + text + ")"
	}
	return clip(text, maxWord)
}

// A keyShower gives what may be shown of a key.
type keyShower func(form []byte) string

// where names what a finding is about: table, key, statement, node.
func where(s *detect.Subject, show keyShower) string {
	name := tableText(s.Target)
	if s.HasKey {
		name += " " + show(s.Key)
	}
	if s.Shape != "" {
		name += " " + clip(visible(s.Shape), maxWord)
	}
	if s.Node != "" {
		name += " on " + clip(visible(s.Node), maxWord)
	}
	return name
}

func tableText(t detect.Target) string {
	name := t.Table
	if t.Index != "" {
		name += "/" + t.Index
	}
	if name == "" {
		name = "(no table)"
	}
	return clip(visible(name), maxWord)
}

// inUnit gives an amount of thousandths with its unit.
func inUnit(m detect.Milli, unit string) string {
	switch unit {
	case "bytes":
		return sizeText(uint64(m) / 1000)
	case "share":
		return fmt.Sprintf("%d.%d %%", m/10, m%10)
	}
	text := grouped(uint64(m) / 1000)
	if m < 100_000 && m%1000 > 0 {
		text = strings.TrimRight(fmt.Sprintf("%d.%03d", m/1000, m%1000), "0")
	}
	return strings.TrimSpace(text + " " + visible(unit))
}

// sizeText gives bytes in the largest unit below.
func sizeText(n uint64) string {
	size, unit := float64(n), 0
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + units[unit]
}

// grouped gives digits in groups of three.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// amountOf gives a size in its unit.
func (s *Size) amountOf(n uint64) string {
	if strings.HasSuffix(s.Measure, "_bytes") {
		return sizeText(n)
	}
	return grouped(n) + " rows"
}
