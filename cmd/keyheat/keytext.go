package main

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// keyForms gives the forms of ingest.AppendKey that the text of a key may stand for, the likeliest
// first: the text itself; as text reports show it, with escapes, 0x before bytes, and components in
// parentheses, quoted where they must be; as JSON reports show it, with bytes as bare hex.
func keyForms(text string) [][]byte {
	forms := [][]byte{ingest.AppendKey(nil, []byte(text)), ingest.AppendKey(nil, keyPart(text))}
	if raw, ok := hexBytes(text); ok {
		forms = append(forms, ingest.AppendKey(nil, raw))
	}
	names := keyNames(text)
	if len(names) < 2 || len(names) > ingest.MaxKeyParts {
		return forms
	}
	shown, raw := [][]byte{}, [][]byte{}
	for _, name := range names {
		shown = append(shown, keyPart(name))
		if part, ok := hexBytes(name); ok {
			raw = append(raw, part)
		}
	}
	forms = append(forms, ingest.AppendKey(nil, shown...))
	if len(raw) == len(names) {
		forms = append(forms, ingest.AppendKey(nil, raw...))
	}
	return forms
}

// keyNames gives the components of (a, b); a comma inside quotes parts none.
func keyNames(text string) []string {
	inner, opened := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return nil
	}
	names := []string{}
	for {
		name, rest := firstName(inner)
		names = append(names, name)
		next, more := strings.CutPrefix(rest, ", ")
		if !more {
			return names
		}
		inner = next
	}
}

// firstName cuts the first component off text.
func firstName(text string) (name, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && strings.HasPrefix(text, `"`) {
		if rest = text[len(quoted):]; rest == "" || strings.HasPrefix(rest, ", ") {
			return quoted, rest
		}
	}
	i := strings.Index(text, ", ")
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i:]
}

// keyPart gives the bytes of one component as text reports show it.
func keyPart(name string) []byte {
	if raw, ok := hexBytes(name); ok && strings.HasPrefix(name, "0x") {
		return raw
	}
	if strings.HasPrefix(name, `"`) {
		if text, err := strconv.Unquote(name); err == nil {
			return []byte(text)
		}
	}
	return unescaped(name)
}

// unescaped undoes the escapes of what is not printable; other backslashes stay.
func unescaped(name string) []byte {
	out := []byte{}
	for len(name) > 0 {
		r, multibyte, rest, err := strconv.UnquoteChar(name, 0)
		if err != nil || rest == name[1:] {
			out, name = append(out, name[0]), name[1:]
			continue
		}
		if name = rest; multibyte {
			out = append(out, string(r)...)
		} else {
			out = append(out, byte(r))
		}
	}
	return out
}

func hexBytes(text string) ([]byte, bool) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	return raw, err == nil && text != ""
}

// isKey reports whether text may stand for the key.
func isKey(key []byte, text string) bool {
	return slices.ContainsFunc(keyForms(text), func(form []byte) bool { return bytes.Equal(form, key) })
}
