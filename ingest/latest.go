package ingest

import (
	"context"
	"errors"
	"sync"
)

// ErrLatestOfStream is given for a stream, whose end is not known before it was read.
var ErrLatestOfStream = errors.New("the end of a stream (the standard input, a live source) is not known beforehand: give an absolute time, as 2026-06-04T10:00:00Z")

// latestTail is how much of a plain file is looked at for its latest event, in bytes.
const latestTail = 1 << 20

// Latest gives the time of the latest event of the sources, in Unix nanoseconds UTC, for bounds that
// are relative to it. Of plain files it reads the last MiB, where a log has its latest events, and the
// whole when that has no event with a time; compressed ones and archives it reads whole. ok is false
// when there is no event with a time. Sources that cannot be read are passed over: Read says so.
func Latest(ctx context.Context, src []Source, o Options) (unixNano int64, ok bool, err error) {
	for _, s := range src {
		if s.Stdin || s.Size < 0 {
			return 0, false, ErrLatestOfStream
		}
	}
	o.Sums, o.Again, o.tail = false, nil, latestTail
	h := &latest{found: make([]bool, len(src))}
	res, err := Read(ctx, src, o, h)
	if err != nil {
		return 0, false, err
	}
	var again []Source
	for i, s := range res.Sources {
		if !h.found[i] && len(s.Inputs) > 0 && s.Size > latestTail {
			again = append(again, s.Source)
		}
	}
	if len(again) > 0 {
		o.tail = 0
		if _, err = Read(ctx, again, o, h); err != nil {
			return 0, false, err
		}
	}
	return h.max.unixNano, h.max.ok, nil
}

// latest keeps the latest time of all chunks.
type latest struct {
	mu    sync.Mutex
	max   latestSink
	found []bool // by file
}

// Begin implements Handler.
func (*latest) Begin(Chunk) Sink { return new(latestSink) }

// End implements Handler.
func (h *latest) End(c Chunk, to Sink, _ ChunkStats) {
	s := to.(*latestSink)
	if !s.ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found[c.Input.ID.File] = true
	h.max.take(s.unixNano)
}

// EndInput implements Handler.
func (*latest) EndInput(*Input, int) {}

// EndFile implements Handler.
func (*latest) EndFile(int, int) {}

type latestSink struct {
	EventsOnly

	unixNano int64
	ok       bool
}

func (s *latestSink) take(t int64) {
	if !s.ok || t > s.unixNano {
		s.unixNano, s.ok = t, true
	}
}

// Event implements Sink.
func (s *latestSink) Event(e *Event) {
	if t, ok := e.UnixNano(); ok {
		s.take(t)
	}
}

// Problem implements Sink.
func (*latestSink) Problem(Problem) {}

// Skip implements Sink.
func (*latestSink) Skip(string) {}
