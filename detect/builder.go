package detect

import (
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

const second = 1_000_000_000 // nanoseconds

// A Builder makes the partial Profile of one chunk: it is the Sink that a chunk's decoder feeds. An
// event costs no allocation once its target and its pane are known.
type Builder struct {
	settings Settings
	targets  *targetIndex
	open     []openTarget // by number of targets
	nodes    nodeIndex

	width       uint32
	told        uint32        // Profile.SelectedWidth
	panes       []*openPane   // in the order in which they were opened
	pane        *openPane     // of the last event
	spare       []*openPane   // cleared, for reuse
	untimed     *sketch.Table // events in no pane's table: of unknown time, or all with NoPanes
	inventories []*openInventory
	grown       *sketch.Table // nil without any
	fed         *sketch.Table // the whole run by event, from the chunk's 9th pane on; nil before
	joined      *sketch.Top   // what the panes held when feeding began
	feeding     bool
	widened     bool
	first       int64
	last        int64
	timed       bool
	states      uint64
	facts       uint64
	points      uint64
	observers   []Observer
	factList    []FactStats
	pointList   []PointStats
	inputContext
	problems Problems
	lost     Lost
	rewrites []rewriteSlot // nil until a record tells a change
	plainIDs []uint32      // by number of a table in Plains: 1 + the number of its target; 0: not looked up
}

// openTarget is a TargetStats in the making.
type openTarget struct {
	stats    TargetStats
	shapes   map[string]*ShapeStats
	recent   *ShapeStats
	patterns openPatterns
	selected map[selectedKey]*SelectedStats
	other    bool // OtherTarget: its keys are of many tables, so none is held
}

// NewBuilder makes an empty Builder for one chunk.
func NewBuilder(s Settings) *Builder {
	b := &Builder{settings: s}
	b.Reset()
	return b
}

// Reset empties b for another chunk and keeps the memory of its tables.
func (b *Builder) Reset() {
	spare := b.spare
	for _, p := range b.panes {
		p.clear()
		spare = append(spare, p)
	}
	untimed, fed, grown := b.untimed, b.fed, b.grown
	*b = Builder{settings: b.settings, targets: newTargetIndex(MaxTargets), spare: spare}
	b.width = uint32(b.settings.Pane.Seconds())
	b.told = b.width
	if untimed != nil {
		untimed.Reset()
	}
	if fed != nil {
		fed.Reset()
	}
	if grown != nil {
		grown.Reset()
	}
	b.untimed, b.fed, b.grown = untimed, fed, grown
	clear(b.rewrites)
}

// Event adds one event to all that b remembers.
func (b *Builder) Event(e *ingest.Event) {
	coverage := b.coverage
	if e.Coverage != ingest.CoverageNone {
		coverage = e.Coverage
	}
	switch coverage {
	case ingest.Selected:
		b.selected(e)
		return
	case ingest.StateOnly:
		b.stored(e)
		return
	}
	hash := uint64(0)
	if e.KeyKnown {
		hash = sketch.Hash(e.Key)
	}
	b.traffic(e, b.target(e), hash)
}

// traffic adds an event of a target, with the hash of its key where that is known.
func (b *Builder) traffic(e *ingest.Event, id uint32, hash uint64) {
	t := &b.open[id]
	nanos, timed := e.UnixNano()
	t.stats.Totals.event(e, timed)
	if timed {
		b.clock(&t.stats, nanos)
	}
	sec := uint32(0)
	if timed {
		sec = uint32(nanos / second)
		if !b.settings.NoPanes {
			b.at(sec).event(e, id, b)
		}
	}
	if !b.settings.KeysOnly {
		t.measure(e, b)
		t.patterns.event(e, sec, len(b.open))
	}
	if e.KeyKnown && !t.other {
		b.key(e, id, sketch.Combine(hash, b.targets.hashes[id]), sec)
	}
	if e.ID != 0 && !b.settings.KeysOnly {
		t.stats.identify(e.ID, b.settings.sampleSize(len(b.open)))
	}
	if _, ok := e.Growth(); ok {
		b.grow(e, id)
	}
	if len(e.Changes) > 0 && !b.settings.KeysOnly && !t.other {
		b.rewritten(t, id, e)
	}
}

// key adds the event's key, with its hash in its target, to the heavy hitters of its pane, and to the distinct keys and the sample.
func (b *Builder) key(e *ingest.Event, id uint32, hash uint64, sec uint32) {
	t := &b.open[id].stats
	w := sketch.Vector{ByRequests: e.Count()}
	if !b.settings.RequestsOnly {
		w[ByCost] = cost(e, b.settings.Bytes)
		w[ByTombstones], _ = e.Tombstones()
	}
	mark := markAt(e.At)
	paned := sec != 0 && !b.settings.NoPanes
	if paned && b.feeding {
		b.fed.Add(id, hash, e.Key, &w, sec, mark)
	}
	table := b.untimed
	if paned {
		table = b.pane.keys
	} else if table == nil {
		table = b.untimedTable()
	}
	tracked := table.Add(id, hash, e.Key, &w, sec, mark)
	if b.settings.KeysOnly {
		return
	}
	if !tracked { // else its hash was counted with the event before
		if paned {
			b.pane.targets[b.pane.current].Distinct.Add(hash)
		}
		t.Distinct.Add(hash)
	}
	bytes, _ := e.Bytes()
	t.Sample.Add(hash, w[ByRequests], bytes)
}

func (b *Builder) untimedTable() *sketch.Table {
	b.untimed = sketch.NewTable(b.settings.tableBudget())
	return b.untimed
}

// cost gives the throughput units of an event in thousandths, weighed as CloudWatch Contributor
// Insights weighs them (ConsumedThroughputUnits: 3 a write unit, 1 a read unit), or its bytes where
// it carries no units or bytes are asked for.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html
func cost(e *ingest.Event, bytes bool) uint64 {
	if !bytes {
		r, okR := e.ReadUnits()
		w, okW := e.WriteUnits()
		if okR || okW {
			return AddSat(r, MulSat(3, w))
		}
	}
	n, _ := e.Bytes()
	return n
}

// A mark is the position of an event in 64 bits: 20 of the input, 44 of the byte plus one. It is 0
// where the position does not fit.
const (
	markBits = 44
	maxMark  = 1<<markBits - 1
)

func markAt(p ingest.Position) uint64 {
	if p.Byte >= maxMark || p.Input >= 1<<(64-markBits) {
		return 0
	}
	return uint64(p.Input)<<markBits | (p.Byte + 1)
}

func markPosition(mark uint64) (ingest.Position, bool) {
	if mark == 0 {
		return ingest.Position{}, false
	}
	return ingest.Position{Input: uint32(mark >> markBits), Byte: mark&maxMark - 1}, true
}

// target gives the number of the event's target, and makes room for it when it is new.
func (b *Builder) target(e *ingest.Event) uint32 {
	id, ok := b.targets.find(e)
	if !ok {
		b.lost.Targets += e.Count()
		id = b.targets.other()
	}
	if int(id) == len(b.open) {
		b.open = append(b.open, b.newTarget(b.targets.targets[id]))
		b.shrink()
	}
	return id
}

func (b *Builder) newTarget(t Target) openTarget {
	o := openTarget{stats: TargetStats{Target: t}, other: t == OtherTarget}
	if b.settings.KeysOnly {
		return o
	}
	n := len(b.open) + 1
	o.stats.Distinct = sketch.NewDistinct(distinctPrecision(n))
	o.stats.Sample = sketch.NewSample(b.settings.sampleSize(n))
	o.stats.ItemBytes, o.stats.Latency = &sketch.Histogram{}, &sketch.Histogram{}
	o.stats.LiveRows, o.stats.Tombs, o.stats.Asked = &sketch.Histogram{}, &sketch.Histogram{}, &sketch.Histogram{}
	return o
}

// shrink brings the parts of all targets down to what their number allows.
func (b *Builder) shrink() {
	if b.settings.KeysOnly {
		return
	}
	for i := range b.open {
		b.open[i].stats.shrink(b.settings, len(b.open))
	}
}

// clock widens the first and last time of the run and of a target.
func (b *Builder) clock(t *TargetStats, nanos int64) {
	if !b.timed {
		b.first, b.last, b.timed = nanos, nanos, true
	}
	b.first, b.last = min(b.first, nanos), max(b.last, nanos)
	if t.First == 0 && t.Last == 0 {
		t.First, t.Last = nanos, nanos
	}
	t.First, t.Last = min(t.First, nanos), max(t.Last, nanos)
}

// event adds an event to the totals.
func (t *Totals) event(e *ingest.Event, timed bool) {
	n := e.Count()
	t[Requests] += n
	t[ByOp+Counter(e.Op)] += n
	if !timed {
		t[Untimed] += n
	}
	if !e.KeyKnown {
		t[KeyUnknown] += n
	}
	if v, ok := e.Bytes(); ok {
		t.known(Bytes, v, n)
	}
	r, okR := e.ReadUnits()
	w, okW := e.WriteUnits()
	if okR || okW {
		t[ReadMilli] = AddSat(t[ReadMilli], r)
		t.known(WriteMilli, w, n)
	}
	if v, ok := e.Rows(); ok {
		t.known(Rows, v, n)
	}
	if v, ok := e.Tombstones(); ok {
		t.known(Tombstones, v, n)
	}
	if e.Failed {
		t[Failed] += n
	}
	if e.Retries > 0 {
		t[Retried] += n
	}
	if e.Throttle != ingest.NotThrottled {
		t[Throttle+Counter(e.Throttle)] += n
	}
}

// known adds v to a measure, and the requests that carry it to the counter behind it.
func (t *Totals) known(c Counter, v, n uint64) {
	t[c] = AddSat(t[c], v)
	t[c+1] += n
}

// measure adds the event's sizes, latency and shape.
func (t *openTarget) measure(e *ingest.Event, b *Builder) {
	n := e.Count()
	if v, ok := e.Bytes(); ok {
		t.stats.ItemBytes.Add(v/n, n)
	}
	if v, ok := e.Latency(); ok {
		t.stats.Latency.Add(v, n)
	}
	if v, ok := e.Window(); ok {
		t.stats.Asked.Add(v, n)
	}
	if v, ok := e.Rows(); ok {
		t.stats.LiveRows.Add(v/n, n)
	}
	if v, ok := e.Tombstones(); ok {
		t.stats.Tombs.Add(v/n, n)
		t.shape(e, b, v)
	}
	if e.Partitions >= FanOutPartitions {
		t.fanOut(e, b)
	}
}

// DenseRead is Cassandra's default tombstone_warn_threshold: a read of so many is counted in
// ShapeStats.Dense.
// https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#tombstone_warn_threshold
const DenseRead = 1000

// shape counts a read whose tombstones are known under its statement shape.
func (t *openTarget) shape(e *ingest.Event, b *Builder, tombs uint64) {
	s := t.shapeOf(e, b)
	n := e.Count()
	nanos, timed := e.UnixNano()
	rows, rowsKnown := e.Rows()
	s.Reads += n
	s.Tombstones = AddSat(s.Tombstones, tombs)
	if rowsKnown {
		s.Rows, s.RowsKnown = AddSat(s.Rows, rows), s.RowsKnown+n
	}
	if e.Failed {
		s.Failed += n
	}
	if tombs/n >= DenseRead {
		s.Dense += n
	}
	s.largest(ReadSize{Tombstones: tombs / n, Rows: rows / n, RowsKnown: rowsKnown, At: e.At})
	if timed {
		s.seen(nanos, nanos)
	}
}

// fanOut counts a request to many partitions under its statement shape.
func (t *openTarget) fanOut(e *ingest.Event, b *Builder) {
	s := t.shapeOf(e, b)
	s.FanOut += e.Count()
	if e.Partitions >= WidePartitions {
		s.Wide += e.Count()
	}
	s.widest(Breadth{e.Partitions, e.At})
	if nanos, timed := e.UnixNano(); timed {
		s.seen(nanos, nanos)
	}
}

// widest keeps the wider of two requests, the earlier when they are equal.
func (s *ShapeStats) widest(w Breadth) {
	if w.Partitions > s.Widest.Partitions {
		s.Widest = w
	}
}

func (t *openTarget) shapeOf(e *ingest.Event, b *Builder) *ShapeStats {
	if t.recent != nil && t.recent.Shape == string(e.Shape) && t.recent.Op == e.Op {
		return t.recent
	}
	s := t.shapes[string(e.Shape)+string(byte(e.Op))]
	if s == nil {
		name := string(e.Shape)
		if len(t.shapes) >= MaxShapes {
			b.lost.Shapes += e.Count()
			name = OtherShape
			s = t.shapes[name+string(byte(e.Op))]
		}
		if s == nil {
			s = &ShapeStats{Shape: name, Op: e.Op}
			if t.shapes == nil {
				t.shapes = map[string]*ShapeStats{}
			}
			t.shapes[name+string(byte(e.Op))] = s
		}
	}
	t.recent = s
	return s
}

// largest keeps the larger of two reads, the earlier when they are equal.
func (s *ShapeStats) largest(r ReadSize) {
	if r.Tombstones > s.Largest.Tombstones || s.Reads == 0 {
		s.Largest = r
	}
}

// seen widens the first and last time of the shape.
func (s *ShapeStats) seen(first, last int64) {
	if s.First == 0 && s.Last == 0 {
		s.First, s.Last = first, last
	}
	s.First, s.Last = min(s.First, first), max(s.Last, last)
}

// add counts a problem and keeps the first examples of its cause.
func (p *Problems) add(x ingest.Problem) {
	p.Total++
	i, found := slices.BinarySearchFunc(p.Causes, x.Cause, func(c ProblemCause, cause string) int { return strings.Compare(c.Cause, cause) })
	if !found {
		p.Causes = slices.Insert(p.Causes, i, ProblemCause{Cause: x.Cause})
	}
	c := &p.Causes[i]
	c.Count++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, x)
	}
}
