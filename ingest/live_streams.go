package ingest

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// The chunks of a Live. They are cut by numbers of records, so that records that come in the same order
// are cut alike, whenever they come.
const (
	liveChunk = 1 << 16 // records of a chunk
	// liveOpen is the most records in the open chunks of all inputs of a Live together, and liveInputs the
	// most of these chunks: before there are more, the one ends whose last record is the oldest. Thousands of
	// inputs then take no more memory than these.
	liveOpen   = 2 * liveChunk
	liveInputs = 16
)

// live runs a Live to its end. That of ctx is a normal end: what a Live gives has no other.
func (r *run) live(ctx context.Context, i int) {
	res := &r.res.Sources[i]
	res.Size, res.Stream = -1, true
	if r.o.Again == nil {
		s := &streams{h: r.h, file: i}
		err := r.src[i].Live.Collect(ctx, s)
		s.end(res)
		for _, one := range Parts(err) {
			res.Fail(&PartError{Source: res.Source.Name, Err: one})
		}
	}
	r.endFile(i)
}

// streams are what a Live of a run hands its records to. One lock for all of its inputs makes the order of
// their records one order, in which chunks end.
type streams struct {
	h     Handler
	file  int
	first int // number of its first input in the file

	mu       sync.Mutex
	inputs   []*liveInput
	open     []*liveInput // with an open chunk; the one whose record came last is last
	records  uint64       // of all open chunks
	notes    []string
	unopened int // inputs beyond MaxLiveInputs
}

// Open implements Streams.
func (s *streams) Open(in LiveInput) Sink {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inputs) == MaxLiveInputs {
		s.unopened++
		return unread{}
	}
	l := &liveInput{streams: s}
	l.res.Input = &Input{
		ID: InputID{File: s.file, Member: s.first + len(s.inputs)}, Live: &InputID{File: s.file, Member: s.first},
		Name: in.Name, Format: in.Format, Node: in.Node, Recording: in.Recording,
	}
	s.inputs = append(s.inputs, l)
	return l
}

// Note implements Streams.
func (s *streams) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = text[:min(len(text), MaxNote)]
	if !slices.Contains(s.notes, text) && len(s.notes) < maxNotes {
		s.notes = append(s.notes, text)
	}
}

// end ends all inputs.
func (s *streams) end(res *SourceResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.open) > 0 {
		s.endOldest()
	}
	for _, l := range s.inputs {
		res.Inputs = append(res.Inputs, l.res)
	}
	for _, l := range slices.Backward(s.inputs) {
		s.h.EndInput(l.res.Input, l.res.Chunks)
	}
	if s.unopened > 0 {
		res.Fail(fmt.Errorf("%s: more than %d inputs, %d more were not read", res.Source.Name, MaxLiveInputs, s.unopened))
	}
	slices.Sort(s.notes)
	res.Notes = append(res.Notes, s.notes...)
}

// Parts gives the errors that are joined in err, none for nil.
func Parts(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, Parts(one)...)
	}
	return all
}

// endOldest ends the open chunk whose last record came first.
func (s *streams) endOldest() { s.open[0].end() }

// use makes l the last of those with an open chunk.
func (s *streams) use(l *liveInput) {
	if last := len(s.open) - 1; last >= 0 && s.open[last] == l {
		return
	}
	if i := slices.Index(s.open, l); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
	s.open = append(s.open, l)
}

// A liveInput is an input of a Live, and the Sink that it is given.
type liveInput struct {
	streams *streams
	res     InputResult
	sink    Sink   // of the open chunk; nil: none
	records uint64 // of the open chunk
	more    bool   // the next call belongs to the last record
}

// Continue tells a Sink that Streams gave that the next call belongs to the record of the last one, as when a
// row tells of two requests: it counts once, and has one place. Other Sinks take no notice.
func Continue(to Sink) {
	if l, ok := to.(*liveInput); ok {
		l.more = true
	}
}

// next makes room for a record and gives its place: its number among those of its input is its Byte, and
// its number in its chunk its Line. The lock is held.
func (l *liveInput) next() Position {
	s := l.streams
	more := l.more
	l.more = false
	if more && l.records > 0 {
		return Position{Byte: l.res.Records - 1, Line: l.records}
	}
	if s.records == liveOpen {
		s.endOldest()
	}
	if l.records == liveChunk {
		l.end()
	}
	if l.sink == nil {
		if len(s.open) == liveInputs {
			s.endOldest()
		}
		l.sink = s.h.Begin(l.chunk())
	}
	s.use(l)
	l.records++
	l.res.Records++
	s.records++
	return Position{Byte: l.res.Records - 1, Line: l.records}
}

func (l *liveInput) chunk() Chunk {
	return Chunk{Input: l.res.Input, Index: l.res.Chunks, Start: l.res.Records - l.records}
}

// end ends the open chunk.
func (l *liveInput) end() {
	s := l.streams
	s.h.End(l.chunk(), l.sink, ChunkStats{Lines: l.records, Records: l.records})
	i := slices.Index(s.open, l)
	s.open, s.records = slices.Delete(s.open, i, i+1), s.records-l.records
	l.sink, l.records = nil, 0
	l.res.Chunks++
}

// Event implements Sink.
func (l *liveInput) Event(e *Event) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	e.At = l.next()
	l.sink.Event(e)
}

// State implements Sink.
func (l *liveInput) State(st *State) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	st.At = l.next()
	l.sink.State(st)
}

// Fact implements Sink.
func (l *liveInput) Fact(f *Fact) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	f.At = l.next()
	l.sink.Fact(f)
}

// Point implements Sink.
func (l *liveInput) Point(p *Point) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	p.At = l.next()
	l.sink.Point(p)
}

// Problem implements Sink.
func (l *liveInput) Problem(p Problem) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	p.At = l.next()
	l.sink.Problem(p)
}

// Skip implements Sink.
func (l *liveInput) Skip(kind string) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	l.next()
	l.sink.Skip(kind)
}

// unread is the Sink of an input beyond MaxLiveInputs: the run says that it was not read.
type unread struct{ EventsOnly }

// Event does nothing.
func (unread) Event(*Event) {}

// Problem does nothing.
func (unread) Problem(Problem) {}

// Skip does nothing.
func (unread) Skip(string) {}
