package dynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// streamsAPI is what a walk needs of DynamoDB Streams.
type streamsAPI interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
	ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error)
}

// Actions of IAM that reading a stream needs.
const (
	actionDescribeStream   = "dynamodb:DescribeStream"
	actionGetShardIterator = "dynamodb:GetShardIterator"
	actionGetRecords       = "dynamodb:GetRecords"
	actionListStreams      = "dynamodb:ListStreams"
)

// A listing is what DescribeStream gave on all its pages. It is no snapshot: a shard may be listed as open
// after its children were, or closed before they are.
type listing struct {
	shards []types.Shard
	keys   []types.KeySchemaElement // of the table; none: not told
	made   time.Time                // when the stream was enabled; zero: not told
	status types.StreamStatus       // when the first page was made: later pages may lack shards of earlier ones
	at     time.Time                // by the service's clock, at that time; where it does not tell, by ours
}

// open gives the number of shards that take writes.
func (l *listing) open() int {
	n := 0
	for i := range l.shards {
		if !closed(&l.shards[i]) {
			n++
		}
	}
	return n
}

func closed(s *types.Shard) bool {
	return s.SequenceNumberRange != nil && s.SequenceNumberRange.EndingSequenceNumber != nil
}

// listShards asks for all shards of a stream, or for the children of one. Paging ends where no last shard is
// named, or the same one again: servers are known that ignore where to go on.
func listShards(ctx context.Context, c *caller, api streamsAPI, stream, parent string, often int) (l listing, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &stream}
	if parent != "" {
		in.ShardFilter = &types.ShardFilter{ShardId: &parent, Type: types.ShardFilterTypeChildShards}
	}
	l.at = c.options.Now().Truncate(time.Second) // records have whole seconds
	for {
		out, err := call(ctx, c, actionDescribeStream, often, api.DescribeStream, in)
		if err != nil {
			return l, err
		}
		if out.StreamDescription == nil {
			return l, errors.New(actionDescribeStream + ": the answer describes nothing")
		}
		d := out.StreamDescription
		if l.status == "" {
			l.status, l.keys, l.made = d.StreamStatus, d.KeySchema, aws.ToTime(d.CreationRequestDateTime)
			if at, ok := middleware.GetServerTime(out.ResultMetadata); ok {
				l.at = at
			}
		}
		l.shards = append(l.shards, d.Shards...)
		last := aws.ToString(d.LastEvaluatedShardId)
		if last == "" || last == aws.ToString(in.ExclusiveStartShardId) {
			return l, nil
		}
		in.ExclusiveStartShardId = &last
	}
}
