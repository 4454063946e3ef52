package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// streamLine is an event of a Lambda function with that many stream records.
func streamLine(records int) string {
	var b strings.Builder
	b.WriteString(`{"Records":[`)
	for i := range records {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"eventID":"9f1c2d3e4b5a69788796a5b4c3d2e%03d","eventName":"MODIFY","eventVersion":"1.1","eventSource":"aws:dynamodb",`+
			`"awsRegion":"eu-west-1","dynamodb":{"ApproximateCreationDateTime":1793610000,"Keys":{"pk":{"S":"TENANT#%d"},"sk":{"S":"ORDER#%06d"}},`+
			`"NewImage":{"pk":{"S":"TENANT#%d"},"sk":{"S":"ORDER#%06d"},"qty":{"N":"3"},"status":{"S":"OPEN"},"note":{"S":"as soon as possible"}},`+
			`"OldImage":{"pk":{"S":"TENANT#%d"},"sk":{"S":"ORDER#%06d"},"qty":{"N":"2"},"status":{"S":"OPEN"},"note":{"S":"as soon as possible"}},`+
			`"SequenceNumber":"300000000000000499659","SizeBytes":179,"StreamViewType":"NEW_AND_OLD_IMAGES"},`+
			`"eventSourceARN":"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders/stream/2026-11-02T08:00:00.123"}`, i, i, i, i, i, i, i)
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkAWS(b *testing.B) {
	for _, c := range []struct {
		name   string
		format *ingest.Format
		line   string
	}{
		{"lambda-event", &DynamoStream, streamLine(10)},
		{"full-export", &DynamoExport, `{"Item":{"pk":{"S":"TENANT#001"},"sk":{"S":"ORDER#000004"},"qty":{"N":"1053"},"status":{"S":"PAID"},"note":{"S":"as soon as possible"},"tags":{"SS":["a","b"]}}}`},
		{"cloudtrail", &CloudTrail, `{"Records":[{"eventVersion":"1.11","userIdentity":{"type":"AssumedRole","arn":"arn:aws:sts::444455556666:assumed-role/orders-api/i-0abc"},"eventTime":"2026-11-02T10:00:01Z","eventSource":"dynamodb.amazonaws.com","eventName":"PutItem","awsRegion":"eu-west-1","requestParameters":{"tableName":"Orders","key":{"pk":"TENANT#17","sk":"ORDER#0001"},"item":["pk","sk","qty"]},"responseElements":null,"eventID":"1","resources":[{"ARN":"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders"}],"eventCategory":"Data"}]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, err := c.format.New([]byte(c.line), ingest.DecodeOptions{})
			if err != nil {
				b.Fatal(err)
			}
			rec := ingest.Record{Data: padded([]byte(c.line))}
			var sink countingSink
			b.SetBytes(int64(len(c.line)))
			b.ReportAllocs()
			for b.Loop() {
				d.Decode(&rec, &sink)
			}
		})
	}
}
