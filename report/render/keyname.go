package render

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/keyheat/keyheat/ingest"
)

const (
	asText = "text"
	asHex  = "hex"
)

// A keyName is how a key is named in every output. Outputs escape it further, each in its way.
type keyName struct {
	parts    []keyPart
	text     string // one component as it is, several as (a, b); a cut key ends with …
	encoding string // hex when any component is no UTF-8: then text is hex throughout
	length   uint64 // bytes of the whole key
	hash     string // first 8 bytes of SHA-256 of the whole key in its form, hex
	cut      bool
}

// A keyPart is one component of a key.
type keyPart struct{ value, encoding string }

func nameKey(form []byte) keyName {
	k := ingest.ParseKey(form)
	n := keyName{length: k.Length, cut: k.Cut, encoding: asText}
	if k.Cut {
		n.hash = fmt.Sprintf("%016x", k.Hash)
		k.Parts = cutParts(k.Parts[0])
	} else {
		sum := sha256.Sum256(form)
		n.hash = hex.EncodeToString(sum[:8])
	}
	for _, p := range k.Parts {
		part := namePart(p)
		n.parts = append(n.parts, part)
		if part.encoding == asHex {
			n.encoding = asHex
		}
	}
	n.text = joinParts(k.Parts, n.encoding, n.cut)
	return n
}

func namePart(p []byte) keyPart {
	if utf8.Valid(p) {
		return keyPart{string(p), asText}
	}
	return keyPart{hex.EncodeToString(p), asHex}
}

// joinParts gives components as one text; the … of a cut key stands where it was cut.
func joinParts(parts [][]byte, encoding string, cut bool) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		if names[i] = string(p); encoding == asHex {
			names[i] = hex.EncodeToString(p)
		}
	}
	text, end := strings.Join(names, ", "), ""
	if cut {
		end = "…"
	}
	if len(names) == 1 {
		return text + end
	}
	return "(" + text + end + ")"
}

// cutParts gives the components that the held beginning of a cut key shows, the last one cut. A rune
// that the cut split is left out.
func cutParts(prefix []byte) [][]byte {
	if len(prefix) < 2 || prefix[0] != 0xFF || prefix[1] == 0 {
		return [][]byte{wholeRunes(prefix)}
	}
	var parts [][]byte
	rest := prefix[2:]
	for range prefix[1] {
		size, n := binary.Uvarint(rest)
		if n <= 0 {
			break
		}
		rest = rest[n:]
		if uint64(len(rest)) < size {
			return append(parts, wholeRunes(rest))
		}
		parts, rest = append(parts, rest[:size]), rest[size:]
	}
	if len(parts) == 0 {
		return [][]byte{prefix}
	}
	return parts
}

// wholeRunes gives text without the beginning of a rune at its end; other bytes as they are.
func wholeRunes(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) && utf8.Valid(b[:len(b)-n]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}
