package awsjson

import "bytes"

// metrics are the names of CloudWatch's metrics of DynamoDB
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html), a name before
// those that it is a part of.
var metrics = listOf(
	"ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ProvisionedReadCapacityUnits", "ProvisionedWriteCapacityUnits",
	"OnDemandMaxReadRequestUnits", "OnDemandMaxWriteRequestUnits",
	"ReadKeyRangeThroughputThrottleEvents", "WriteKeyRangeThroughputThrottleEvents",
	"ReadProvisionedThroughputThrottleEvents", "WriteProvisionedThroughputThrottleEvents",
	"ReadAccountLimitThrottleEvents", "WriteAccountLimitThrottleEvents",
	"ReadMaxOnDemandThroughputThrottleEvents", "WriteMaxOnDemandThroughputThrottleEvents",
	"ReadThrottleEvents", "WriteThrottleEvents", "OnlineIndexThrottleEvents", "ThrottledRequests", "SuccessfulRequestLatency",
	"ReturnedItemCount", "ReturnedRecordsCount", "ReturnedBytes", "ConditionalCheckFailedRequests", "TransactionConflict",
	"TimeToLiveDeletedItemCount", "SystemErrors", "UserErrors", "ReplicationLatency", "PendingReplicationCount",
	"OnlineIndexConsumedWriteCapacity", "ThrottledPutRecordCount",
)

// MetricIn gives the name of DynamoDB's metric that a label holds as a word, nil when it holds none.
func MetricIn(label []byte) []byte {
	for _, name := range metrics {
		i := bytes.Index(label, name)
		if i < 0 {
			continue
		}
		end := i + len(name)
		if (i == 0 || !letter(label[i-1])) && (end == len(label) || !letter(label[end])) {
			return name
		}
	}
	return nil
}

// Counts reports whether a metric counts refusals, one sample each: its sum and its number of samples are
// one, and nobody asks for another statistic of it.
func Counts(metric []byte) bool {
	return bytes.HasSuffix(metric, []byte("ThrottleEvents")) || string(metric) == "ThrottledRequests"
}

// statistics are CloudWatch's and how reports call them.
var statistics = []struct{ theirs, ours string }{
	{"Sum", "sum"}, {"Average", "average"}, {"Maximum", "maximum"}, {"Minimum", "minimum"}, {"SampleCount", "count"},
	{"p99.9", "p99.9"}, {"p99", "p99"}, {"p95", "p95"}, {"p90", "p90"}, {"p50", "p50"},
	{"sum", "sum"}, {"max", "maximum"}, {"min", "minimum"}, {"count", "count"}, // of metric streams
}

// Statistic gives the constant name of a statistic, empty for one that is not known.
func Statistic(name []byte) string {
	for _, s := range statistics {
		if string(name) == s.theirs {
			return s.ours
		}
	}
	return ""
}

// StatisticIn gives the statistic that a label names as a word.
func StatisticIn(label []byte) string {
	for len(label) > 0 {
		var word []byte
		if word, label = nextWord(label); Statistic(word) != "" {
			return Statistic(word)
		}
	}
	return ""
}
