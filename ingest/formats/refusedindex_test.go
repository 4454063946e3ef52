package formats

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

type refusedSink struct {
	ingest.EventsOnly
	said []string
}

func (s *refusedSink) Event(e *ingest.Event) {
	s.said = append(s.said, fmt.Sprintf("%s/%s %s %s key %t", e.Table, e.Index, e.Throttle, e.Coverage, e.KeyKnown))
}
func (s *refusedSink) Problem(p ingest.Problem) { s.said = append(s.said, p.Cause) }
func (s *refusedSink) Skip(kind string)         { s.said = append(s.said, kind) }

// What an index met says nothing of the keys of its table, and the index is named where the record names it.
func TestRefusalsForAnIndexAreNotThoseOfItsTable(t *testing.T) {
	const trail = `{"eventTime":"2026-11-02T10:00:01Z","eventSource":"dynamodb.amazonaws.com","eventName":%q,"errorCode":"ThrottlingException","errorMessage":"m","requestParameters":{"tableName":"Orders"%s,"key":{"pk":"u1"}},"additionalEventData":{"throttlingReasons":[{"reason":%q,"resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders%s"}]},"eventID":"e1"}`
	const text = `2026-11-02T10:00:01Z ERROR ThrottlingException: m when calling PutItem on tableName=Orders {"reason":%q%s}`
	const row = `{"ts":"2026-11-02T10:00:01Z","table":"Orders","pk":"u1","op":"write","throttled":%q%s}`
	const arn = `,"resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/byStatus"`
	for name, c := range map[string]struct {
		format *ingest.Format
		text   string
		want   []string
	}{
		"CloudTrail, a key range of the index": {&CloudTrail, fmt.Sprintf(trail, "PutItem", "", "IndexWriteKeyRangeThroughputExceeded", "/index/byStatus"),
			[]string{"Orders/ index  key true", "Orders/byStatus key-range selected key false"}},
		"CloudTrail, the maximum of the index": {&CloudTrail, fmt.Sprintf(trail, "UpdateItem", "", "IndexWriteMaxOnDemandThroughputExceeded", "/index/byStatus"),
			[]string{"Orders/ index  key true", "Orders/byStatus on-demand-maximum selected key false"}},
		"CloudTrail, capacity of the index": {&CloudTrail, fmt.Sprintf(trail, "PutItem", "", "IndexWriteProvisionedThroughputExceeded", "/index/byStatus"),
			[]string{"Orders/ index  key true", "Orders/byStatus index selected key false"}},
		"CloudTrail, the index is not named": {&CloudTrail, fmt.Sprintf(trail, "PutItem", "", "IndexWriteKeyRangeThroughputExceeded", ""),
			[]string{"Orders/ index  key true"}},
		"CloudTrail, a query of the index": {&CloudTrail, fmt.Sprintf(trail, "Query", `,"indexName":"byStatus"`, "IndexReadKeyRangeThroughputExceeded", "/index/byStatus"),
			[]string{"Orders/byStatus key-range  key true"}},
		"CloudTrail, the account": {&CloudTrail, fmt.Sprintf(trail, "PutItem", "", "IndexWriteAccountLimitExceeded", "/index/byStatus"),
			[]string{"Orders/ account  key true"}},
		"CloudTrail, a key range of the table": {&CloudTrail, fmt.Sprintf(trail, "PutItem", "", "TableWriteKeyRangeThroughputExceeded", ""),
			[]string{"Orders/ key-range  key true"}},
		"a log that names the index": {&ThrottleText, fmt.Sprintf(text, "IndexWriteMaxOnDemandThroughputExceeded", arn),
			[]string{"Orders/byStatus on-demand-maximum selected key false"}},
		"a log that does not":              {&ThrottleText, fmt.Sprintf(text, "IndexWriteKeyRangeThroughputExceeded", ""), []string{"Orders/ index selected key false"}},
		"an event with its index":          {&KeyEventsNDJSON, fmt.Sprintf(row, "IndexWriteKeyRangeThroughputExceeded", `,"index":"byStatus"`), []string{"Orders/byStatus key-range  key true"}},
		"an event without":                 {&KeyEventsNDJSON, fmt.Sprintf(row, "indexwritemaxondemandthroughputexceeded", ""), []string{"Orders/ index  key true"}},
		"an event without, of its account": {&KeyEventsNDJSON, fmt.Sprintf(row, "IndexReadAccountLimitExceeded", ""), []string{"Orders/ account  key true"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := c.format.New([]byte(c.text), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s := &refusedSink{}
			data := append(make([]byte, 0, len(c.text)+64), c.text...)
			d.Decode(&ingest.Record{Data: data}, s)
			if diff := cmp.Diff(s.said, c.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}
