package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/keyheat/keyheat/ingest"
)

const (
	// pagePause is between two pages of a shard: no limit is documented, and Lambda asks four times a second
	// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html). Each request is paid
	// for, so it is doubled with each empty page, up to lastPause.
	pagePause = 250 * time.Millisecond
	lastPause = 2 * time.Second
	// mostLost is how often a place in a shard may be lost without a page in between.
	mostLost = 20
)

// A reader reads one shard, on one goroutine.
type reader struct {
	walk  *walk
	id    string
	first string                  // sequence number of the shard's first record
	kind  types.ShardIteratorType // where to begin when after is empty
	// notBefore is what records must not be before; zero: any will do.
	notBefore time.Time
	after     string // sequence number of the last record that was handed over; empty: none
	// at is that of the last record that was seen, which comes before that of after where reading was thrown back;
	// empty: the next iterator begins anew, at the oldest record that is kept if it was.
	at      string
	rewound bool
	// since is from when on records are wanted of a shard that begins by time, or at the oldest; whether the
	// stream still keeps them is to be checked.
	since   time.Time
	checked bool

	iterator string
	lost     int
	empty    int // pages without a record since the last with one
}

// beginAgain sets where a shard begins of which nothing was read yet, and whose first records may be from
// before the beginning: at the oldest record that is kept, or at a time. The end of the stream is where it
// was when reading began.
func (r *reader) beginAgain() {
	w := r.walk
	if r.since, r.checked = w.since(), false; w.from.horizon {
		r.kind, r.since = types.ShardIteratorTypeTrimHorizon, w.begun
		return
	}
	r.kind, r.notBefore = types.ShardIteratorTypeAtTimestamp, r.since
}

// run reads to the end of the shard.
func (r *reader) run(ctx context.Context) error {
	for {
		gone, err := r.place(ctx)
		if gone || err != nil {
			return err
		}
		more, err := r.page(ctx)
		switch {
		case err == nil && !more:
			return nil
		case err == nil:
			r.walk.calls.options.Wait(ctx, r.pause())
			continue
		}
		if gone, err := r.recover(err); gone || err != nil {
			return err
		}
	}
}

func (r *reader) pause() time.Duration {
	if r.empty == 0 {
		return pagePause
	}
	return min(pagePause<<min(r.empty-1, 8), lastPause)
}

// place gets an iterator when there is none.
func (r *reader) place(ctx context.Context) (gone bool, err error) {
	for r.iterator == "" {
		in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &r.walk.stream, ShardId: &r.id, ShardIteratorType: r.kind}
		switch {
		case r.at != "":
			in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &r.at
		case r.rewound:
			in.ShardIteratorType = types.ShardIteratorTypeTrimHorizon
		case r.kind == types.ShardIteratorTypeAtSequenceNumber:
			in.SequenceNumber = &r.first
		case r.kind == types.ShardIteratorTypeAtTimestamp:
			in.Timestamp = &r.since
		}
		out, err := call(ctx, r.walk.calls, actionGetShardIterator, attempts, r.walk.api.GetShardIterator, in)
		if err == nil {
			r.iterator = aws.ToString(out.ShardIterator)
			if r.iterator == "" {
				return false, errors.New(actionGetShardIterator + ": the answer has no iterator")
			}
			r.checkKept()
			return false, nil
		}
		if gone, err = r.recover(err); gone || err != nil {
			return gone, err
		}
	}
	return false, nil
}

// checkKept tells a gap where records are wanted that are older than a stream keeps them.
func (r *reader) checkKept() {
	w := r.walk
	if r.after == "" && !r.checked && !r.since.IsZero() && w.calls.options.Now().Sub(r.since) > w.keeps {
		r.tellGap(fmt.Sprintf("was not read from %s on, and keeps records for %v", r.since.UTC().Format(time.RFC3339), w.keeps))
	}
	r.checked = true
}

// recover makes the best of an error: the next iterator begins elsewhere, or the shard is gone. What
// cannot be made good is given back.
func (r *reader) recover(err error) (gone bool, fatal error) {
	if r.lost++; r.lost > mostLost {
		return false, err
	}
	var expired *types.ExpiredIteratorException
	var trimmed *types.TrimmedDataAccessException
	var missing *types.ResourceNotFoundException
	r.iterator = ""
	switch {
	case errors.As(err, &expired):
		if r.after == "" && r.kind == types.ShardIteratorTypeLatest {
			r.beginAgain() // the end is where it was
		}
	case errors.As(err, &trimmed):
		r.tellGap("was trimmed before it was read" + r.readUpTo())
		r.at, r.rewound = "", true
		if r.after == "" && r.kind == types.ShardIteratorTypeLatest {
			r.notBefore = r.walk.since()
		}
	case errors.As(err, &missing):
		r.tellGap("is gone, and was not read to its end" + r.readUpTo())
		return true, nil
	case code(err) == "ValidationException" && r.at == "" && r.kind != types.ShardIteratorTypeTrimHorizon:
		r.kind = types.ShardIteratorTypeTrimHorizon // servers are known that have no AT_TIMESTAMP
	default:
		return false, err
	}
	return false, nil
}

func (r *reader) readUpTo() string {
	if r.after == "" {
		return ""
	}
	return " beyond sequence number " + r.after
}

func (r *reader) tellGap(why string) {
	r.walk.mu.Lock()
	defer r.walk.mu.Unlock()
	r.walk.gap(r.id, why)
}

// page reads a page and hands over its records. more is false at the end of the shard.
func (r *reader) page(ctx context.Context) (more bool, err error) {
	w := r.walk
	get := func(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
		select {
		case w.pages <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		out, err := w.api.GetRecords(ctx, in)
		if err != nil {
			<-w.pages
		}
		return out, err
	}
	out, err := call(ctx, w.calls, actionGetRecords, attempts, get, &dynamodbstreams.GetRecordsInput{ShardIterator: &r.iterator})
	if err != nil {
		return false, err
	}
	defer func() { <-w.pages }()
	r.lost = 0
	r.iterator = aws.ToString(out.NextShardIterator)
	return r.iterator != "", r.take(out.Records)
}

// take hands over records, and notes how far the shard was read.
func (r *reader) take(records []types.Record) error {
	if r.empty++; len(records) == 0 {
		return nil
	}
	r.empty = 0
	w := r.walk
	w.handing.Lock()
	defer w.handing.Unlock()
	last := r.after
	for i := range records {
		d := records[i].Dynamodb
		if d == nil {
			continue
		}
		sequence := aws.ToString(d.SequenceNumber)
		r.at = sequence
		if last != "" && !later(sequence, last) {
			continue // was there before: reading began again before it
		}
		if d.ApproximateCreationDateTime == nil || !d.ApproximateCreationDateTime.Before(r.notBefore) {
			if err := w.hand(&records[i]); err != nil {
				return err
			}
		}
		if later(sequence, r.after) {
			r.after = sequence
		}
	}
	if r.after != last {
		w.positions.Reached(w.part(r.id), positionAfter+r.after)
	}
	return nil
}

// hand hands a record to the format, as an event of Lambda holds it. The caller holds the lock.
func (w *walk) hand(rec *types.Record) (err error) {
	if w.text, err = appendRecord(w.text[:0], w.stream, rec); err == nil {
		w.decoder.Decode(&ingest.Record{Data: w.text}, w.sink)
	}
	return err
}
