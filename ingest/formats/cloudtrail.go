package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// CloudTrail is the log of requests to DynamoDB as CloudTrail writes it.
var CloudTrail = ingest.Format{
	Name:     "cloudtrail",
	Title:    "CloudTrail data events of DynamoDB",
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "index", "partition key", "sort key", "operation", "throttles"},
	Doc: `Data events of DynamoDB
(https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/logging-using-cloudtrail.html): files as they are
delivered to S3, single events as CloudWatch Logs, EventBridge or Athena (as JSON) have them, also as messages ("aws logs filter-log-events").
Names in any case.

    {"Records":[{"eventSource":"dynamodb.amazonaws.com","eventName":"PutItem","eventTime":"2026-11-02T10:00:01Z",
      "requestParameters":{"tableName":"Orders","key":{"pk":"TENANT#17","sk":"ORDER#1"}, …}, …}]}

Reads and writes come with the key of the item, one event for each item of a batch or transaction. Queries come
without, and nothing tells sizes or capacity. A failed condition is a request like others; refusals for rate are told
apart by the error. Reads without consistentRead are eventually consistent, as the API has it. Each attempt of an SDK is an event of its own. TTL deletions and cached reads are not logged.

Events name the attributes of the key, and not which one is the partition key; see the format dynamodb-stream.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Trail, "CloudTrail events")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return newCloudTrail(o), nil
	},
}
