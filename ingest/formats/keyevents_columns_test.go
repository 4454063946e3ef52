package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A columnSink writes down the columns of events.
type columnSink struct {
	ingest.EventsOnly
	said []string
}

func (s *columnSink) Event(e *ingest.Event) {
	line := string(e.Key)
	for _, c := range e.Columns {
		if c == nil {
			line += " -"
		} else {
			line += fmt.Sprintf(" %q", c)
		}
	}
	s.said = append(s.said, line)
}
func (s *columnSink) Problem(p ingest.Problem) { s.said = append(s.said, "problem "+p.Cause) }
func (s *columnSink) Skip(kind string)         { s.said = append(s.said, "skip "+kind) }

func TestFurtherColumns(t *testing.T) {
	const head = "ts,pk,tenant,id,op"
	for _, c := range []struct {
		name   string
		format *ingest.Format
		o      ingest.DecodeOptions
		data   string
		want   []string
	}{
		{
			"text, numbers, escapes, absence, null and nested values", &KeyEventsNDJSON, ingest.DecodeOptions{Columns: []string{"tenant", "user.id"}},
			`{"pk":"a","tenant":"t1","user":{"id":7}}
{"pk":"b","tenant":"t\"2","user":{"id":"x"}}
{"user":{},"pk":"c","tenant":null}
{"pk":"d","tenant":["t"],"user.id":true}
{"pk":"e"}`,
			[]string{`a "t1" "7"`, `b "t\"2" "x"`, `c - -`, `d - "true"`, `e - -`},
		},
		{"cells, quoted ones and empty ones", &KeyEventsCSV, ingest.DecodeOptions{Columns: []string{"id", "tenant"}}, head + `
1772359200,a,t1,1,read
1772359200,b,"t,2",2,read
1772359200,c,,,read`, []string{`skip header`, `a "1" "t1"`, `b "2" "t,2"`, `c - -`}},
		{"columns that no header has", &KeyEventsCSV, ingest.DecodeOptions{Columns: []string{"nowhere"}}, head + "\n1772359200,a,t1,1,read", []string{"skip header", "a -"}},
		{"none when none is asked for", &KeyEventsNDJSON, ingest.DecodeOptions{}, `{"pk":"a","tenant":"t1"}`, []string{"a"}},
		{"beside a composed key", &KeyEventsNDJSON, ingest.DecodeOptions{Map: map[string]string{"pk": "a+b"}, Columns: []string{"c"}}, `{"a":"1","b":"2","c":"3","op":"read"}`, []string{"\xff\x02\x011\x012 \"3\""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.format.New([]byte(head), c.o)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // the first time the shape is learnt, then records may be read the fast way
				sink := &columnSink{}
				for line := range strings.SplitSeq(c.data, "\n") {
					d.Decode(&ingest.Record{Data: padded([]byte(line))}, sink)
				}
				if diff := cmp.Diff(sink.said, c.want); diff != "" {
					t.Errorf("(-got +want):\n%s", diff)
				}
			}
		})
	}
}

func TestColumnsCostNoAllocation(t *testing.T) {
	inputs := benchInputs()
	for name, columns := range map[string][]string{"ndjson-20-fields": {"f1", "f3"}, "csv": {"nowhere"}} {
		format := map[bool]ingest.Format{true: KeyEventsCSV, false: KeyEventsNDJSON}[name == "csv"]
		d, err := format.New([]byte("ts,table,op,key,bytes\n"), ingest.DecodeOptions{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		recs, _ := records(inputs[name])
		sink, i := &countingSink{}, 0
		decode := func() { d.Decode(&recs[i%len(recs)], sink); i++ }
		for range recs {
			decode()
		}
		if n := testing.AllocsPerRun(len(recs), decode); n != 0 {
			t.Errorf("%s: %v allocations a record", name, n)
		}
	}
}

func TestColumnsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ column, want string }{
		{"node", "column node: node is used twice"},
		{"", "column : a field's name is empty"},
	} {
		if _, err := KeyEventsNDJSON.New(nil, ingest.DecodeOptions{Columns: []string{c.column}}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestWhatFieldsAreUsedFor(t *testing.T) {
	for _, c := range []struct {
		name string
		maps map[string]string
		want FieldUse
	}{
		{"partition_key", nil, FieldUse{"pk", -1}},
		{"KEY", nil, FieldUse{"pk", -1}},
		{"@timestamp", nil, FieldUse{"ts", -1}},
		{"sort_key", nil, FieldUse{"sk", -1}},
		{"node", nil, FieldUse{"node", -1}},
		{"tenant", nil, FieldUse{"", -1}},
		{"pk", map[string]string{"pk": "user.id"}, FieldUse{"", -1}},
		{"user.id", map[string]string{"pk": "user.id"}, FieldUse{"pk", -1}},
		{"b", map[string]string{"key": "a+b"}, FieldUse{"pk", 1}},
	} {
		if got, err := UseOf(c.name, ingest.DecodeOptions{Map: c.maps}); err != nil || got != c.want {
			t.Errorf("%s with %v: got %+v, %v, want %+v", c.name, c.maps, got, err, c.want)
		}
	}
}

func TestColumnsThatABeginningShows(t *testing.T) {
	for _, c := range []struct {
		name   string
		format *ingest.Format
		head   string
		want   []string
	}{
		{"names in order of appearance", &KeyEventsNDJSON, `{"ts":1,"pk":"a","b":1,"a":"x","n":null,"o":{}}` + "\n" + `{"pk":"a","c":true,"a":2}`, []string{"b", "a", "c"}},
		{"names that the text of a key cannot hold", &KeyEventsNDJSON, `{"pk":"a","x,y":1,"f(z)":1," s":1,"":1}`, []string{}},
		{"a header", &KeyEventsCSV, "ts;pk;tenant;status\n1;2;3;4\n", []string{"tenant", "status"}},
	} {
		if diff := cmp.Diff(ColumnsOf(c.format, []byte(c.head), ingest.DecodeOptions{}), c.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.name, diff)
		}
	}
}
