package dynamo

import (
	"context"
	"fmt"
	"maps"
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
	region    string
	partition string   // attribute that is the partition key
	stream    string   // ARN; empty: there is none
	view      string   // which images its records hold
	indexes   []string // global secondary indexes
	sorted    []bool   // whether the table, and then each index, has a sort key
	insights  []insights
	sink      ingest.Sink // of what describes the table
}

// insightsOn reports whether Contributor Insights counts anything.
func (t *table) insightsOn() bool {
	return slices.ContainsFunc(t.insights, func(i insights) bool { return i.on() && len(i.rules) > 0 })
}

// describe asks what there is to know of the table, and hands it over.
func (s *Server) describe(ctx context.Context, c *caller, api tableAPI, region string, to ingest.Streams) (*table, error) {
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
	return t, ctx.Err()
}

func tableOf(d *types.TableDescription, region string) *table {
	t := &table{region: region, stream: aws.ToString(d.LatestStreamArn), partition: hashOf(d.KeySchema), sorted: []bool{hasRange(d.KeySchema)}}
	if d.StreamSpecification != nil {
		t.view = string(d.StreamSpecification.StreamViewType)
	}
	for i := range d.GlobalSecondaryIndexes {
		t.indexes = append(t.indexes, aws.ToString(d.GlobalSecondaryIndexes[i].IndexName))
		t.sorted = append(t.sorted, hasRange(d.GlobalSecondaryIndexes[i].KeySchema))
	}
	return t
}

func hasRange(schema []types.KeySchemaElement) bool {
	return slices.ContainsFunc(schema, func(e types.KeySchemaElement) bool { return e.KeyType == types.KeyTypeRange })
}

func hashOf(schema []types.KeySchemaElement) string {
	for i := range schema {
		if schema[i].KeyType == types.KeyTypeHash {
			return aws.ToString(schema[i].AttributeName)
		}
	}
	return ""
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

// walk gives what reads the table's stream.
func (s *Server) walk(c *caller, api streamsAPI, t *table, to ingest.Streams) (*walk, error) {
	decode := s.options.Decode
	decode.PartitionKeys = maps.Clone(decode.PartitionKeys)
	if decode.PartitionKeys == nil {
		decode.PartitionKeys = map[string]string{}
	}
	decode.PartitionKeys[s.address.table] = t.partition
	format := s.formats[formatStream]
	decoder, err := format.New(nil, decode)
	if err != nil {
		return nil, fmt.Errorf("reading the stream: %w", err)
	}
	sink := to.Open(ingest.LiveInput{Name: s.input(t.region, "stream"), Format: format})
	return &walk{
		api: api, calls: c, stream: t.stream, from: s.address.from, keeps: streamKeeps, wire: s.wire, note: to.Note,
		sink: sink, decoder: decoder, positions: positionsOf(sink), listed: func(l *listing) error { return s.tellShards(t, l) },
	}, nil
}

// tellShards hands over the shards of the stream as one page of its description, whatever their number.
func (s *Server) tellShards(t *table, l *listing) error {
	d := &streamtypes.StreamDescription{TableName: &s.address.table, Shards: l.shards}
	return s.hand(formatDescribe, "", &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, t.sink)
}
