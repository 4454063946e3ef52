package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/keyheat/keyheat/ingest"
)

const (
	// listEvery is how often all shards are listed while a stream is read, which finds what the questions
	// for the children of a closed shard do not.
	listEvery = 30 * time.Second
	// pagesHeld is how many pages of records, a megabyte each on the wire, are in memory at once.
	pagesHeld = 8
	// childrenAsked is how often the children of a closed shard are asked for at once; they may be listed
	// some time after it.
	childrenAsked = 4
	// streamKeeps is how long a stream keeps records
	// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
	streamKeeps = 24 * time.Hour
	// gapsTold is how many gaps are told one by one.
	gapsTold = 20
)

// A walk reads the shards of a stream, each once, and children after their parent.
type walk struct {
	api    streamsAPI
	calls  *caller
	stream string // ARN
	label  string // of the stream, before the parts of positions
	from   origin
	keeps  time.Duration
	note   func(text string)
	listed func(*listing) error // is shown the first listing

	pages chan struct{}
	group sync.WaitGroup // readers of shards

	// All shards are one input: there may be more of them than a report could list. A page is handed over and
	// its position told in one go, under the lock.
	handing   sync.Mutex
	sink      ingest.Sink
	decoder   ingest.Decoder
	positions ingest.Positions
	text      []byte

	mu      sync.Mutex        // taken before handing, where both are
	shards  map[string]*shard // that were listed, until they are read and listed no more
	begun   time.Time
	resumed bool // an earlier run began
	first   bool // the first listing of a run that nothing was before
	over    bool // the stream is closed: no shard has children that are not listed
	errs    []error
	gaps    int
}

// A shard is a part of a stream: the changes of some keys during some hours.
type shard struct {
	id, parent string
	sequence   string // number of its first record
	closed     bool
	state      shardState
	orphan     int // listings that had it without its parent, where that is strange
}

type shardState uint8

const (
	shardWaits   shardState = iota // for its parent
	shardRead                      // is being read, or failed
	shardDone                      // all was read
	shardSkipped                   // is before the beginning
)

// run reads until the context ends, or the stream is closed and all of it was read. The error joins those
// of shards that could not be read.
func (w *walk) run(ctx context.Context) error {
	w.pages, w.shards = make(chan struct{}, pagesHeld), map[string]*shard{}
	defer w.tellGaps()
	defer w.group.Wait()
	for first := true; ctx.Err() == nil; first = false {
		l, err := listShards(ctx, w.calls, w.api, w.stream, "", attempts)
		switch {
		case err != nil && (first || ctx.Err() != nil):
			return err
		case err != nil:
			w.fail(err)
		default:
			if err := w.take(ctx, &l, first); err != nil {
				return err
			}
		}
		if l.status == types.StreamStatusDisabled && !w.doubts() {
			break
		}
		w.calls.options.Wait(ctx, listEvery)
	}
	w.group.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.errs...)
}

// take notes what shards there are, and reads those whose turn it is.
func (w *walk) take(ctx context.Context, l *listing, first bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if first {
		if err := errors.Join(w.begin(l), w.listed(l)); err != nil {
			return err
		}
	}
	w.over = l.status == types.StreamStatusDisabled
	listed := map[string]bool{}
	for i := range l.shards {
		w.add(&l.shards[i])
		listed[aws.ToString(l.shards[i].ShardId)] = true
	}
	if w.first {
		w.forgetPast()
	}
	for _, s := range w.shards {
		if w.strange(s) {
			s.orphan++
		}
	}
	w.startReady(ctx)
	w.first = false
	for id, s := range w.shards {
		if s.state >= shardDone && !listed[id] {
			delete(w.shards, id)
		}
	}
	return nil
}

// begin finds out where reading begins: where the run before did, if there was one.
func (w *walk) begin(l *listing) error {
	if text := w.position(partStream); text != "" {
		b, from, err := parseBeginning(text)
		w.begun, w.from, w.resumed = b.Begun, from, true
		if l.status == types.StreamStatusDisabled && w.calls.options.Now().Sub(w.begun) > w.keeps {
			w.note("gap: the stream is closed: which of its shards were trimmed before they were read cannot be told")
		}
		return err
	}
	w.begun, w.first = l.at, true
	if err := w.beginWithOthers(l); err != nil {
		return err
	}
	w.reached(partStream, beginning{From: w.from.String(), Begun: w.begun}.text())
	return nil
}

// beginWithOthers finds out where reading begins of a stream that was not there when that of another did: as far back
// as that, or from when on it is.
func (w *walk) beginWithOthers(l *listing) error {
	w.handing.Lock()
	defer w.handing.Unlock()
	text := w.positions.Position(partRecording)
	if text == "" {
		w.positions.Reached(partRecording, beginning{From: w.from.String(), Begun: w.begun}.text())
		return nil
	}
	b, from, err := parseBeginning(text)
	if w.from = from; from == (origin{}) {
		w.from = origin{since: b.Begun}
	}
	if !w.from.since.IsZero() && l.made.After(w.from.since) {
		w.from.since = l.made.Truncate(time.Second) // records have whole seconds
	}
	return err
}

// forgetPast keeps what was before the beginning from being taken for a gap, or read, by a later run:
// parents that are gone, and closed shards when only what is new is read.
func (w *walk) forgetPast() {
	latest := w.from == origin{}
	for _, s := range w.shards {
		if s.parent != "" && w.shards[s.parent] == nil {
			w.reached(s.parent, positionGone)
		}
		if latest && s.closed {
			s.state = shardSkipped
			w.reached(s.id, positionSkipped)
		}
	}
}

func (w *walk) position(part string) string {
	w.handing.Lock()
	defer w.handing.Unlock()
	return w.positions.Position(w.part(part))
}

func (w *walk) reached(part, position string) {
	w.handing.Lock()
	defer w.handing.Unlock()
	w.positions.Reached(w.part(part), position)
}

// part names a part of the stream among those of all streams.
func (w *walk) part(name string) string { return w.label + " " + name }

func (w *walk) add(listed *types.Shard) {
	id := aws.ToString(listed.ShardId)
	s := w.shards[id]
	if s == nil {
		s = &shard{id: id, parent: aws.ToString(listed.ParentShardId)}
		switch w.position(id) {
		case positionDone:
			s.state = shardDone
		case positionSkipped:
			s.state = shardSkipped
		}
		w.shards[id] = s
	}
	s.closed = closed(listed)
	if listed.SequenceNumberRange != nil {
		s.sequence = aws.ToString(listed.SequenceNumberRange.StartingSequenceNumber)
	}
}

// startReady begins to read shards whose parent is read, or gone: to wait for one that is listed no more
// would be for ever.
func (w *walk) startReady(ctx context.Context) {
	for _, s := range w.shards {
		parent := w.shards[s.parent]
		if s.state != shardWaits || parent != nil && parent.state < shardDone || w.strange(s) && s.orphan < 2 {
			continue
		}
		s.state = shardRead
		r := w.reader(s, parent)
		w.group.Go(func() { w.read(ctx, s, r) })
	}
}

// strange reports whether a shard's parent is gone though an earlier run did not read it. It may only be listed
// late, so a second listing decides.
func (w *walk) strange(s *shard) bool {
	return w.resumed && s.state == shardWaits && s.parent != "" && w.shards[s.parent] == nil && w.position(s.parent) == "" && w.position(s.id) == ""
}

// doubts reports whether another listing has to decide about a shard.
func (w *walk) doubts() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.shards {
		if w.strange(s) {
			return true
		}
	}
	return false
}

// reader gives what reads a shard from where its turn begins.
func (w *walk) reader(s, parent *shard) *reader {
	r := &reader{walk: w, id: s.id, first: s.sequence, notBefore: w.since()}
	before := ""
	if s.parent != "" {
		before = w.position(s.parent)
	}
	sequence, ok := sequenceIn(w.position(s.id))
	switch {
	case ok:
		r.after, r.at = sequence, sequence
	case parent != nil && parent.state == shardDone || before == positionDone:
		r.kind = types.ShardIteratorTypeAtSequenceNumber
	case w.first && w.from == origin{}:
		r.kind, r.notBefore = types.ShardIteratorTypeLatest, time.Time{}
	default:
		if s.orphan > 0 {
			w.gap(s.parent, "is gone, and was not read to its end")
		}
		r.beginAgain()
	}
	return r
}

// since gives from when on records are wanted, by time; zero: all that are kept. Also what comes after the end of
// the stream is looked at, since listings are no snapshots.
func (w *walk) since() time.Time {
	if w.from == (origin{}) {
		return w.begun
	}
	return w.from.since
}

// read reads a shard to its end, and then its children.
func (w *walk) read(ctx context.Context, s *shard, r *reader) {
	if err := r.run(ctx); err != nil {
		if ctx.Err() == nil {
			w.fail(fmt.Errorf("reading shard %s: %w", s.id, err))
		}
		return
	}
	w.mu.Lock()
	s.state = shardDone
	w.reached(s.id, positionDone)
	w.startReady(ctx)
	w.mu.Unlock()
	w.findChildren(ctx, s)
}

// findChildren asks for the children of a shard that was read, unless they are known or there are none.
func (w *walk) findChildren(ctx context.Context, s *shard) {
	for n := 0; n < childrenAsked && ctx.Err() == nil && w.misses(s); n++ {
		if n > 0 {
			w.calls.options.Wait(ctx, time.Second<<n)
		}
		l, err := listShards(ctx, w.calls, w.api, w.stream, s.id, firstAttempts)
		if err != nil {
			return // the next listing of all finds them
		}
		w.mu.Lock()
		for i := range l.shards {
			if aws.ToString(l.shards[i].ParentShardId) == s.id { // servers are known that ignore the filter
				w.add(&l.shards[i])
			}
		}
		w.startReady(ctx)
		w.mu.Unlock()
	}
}

// misses reports whether a shard has children that are not known.
func (w *walk) misses(s *shard) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	for _, other := range w.shards {
		if other.parent == s.id {
			return false
		}
	}
	return true
}

// fail keeps an error; many shards may fail with the same one.
func (w *walk) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	same := func(other error) bool { return errors.Is(err, other) || err.Error() == other.Error() }
	if len(w.errs) < gapsTold && !slices.ContainsFunc(w.errs, same) {
		w.errs = append(w.errs, err)
	}
}

// gap tells of records that were perhaps missed. The caller holds the lock.
func (w *walk) gap(shard, why string) {
	if w.gaps++; w.gaps <= gapsTold {
		w.note(fmt.Sprintf("gap: shard %s of the stream %s: records may be missing", strings.ToValidUTF8(shard, "?"), why))
	}
}

func (w *walk) tellGaps() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if more := w.gaps - gapsTold; more > 0 {
		w.note(fmt.Sprintf("gap: more gaps of that kind: %d", more))
	}
}
