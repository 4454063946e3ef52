package ingest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestJSONMembers(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
		ended      bool
	}{
		{"all kinds", ` { "a" : "b" , "c":-1.5e3,"d":[1,"]"],"e":{"f":{"}":[]}},"g":true,"h":false,"i":null } x`,
			[]string{"a=b", "c=-1.5e3", `d=[1,"]"]`, `e={"f":{"}":[]}}`, "g=true", "h=false", "i=null"}, true},
		{"escapes are left as they are", `{"a\"":"b\\","c":""}`, []string{`a\"=b\\`, "c="}, true},
		{"empty", `{}`, nil, true},
		{"cut in a string", `{"a":"b`, nil, false},
		{"cut after a backslash", `{"a":"b\`, nil, false},
		{"cut after a value", `{"a":1`, []string{"a=1"}, false},
		{"cut in a nested value", `{"a":{"b":[1}`, nil, false},
		{"a comma too many", `{"a":1,}`, []string{"a=1"}, false},
		{"no comma", `{"a":1 "b":2}`, []string{"a=1"}, false},
		{"65 levels", `{"a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, nil, false},
		{"no object", `[1]`, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			m := ReadJSON([]byte(c.data), SkipSpace([]byte(c.data), 0))
			for {
				name, _, text, ok := m.Next()
				if !ok {
					break
				}
				got = append(got, string(name)+"="+string(text))
			}
			_, ended := m.Ended()
			if diff := cmp.Diff(got, c.want); diff != "" || ended != c.ended {
				t.Errorf("ended %v, want %v; members (-got +want):\n%s", ended, c.ended, diff)
			}
		})
	}
}

func FuzzAppendUnquoted(f *testing.F) {
	for _, s := range []string{`a\"b\\\/\b\f\n\r\t`, `\u00e9\ud83d\ude00\ud800x\udc00`, `\ud800\u0041`, `\x\u12`, "é\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := AppendUnquoted(nil, text)
		if len(got) > len(text) {
			t.Errorf("%q became longer: %q", text, got)
		}
		inPlace := append([]byte("xyz"), text...)
		if in := AppendUnquoted(inPlace[:1], inPlace[3:])[1:]; !bytes.Equal(in, got) {
			t.Errorf("in place %q, else %q", in, got)
		}
		var want string
		if utf8.Valid(text) && json.Unmarshal([]byte(`"`+string(text)+`"`), &want) == nil && string(got) != want {
			t.Errorf("got %q, encoding/json says %q", got, want)
		}
	})
}
