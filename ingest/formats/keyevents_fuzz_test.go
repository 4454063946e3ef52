package formats

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

const benchLine = `{"ts":"2026-03-01T10:00:00.123Z","table":"orders","op":"read","key":"T0001#U#0123456789abcdef","bytes":512}`

// said decodes one record and writes down what it says.
func said(d ingest.Decoder, data []byte) []string {
	var sink recorder
	d.Decode(&ingest.Record{Data: data}, &sink)
	return sink.said
}

// FuzzNDJSON holds the fast way, after any record has set its shape, against the general way, and that
// against encoding/json where the record is valid JSON.
func FuzzNDJSON(f *testing.F) {
	seeds := []string{
		benchLine,
		`{"ts":"2026-03-01T10:00:00.123Z","table":"a longer name of a table","op":"delete","key":"k","bytes":7}`,
		`{"ts":"2026-03-01T10:00:00.123Z","table":"orders","op":"read","key":"a\"b\u00e9","bytes":-512}`,
		`{"ts":1772359200,"rcu":0.5,"key":["a",1],"x":{"y":[]},"throttled":null,"node":"n"}`,
		`{"key":"k","failed":true,"op":null}`,
		` [ { "key" : 1 , "table" : "t" } , ] `,
		`{"key":"k","key":"k"}`,
	}
	for _, s := range seeds {
		f.Add([]byte(seeds[0]), []byte(s))
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, before, data []byte) {
		fast, _ := newNDJSON(nil, ingest.DecodeOptions{})
		for range 2 + sameOften {
			said(fast, padded(before))
		}
		general, _ := newNDJSON(nil, ingest.DecodeOptions{})
		got, want := said(fast, padded(data)), said(general, bytes.Clone(data)[:len(data):len(data)])
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("after %q, %q (-fast +general):\n%s", before, data, diff)
		}
		if again := said(fast, padded(data)); !cmp.Equal(again, want) {
			t.Fatalf("after %q and itself, %q (-fast +general):\n%s", before, data, cmp.Diff(again, want))
		}
		if oracle, ok := jsonOracle(data); ok {
			if diff := cmp.Diff(want, oracle); diff != "" {
				t.Errorf("%q (-general +encoding/json):\n%s", data, diff)
			}
		}
	})
}

// jsonOracle tokenizes a record with encoding/json; ok is false where that decides otherwise on purpose.
func jsonOracle(data []byte) (said []string, ok bool) {
	trimmed := bytes.Trim(data, " \t\r\n")
	if !json.Valid(data) || !utf8.Valid(data) || trimmed[0] != '{' || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > 60 {
		return nil, false
	}
	p, _ := newPlan(ingest.DecodeOptions{})
	d := p.ndjson(ingest.DecodeOptions{})
	var sink recorder
	rec := &ingest.Record{Data: data}
	d.begin(rec.At)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		var raw json.RawMessage
		dec.Decode(&raw)
		if e := p.names.find([]byte(name.(string))); e != nil {
			if cause := d.set(e.target, oracleKind(raw), oracleText(raw)); cause != "" {
				problem(rec, &sink, cause, d.bad)
				return sink.said, cause != causeJSON && cause != causeTwice // their text is as written
			}
		}
	}
	d.finish(rec, &sink)
	return sink.said, true
}

func oracleKind(raw json.RawMessage) ingest.JSONKind {
	switch raw[0] {
	case '"':
		return ingest.JSONString
	case '{':
		return ingest.JSONObject
	case '[':
		return ingest.JSONArray
	case 'n':
		return ingest.JSONNull
	}
	return ingest.JSONNumber
}

func oracleText(raw json.RawMessage) []byte {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return []byte(s)
	}
	return raw
}

// FuzzCSV holds a decoder that has seen another row against one that has not, and both against
// encoding/csv where that reads the row.
func FuzzCSV(f *testing.F) {
	const header = "ts,table,op,key,bytes,note"
	seeds := []string{
		"2026-03-01T10:00:00.123Z,orders,read,T0001#U#0123456789abcdef,512,",
		`2026-03-01T10:00:00.123Z,"or""ders",read,"a,b",512,"line` + "\n" + `end"`,
		",,,k,,", "1772359200,t,put, k , 7 ,x", `"a"b,,,,,`, `"open`, "too,few", header, "",
	}
	for _, s := range seeds {
		f.Add([]byte(seeds[0]), []byte(s))
		f.Add([]byte(s), []byte(seeds[0]))
	}
	// A time whose fraction follows a comma, which is the separator too.
	f.Add([]byte("2000-01-01 00:00:00.0000"), []byte("2000-01-01 00:00:00,0000,,,A"))
	f.Fuzz(func(t *testing.T, before, data []byte) {
		used, _ := newCSV([]byte(header), ingest.DecodeOptions{})
		for range 2 + sameOften {
			said(used, padded(before))
		}
		fresh, _ := newCSV([]byte(header), ingest.DecodeOptions{})
		got, want := said(used, padded(data)), said(fresh, bytes.Clone(data)[:len(data):len(data)])
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("after %q, %q (-used +fresh):\n%s", before, data, diff)
		}
		if oracle, ok := csvOracle(header, data); ok {
			if diff := cmp.Diff(want, oracle); diff != "" {
				t.Errorf("%q (-decoder +encoding/csv):\n%s", data, diff)
			}
		}
	})
}

func csvOracle(header string, data []byte) (said []string, ok bool) {
	r := stdcsv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(strings.Split(header, ","))
	cells, err := r.Read()
	if _, end := r.Read(); err != nil || end != io.EOF || bytes.ContainsAny(data, "\r") || string(data) == header ||
		bytes.HasPrefix(data, []byte("\n")) || bytes.HasSuffix(data, []byte("\n")) {
		return nil, false
	}
	p, _ := newPlan(ingest.DecodeOptions{})
	d, _ := p.csv([]byte(header), ingest.DecodeOptions{})
	var sink recorder
	rec := &ingest.Record{Data: data}
	d.begin(rec.At)
	for i, text := range cells {
		if d.columns[i].field == fieldNone || text == "" {
			continue
		}
		if d.columns[i].field == fieldKey {
			d.setKey([]byte(text))
		} else if cause := d.cell(d.columns[i].target, []byte(text)); cause != "" {
			problem(rec, &sink, cause, d.bad)
			return sink.said, true
		}
	}
	d.finish(rec, &sink)
	return sink.said, true
}
