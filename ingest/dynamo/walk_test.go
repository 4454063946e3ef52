package dynamo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

// A ledger is a Sink that keeps records and positions together: what was handed over counts from when the
// position behind it is known, and is forgotten with a collector that ended before.
type ledger struct {
	mu        sync.Mutex
	counts    map[int]int
	positions map[string]string
	pending   []int
	notes     []string
	began     func()
	faults    []string
}

func newLedger(began func()) *ledger {
	return &ledger{counts: map[int]int{}, positions: map[string]string{}, began: began}
}

func (l *ledger) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
}

func (l *ledger) Position(part string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.positions[part]
}

func (l *ledger) Reached(part, position string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasSuffix(part, " "+partStream) && position != positionDone {
		l.began()
	}
	for _, n := range l.pending {
		l.counts[n]++
	}
	l.pending = nil
	l.positions[part] = position
}

// crash forgets what no position stands behind.
func (l *ledger) crash() { l.pending = nil }

func (l *ledger) Event(e *ingest.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := strconv.Atoi(string(e.Key))
	if err != nil || e.Op != ingest.OpWrite || string(e.Table) != "Orders" {
		l.faults = append(l.faults, fmt.Sprintf("event with key %q of table %q", e.Key, e.Table))
	}
	l.pending = append(l.pending, n)
}

func (l *ledger) Problem(p ingest.Problem) { l.faults = append(l.faults, p.Cause+": "+p.Text) }
func (l *ledger) Skip(kind string)         { l.faults = append(l.faults, "skipped: "+kind) }
func (l *ledger) State(*ingest.State)      {}
func (l *ledger) Fact(*ingest.Fact)        {}
func (l *ledger) Point(*ingest.Point)      {}

const testLabel = "2026-11-30T00:00:00.000"

const testStream = "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/stream/" + testLabel

// clock is LiveOptions with the clock of the test's bubble.
func clock() ingest.LiveOptions {
	return ingest.LiveOptions{
		Now: time.Now,
		Wait: func(ctx context.Context, d time.Duration) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
		},
		Formats: formats.Catalogue(),
	}
}

func testWalk(api streamsAPI, from origin, to *ledger) *walk {
	o := clock()
	decoder, err := o.Format(formatStream).New(nil, o.Decode)
	if err != nil {
		panic(err) // it gives none
	}
	return &walk{
		api: api, calls: newCaller(o), stream: testStream, label: testLabel, from: from, note: to.Note, sink: to, decoder: decoder, positions: to, listed: func(*listing) error { return nil },
	}
}

// seeds are how many random worlds are tried.
func seeds(t *testing.T) int {
	switch {
	case os.Getenv("KEYHEAT_LONG") == "1":
		return 10_000
	case testing.Short():
		return 50
	}
	return 500
}

func TestEachRecordThatIsStillReadableCountsOnceAndGapsAreTold(t *testing.T) {
	var sum outcome
	for seed := range seeds(t) {
		synctest.Test(t, func(t *testing.T) { sum.add(collectRandomly(t, uint64(seed))) })
	}
	t.Logf("%+v", sum)
	if sum.Counted < sum.Written/2 || sum.Missed == 0 || sum.Restarts == 0 || sum.WorldsWithGaps == 0 || sum.WorldsWithout == 0 {
		t.Errorf("the worlds do not try what they should: %+v", sum)
	}
}

// An outcome sums up what happened in worlds.
type outcome struct{ Written, Counted, Missed, Early, Restarts, WorldsWithGaps, WorldsWithout int }

func (o *outcome) add(p outcome) {
	o.Written += p.Written
	o.Counted += p.Counted
	o.Missed += p.Missed
	o.Early += p.Early
	o.Restarts += p.Restarts
	o.WorldsWithGaps += p.WorldsWithGaps
	o.WorldsWithout += p.WorldsWithout
}

// collectRandomly collects a random stream, by collectors of which each may end at any call, and checks each
// of its records.
func collectRandomly(t *testing.T, seed uint64) outcome {
	sim := newSimulator(rand.New(rand.NewPCG(seed, 7)), time.Now)
	random := rand.New(rand.NewPCG(seed, 8)) // the simulator's is used by its collectors
	for range random.IntN(60) {
		sim.step()
		time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
	}
	from := []origin{{}, {horizon: true}, {since: time.Now().Add(-time.Duration(random.IntN(100)) * time.Second).Truncate(time.Second)}}[random.IntN(3)]
	sim.ordered = sim.hide == 0 && from != (origin{}) // shards that are listed late, or skipped, are no parents to wait for
	begun := time.Now()
	book := newLedger(sim.began)
	done := make(chan int)
	go func() { done <- sim.collect(t.Context(), from, book) }()
	for range 20 + random.IntN(100) {
		time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
		sim.step()
	}
	sim.close()
	return check(t, seed, sim, from, begun, book, <-done)
}

// collect runs collectors, one after the other, until the stream is read to its end.
func (s *simulator) collect(ctx context.Context, from origin, book *ledger) (restarts int) {
	for ; ; restarts++ {
		life, kill := context.WithCancel(ctx)
		s.mu.Lock()
		s.crash, s.kill = 0, kill
		if restarts < 6 && s.random.IntN(4) > 0 {
			s.crash = 1 + s.random.IntN(1+s.random.IntN(150)) // often soon
		}
		nap := time.Duration(s.random.IntN(60)) * time.Second
		s.mu.Unlock()
		w := testWalk(s, from, book)
		if w.keeps = streamKeeps; s.keep > 0 {
			w.keeps = s.keep
		}
		err := w.run(life)
		ended := life.Err() == nil
		kill()
		if ended {
			if err != nil {
				book.faults = append(book.faults, err.Error())
			}
			return restarts
		}
		book.crash()
		time.Sleep(nap)
	}
}

// check judges each record that was written.
func check(t *testing.T, seed uint64, sim *simulator, from origin, begun time.Time, book *ledger, restarts int) outcome {
	if sim.begun < 0 {
		return outcome{} // none came so far
	}
	out := outcome{Written: sim.written, Restarts: restarts}
	for _, fault := range book.faults {
		t.Errorf("seed %d: %s", seed, fault)
	}
	gaps := 0
	for _, n := range book.notes {
		if strings.HasPrefix(n, "gap: ") {
			gaps++
		}
	}
	if gaps > 0 {
		out.WorldsWithGaps++
	} else {
		out.WorldsWithout++
	}
	for _, sh := range sim.shards {
		for _, r := range sh.records {
			n := book.counts[r.number]
			out.Counted += n
			wanted := r.number >= max(sim.begun, sh.end)
			switch {
			case from.horizon:
				wanted = true
			case !from.since.IsZero():
				wanted = !r.at.Truncate(time.Second).Before(from.since)
			}
			gone := sh.gone || r.sequence < sh.trimmed
			switch {
			case n > 1:
				t.Errorf("seed %d: record %d of %s counts %d times", seed, r.number, sh.id, n)
			case n == 1 && !wanted && (!(from == origin{}) || r.at.Before(begun.Truncate(time.Second))):
				t.Errorf("seed %d, from %s: record %d of %s is from before the beginning", seed, from, r.number, sh.id)
			case n == 0 && wanted && !gone:
				t.Errorf("seed %d, from %s: record %d of %s can be read, and was not counted", seed, from, r.number, sh.id)
			case n == 0 && wanted && gone && r.number >= sim.begun && !sim.told(sh, book.notes):
				t.Errorf("seed %d, from %s: record %d of %s was trimmed before it was read, and no gap was told: %q", seed, from, r.number, sh.id, book.notes)
			case n == 0 && wanted:
				out.Missed++
			case n == 1 && !wanted:
				out.Early++
			}
		}
	}
	for _, fault := range sim.faults {
		t.Errorf("seed %d: %s", seed, fault)
	}
	if sim.keep == 0 && gaps > sim.lies {
		t.Errorf("seed %d: nothing was trimmed, and gaps were told: %q", seed, book.notes)
	}
	return out
}

// told reports whether a note tells of a gap in a shard, or in one that it comes from or that came from it: when
// several are gone, the last one is told.
func (s *simulator) told(sh *simShard, notes []string) bool {
	return slices.ContainsFunc(notes, func(note string) bool {
		if strings.HasPrefix(note, "gap: the stream is closed") && sh.gone {
			return true
		}
		return slices.ContainsFunc(s.shards, func(other *simShard) bool {
			return strings.Contains(note, other.id) && (s.comesFrom(other, sh) || s.comesFrom(sh, other))
		})
	})
}

func (s *simulator) comesFrom(sh, ancestor *simShard) bool {
	for sh != nil && sh != ancestor {
		i := slices.IndexFunc(s.shards, func(other *simShard) bool { return other.id == sh.parent })
		if sh = nil; i >= 0 {
			sh = s.shards[i]
		}
	}
	return sh != nil
}

// began is called when the first collector begins.
func (s *simulator) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = s.written
}

// A crowd counts how many pages are asked for at the same time.
type crowd struct {
	*simulator
	now, most atomic.Int32
}

func (c *crowd) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, f ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	time.Sleep(100 * time.Millisecond)
	return c.simulator.GetRecords(ctx, in, f...)
}

func TestManyShardsAreReadAtOnceWithFewPagesInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := newSimulator(rand.New(rand.NewPCG(1, 1)), time.Now)
		sim.keep, sim.hide, sim.trouble, sim.expire, sim.limit = 0, 0, 0, time.Hour, 100
		for range 500 {
			sim.open("")
		}
		for range 5000 {
			sim.write()
		}
		sim.close()
		c := &crowd{simulator: sim}
		book := newLedger(sim.began)
		if err := testWalk(c, origin{horizon: true}, book).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(book.counts) != 5000 || c.most.Load() != pagesHeld {
			t.Errorf("%d records, at most %d pages at once", len(book.counts), c.most.Load())
		}
	})
}
