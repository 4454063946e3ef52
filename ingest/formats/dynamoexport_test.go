package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

const exportedLine = `{"Item":{"pk":{"S":"TENANT#001"},"sk":{"N":"-12.50"},"blob":{"B":"AAEqQQ=="},"paid":{"BOOL":true},"gone":{"NULL":true},` +
	`"tags":{"SS":["a","b"]},"to":{"M":{"city":{"S":"Bonn"}}},"note":{"S":""}}}`

// A line that differs from the one before is read as if none had been.
func TestLinesOfAnExportAreReadAlikeWithAShape(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string // in exportedLine
		fits     bool
	}{
		{"the same again", "", "", true},
		{"other texts", `TENANT#001`, `TENANT#2 of another length`, true},
		{"another number", `-12.50`, `7`, true},
		{"false", `"BOOL":true`, `"BOOL":false`, true},
		{"other members of a set and of a map", `["a","b"]}`, `["a long one","b","c"]}`, true},
		{"a blank within a map", `"city":{`, `"city": {`, true},
		{"escapes in the key", `TENANT#001`, `TENANT\u0023001`, false},
		{"escapes in another value", `"note":{"S":""}`, `"note":{"S":"a\nb"}`, false},
		{"a blank between", `,"paid"`, `, "paid"`, false},
		{"one attribute less", `"paid":{"BOOL":true},`, ``, false},
		{"one attribute more", `,"note"`, `,"more":{"N":"1"},"note"`, false},
		{"another type", `"note":{"S":""}`, `"note":{"N":"1"}`, false},
		{"a null of another kind", `"BOOL":true`, `"BOOL":null`, false},
		{"a map that is no JSON", `"city":{"S":"Bonn"}`, `"city":{"S":"Bonn"`, false},
		{"text behind it", `}}}`, `}}} `, false},
		{"a second item behind it", `"note":{"S":""}}}`, `"note":{"S":""}}}{"Item":{"pk":{"S":"b"}}}`, false},
		{"an end that is missing", `}}}`, `}}`, false},
	} {
		line := exportedLine
		if c.old != "" {
			at := strings.LastIndex(line, c.old)
			line = line[:at] + c.new + line[at+len(c.old):]
		}
		d, err := DynamoExport.New([]byte(exportedLine), ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		causes(d, []byte(exportedLine))
		shape, want := &d.(*dynamoExport).shape, d.(*dynamoExport).want
		if _, fits := shape.read(padded([]byte(line)), &want); fits != c.fits {
			t.Errorf("%s: has the shape: got %v, want %v", c.name, fits, c.fits)
		}
		fresh, err := DynamoExport.New([]byte(exportedLine), ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(causes(d, []byte(line)), causes(fresh, []byte(line))); diff != "" {
			t.Errorf("%s (-with a shape +without):\n%s", c.name, diff)
		}
	}
}

func TestKeysOfAnExportAreReadInAnySpacing(t *testing.T) {
	for name, line := range map[string]string{
		"none":                       `{"Item":{"pk":{"S":"a#%d"},"sk":{"N":"%d"},"paid":{"BOOL":true}}}`,
		"as Python writes it":        `{"Item": {"pk": {"S": "a#%d"}, "sk": {"N": "%d"}, "paid": {"BOOL": true}}}`,
		"more than one blank":        `{"Item":  {"pk":  {"S":  "a#%d"},  "sk":  {"N":  "%d"},  "paid":  {"BOOL":  true}}}`,
		"inside of brackets":         `{ "Item": { "pk": { "S": "a#%d" }, "sk": { "N": "%d" }, "paid": { "BOOL": true } } }`,
		"a sort key of another type": `{"Item":{"pk":{"S":"a#%d"},"sk":{"B":"AAAA"},"n":{"N":"%d"}}}`,
	} {
		d, err := DynamoExport.New(fmt.Appendf(nil, line, 1, 1), ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			text := fmt.Appendf(nil, line, i, i)
			fresh, err := DynamoExport.New(text, ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := causes(d, text)
			if diff := cmp.Diff(got, causes(fresh, text)); diff != "" || !strings.Contains(fmt.Sprint(got), fmt.Sprintf(`key="a#%d"`, i)) {
				t.Errorf("%s, line %d: %v (-behind others +alone):\n%s", name, i, got, diff)
			}
		}
	}
}
