package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// maxChanges bounds the changes that a record tells: a write of more attributes is no copy of one value.
const maxChanges = 16

// appendChanges appends the attributes that have another value in an item's new image than in its old one. Both
// are read side by side, as DynamoDB writes the attributes of an item in one order; from where they differ in their
// names on, nothing is told. Values about the time of the request, which e has, are left out.
func appendChanges(dst []ingest.Change, e *ingest.Event, old, new awsjson.Reader, raw func(r *awsjson.Reader) []byte) []ingest.Change {
	nanos, _ := e.UnixNano()
	if !old.Open('{') || !new.Open('{') {
		return dst
	}
	for len(dst) < maxChanges {
		before, ok1 := old.Member()
		name, ok2 := new.Member()
		if !ok1 || !ok2 || string(before) != string(name) {
			return dst
		}
		was, is := raw(&old), raw(&new)
		if string(was) != string(is) && !ingest.IsStamp(inner(is), nanos) {
			dst = append(dst, ingest.Change{Name: name, Value: ingest.HashValue(is), Bytes: uint64(len(is))})
		}
	}
	return dst
}

// inner gives the text of a value as {"S":"text"} or {"N":"1"}; of another the rest behind its type.
func inner(raw []byte) []byte {
	_, value, _ := bytes.Cut(raw, []byte(":"))
	return bytes.Trim(value, "\"} ")
}
