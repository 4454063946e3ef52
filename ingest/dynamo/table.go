package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"github.com/keyheat/keyheat/ingest"
)

// tableAPI is what is asked of a table.
type tableAPI interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	DescribeContributorInsights(context.Context, *dynamodb.DescribeContributorInsightsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContributorInsightsOutput, error)
}

// Actions of IAM that describing a table needs.
const (
	actionDescribeTable      = "dynamodb:DescribeTable"
	actionDescribeTimeToLive = "dynamodb:DescribeTimeToLive"
	actionDescribeInsights   = "dynamodb:DescribeContributorInsights"
)

// A table is what was found out of a table before its stream is read.
type table struct {
	region   string
	keys     []types.KeySchemaElement
	stream   string                  // ARN; empty: there is none
	view     string                  // which images its records hold
	indexes  []string                // global secondary indexes
	entries  []ingest.SecondaryIndex // of all indexes: what they hold of an item
	sorted   []bool                  // whether the table, and then each index, has a sort key
	insights []insights
	scaled   bool        // its capacity is provisioned, so that auto scaling may change it
	scaling  string      // what auto scaling may do, as told to people; empty: nothing, or not known
	sink     ingest.Sink // of what describes the table
}

// insightsOn reports whether Contributor Insights counts anything.
func (t *table) insightsOn() bool {
	return slices.ContainsFunc(t.insights, func(i insights) bool { return i.on() && len(i.rules) > 0 })
}

// describe asks what there is to know of the table, and hands it over.
func (s *Server) describe(ctx context.Context, c *caller, api tableAPI, scaling scalingAPI, region string, to ingest.Streams) (*table, error) {
	name := s.address.table
	out, err := call(ctx, c, actionDescribeTable, firstAttempts, api.DescribeTable, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	if out.Table == nil {
		return nil, fmt.Errorf("%s: the answer describes nothing", actionDescribeTable)
	}
	t := tableOf(out.Table, region)
	t.sink = to.Open(ingest.LiveInput{Name: s.input(region, "table"), Format: s.formats[formatDescribe]})
	if err := s.hand(formatDescribe, "", out, t.sink); err != nil {
		return nil, err
	}
	ttl, err := call(ctx, c, actionDescribeTimeToLive, firstAttempts, api.DescribeTimeToLive, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err == nil {
		err = s.hand(formatDescribe, `{"TableName":"`+name+`"`, ttl, t.sink)
	}
	if err != nil {
		to.Note(fmt.Sprintf("whether items expire is not known: %v", err))
	}
	if t.insights, err = s.describeInsights(ctx, c, api, t.indexes, t.sink); err != nil {
		to.Note(fmt.Sprintf("whether Contributor Insights is enabled is not known: %v", err))
	}
	if err := s.describeScaling(ctx, c, scaling, t); err != nil {
		to.Note(fmt.Sprintf("what auto scaling may do is not known: %v", err))
	}
	return t, ctx.Err()
}

func tableOf(d *types.TableDescription, region string) *table {
	t := &table{region: region, stream: aws.ToString(d.LatestStreamArn), keys: d.KeySchema, sorted: []bool{hasRange(d.KeySchema)}}
	t.scaled = d.BillingModeSummary == nil || d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest
	if d.StreamSpecification != nil {
		t.view = string(d.StreamSpecification.StreamViewType)
	}
	for i := range d.GlobalSecondaryIndexes {
		x := &d.GlobalSecondaryIndexes[i]
		t.indexes = append(t.indexes, aws.ToString(x.IndexName))
		t.sorted = append(t.sorted, hasRange(x.KeySchema))
		t.entries = append(t.entries, t.entriesOf(x.IndexName, x.KeySchema, x.Projection))
	}
	for i := range d.LocalSecondaryIndexes {
		x := &d.LocalSecondaryIndexes[i]
		of := t.entriesOf(x.IndexName, x.KeySchema, x.Projection)
		of.Local = true
		t.entries = append(t.entries, of)
	}
	return t
}

// entriesOf says what an index holds of an item.
func (t *table) entriesOf(name *string, keys []types.KeySchemaElement, p *types.Projection) ingest.SecondaryIndex {
	x := ingest.SecondaryIndex{
		Name: aws.ToString(name), Partition: attributesOf(keys, types.KeyTypeHash), Sort: attributesOf(keys, types.KeyTypeRange),
		Base: slices.Concat(attributesOf(t.keys, types.KeyTypeHash), attributesOf(t.keys, types.KeyTypeRange)),
	}
	if p != nil {
		x.All, x.Include = p.ProjectionType == types.ProjectionTypeAll, p.NonKeyAttributes
	}
	return x
}

func hasRange(schema []types.KeySchemaElement) bool {
	return len(attributesOf(schema, types.KeyTypeRange)) > 0
}

// attributesOf gives the attributes of a role in a key, in order; indexes may have several.
func attributesOf(schema []types.KeySchemaElement, role types.KeyType) (names []string) {
	for i := range schema {
		if schema[i].KeyType == role {
			names = append(names, aws.ToString(schema[i].AttributeName))
		}
	}
	return names
}

// input names an input. Tables of one name in two regions are two.
func (s *Server) input(region, part string) string {
	return "dynamodb://" + s.address.table + "/" + part + "?region=" + region
}

// hand hands an answer to the format that reads it, behind the members that begin holds.
func (s *Server) hand(format, begin string, answer smithy.Serializable, to ingest.Sink) error {
	text, err := s.wire.object([]byte(begin), answer)
	if err != nil {
		return err
	}
	d, err := s.formats[format].New(text, s.options.Decode)
	if err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	d.Decode(&ingest.Record{Data: text}, to)
	return nil
}

// tellShards hands over the shards of the stream as one page of its description, whatever their number.
func (s *Server) tellShards(t *table, l *listing) error {
	d := &streamtypes.StreamDescription{TableName: &s.address.table, Shards: l.shards}
	return s.hand(formatDescribe, "", &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, t.sink)
}
