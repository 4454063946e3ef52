package formats

import (
	"bytes"
	"encoding/hex"
	"unicode/utf8"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// slUnprintable stands for a component that is no UTF-8.
var slUnprintable = []byte("<non-utf8-key>")

// slHexOf gives the hex of a range of one partition, {{token, pk{hex}}} or {{token, hex}}; nil: it is
// another range.
func slHexOf(text []byte) []byte {
	s := slText(bytes.TrimSpace(text))
	if !s.skip("{{") {
		return nil
	}
	if _, ok := s.until(", "); !ok {
		return nil
	}
	s.skip("pk{")
	digits, _, ok := bytes.Cut(s, []byte("}"))
	if !ok {
		return nil
	}
	return digits
}

// keyOf gives the form of a key that is printed as text, its components joined by colons without any
// escape, or as pk{hex}; with a nil or cut hex beside the text only a schema tells several components.
func (d *scylla) keyOf(table, text, digits []byte) []byte {
	if inner, ok := bytes.CutPrefix(text, []byte("pk{")); ok && bytes.HasSuffix(inner, []byte("}")) {
		text, digits = nil, inner[:len(inner)-1]
	}
	t := d.tableOf(table)
	parts := d.components(digits)
	switch n := d.width(t, len(parts)); {
	case len(parts) > 0 && (len(text) == 0 || bytes.Contains(text, slUnprintable)):
		d.printed(parts, t)
	case len(parts) > 0 && d.joined(parts, text): // the text itself, taken apart
	case n > 1 && bytes.Count(text, []byte(":")) == n-1:
		parts = d.splitAt(text)
	default:
		parts = append(d.parts[:0], text)
	}
	d.parts = parts
	d.key = ingest.AppendKey(d.key[:0], parts...)
	return d.key
}

// width is how many components the key has, 1 when nothing tells.
func (d *scylla) width(t *cql.Table, parts int) int {
	if t != nil && len(t.PartitionKey) > 0 {
		return len(t.PartitionKey)
	}
	return max(parts, 1)
}

func (d *scylla) splitAt(text []byte) [][]byte {
	parts := d.parts[:0]
	for {
		part, rest, more := bytes.Cut(text, []byte(":"))
		parts = append(parts, part)
		if !more {
			return parts
		}
		text = rest
	}
}

func (d *scylla) tableOf(name []byte) *cql.Table {
	if d.schema == nil {
		return nil
	}
	keyspace, table, _ := bytes.Cut(name, []byte("."))
	return d.schema.Table(string(keyspace), string(table))
}

// components undoes the hex of a key. They are valid until the next call; nil: it is none.
func (d *scylla) components(digits []byte) [][]byte {
	if len(digits) == 0 || len(digits)%2 != 0 {
		return nil
	}
	size := hex.DecodedLen(len(digits))
	if cap(d.raw) < size {
		d.raw = make([]byte, size)
	}
	raw := d.raw[:size]
	if _, err := hex.Decode(raw, digits); err != nil {
		return nil
	}
	parts, ok := cql.AppendHexComponents(d.parts[:0], raw)
	if !ok {
		return nil
	}
	return parts
}

// joined reports whether the text is these components, joined by colons.
func (d *scylla) joined(parts [][]byte, text []byte) bool {
	for i, part := range parts {
		if i > 0 {
			if !bytes.HasPrefix(text, []byte(":")) {
				return false
			}
			text = text[1:]
		}
		if !utf8.Valid(part) || !bytes.HasPrefix(text, part) {
			return false
		}
		text = text[len(part):]
	}
	return len(text) == 0
}

// printed makes components readable where the schema tells their types.
func (d *scylla) printed(parts [][]byte, t *cql.Table) {
	if t == nil || len(t.PartitionKey) != len(parts) {
		return
	}
	for i, part := range parts {
		if text, err := cql.AppendText(nil, t.PartitionKey[i].Type, part); err == nil {
			parts[i] = text
		}
	}
}
