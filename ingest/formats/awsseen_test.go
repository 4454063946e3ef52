package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// chunkSays gives what one decoder makes of several records.
func chunkSays(t *testing.T, f *ingest.Format, records ...string) (events, skips int) {
	t.Helper()
	d, err := f.New(nil, ingest.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	for _, text := range records {
		d.Decode(&ingest.Record{Data: padded([]byte(text))}, &sink)
	}
	for _, said := range sink.said {
		switch {
		case strings.HasPrefix(said, "event "):
			events++
		case strings.HasPrefix(said, "skip "):
			skips++
		default:
			t.Errorf("said %s", said)
		}
	}
	return events, skips
}

func TestARecordOfAChunkCountsOnce(t *testing.T) {
	stream := func(id, key string) string {
		return fmt.Sprintf(`{"eventID":"%s","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"ApproximateCreationDateTime":1793610000,"Keys":{"pk":{"S":"%s"}}}}`, id, key)
	}
	trail := func(id, second string) string {
		return fmt.Sprintf(`{"eventVersion":"1.11","eventID":"%s","eventTime":"2026-11-02T10:00:0%sZ","eventSource":"dynamodb.amazonaws.com","eventName":"PutItem","requestParameters":{"tableName":"T","key":{"pk":"a"}}}`, id, second)
	}
	for _, c := range []struct {
		name          string
		format        *ingest.Format
		records       []string
		events, skips int
	}{
		{"stream records, a line each", &DynamoStream, []string{stream("1", "a"), stream("2", "b"), stream("1", "a"), stream("3", "c"), stream("2", "b")}, 3, 2},
		{"stream records in one document", &DynamoStream, []string{`{"Records":[` + stream("1", "a") + "," + stream("2", "b") + "," + stream("1", "a") + "]}"}, 2, 1},
		{"stream records in another form", &DynamoStream, []string{stream("1", "a"), "{\"Records\": [\n" + stream("1", "a") + "]}"}, 1, 1},
		{"made-up stream records of one name", &DynamoStream, []string{stream("1", "a"), stream("1", "b"), stream("1", "c")}, 3, 0},
		{"CloudTrail events", &CloudTrail, []string{trail("x", "1"), trail("y", "1"), `{"Records":[` + trail("x", "1") + "]}"}, 2, 1},
		{"made-up CloudTrail events of one name", &CloudTrail, []string{trail("x", "1"), trail("x", "2")}, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, skips := chunkSays(t, c.format, c.records...)
			if events != c.events || skips != c.skips {
				t.Errorf("got %d events and %d skipped, want %d and %d", events, skips, c.events, c.skips)
			}
		})
	}
}

func TestNamesOfRecordsAreHeldUpToABound(t *testing.T) {
	var s awsSeen
	name := func(i int) []byte { return fmt.Appendf(nil, "%d", i) }
	for i := range mostSeen + 1000 {
		if s.again(name(i), nil) {
			t.Fatalf("record %d is said to have been there", i)
		}
	}
	for i := range mostSeen + 1000 {
		if got, want := s.again(name(i), nil), i < mostSeen; got != want {
			t.Fatalf("record %d: there before: got %v, want %v", i, got, want)
		}
	}
	if got := len(s); got != mostSeen {
		t.Errorf("%d hashes are held, want %d", got, mostSeen)
	}
}
