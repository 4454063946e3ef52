package formats

import (
	"encoding/hex"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

var scyllaHexKey = regexp.MustCompile(`\bpk\{([0-9a-f]+)\}`)

// largeKey gives the form of a key as ScyllaDB's tables print it. The oldest print pk{hex}: components
// that are no text stay hex, since no type is told.
func largeKey(dst, text, table []byte, schema *cql.Schema) []byte {
	m := scyllaHexKey.FindSubmatch(text)
	if m == nil {
		return printedKey(dst, text, table, schema)
	}
	raw, err := hex.DecodeString(string(m[1]))
	if err != nil {
		return printedKey(dst, text, table, schema)
	}
	var parts [][]byte
	for len(raw) >= 2 {
		size := int(raw[0])<<8 | int(raw[1])
		if len(raw) < size+2 {
			return printedKey(dst, text, table, schema)
		}
		parts = append(parts, readable(raw[2:2+size]))
		raw = raw[2+size:]
	}
	return ingest.AppendKey(dst[:0], parts...)
}

func readable(raw []byte) []byte {
	for _, r := range string(raw) {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return []byte(hex.EncodeToString(raw))
		}
	}
	return raw
}
