package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// changesOf decodes text and gives the names of what its records change.
func changesOf(t *testing.T, f *ingest.Format, text string) [][]string {
	t.Helper()
	d, err := f.New([]byte(text), ingest.DecodeOptions{Changes: true})
	if err != nil {
		t.Fatal(err)
	}
	sink := &changeSink{}
	d.Decode(&ingest.Record{Data: []byte(text)}, sink)
	return sink.names
}

type changeSink struct {
	ingest.EventsOnly
	names  [][]string
	values []uint64
}

func (s *changeSink) Event(e *ingest.Event) {
	names := []string{}
	for _, c := range e.Changes {
		names, s.values = append(names, string(c.Name)), append(s.values, c.Value)
	}
	s.names = append(s.names, names)
}
func (*changeSink) Problem(ingest.Problem) {}
func (*changeSink) Skip(string)            {}

func TestStreamRecordsTellWhatTheyChange(t *testing.T) {
	record := func(name, old, new string) string {
		return `{"eventName":"` + name + `","dynamodb":{"ApproximateCreationDateTime":1793610000,"Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"},` + old + `},"NewImage":{"pk":{"S":"a"},` + new + `}}}`
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one of two":                    {record("MODIFY", `"name":{"S":"A"},"n":{"N":"1"}`, `"name":{"S":"B"},"n":{"N":"1"}`), []string{"name"}},
		"a time of the request":         {record("MODIFY", `"at":{"N":"1793500000"},"seen":{"S":"2026-11-01T10:00:00Z"}`, `"at":{"N":"1793609999"},"seen":{"S":"2026-11-02T01:00:00Z"}`), []string{}},
		"from another name on, nothing": {record("MODIFY", `"a":{"S":"1"},"b":{"S":"1"}`, `"a":{"S":"2"},"c":{"S":"2"}`), []string{"a"}},
		"an insert":                     {record("INSERT", `"name":{"S":"A"}`, `"name":{"S":"B"}`), []string{}},
	} {
		if d := cmp.Diff(changesOf(t, &DynamoStream, c.text), [][]string{c.want}); d != "" {
			t.Errorf("%s (-got +want):\n%s", name, d)
		}
	}
}

func TestQueryLogsTellWhatTheyChange(t *testing.T) {
	const text = "Type: single-query\nQuery start time: 1790000000000\nProtocol version: 5\nKeyspace: shop\nGenerated timestamp:-9223372036854775808\nGenerated nowInSeconds:1790000000\n" +
		"Query: UPDATE orders SET name = ?, n = n + 1, state = 'open' WHERE id = ?\nValues: \n00000000 41 63 6d 65                                     Acme\n-----\n00000000 31                                              1\n-----\n\n"
	if d := cmp.Diff(changesOf(t, &CassandraFQL, text), [][]string{{"name", "state"}}); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}
