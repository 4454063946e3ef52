package ingest

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
)

// The chunks of a Live. They are cut by numbers and sizes of records, so that records that come in the same order
// are cut alike, whenever they come.
const (
	liveChunk = 1 << 16 // records of a chunk
	// liveOpen is the most records in the open chunks of all inputs of a Live together: before there are more,
	// the one ends whose last record is the oldest.
	liveOpen = 2 * liveChunk
	// liveLight is what a chunk may weigh that whoever takes it is still likely to hold as it is.
	// There is any number of such light chunks, of liveHeld in all; of the others there are at most liveHeavy. Of
	// each kind the one ends first whose last record is the oldest. So thousands of inputs take no more memory
	// than these, and those that take turns have chunks of more than a record each.
	liveLight = 16 << 10 // bytes
	liveHeld  = 8 << 20  // bytes
	liveHeavy = 16
	// liveRecord is what an event weighs beside its names and keys, and liveTold any other record, in bytes.
	liveRecord = 64
	liveTold   = 300
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
	light    list.List // of *liveInput with an open light chunk; the one whose record came last is last
	heavy    list.List // of those with another open chunk, likewise
	records  uint64    // of all open chunks
	held     int       // bytes of all light chunks
	turn     uint64    // records so far
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
	for s.records > 0 {
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
func (s *streams) endOldest() {
	light, heavy := oldest(&s.light), oldest(&s.heavy)
	if light == nil || heavy != nil && heavy.last < light.last {
		light = heavy
	}
	light.end()
}

// oldest gives the input of a list whose last record came first, nil when it is empty.
func oldest(l *list.List) *liveInput {
	if first := l.Front(); first != nil {
		return first.Value.(*liveInput)
	}
	return nil
}

// A liveInput is an input of a Live, and the Sink that it is given.
type liveInput struct {
	streams *streams
	res     InputResult
	sink    Sink          // of the open chunk; nil: none
	place   *list.Element // in one of the lists of the streams
	light   bool          // it is in that of light ones
	last    uint64        // turn of its last record
	records uint64        // of the open chunk
	weight  int           // bytes of the open chunk, while it is light
	more    bool          // the next call belongs to the last record
}

// Continue tells a Sink that Streams gave that the next call belongs to the record of the last one, as when a
// row tells of two requests: it counts once, and has one place. Other Sinks take no notice.
func Continue(to Sink) {
	if l, ok := to.(*liveInput); ok {
		l.more = true
	}
}

// next makes room for a record of so many bytes and gives its place: its number among those of its input is its Byte,
// and its number in its chunk its Line. The lock is held.
func (l *liveInput) next(bytes int) Position {
	s := l.streams
	more := l.more
	l.more = false
	if more && l.records > 0 {
		l.weigh(bytes)
		return Position{Byte: l.res.Records - 1, Line: l.records}
	}
	if s.records == liveOpen {
		s.endOldest()
	}
	if l.records == liveChunk {
		l.end()
	}
	if l.sink == nil {
		l.sink = s.h.Begin(l.chunk())
		l.place, l.light = s.light.PushBack(l), true
	}
	l.weigh(bytes)
	l.records++
	l.res.Records++
	s.records++
	s.turn++
	l.last = s.turn
	return Position{Byte: l.res.Records - 1, Line: l.records}
}

// weigh makes the input the last of its list, and its chunk a heavy one when it is light no more.
func (l *liveInput) weigh(bytes int) {
	s := l.streams
	switch {
	case !l.light:
		s.heavy.MoveToBack(l.place)
		return
	case l.weight+bytes <= liveLight:
		l.weight, s.held = l.weight+bytes, s.held+bytes
		s.light.MoveToBack(l.place)
		for s.held > liveHeld {
			oldest(&s.light).end()
		}
		return
	}
	l.lighten()
	if s.heavy.Len() == liveHeavy {
		oldest(&s.heavy).end()
	}
	l.place, l.light = s.heavy.PushBack(l), false
}

// lighten takes the chunk off its list.
func (l *liveInput) lighten() {
	s := l.streams
	if l.light {
		s.light.Remove(l.place)
	} else {
		s.heavy.Remove(l.place)
	}
	s.held, l.weight = s.held-l.weight, 0
}

func (l *liveInput) chunk() Chunk {
	return Chunk{Input: l.res.Input, Index: l.res.Chunks, Start: l.res.Records - l.records}
}

// end ends the open chunk.
func (l *liveInput) end() {
	s := l.streams
	s.h.End(l.chunk(), l.sink, ChunkStats{Lines: l.records, Records: l.records})
	l.lighten()
	s.records -= l.records
	l.sink, l.records = nil, 0
	l.res.Chunks++
}

// weightOf gives what an event is likely to take while it is held, in bytes.
func weightOf(e *Event) int {
	return liveRecord*(1+len(e.Changes)) + len(e.Table) + len(e.Index) + len(e.Key) + len(e.SortKey) + len(e.Node) + len(e.Shape) + len(e.Entity) + len(e.Role)
}

// Event implements Sink.
func (l *liveInput) Event(e *Event) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	e.At = l.next(weightOf(e))
	l.sink.Event(e)
}

// State implements Sink.
func (l *liveInput) State(st *State) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	st.At = l.next(liveTold + len(st.Table) + len(st.Index) + len(st.Key) + len(st.Part) + len(st.Node))
	l.sink.State(st)
}

// Fact implements Sink.
func (l *liveInput) Fact(f *Fact) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	f.At = l.next(liveTold + len(f.Table) + len(f.Index) + len(f.Node) + len(f.Value))
	l.sink.Fact(f)
}

// Point implements Sink.
func (l *liveInput) Point(p *Point) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	p.At = l.next(liveTold + len(p.Table) + len(p.Index) + len(p.Node) + len(p.Name))
	l.sink.Point(p)
}

// Problem implements Sink.
func (l *liveInput) Problem(p Problem) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	p.At = l.next(liveRecord)
	l.sink.Problem(p)
}

// Skip implements Sink.
func (l *liveInput) Skip(kind string) {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	l.next(liveRecord)
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
