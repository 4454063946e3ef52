package dynamo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/keyheat/keyheat/ingest"
)

// metricsAPI is what is asked of CloudWatch.
type metricsAPI interface {
	GetMetricData(context.Context, *cloudwatch.GetMetricDataInput, ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error)
	GetInsightRuleReport(context.Context, *cloudwatch.GetInsightRuleReportInput, ...func(*cloudwatch.Options)) (*cloudwatch.GetInsightRuleReportOutput, error)
}

// Actions of IAM that reading metrics needs.
const (
	actionGetMetricData        = "cloudwatch:GetMetricData"
	actionGetInsightRuleReport = "cloudwatch:GetInsightRuleReport"
)

// queriesOfCall is the most queries of a GetMetricData
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html).
const queriesOfCall = 500

// Periods of metrics, in seconds (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html).
const (
	minutely = 60
	slowly   = 300
)

// A metric is one of DynamoDB's, and the statistic of it that says something.
type metric struct {
	name, stat string
	period     int32
}

// resourceMetrics are those of a table and of each of its global secondary indexes. Of the throttled events
// each is in the first two of them, and in one by its reason.
var resourceMetrics = []metric{
	{"ReadThrottleEvents", "Sum", minutely},
	{"WriteThrottleEvents", "Sum", minutely},
	{"ReadKeyRangeThroughputThrottleEvents", "Sum", minutely},
	{"WriteKeyRangeThroughputThrottleEvents", "Sum", minutely},
	{"ReadProvisionedThroughputThrottleEvents", "Sum", minutely},
	{"WriteProvisionedThroughputThrottleEvents", "Sum", minutely},
	{"ReadAccountLimitThrottleEvents", "Sum", minutely},
	{"WriteAccountLimitThrottleEvents", "Sum", minutely},
	{"ReadMaxOnDemandThroughputThrottleEvents", "Sum", minutely},
	{"WriteMaxOnDemandThroughputThrottleEvents", "Sum", minutely},
	{"ConsumedReadCapacityUnits", "Sum", minutely},
	{"ConsumedWriteCapacityUnits", "Sum", minutely},
	{"ProvisionedReadCapacityUnits", "Maximum", slowly},
	{"ProvisionedWriteCapacityUnits", "Maximum", slowly},
}

// tableMetrics are those of a table alone.
var tableMetrics = []metric{
	{"ConditionalCheckFailedRequests", "Sum", minutely},
	{"TransactionConflict", "Sum", minutely},
	{"TimeToLiveDeletedItemCount", "Sum", minutely},
}

// operationMetrics are those of a table by operation. The number of latencies is that of successful requests.
var operationMetrics = []metric{
	{"ThrottledRequests", "Sum", minutely},
	{"SuccessfulRequestLatency", "SampleCount", minutely},
}

var metricOperations = []string{
	"PutItem", "UpdateItem", "DeleteItem", "GetItem", "BatchWriteItem", "BatchGetItem", "Query", "Scan", "TransactWriteItems",
	"TransactGetItems", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction",
}

// queriesOf gives what is asked of a table and its indexes with metrics of one period.
func queriesOf(table string, indexes []string, period int32) (all []types.MetricDataQuery) {
	add := func(metrics []metric, dimensions ...string) {
		for _, m := range metrics {
			if m.period == period {
				all = append(all, m.query(dimensions))
			}
		}
	}
	add(resourceMetrics, "TableName", table)
	add(tableMetrics, "TableName", table)
	for _, o := range metricOperations {
		add(operationMetrics, "TableName", table, "Operation", o)
	}
	for _, index := range indexes {
		add(resourceMetrics, "TableName", table, "GlobalSecondaryIndexName", index)
	}
	for i := range all {
		all[i].Id = aws.String("m" + strconv.Itoa(i))
	}
	return all
}

func (m metric) query(dimensions []string) types.MetricDataQuery {
	of := &types.Metric{Namespace: aws.String("AWS/DynamoDB"), MetricName: aws.String(m.name)}
	for i := 0; i < len(dimensions); i += 2 {
		of.Dimensions = append(of.Dimensions, types.Dimension{Name: &dimensions[i], Value: &dimensions[i+1]})
	}
	return types.MetricDataQuery{MetricStat: &types.MetricStat{Metric: of, Period: aws.Int32(m.period), Stat: aws.String(m.stat)}}
}

// A metricsReader reads the metrics of a table, each period once.
type metricsReader struct {
	server *Server
	calls  *caller
	api    metricsAPI
	table  *table
	note   func(text string)
	sink   ingest.Sink // of metrics
	keys   ingest.Sink // of reports of Contributor Insights
}

// read reads the datapoints of whole periods from one time, which is rounded down to the period, to another.
func (r *metricsReader) read(ctx context.Context, period int32, from, to time.Time) error {
	all := queriesOf(r.server.address.table, r.table.indexes, period)
	for len(all) > 0 {
		n := min(len(all), queriesOfCall)
		in := &cloudwatch.GetMetricDataInput{
			StartTime: &from, EndTime: &to, MetricDataQueries: all[:n], ScanBy: types.ScanByTimestampAscending,
		}
		if err := r.pages(ctx, in); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// pages reads all pages of an answer. A series that is not whole on its last page is not whole at all.
func (r *metricsReader) pages(ctx context.Context, in *cloudwatch.GetMetricDataInput) error {
	status := map[string]types.StatusCode{}
	for {
		out, err := call(ctx, r.calls, actionGetMetricData, attempts, r.api.GetMetricData, in)
		if err != nil {
			return err
		}
		for i := range out.MetricDataResults {
			status[aws.ToString(out.MetricDataResults[i].Id)] = out.MetricDataResults[i].StatusCode
		}
		if err := r.hand(in, out); err != nil {
			return err
		}
		next := aws.ToString(out.NextToken)
		if next == "" || next == aws.ToString(in.NextToken) {
			break
		}
		in.NextToken = &next
	}
	for i := range in.MetricDataQueries {
		q := &in.MetricDataQueries[i]
		if s, ok := status[*q.Id]; !ok || s != types.StatusCodeComplete && s != "" {
			r.note(fmt.Sprintf("CloudWatch did not give %s of %s wholly: %s", *q.MetricStat.Metric.MetricName, r.server.address.table, orAbsent(s)))
		}
	}
	return nil
}

func orAbsent(s types.StatusCode) string {
	if s == "" {
		return "it is not in the answer"
	}
	return string(s)
}

// hand hands over a page together with its queries, without which nobody knows what its series are.
func (r *metricsReader) hand(in *cloudwatch.GetMetricDataInput, out *cloudwatch.GetMetricDataOutput) error {
	text, err := r.server.wire.object(nil, &cloudwatch.GetMetricDataInput{MetricDataQueries: in.MetricDataQueries})
	if err != nil {
		return err
	}
	return r.server.hand(formatMetrics, string(text[:len(text)-1]), out, pointsOnly{r.sink})
}

// pointsOnly drops what the format tells of queries for answers in other files.
type pointsOnly struct{ ingest.Sink }

// Fact implements ingest.Sink.
func (pointsOnly) Fact(*ingest.Fact) {}

// Skip implements ingest.Sink: a series without datapoints is no record.
func (pointsOnly) Skip(string) {}
