package detect

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// A part is what one chunk, or several neighbours, came to: a Profile, or as long as that is less, the
// events themselves.
type part struct {
	profile *Profile // nil: held as events
	inputs  []loggedInput
	size    int   // of the events, bytes; of a Live, of all that is held
	numbers []int // of chunks of a Live: which of its inputs they are of, ascending; of held ones in their order
}

// count gives the number of inputs, of a Live when it is whole.
func (p *part) count() int {
	if p.profile != nil {
		return len(p.profile.Inputs)
	}
	return len(p.inputs)
}

// A loggedInput is a small input, held as its events.
type loggedInput struct {
	context  inputContext
	stats    InputStats
	problems Problems
	events   []byte
	told     toldLog // of a Live
}

// copied gives a part that shares nothing with p that is ever changed. A Profile is copied by its serialised
// form, which holds all of it.
func (p *part) copied() *part {
	if p.profile == nil {
		c := &part{inputs: slices.Clone(p.inputs), size: p.size, numbers: slices.Clone(p.numbers)}
		for i := range c.inputs {
			in := &c.inputs[i]
			in.stats.SkippedKind = maps.Clone(in.stats.SkippedKind)
			in.problems.Causes = slices.Clone(in.problems.Causes)
			for j := range in.problems.Causes {
				in.problems.Causes[j].Examples = slices.Clone(in.problems.Causes[j].Examples)
			}
		}
		return c
	}
	form, _ := p.profile.MarshalBinary() // its error is always nil
	same, err := ReadProfile(form)
	if err != nil {
		panic(fmt.Sprintf("detect: a Profile that was just written cannot be read: %v", err))
	}
	return &part{profile: same, numbers: p.numbers}
}

// An inputContext is what an input says of all its records.
type inputContext struct {
	coverage ingest.Coverage
	node     string // or the folder, where nothing names the node
	name     string
	role     string
	taken    int64 // when its states and statistics were collected, Unix nanoseconds; 0: not known
}

func contextOf(in *ingest.Input) inputContext {
	c := inputContext{coverage: in.Format.Coverage, node: in.Node, name: in.Name, role: in.Role(), taken: in.Taken()}
	if c.node == "" {
		c.node = in.Folder()
	}
	return c
}

func statsOf(in *ingest.Input) InputStats {
	return InputStats{Name: in.Name, Format: in.Format.Name, Coverage: in.Format.Coverage, Node: in.Node, Recording: in.Recording}
}

// A workshop makes Profiles of parts. It is safe for use by several goroutines.
type workshop struct {
	settings Settings
	free     sync.Pool // of *Builder
}

func newWorkshop(s Settings) *workshop {
	w := &workshop{settings: s}
	w.free.New = func() any { return NewBuilder(s) }
	return w
}

func (w *workshop) builder() *Builder { return w.free.Get().(*Builder) }

func (w *workshop) release(b *Builder) {
	b.Reset()
	w.free.Put(b)
}

// join gives the part of both; with continued, b's first input is the continuation of a's last.
func (w *workshop) join(a, b *part, continued bool) *part {
	if a.profile == nil && b.profile == nil && !continued && a.size+b.size <= w.settings.openBudget() {
		return &part{inputs: append(a.inputs, b.inputs...), size: a.size + b.size}
	}
	return &part{profile: merge(w.profile(a), w.profile(b), continued)}
}

// joinTogether gives the part of both, which are of chunks of one Live.
func (w *workshop) joinTogether(a, b *part) *part {
	if a.profile == nil && b.profile == nil && a.size+b.size <= w.settings.openBudget() {
		return &part{inputs: append(a.inputs, b.inputs...), numbers: append(a.numbers, b.numbers...), size: a.size + b.size}
	}
	a, b = w.whole(a), w.whole(b)
	p := &part{}
	p.profile, p.numbers = mergeTogether(a.profile, b.profile, a.numbers, b.numbers)
	return p
}

// profile makes the Profile of a part.
func (w *workshop) profile(p *part) *Profile { return w.whole(p).profile }

// whole makes a part one of a Profile.
func (w *workshop) whole(p *part) *part {
	if p.profile != nil {
		return p
	}
	b := w.builder()
	defer w.release(b)
	places, numbers, n := placesOf(p.numbers, len(p.inputs))
	stats, known := make([]InputStats, n), make([]bool, n)
	for i := range p.inputs {
		in, at := &p.inputs[i], places[i]
		b.replay(shiftedInput{uint32(at), stats[at].Lines}, in)
		if known[at] {
			stats[at].add(&in.stats)
		} else {
			stats[at], known[at] = in.stats, true
		}
	}
	return &part{profile: b.seal(stats), numbers: numbers}
}

// placesOf gives where each of so many held inputs goes in a part that is whole, which is of n. Those of a Live, whose
// numbers among its inputs are given, may be chunks of the same: the numbers that are left are ascending.
func placesOf(numbers []int, held int) (places, left []int, n int) {
	places = make([]int, held)
	if numbers == nil {
		for i := range places {
			places[i] = i
		}
		return places, nil, held
	}
	left = slices.Compact(slices.Sorted(slices.Values(numbers)))
	for i, number := range numbers {
		places[i], _ = slices.BinarySearch(left, number)
	}
	return places, left, len(left)
}

// replay adds the events of a logged input, as one of the Builder's inputs.
func (b *Builder) replay(to shiftedInput, in *loggedInput) {
	b.inputContext = in.context
	shift := inputShift{of: []shiftedInput{to}}
	log := eventLog{buf: in.events}
	log.each(func(e *ingest.Event) {
		e.At = shift.placed(e.At)
		b.Event(e)
	})
	in.told.each(b, shift.placed)
	for _, c := range in.problems.Causes {
		for j := range c.Examples {
			c.Examples[j].At = shift.placed(c.Examples[j].At)
		}
	}
	b.problems = joinProblems(b.problems, in.problems)
}

// A recorder is the Sink of a chunk: it holds the events until they are too many, and then feeds them
// and what follows to a Builder.
type recorder struct {
	workshop *workshop
	context  inputContext
	live     bool     // of a Live: states, facts and points are held as well
	builder  *Builder // nil: still holding
	log      eventLog
	told     toldLog
	events   uint64
	named    Named
	first    int64 // Unix nanoseconds of the events, 0: none
	last     int64
	skipped  kindCounts
	problems Problems
}

// kindCounts counts records by kind. There are few kinds, and most records are of the kind of the last:
// a quiet log skips a line in twenty nanoseconds, so a map would show.
type kindCounts struct {
	kinds  []string
	counts []uint64
	last   int
}

func (k *kindCounts) add(kind string) {
	if k.last < len(k.kinds) && k.kinds[k.last] == kind {
		k.counts[k.last]++
		return
	}
	k.last = slices.Index(k.kinds, kind)
	if k.last < 0 {
		k.last = len(k.kinds)
		k.kinds, k.counts = append(k.kinds, kind), append(k.counts, 0)
	}
	k.counts[k.last]++
}

// byKind gives the counts, nil when there are none, and their sum.
func (k *kindCounts) byKind() (counts map[string]uint64, sum uint64) {
	for i, kind := range k.kinds {
		if counts == nil {
			counts = map[string]uint64{}
		}
		counts[kind] = k.counts[i]
		sum += k.counts[i]
	}
	return counts, sum
}

func (r *recorder) begin(in *ingest.Input) {
	*r = recorder{workshop: r.workshop, context: contextOf(in), live: in.Live != nil, log: eventLog{buf: r.log.buf[:0]}}
}

// Event holds the event, or adds it.
func (r *recorder) Event(e *ingest.Event) {
	if !e.Derived {
		r.events++
	}
	Retell(e, r.context.role)
	r.named.add(e.ID)
	if at, ok := e.UnixNano(); ok {
		if r.first == 0 || at < r.first {
			r.first = at
		}
		r.last = max(r.last, at)
	}
	if r.builder != nil {
		r.builder.Event(e)
		return
	}
	r.log.add(e)
	r.held()
}

// held feeds what is held to a Builder when it is too much.
func (r *recorder) held() {
	if len(r.log.buf)+r.told.size > smallPart {
		r.flush()
	}
}

// debugLog is the role of Cassandra's debug.log.
const debugLog = "debug"

// Retell makes entries of an audit log in debug.log a witness of their own. The loggers of Cassandra's logback.xml
// write them into system.log and debug.log alike, and to be counted twice would double a table's traffic.
func Retell(e *ingest.Event, role string) {
	if e.Witness == ingest.AuditLog && role == debugLog {
		e.Witness = ingest.AuditCopy
	}
}

// flush feeds what is held to a Builder.
func (r *recorder) flush() {
	if r.builder != nil {
		return
	}
	r.builder = r.workshop.builder()
	r.builder.inputContext = r.context
	r.log.each(r.builder.Event)
	r.told.each(r.builder, func(at ingest.Position) ingest.Position { return at })
	r.told = toldLog{}
}

// Problem counts a record that could not be read.
func (r *recorder) Problem(p ingest.Problem) { r.problems.add(p) }

// Skip counts a record that says nothing of keys.
func (r *recorder) Skip(kind string) { r.skipped.add(kind) }

// holds reports whether what is no event is held, and sees to it that else there is a Builder for it.
func (r *recorder) holds() bool {
	if r.live && r.builder == nil {
		return true
	}
	r.flush()
	return false
}

// State keeps a measured condition.
func (r *recorder) State(s *ingest.State) {
	if !r.holds() {
		r.builder.State(s)
		return
	}
	r.told.state(s)
	r.held()
}

// Fact keeps a setting.
func (r *recorder) Fact(f *ingest.Fact) {
	if !r.holds() {
		r.builder.Fact(f)
		return
	}
	r.told.fact(f)
	r.held()
}

// Point keeps a datapoint of a metric.
func (r *recorder) Point(p *ingest.Point) {
	if !r.holds() {
		r.builder.Point(p)
		return
	}
	r.told.point(p)
	r.held()
}

// end gives the part of the chunk.
func (r *recorder) end(in *ingest.Input, st ingest.ChunkStats) *part {
	stats := statsOf(in)
	stats.Bytes, stats.Lines, stats.Records = st.Bytes, st.Lines, st.Records
	stats.Events, stats.Problems = r.events, r.problems.Total
	stats.First, stats.Last, stats.Named = r.first, r.last, r.named
	stats.SkippedKind, stats.Skipped = r.skipped.byKind()
	if r.builder == nil {
		events := append([]byte(nil), r.log.buf...)
		stats.States, stats.Facts, stats.Points = uint64(len(r.told.states)), uint64(len(r.told.facts)), uint64(len(r.told.points))
		return &part{inputs: []loggedInput{{r.context, stats, r.problems, events, r.told}}, size: len(events) + r.told.size}
	}
	b := r.builder
	r.builder = nil
	defer r.workshop.release(b)
	stats.States, stats.Facts, stats.Points = b.states, b.facts, b.points
	b.problems = r.problems
	return &part{profile: b.seal([]InputStats{stats})}
}
