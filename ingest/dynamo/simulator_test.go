package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
)

// A simulator is a stream whose shards grow, roll over, split and are trimmed while it is read. It keeps to
// what AWS documents, at its worst: listings are no snapshots, pages are empty, any call may be throttled or
// fail, iterators expire, and any call may be the last of its collector.
type simulator struct {
	mu      sync.Mutex
	random  *rand.Rand
	now     func() time.Time
	shards  []*simShard // in order of their making
	written int
	next    uint64 // sequence number
	label   int
	keep    time.Duration // records are trimmed after it; 0: never
	expire  time.Duration // of iterators
	trouble float64       // share of calls that go wrong
	hide    time.Duration // a new shard is not listed for up to so long
	crash   int           // calls until the collector ends; 0: it does not
	kill    context.CancelFunc
	off     bool
	iters   map[string]simIterator
	limit   int // shards on a page
	lies    int // refusals of what was not trimmed
	ordered bool
	faults  []string
	begun   int // records that were written when the first collector began; -1: none did
}

type simShard struct {
	id, parent string
	first      uint64
	last       uint64 // 0: open
	closed     time.Time
	listed     time.Time // from when on
	gone       bool
	records    []simRecord
	trimmed    uint64 // sequence numbers below are gone
	ended      bool   // its end was read
	end        int    // records that were written when its end was last asked for
}

type simRecord struct {
	number   int
	sequence uint64
	at       time.Time
}

type simIterator struct {
	shard string
	from  uint64 // sequence number from which on
	made  time.Time
}

func newSimulator(random *rand.Rand, now func() time.Time) *simulator {
	s := &simulator{
		random: random, now: now, next: 1_000_000_000, begun: -1, expire: 15 * time.Minute, iters: map[string]simIterator{},
		trouble: []float64{0, 0.05, 0.3}[random.IntN(3)], limit: 1 + random.IntN(5),
	}
	if random.IntN(2) == 0 {
		s.keep = time.Duration(60+random.IntN(60)) * time.Second // more than it takes to list a shard
	}
	if random.IntN(2) == 0 {
		s.expire = time.Duration(1+random.IntN(20)) * time.Second
	}
	if random.IntN(2) == 0 {
		s.hide = 20 * time.Second
	}
	for range 1 + random.IntN(4) {
		s.open("")
	}
	return s
}

// open adds a shard.
func (s *simulator) open(parent string) {
	s.label++
	s.next += 10
	at := s.now()
	if s.hide > 0 {
		at = at.Add(time.Duration(s.random.Int64N(int64(s.hide))))
	}
	s.shards = append(s.shards, &simShard{id: fmt.Sprintf("shardId-%020d-%04d", s.next, s.label), parent: parent, first: s.next, trimmed: s.next, listed: at})
}

// step lets a little happen.
func (s *simulator) step() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range s.random.IntN(30) {
		s.write()
	}
	if s.random.IntN(12) == 0 {
		s.divide()
	}
	s.trim()
}

func (s *simulator) write() {
	var open []*simShard
	for _, sh := range s.shards {
		if sh.last == 0 {
			open = append(open, sh)
		}
	}
	if len(open) == 0 || s.off {
		return
	}
	sh := open[s.random.IntN(len(open))]
	s.next += 1 + s.random.Uint64N(5)
	sh.records = append(sh.records, simRecord{number: s.written, sequence: s.next, at: s.now()})
	s.written++
}

// divide closes an open shard, which then has one child or two.
func (s *simulator) divide() {
	sh := s.shards[s.random.IntN(len(s.shards))]
	if sh.last != 0 || len(s.shards) > 60 {
		return
	}
	s.next += 10
	sh.last, sh.closed = s.next, s.now()
	for range 1 + s.random.IntN(2) {
		s.open(sh.id)
	}
}

// trim drops what is older than the stream keeps.
func (s *simulator) trim() {
	if s.keep == 0 {
		return
	}
	horizon := s.now().Add(-s.keep)
	for _, sh := range s.shards {
		for _, r := range sh.records {
			if r.at.Before(horizon) && r.sequence >= sh.trimmed {
				sh.trimmed = r.sequence + 1
			}
		}
		if sh.last != 0 && sh.closed.Before(horizon) {
			sh.gone = true
		}
	}
}

// close ends the stream: all its shards are closed.
func (s *simulator) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = true
	for _, sh := range s.shards {
		if sh.last == 0 {
			s.next += 10
			sh.last, sh.closed = s.next, s.now()
		}
	}
}

var errCut = errors.New("connection reset by the simulator")

// begin is the beginning of each call. The lock is held when it gives no error.
func (s *simulator) begin(ctx context.Context) error {
	s.mu.Lock()
	err := ctx.Err()
	if s.crash > 0 && err == nil {
		if s.crash--; s.crash == 0 {
			s.kill()
			err = context.Canceled
		}
	}
	if err == nil && s.random.Float64() < s.trouble {
		err = s.failure()
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	s.trim()
	return nil
}

func (s *simulator) failure() error {
	switch s.random.IntN(4) {
	case 0:
		return &smithy.GenericAPIError{Code: "ThrottlingException", Message: "Rate exceeded"}
	case 1:
		return &types.LimitExceededException{}
	case 2:
		return &types.InternalServerError{}
	}
	return netError{errCut}
}

type netError struct{ error }

func (netError) Timeout() bool   { return false }
func (netError) Temporary() bool { return true }

func (s *simulator) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	d := &types.StreamDescription{StreamArn: in.StreamArn, StreamStatus: types.StreamStatusEnabled}
	if s.off {
		d.StreamStatus = types.StreamStatusDisabled
	}
	from := aws.ToString(in.ExclusiveStartShardId)
	for _, sh := range s.shards {
		if sh.gone || sh.listed.After(s.now()) && !s.off || sh.id <= from || in.ShardFilter != nil && sh.parent != *in.ShardFilter.ShardId {
			continue
		}
		if len(d.Shards) == s.limit {
			d.LastEvaluatedShardId = d.Shards[len(d.Shards)-1].ShardId
			break
		}
		d.Shards = append(d.Shards, sh.describe())
	}
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, nil
}

func (*simulator) ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	return nil, errors.New("is one stream and knows no others")
}

func (sh *simShard) describe() types.Shard {
	d := types.Shard{ShardId: &sh.id, SequenceNumberRange: &types.SequenceNumberRange{StartingSequenceNumber: number(sh.first)}}
	if sh.parent != "" {
		d.ParentShardId = &sh.parent
	}
	if sh.last != 0 {
		d.SequenceNumberRange.EndingSequenceNumber = number(sh.last)
	}
	return d
}

func number(n uint64) *string { return aws.String(fmt.Sprintf("%021d", n)) }

func (s *simulator) shard(id string) *simShard {
	i := slices.IndexFunc(s.shards, func(sh *simShard) bool { return sh.id == id && !sh.gone })
	if i < 0 {
		return nil
	}
	return s.shards[i]
}

func (s *simulator) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	sh := s.shard(*in.ShardId)
	if sh == nil {
		return nil, &types.ResourceNotFoundException{}
	}
	if parent := s.shard(sh.parent); s.ordered && parent != nil && !parent.ended && in.ShardIteratorType != types.ShardIteratorTypeLatest {
		s.faults = append(s.faults, sh.id+" is read before its parent "+parent.id)
	}
	at := sh.trimmed
	switch in.ShardIteratorType {
	case types.ShardIteratorTypeLatest:
		at, sh.end = s.next+1, s.written
	case types.ShardIteratorTypeAtSequenceNumber, types.ShardIteratorTypeAfterSequenceNumber:
		at, _ = strconv.ParseUint(*in.SequenceNumber, 10, 64)
		if in.ShardIteratorType == types.ShardIteratorTypeAfterSequenceNumber {
			at++
		}
		if at < sh.trimmed {
			return nil, &types.TrimmedDataAccessException{}
		}
	case types.ShardIteratorTypeAtTimestamp:
		at = s.next + 1
		for _, r := range slices.Backward(sh.records) {
			if !r.at.Truncate(time.Second).Before(*in.Timestamp) {
				at = r.sequence
			}
		}
		at = max(at, sh.trimmed)
	}
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: s.iterator(sh, at)}, nil
}

func (s *simulator) iterator(sh *simShard, from uint64) *string {
	token := fmt.Sprintf("it-%d", len(s.iters))
	s.iters[token] = simIterator{shard: sh.id, from: from, made: s.now()}
	return &token
}

func (s *simulator) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	it := s.iters[*in.ShardIterator]
	sh := s.shard(it.shard)
	switch {
	case sh == nil:
		return nil, &types.ResourceNotFoundException{}
	case s.now().Sub(it.made) > s.expire || s.random.Float64() < s.trouble/4:
		return nil, &types.ExpiredIteratorException{}
	case it.from < sh.trimmed:
		return nil, &types.TrimmedDataAccessException{}
	case s.random.Float64() < s.trouble/20: // DynamoDB Local is known to do so
		s.lies++
		return nil, &types.TrimmedDataAccessException{}
	}
	out := &dynamodbstreams.GetRecordsOutput{}
	at, most := it.from, s.random.IntN(20)
	for _, r := range sh.records {
		if r.sequence < at {
			continue
		}
		if len(out.Records) == most {
			out.NextShardIterator = s.iterator(sh, r.sequence)
			return out, nil
		}
		out.Records = append(out.Records, s.record(sh, r))
		at = r.sequence + 1
	}
	if sh.last == 0 || s.random.IntN(3) == 0 {
		out.NextShardIterator = s.iterator(sh, at)
	} else {
		sh.ended = true
	}
	return out, nil
}

func (s *simulator) record(sh *simShard, r simRecord) types.Record {
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: strconv.Itoa(r.number)}}
	return types.Record{
		EventID: aws.String(strings.Repeat("0", 8) + strconv.Itoa(r.number)), EventName: types.OperationTypeInsert,
		Dynamodb: &types.StreamRecord{
			ApproximateCreationDateTime: aws.Time(r.at.Truncate(time.Second)), Keys: key, SequenceNumber: number(r.sequence),
			NewImage: key, SizeBytes: aws.Int64(12),
		},
	}
}
