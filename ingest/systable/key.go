package systable

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

var scyllaHexKey = regexp.MustCompile(`\bpk\{([0-9a-f]+)\}`)

// LargeKey gives the form of a key as ScyllaDB's tables print it. The oldest print pk{hex}: components
// that are no text stay hex, since no type is told.
func LargeKey(dst, text, table []byte, schema *cql.Schema) []byte {
	m := scyllaHexKey.FindSubmatch(text)
	if m == nil {
		return PrintedKey(dst, text, table, schema)
	}
	raw, err := hex.DecodeString(string(m[1]))
	if err != nil {
		return PrintedKey(dst, text, table, schema)
	}
	parts, ok := cql.AppendHexComponents(nil, raw)
	if !ok {
		return PrintedKey(dst, text, table, schema)
	}
	for i := range parts {
		parts[i] = readable(parts[i])
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

// PrintedKey gives the form of a key as tools print it; how many components it has, the schema may tell.
func PrintedKey(dst, text, table []byte, schema *cql.Schema) []byte {
	var t *cql.Table
	if schema != nil {
		keyspace, name, ok := bytes.Cut(table, []byte{'.'})
		if !ok {
			keyspace, name = nil, table
		}
		t = schema.Table(string(keyspace), string(name))
	}
	return ingest.AppendKey(dst[:0], cql.SplitKeyString(text, t)...)
}
