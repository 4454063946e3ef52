package formats

import (
	"bytes"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// A FieldUse says what key events make of a field of their input.
type FieldUse struct {
	Field string // pk, sk, ts and so on, as --map takes it on its left; empty: nothing, so that it may be a column
	Part  int    // of a key that --map composes: the place of its component; else -1
}

// UseOf gives the use of the field of that name, or of that path into nested objects.
func UseOf(name string, o ingest.DecodeOptions) (FieldUse, error) {
	p, err := newPlan(ingest.DecodeOptions{Map: o.Map})
	if err != nil {
		return FieldUse{}, err
	}
	use := FieldUse{Part: -1}
	e := p.names.find([]byte(name))
	if e == nil || e.target.field == fieldNone {
		return use, nil
	}
	use.Field = fieldNames[e.target.field][0]
	if e.target.field == fieldKey && p.parts > 0 {
		use.Part = int(e.target.part)
	}
	return use, nil
}

// maxColumnsFound bounds the names that ColumnsOf gives.
const maxColumnsFound = 16

// ColumnsOf gives the names of fields that the beginning of an input of key events has and that key events
// make nothing of, in order of appearance, the first ones of many. Fields inside objects are left out.
func ColumnsOf(f *ingest.Format, head []byte, o ingest.DecodeOptions) []string {
	p, err := newPlan(ingest.DecodeOptions{Map: o.Map})
	if err != nil {
		return nil
	}
	found := []string{}
	add := func(name string) {
		e := p.names.find([]byte(name))
		free := e == nil || e.target.field == fieldNone && e.sub == nil
		if free && columnName(name) && len(found) < maxColumnsFound && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if f.Name == KeyEventsCSV.Name {
		header := headerOf(head)
		for _, name := range cells(header, p.separator(header)) {
			add(string(name))
		}
		return found
	}
	for line := range bytes.Lines(head) {
		start, _ := opening(line)
		m := ingest.ReadJSON(line, start)
		for {
			name, kind, _, ok := m.Next()
			if !ok {
				break
			}
			if kind < ingest.JSONArray && kind != ingest.JSONNull {
				add(string(ingest.AppendUnquoted(nil, name)))
			}
		}
	}
	return found
}

// columnName reports whether a name can stand in the text of a key, which commas and parentheses part.
func columnName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsAny(name, ",()") && strings.TrimSpace(name) == name
}
