package awsjson

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// reasons are texts of a refusal for rate and what they tell, the more telling first. The first ones are
// parts of the words of ThrottlingReasons, {Table|Index}{Read|Write}{...Exceeded}; then messages of
// DynamoDB; then names of its exceptions, which tell no reason.
var reasons = []struct {
	text   string
	reason ingest.Throttle
}{
	{"KeyRangeThroughputExceeded", ingest.ThrottledKeyRange},
	{"AccountLimitExceeded", ingest.ThrottledAccount},
	{"IndexReadProvisionedThroughputExceeded", ingest.ThrottledIndex},
	{"IndexWriteProvisionedThroughputExceeded", ingest.ThrottledIndex},
	{"IndexReadMaxOnDemandThroughputExceeded", ingest.ThrottledIndex},
	{"IndexWriteMaxOnDemandThroughputExceeded", ingest.ThrottledIndex},
	{"TableReadProvisionedThroughputExceeded", ingest.ThrottledTable},
	{"TableWriteProvisionedThroughputExceeded", ingest.ThrottledTable},
	{"TableReadMaxOnDemandThroughputExceeded", ingest.ThrottledTable},
	{"TableWriteMaxOnDemandThroughputExceeded", ingest.ThrottledTable},
	{"provisioned throughput for one or more global secondary indexes", ingest.ThrottledIndex},
	{"current capacity for one or more global secondary indexes", ingest.ThrottledIndex},
	{"provisioned throughput for the index", ingest.ThrottledIndex},
	{"level of configured provisioned throughput", ingest.ThrottledTable},
	{"maximum OnDemandThroughput configured", ingest.ThrottledTable},
	{"Throughput exceeds the current", ingest.ThrottledUnknown}, // capacity of your table or index: scaling, or a hot key
	{"RequestLimitExceeded", ingest.ThrottledAccount},
	{"Throughput exceeds the current throughput limit for your account", ingest.ThrottledAccount},
}

// exceptions name a refusal for rate without a reason; other services throw them as well.
var exceptions = []string{
	"ProvisionedThroughputExceeded", "ThrottlingException", "ThrottlingError", "ThrottledException",
}

// Reason gives why DynamoDB refused a request for rate, from the name, the message or the reasons of the
// error that text holds; NotThrottled when it was not refused for rate.
func Reason(text []byte) ingest.Throttle {
	if bytes.Contains(text, []byte("throughput limit for your account")) {
		return ingest.ThrottledAccount
	}
	for _, r := range reasons {
		if bytes.Contains(text, []byte(r.text)) {
			return r.reason
		}
	}
	for _, e := range exceptions {
		if bytes.Contains(text, []byte(e)) {
			return ingest.ThrottledUnknown
		}
	}
	return ingest.NotThrottled
}
