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
	// liveOpen is the most records in the open chunks of all inputs of a Live together: at the next one the
	// longest of them ends. The open chunks of a thousand inputs then take no more memory than those of two.
	liveOpen = 2 * liveChunk
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
	open     int // records of all open chunks
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
	l.res.Input = &Input{ID: InputID{File: s.file, Member: s.first + len(s.inputs)}, Name: in.Name, Format: in.Format, Node: in.Node, Recording: in.Recording}
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

// end ends all inputs, in the order in which they were opened.
func (s *streams) end(res *SourceResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.inputs {
		l.end()
		s.h.EndInput(l.res.Input, l.res.Chunks)
		res.Inputs = append(res.Inputs, l.res)
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

// longest gives the input with the most records in its open chunk, the first of equals.
func (s *streams) longest() *liveInput {
	most := s.inputs[0]
	for _, l := range s.inputs {
		if l.records > most.records {
			most = l
		}
	}
	return most
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
	if s.open == liveOpen {
		s.longest().end()
	}
	if l.records == liveChunk {
		l.end()
	}
	if l.sink == nil {
		l.sink = s.h.Begin(l.chunk())
	}
	l.records++
	l.res.Records++
	s.open++
	return Position{Byte: l.res.Records - 1, Line: l.records}
}

func (l *liveInput) chunk() Chunk {
	return Chunk{Input: l.res.Input, Index: l.res.Chunks, Start: l.res.Records - l.records}
}

// end ends the open chunk.
func (l *liveInput) end() {
	if l.sink == nil {
		return
	}
	l.streams.h.End(l.chunk(), l.sink, ChunkStats{Lines: l.records, Records: l.records})
	l.streams.open -= int(l.records)
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
