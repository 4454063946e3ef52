package awsjson

import (
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

func TestReasonsOfRefusalsAreToldApart(t *testing.T) {
	for text, want := range map[string]ingest.Throttle{
		"TableWriteKeyRangeThroughputExceeded":                                                    ingest.ThrottledKeyRange,
		"IndexReadKeyRangeThroughputExceeded":                                                     ingest.ThrottledKeyRange,
		"TableReadProvisionedThroughputExceeded":                                                  ingest.ThrottledTable,
		"IndexWriteProvisionedThroughputExceeded":                                                 ingest.ThrottledIndex,
		"TableReadMaxOnDemandThroughputExceeded":                                                  ingest.ThrottledMaximum,
		"IndexWriteMaxOnDemandThroughputExceeded":                                                 ingest.ThrottledMaximum,
		"TableWriteAccountLimitExceeded":                                                          ingest.ThrottledAccount,
		"RequestLimitExceeded: Throughput exceeds the current throughput limit for your account.": ingest.ThrottledAccount,
		"The level of configured provisioned throughput for the table was exceeded.":              ingest.ThrottledTable,
		"level of configured provisioned throughput for one or more global secondary indexes of":  ingest.ThrottledIndex,
		"Throughput exceeds the current capacity for one or more global secondary indexes.":       ingest.ThrottledIndex,
		"Throughput exceeds the current capacity of your table or index.":                         ingest.ThrottledUnknown,
		"Throughput exceeds the maximum OnDemandThroughput configured on table or index":          ingest.ThrottledMaximum,
		"ThrottlingException":    ingest.ThrottledUnknown,
		"ThrottlingError":        ingest.ThrottledUnknown,
		"ConditionalCheckFailed": ingest.NotThrottled,
		"ValidationError":        ingest.NotThrottled,
		"":                       ingest.NotThrottled,
	} {
		if got := Reason([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestErrorsAreToldFromPagesThatExplainThem(t *testing.T) {
	for text, want := range map[string]bool{
		"An error occurred (ThrottlingException) when calling the PutItem operation":               true,
		"operation error DynamoDB: Query, ProvisionedThroughputExceededException: slow down":       true,
		"ThrottlingReasons: [{ reason: 'TableReadKeyRangeThroughputExceeded' }]":                   true,
		`{\"reason\":\"TableWriteAccountLimitExceeded\"}`:                                          true,
		"kinesis ProvisionedThroughputExceededException: Rate exceeded for shard shardId-000":      false,
		"An error occurred (ThrottlingException) when calling the DescribeAlarms operation: Rate":  false,
		"DynamoDB answers with a ProvisionedThroughputExceededException when a table is too slow.": false,
		"exceeding DynamoDB's per-partition throughput limits can result in throttling":            false,
		"RequestLimitExceeded: EC2 request limit exceeded":                                         false,
	} {
		if got := Refused([]byte(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestTablesAreReadWhereAMemberNamesThem(t *testing.T) {
	for text, want := range map[string]string{
		`{"TableName": "Orders", "Key": 1}`:  "Orders",
		"put failed for tableName=my-orders": "my-orders",
		`\"table_name\":\"Orders\"`:          "Orders",
		"the TableName is wrong":             "",
		"TableName: 'x'":                     "",
	} {
		if got := string(NamedTable([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOperationsAreWordsOfTheirOwn(t *testing.T) {
	for text, want := range map[string]ingest.Op{
		"when calling the BatchWriteItem operation": ingest.OpWrite,
		"DynamoDB.Query":                 ingest.OpRead,
		"DynamoDB: UpdateItem, exceeded": ingest.OpUpdate,
		"Scanner was slow":               ingest.OpUnknown,
		"myPutItem":                      ingest.OpUnknown,
	} {
		if got := OpIn([]byte(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
