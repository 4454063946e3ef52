package dynamo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/keyheat/keyheat/ingest"
)

// A streamLine is the streams of a table, of which each is switched on when the one before was switched off. They keep all.
type streamLine struct {
	mu      sync.Mutex
	random  *rand.Rand
	streams []*simulator
	made    []time.Time
	over    bool // there will be no other, and the last is closed
	crash   int  // calls until the collector ends; 0: it does not
	kill    context.CancelFunc
	first   int // the latest stream when the first collector began; -1: none did
}

// next switches another stream on.
func (l *streamLine) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := newSimulator(rand.New(rand.NewPCG(l.random.Uint64(), 0)), time.Now)
	s.keep, s.written = 0, len(l.streams)*1_000_000
	l.streams, l.made = append(l.streams, s), append(l.made, time.Now())
}

func (l *streamLine) latest() (*simulator, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.streams[len(l.streams)-1], len(l.streams) - 1
}

// began is called when a collector begins to read a stream.
func (l *streamLine) began() {
	s, i := l.latest()
	if l.first < 0 {
		s.began()
		l.first = i
	}
}

func arnOf(i int) string {
	return strings.TrimSuffix(testStream, testLabel) + fmt.Sprintf("2026-11-30T00:00:%02d.000", i)
}

// of gives a stream and when it was made, when the collector lives on.
func (l *streamLine) of(arn string) (*simulator, time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.crash > 0 {
		if l.crash--; l.crash == 0 {
			l.kill()
			return nil, time.Time{}, context.Canceled
		}
	}
	i := 0
	for i < len(l.streams)-1 && arnOf(i) != arn {
		i++
	}
	return l.streams[i], l.made[i], nil
}

func (l *streamLine) ListStreams(ctx context.Context, in *dynamodbstreams.ListStreamsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	if _, _, err := l.of(""); err != nil {
		return nil, err
	}
	out := &dynamodbstreams.ListStreamsOutput{}
	_, last := l.latest()
	for i := range last + 1 {
		out.Streams = append(out.Streams, streamtypes.Stream{StreamArn: aws.String(arnOf(i)), TableName: in.TableName})
	}
	return out, ctx.Err()
}

func (l *streamLine) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, f ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	s, made, err := l.of(*in.StreamArn)
	if err != nil {
		return nil, err
	}
	out, err := s.DescribeStream(ctx, in, f...)
	if err == nil {
		out.StreamDescription.CreationRequestDateTime = &made
	}
	return out, err
}

func (l *streamLine) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, f ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	s, _, err := l.of(*in.StreamArn)
	if err != nil {
		return nil, err
	}
	out, err := s.GetShardIterator(ctx, in, f...)
	if err == nil {
		*out.ShardIterator = *in.StreamArn + " " + *out.ShardIterator
	}
	return out, err
}

func (l *streamLine) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, f ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	arn, token, _ := strings.Cut(*in.ShardIterator, " ")
	s, _, err := l.of(arn)
	if err != nil {
		return nil, err
	}
	out, err := s.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: &token}, f...)
	if err == nil && out.NextShardIterator != nil {
		*out.NextShardIterator = arn + " " + *out.NextShardIterator
	}
	return out, err
}

// A ledgerOf hands one ledger to all inputs.
type ledgerOf struct{ *ledger }

func (l ledgerOf) Open(ingest.LiveInput) ingest.Sink { return l.ledger }

// collect runs collectors, one after the other, until all streams are read to their ends.
func (l *streamLine) collect(t *testing.T, from string, book *ledger) {
	u, err := url.Parse("dynamodb://Orders?region=eu-west-1&from=" + from)
	if err != nil {
		t.Fatal(err)
	}
	server, err := Open(u, clock())
	if err != nil {
		t.Fatal(err)
	}
	for restarts := 0; ; restarts++ {
		life, kill := context.WithCancel(t.Context())
		_, last := l.latest()
		l.mu.Lock()
		over := l.over
		l.crash, l.kill = 0, kill
		if restarts < 8 && l.random.IntN(4) > 0 {
			l.crash = 1 + l.random.IntN(1+l.random.IntN(150)) // often soon
		}
		nap := time.Duration(l.random.IntN(40)) * time.Second
		l.mu.Unlock()
		tab := &table{region: "eu-west-1", stream: arnOf(last), sink: deaf{}, keys: []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}}}
		err := server.(*Server).follow(life, newCaller(clock()), l, tab, ledgerOf{book})
		ended := life.Err() == nil
		kill()
		switch {
		case ended && err != nil:
			book.faults = append(book.faults, err.Error())
			return
		case ended && over:
			return
		case !ended:
			book.crash()
		}
		time.Sleep(nap)
	}
}

func TestStreamsThatFollowEachOtherAreCountedOnce(t *testing.T) {
	records, streams := 0, 0
	for seed := range seeds(t) / 5 {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 11))
			l := &streamLine{random: rand.New(rand.NewPCG(uint64(seed), 12)), first: -1}
			l.next()
			from := []string{"latest", "trim-horizon", time.Now().Add(time.Duration(random.IntN(90)) * time.Second).UTC().Format(time.RFC3339)}[random.IntN(3)]
			book := newLedger(l.began)
			done := make(chan struct{})
			if random.IntN(2) == 0 {
				l.pass(random)
			}
			go func() { l.collect(t, from, book); close(done) }()
			l.pass(random)
			s, _ := l.latest()
			s.close()
			l.mu.Lock()
			l.over = true
			l.mu.Unlock()
			<-done
			l.check(t, seed, from, book)
			records, streams = records+len(book.counts), streams+len(l.streams)
		})
	}
	if t.Logf("%d streams, %d records", streams, records); records < 100*streams/2 {
		t.Errorf("%d streams of %d records do not try what they should", streams, records)
	}
}

// pass lets some minutes pass, in which the stream may be switched off and on.
func (l *streamLine) pass(random *rand.Rand) {
	for range 10 + random.IntN(60) {
		time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
		s, _ := l.latest()
		s.step()
		if random.IntN(25) == 0 {
			s.close()
			time.Sleep(time.Duration(random.IntN(60)) * time.Second)
			l.next()
		}
	}
}

// check judges each record that was written.
func (l *streamLine) check(t *testing.T, seed int, from string, book *ledger) {
	t.Helper()
	since, _ := time.Parse(time.RFC3339, from)
	for i, s := range l.streams {
		for _, sh := range s.shards {
			for _, r := range sh.records {
				wanted := true
				switch {
				case from == "latest":
					wanted = i > l.first || i == l.first && r.number >= max(s.begun, sh.end)
				case from != "trim-horizon":
					wanted = !r.at.Truncate(time.Second).Before(since)
				}
				switch n := book.counts[r.number]; {
				case n > 1:
					t.Errorf("seed %d, from %s: record %d of stream %d counts %d times", seed, from, r.number, i, n)
				case n == 0 && wanted && l.first >= 0:
					t.Errorf("seed %d, from %s: record %d of stream %d was not counted", seed, from, r.number, i)
				case n == 1 && !wanted && (from != "latest" || i < l.first):
					t.Errorf("seed %d, from %s: record %d of stream %d is from before the beginning", seed, from, r.number, i)
				}
			}
		}
	}
	for _, fault := range book.faults {
		t.Errorf("seed %d: %s", seed, fault)
	}
	lies := 0
	for _, s := range l.streams {
		lies += s.lies
	}
	if gaps := strings.Count(strings.Join(book.notes, "\n"), "gap: "); gaps > lies {
		t.Errorf("seed %d, from %s: nothing was trimmed, and gaps were told: %q", seed, from, book.notes)
	}
}
