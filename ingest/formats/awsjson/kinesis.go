package awsjson

import (
	"bytes"
	"encoding/base64"

	"github.com/keyheat/keyheat/ingest"
)

// AppendBase64 appends what base64 text, as it stands between the quotes of a JSON string, stands for.
func AppendBase64(dst, text []byte) (out []byte, ok bool) {
	n := len(dst)
	dst = ingest.AppendUnquoted(dst, text)
	size, err := base64.StdEncoding.Decode(dst[n:], dst[n:])
	return dst[:n+size], err == nil
}

// holdsRecord reports whether base64 text, the data of a record of Kinesis, is a change of a DynamoDB
// table; the beginning is enough.
func holdsRecord(text []byte) bool {
	text = text[:min(len(text), 4096)&^3]
	var buf [4096]byte
	data, _ := AppendBase64(buf[:0], text)
	return bytes.Contains(data, []byte(`"dynamodb"`)) || bytes.Contains(data, []byte(`"recordFormat"`))
}
