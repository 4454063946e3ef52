package main

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// keyForms gives the forms of ingest.AppendKey that the text of a key, as reports show it, may stand
// for: the text itself, components in parentheses, bytes as hex with or without 0x. The likeliest
// comes first.
func keyForms(text string) [][]byte {
	forms := [][]byte{ingest.AppendKey(nil, []byte(text))}
	if raw, ok := hexBytes(text); ok {
		forms = append(forms, ingest.AppendKey(nil, raw))
	}
	inner, ok := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return forms
	}
	names := strings.Split(inner, ", ")
	if len(names) < 2 || len(names) > ingest.MaxKeyParts {
		return forms
	}
	plain, raw, allHex := [][]byte{}, [][]byte{}, true
	for _, name := range names {
		part, isHex := hexBytes(name)
		plain, raw, allHex = append(plain, []byte(name)), append(raw, part), allHex && isHex
	}
	forms = append(forms, ingest.AppendKey(nil, plain...))
	if allHex {
		forms = append(forms, ingest.AppendKey(nil, raw...))
	}
	return forms
}

func hexBytes(text string) ([]byte, bool) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	return raw, err == nil && text != ""
}

// isKey reports whether text may stand for the key.
func isKey(key []byte, text string) bool {
	return slices.ContainsFunc(keyForms(text), func(form []byte) bool { return bytes.Equal(form, key) })
}
