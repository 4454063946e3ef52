package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// json reads the objects of a line: rows as SELECT JSON and exports write them, one a line, in a list or
// spread over lines.
func (d *Decoder) json(text []byte) verdict {
	said := foreign
	for i := bytes.IndexByte(text, '{'); i >= 0 && i < len(text); {
		kind, object, next := ingest.ScanJSON(text, i)
		if kind != ingest.JSONObject {
			if !bytes.Contains(text[i:min(len(text), i+4096)], []byte(`"`)) && len(text) > 64 {
				return rowBroken
			}
			d.carry = append(d.carry[:0], text[i:]...)
			return max(said, rowTaken)
		}
		if d.object(text, i) {
			said = max(said, d.endRow())
		}
		_ = object
		n := bytes.IndexByte(text[next:], '{')
		if n < 0 {
			break
		}
		i = next + n
	}
	return said
}

// object fills the row with the members of the object at text[i]; false: it is no row of traces.
func (d *Decoder) object(text []byte, i int) bool {
	d.row, d.rowAt = row{}, d.rec.At
	d.text = d.text[:0]
	for members := ingest.ReadJSON(text, i); ; {
		name, kind, value, ok := members.Next()
		if !ok {
			break
		}
		c := columnNames[string(name)]
		if c == other || kind == ingest.JSONNull {
			continue
		}
		if kind == ingest.JSONEscaped {
			start := len(d.text)
			d.text = ingest.AppendUnquoted(d.text, value)
			value = clone(d.text[start:])
		}
		d.row[c] = value
	}
	return len(d.row[sessionID]) > 0 && (len(d.row[activityText]) > 0 || len(d.row[parameters]) > 0 || len(d.row[request]) > 0)
}
