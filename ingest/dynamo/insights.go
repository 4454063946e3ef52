package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/keyheat/keyheat/ingest"
)

// mostContributors is the most keys that a report of a rule of DynamoDB may list
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html).
const mostContributors = 25

// insights are what Contributor Insights does for a table or one of its indexes.
type insights struct {
	index  string // empty: the table
	status types.ContributorInsightsStatus
	mode   types.ContributorInsightsMode
	rules  []string
}

func (i *insights) on() bool { return i.status == types.ContributorInsightsStatusEnabled }

// describeInsights asks whether Contributor Insights is enabled for a table and each of its indexes, and hands
// it over.
func (s *Server) describeInsights(ctx context.Context, c *caller, api tableAPI, indexes []string, to ingest.Sink) (all []insights, err error) {
	for _, index := range append([]string{""}, indexes...) {
		in := &dynamodb.DescribeContributorInsightsInput{TableName: &s.address.table}
		if index != "" {
			in.IndexName = &index
		}
		out, err := call(ctx, c, actionDescribeInsights, firstAttempts, api.DescribeContributorInsights, in)
		if err != nil {
			return all, err
		}
		all = append(all, insights{
			index: index, status: out.ContributorInsightsStatus, mode: out.ContributorInsightsMode, rules: out.ContributorInsightsRuleList,
		})
		if err := s.hand(formatDescribe, "", out, to); err != nil {
			return all, err
		}
	}
	return all, nil
}

// readInsights reads the reports of the rules that are enabled.
func (r *metricsReader) readInsights(ctx context.Context, from, to time.Time) error {
	var errs []error
	for i := range r.table.insights {
		in := &r.table.insights[i]
		for _, rule := range in.rules {
			if in.on() {
				errs = append(errs, r.report(ctx, in.index, rule, from, to))
			}
		}
	}
	return errors.Join(errs...)
}

// report reads the report of a rule. What it tells is of the table and index that were asked, whose names the
// rule's own joins.
func (r *metricsReader) report(ctx context.Context, index, rule string, from, to time.Time) error {
	in := &cloudwatch.GetInsightRuleReportInput{
		RuleName: &rule, StartTime: &from, EndTime: &to, Period: aws.Int32(minutely), MaxContributorCount: aws.Int32(mostContributors),
		OrderBy: aws.String("Sum"),
	}
	out, err := call(ctx, r.calls, actionGetInsightRuleReport, firstAttempts, r.api.GetInsightRuleReport, in)
	if err != nil {
		return fmt.Errorf("rule %s: %w", rule, err)
	}
	sink := &ofResource{Sink: r.keys, table: []byte(r.server.address.table), index: []byte(index)}
	return r.server.hand(formatInsights, `{"RuleName":`+strconv.Quote(rule), out, sink)
}

// ofResource sets which table and index events are of.
type ofResource struct {
	ingest.Sink
	table, index []byte
}

// Event implements ingest.Sink.
func (o *ofResource) Event(e *ingest.Event) {
	e.Table, e.Index = o.table, o.index
	o.Sink.Event(e)
}
