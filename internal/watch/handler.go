package watch

import (
	"cmp"
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// A Handler hands what is read on to another one, and lets a Watch see it. Of inputs that are cut, which
// must be read in order, Cut ends the open chunks, so that the other sees all that came so far: their parts
// are chunks of their own.
type Handler struct {
	watch *Watch
	to    ingest.Handler
	cuts  func(in *ingest.Input) bool

	mu   sync.Mutex
	open map[*sink]bool
	more map[ingest.InputID]int // chunks that cuts have added
}

// Over lets w see what is handed to h.
func (w *Watch) Over(h ingest.Handler, cuts func(in *ingest.Input) bool) *Handler {
	return &Handler{watch: w, to: h, cuts: cuts, open: map[*sink]bool{}, more: map[ingest.InputID]int{}}
}

// Begin implements ingest.Handler.
func (h *Handler) Begin(c ingest.Chunk) ingest.Sink {
	s := &sink{handler: h, chunk: c, coverage: c.Input.Format.Coverage}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.chunk.Index += h.more[c.Input.ID]
	s.to = h.to.Begin(s.chunk)
	if h.cuts(c.Input) {
		h.open[s] = true
	}
	return s
}

// End implements ingest.Handler.
func (h *Handler) End(_ ingest.Chunk, to ingest.Sink, st ingest.ChunkStats) {
	s := to.(*sink)
	h.mu.Lock()
	delete(h.open, s)
	h.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Lines -= min(s.lines, st.Lines)
	st.Records -= min(s.told, st.Records)
	h.to.End(s.chunk, s.to, st)
}

// EndInput implements ingest.Handler.
func (h *Handler) EndInput(in *ingest.Input, chunks int) {
	h.mu.Lock()
	chunks += h.more[in.ID]
	delete(h.more, in.ID)
	h.mu.Unlock()
	h.to.EndInput(in, chunks)
}

// EndFile implements ingest.Handler.
func (h *Handler) EndFile(file, members int) { h.to.EndFile(file, members) }

// Cut ends the open chunks of inputs that are cut, and begins the next.
func (h *Handler) Cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.open {
		if s.cut() {
			h.more[s.chunk.Input.ID]++
		}
	}
}

// A sink is the Sink of one chunk. Its lock is for Cut.
type sink struct {
	handler  *Handler
	coverage ingest.Coverage

	mu      sync.Mutex
	chunk   ingest.Chunk // as the other handler counts them
	to      ingest.Sink
	lines   uint64 // of parts that were cut off
	last    uint64 // line of the last record
	told    uint64 // records of parts that were cut off
	records uint64 // since then
}

// cut ends the chunk and begins the next; it is false when nothing came since the last time.
func (s *sink) cut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == 0 {
		return false
	}
	h := s.handler
	h.to.End(s.chunk, s.to, ingest.ChunkStats{Lines: s.last - s.lines, Records: s.records})
	s.lines, s.told, s.records = s.last, s.told+s.records, 0
	s.chunk.Index++
	s.to = h.to.Begin(s.chunk)
	return true
}

// at counts a record, and gives its position in the part that is open. The lock is held.
func (s *sink) at(p ingest.Position) ingest.Position {
	s.records++
	if p.Line > 0 {
		s.last = max(s.last, p.Line)
		p.Line -= min(s.lines, p.Line)
	}
	return p
}

// Event implements ingest.Sink.
func (s *sink) Event(e *ingest.Event) {
	s.handler.watch.event(e, cmp.Or(e.Coverage, s.coverage))
	s.mu.Lock()
	defer s.mu.Unlock()
	e.At = s.at(e.At)
	s.to.Event(e)
}

// State implements ingest.Sink.
func (s *sink) State(st *ingest.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.At = s.at(st.At)
	s.to.State(st)
}

// Fact implements ingest.Sink.
func (s *sink) Fact(f *ingest.Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.At = s.at(f.At)
	s.to.Fact(f)
}

// Point implements ingest.Sink.
func (s *sink) Point(p *ingest.Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.At = s.at(p.At)
	s.to.Point(p)
}

// Problem implements ingest.Sink.
func (s *sink) Problem(p ingest.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.At = s.at(p.At)
	s.to.Problem(p)
}

// Skip implements ingest.Sink.
func (s *sink) Skip(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records++
	s.last++ // of a Live each call is a record, which its position counts as lines
	s.to.Skip(kind)
}
