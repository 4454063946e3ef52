package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// errStopped ends the reading of an input of a run that was cancelled.
var errStopped = fmt.Errorf("stopped: %w", context.Canceled)

// A run hands out files and chunks to workers, in order of file and chunk. What was begun and has
// something unfinished before it is held back by whoever wants results in order, so a worker may not
// run ahead without limit: each chunk weighs up to chunkWeight, by its bytes, from its beginning
// until it and all before it are finished ("settled"), and the sum is bounded. The first unfinished
// chunk of the first unfinished file is always let through, so that no worker waits for ever: whoever
// settles the work that others wait behind is free to take the next.
type run struct {
	o       Options
	h       Handler
	src     []Source
	res     *Result
	done    <-chan struct{} // closed when the run is cancelled
	stopped atomic.Bool
	meter   meter

	mu     sync.Mutex
	wake   sync.Cond
	next   int // source to open next
	oldest int // sources before it are finished
	ahead  int // weight begun and not settled
	limit  int
	files  []fileState
	ranged []*rangedFile // files with chunks to hand out, in order
	// followed are those that go on after their end.
	followed []*followed
}

const chunkWeight = 64

// A fileState is what is known of a file; settled only of one that is not the oldest.
type fileState struct {
	settled  int // weight of its chunks that are finished, and all of its before them
	finished bool
	whole    bool // it ended before the run was cancelled
}

func newRun(src []Source, o Options, h Handler) *run {
	r := &run{
		o: o, h: h, src: src,
		res:   &Result{Sources: make([]SourceResult, len(src))},
		files: make([]fileState, len(src)),
		limit: chunkWeight * 4 * (o.Workers + 1),
		meter: newMeter(src, o.Progress),
	}
	r.wake.L = &r.mu
	for i := range src {
		r.res.Sources[i].Source = src[i]
	}
	return r
}

func (r *run) run(ctx context.Context) (*Result, error) {
	r.done = ctx.Done()
	unhook := context.AfterFunc(ctx, r.stop)
	defer unhook()
	var lives, workers sync.WaitGroup
	for i := range r.src {
		if r.src[i].Live != nil {
			lives.Go(func() { r.live(ctx, i) })
		}
	}
	for range r.o.Workers {
		workers.Go(func() { newWorker(r).work() })
	}
	workers.Wait()
	r.followAll(ctx)
	lives.Wait()
	for _, g := range r.ranged { // only when cancelled
		g.finish(r)
	}
	r.meter.end()
	if r.onlyLiveEnded() {
		return r.res, nil
	}
	return r.res, ctx.Err()
}

// onlyLiveEnded reports whether all that being cancelled ended is a Live, which has no other end.
func (r *run) onlyLiveEnded() bool {
	live := false
	for i := range r.src {
		live = live || r.src[i].Live != nil
		if r.src[i].Live == nil && !r.files[i].whole {
			return false
		}
	}
	return live
}

func (r *run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped.Store(true)
	r.wake.Broadcast()
}

// take gives the next work: a chunk of a ranged file, or a file to open. ok is false when all is done.
func (r *run) take() (g *rangedFile, index int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stopped.Load() && r.oldest < len(r.src) {
		for _, g := range r.ranged {
			if g.next < g.chunks && r.admits(g.file, g.next == g.low, chunkWeight) {
				r.ahead += chunkWeight
				g.next++
				return g, g.next - 1, true
			}
		}
		if r.next < len(r.src) && (r.next == r.oldest || r.ahead+chunkWeight <= r.limit) {
			r.next++
			return nil, r.next - 1, true
		}
		r.wake.Wait()
	}
	return nil, 0, false
}

func (r *run) admits(file int, first bool, weight int) bool {
	return r.ahead+weight <= r.limit || file == r.oldest && first
}

// admit waits until the next chunk of a file that is read in sequence may begin.
func (r *run) admit(file, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stopped.Load() && !r.admits(file, true, weight) {
		r.wake.Wait()
	}
	r.ahead += weight
}

// settle says that a chunk of the file, and all of the file before it, are finished.
func (r *run) settle(file, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settleLocked(file, weight)
}

func (r *run) settleLocked(file, weight int) {
	if file != r.oldest {
		r.files[file].settled += weight
		return
	}
	r.ahead -= weight
	r.wake.Broadcast()
}

// finished says that nothing more comes of a file.
func (r *run) finished(file int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[file].finished = true
	for r.oldest < len(r.src) && r.files[r.oldest].finished {
		r.oldest++
		if r.oldest < len(r.src) {
			r.ahead -= r.files[r.oldest].settled
			r.files[r.oldest].settled = 0
		}
	}
	r.wake.Broadcast()
}

// weight gives what a chunk weighs of an input that has about so many bytes left; -1: unknown.
func (r *run) weight(bytes int64) int {
	if bytes < 0 || bytes >= r.o.Chunk {
		return chunkWeight
	}
	return 1 + int(float64(bytes)/float64(r.o.Chunk)*(chunkWeight-1))
}

// A rangedFile is a plain file whose chunks are read side by side. next, low and done are guarded by
// the run's lock.
type rangedFile struct {
	file   int
	f      File
	size   int64
	in     *Input
	result InputResult // of which each chunk writes its own Sum
	from   int         // first chunk that is read
	chunks int         // the end of those
	next   int         // to hand out
	low    int         // those before it are finished
	done   []bool
}

// offer makes the chunks of a file known to the workers.
func (r *run) offer(g *rangedFile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := len(r.ranged)
	for at > 0 && r.ranged[at-1].file > g.file {
		at--
	}
	r.ranged = append(r.ranged, nil)
	copy(r.ranged[at+1:], r.ranged[at:])
	r.ranged[at] = g
	r.wake.Broadcast()
}

// chunkDone takes what became of a chunk, and reports whether it was the last one.
func (r *run) chunkDone(g *rangedFile, index int, st ChunkStats, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	g.done[index-g.from] = true
	g.result.Bytes += st.Bytes
	g.result.Records += st.Records
	if r.sums(g.file) {
		g.result.Sums[index-g.from] = st.Sum
	}
	g.result.Err = earlier(g.result.Err, err)
	for g.low < g.chunks && g.done[g.low-g.from] {
		g.low++
		r.settleLocked(g.file, chunkWeight)
	}
	if g.low < g.chunks {
		return false
	}
	for i, other := range r.ranged {
		if other == g {
			r.ranged = append(r.ranged[:i], r.ranged[i+1:]...)
			break
		}
	}
	return true
}

// earlier gives the error nearer to the beginning of the input, so that the order of work does not tell.
func earlier(a, b error) error {
	var x, y *ReadError
	if a == nil || errors.As(a, &x) && errors.As(b, &y) && y.Byte < x.Byte {
		return b
	}
	return a
}

// finish ends a ranged file, of which all chunks that were handed out are finished: those of a
// cancelled run may be some, or none.
func (g *rangedFile) finish(r *run) {
	g.result.Input, g.result.Chunks = g.in, g.next-g.from
	res := &r.res.Sources[g.file]
	res.stillIs(g.f, &r.o)
	if err := g.f.Close(); err != nil && g.result.Err == nil {
		g.result.Err = &ReadError{Name: g.in.Name, Byte: g.result.Bytes, Err: err}
	}
	if g.next > g.from {
		res.Inputs = append(res.Inputs, g.result)
		r.h.EndInput(g.in, g.next-g.from)
		g.in.head = nil // the result keeps the input: with a hundred thousand of them that is gigabytes
	}
	r.endFile(g.file)
}

// sums reports whether the bytes of a file are summed.
func (r *run) sums(file int) bool {
	return (r.o.Sums || r.o.Again != nil) && r.res.Sources[file].stamp == 0
}
