package detect

import (
	"maps"
	"slices"
	"sort"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A nomineeIndex finds nominees by target and key. It is shared by all workers and never changes.
type nomineeIndex struct {
	nominees *Nominees
	hashes   []uint64          // of each target
	targets  map[Target]uint32 // 1 + index in Nominees.Targets
	keys     nomineeTable
	sizes    nomineeTable
	filter   [1 << filterBits / 64]uint64 // a bit for each hash of a nominee's key, whatever its target
	bytes    bool                         // Settings.Bytes
}

// filterBits is the bits of a key's hash that the filter is indexed by: with as many nominees as there may
// be, it lets 1 or 2 of 100 other keys pass, and it fits into the fastest cache.
const filterBits = 16

// mayHold reports whether a key of that hash may be nominated.
func (x *nomineeIndex) mayHold(hash uint64) bool {
	bit := hash >> (64 - filterBits)
	return x.filter[bit/64]>>(bit%64)&1 != 0
}

// A nomineeTable is a hash table with open addressing.
type nomineeTable []nomineeSlot

// A nomineeSlot is a nominee; one without a place is free.
type nomineeSlot struct {
	hash   uint64 // of the key in its target
	target uint32
	place  uint32 // 1 + index in the list of nominees
	key    []byte
}

func newNomineeIndex(n *Nominees, bytes bool) *nomineeIndex {
	x := &nomineeIndex{nominees: n, targets: map[Target]uint32{}, bytes: bytes}
	for i, t := range n.Targets {
		x.hashes = append(x.hashes, t.hash())
		x.name(t, uint32(i)+1)
	}
	for i, t := range n.Targets { // what JoinStores joined comes without its store again
		t.Store = ingest.StoreUnknown
		x.name(t, uint32(i)+1)
	}
	x.keys, x.sizes = x.table(n.Keys), x.table(n.Sizes)
	return x
}

// name notes the target of each witness whose events are its own, unless another has them.
func (x *nomineeIndex) name(t Target, place uint32) {
	told := t.Told
	for w := range ingest.Witnesses {
		if t.Told = toldBy(w); told.has(w) && x.targets[t] == 0 {
			x.targets[t] = place
		}
	}
}

func (x *nomineeIndex) table(list []Nominee) nomineeTable {
	size := 8
	for size < 4*len(list) {
		size *= 2
	}
	t := make(nomineeTable, size)
	for i, k := range list {
		key := sketch.Hash(k.Key)
		bit := key >> (64 - filterBits)
		x.filter[bit/64] |= 1 << (bit % 64)
		h := sketch.Combine(key, x.hashes[k.Target])
		at := h & uint64(size-1)
		for t[at].place != 0 {
			at = (at + 1) & uint64(size-1)
		}
		t[at] = nomineeSlot{h, k.Target, uint32(i) + 1, k.Key}
	}
	return t
}

// find gives the index of a nominee; hash is that of the key in its target.
func (t nomineeTable) find(target uint32, hash uint64, key []byte) (int, bool) {
	mask := uint64(len(t) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &t[at]
		if s.place == 0 {
			return 0, false
		}
		if s.hash == hash && s.target == target && string(s.key) == string(key) {
			return int(s.place) - 1, true
		}
	}
}

// An exactBuilder counts the nominees of one chunk. It implements ingest.Sink.
type exactBuilder struct {
	ingest.EventsOnly
	index    *nomineeIndex
	targets  *targetIndex
	places   []uint32     // by number of target: 1 + index in Nominees.Targets, 0: no nominee
	plains   []uint32     // by number of a table in Plains: 1 + what places has, 0: not looked up
	keys     []*exactOpen // by nominee; nil: none seen in this chunk
	sizes    []ExactSize
	seen     []int           // nominees with a key in this chunk
	measured []int           // nominees with a size in this chunk
	coverage ingest.Coverage // of the input
	role     string          // see ingest.Input.Role
	input    uint32          // number of the input in the part
	holding  bool            // events are held in log, not counted
	log      eventLog
}

// An exactOpen is an ExactKey in the making.
type exactOpen struct {
	key      ExactKey
	pane     int // where in key.Panes the last event was counted
	last     int // where in key.Seconds
	shards   openShards
	columns  []*openColumn
	looked   uint32 // the minute last looked up, plus one
	chosen   bool   // it is nominated
	nodes    map[string]uint64
	sortKeys *sketch.Table
	sortLast []byte
	waiting  waiting
	written  bool   // sortLast is of a write
	input    uint32 // that sortLast comes from
}

// Skip does nothing: the first pass counted it.
func (b *exactBuilder) Skip(string) {}

// Problem does nothing: the first pass counted it.
func (b *exactBuilder) Problem(ingest.Problem) {}

// Event counts the event if its key is nominated.
func (b *exactBuilder) Event(e *ingest.Event) {
	if !e.KeyKnown {
		return
	}
	if hash := sketch.Hash(e.Key); b.index.mayHold(hash) {
		Retell(e, b.role)
		b.look(e, hash, b.place(e))
	}
}

// Plains is Event for each of the events.
func (b *exactBuilder) Plains(p *ingest.Plains) {
	if p.Anew {
		clear(b.plains)
	}
	for len(b.plains) < len(p.Tables) {
		b.plains = append(b.plains, 0)
	}
	var e ingest.Event
	for i := range p.Events {
		x := &p.Events[i]
		hash := sketch.Hash(p.Key(x))
		if !b.index.mayHold(hash) {
			continue
		}
		p.Fill(i, &e)
		if b.plains[x.Table] == 0 {
			b.plains[x.Table] = 1 + b.place(&e)
		}
		b.look(&e, hash, b.plains[x.Table]-1)
	}
}

// look counts the event if its key, which has that hash, is nominated. place is that of its target.
func (b *exactBuilder) look(e *ingest.Event, hash uint64, place uint32) {
	if place == 0 {
		return
	}
	hash = sketch.Combine(hash, b.index.hashes[place-1])
	coverage := b.coverage
	if e.Coverage != ingest.CoverageNone {
		coverage = e.Coverage
	}
	switch coverage {
	case ingest.StateOnly:
		if e.Changed {
			if i, ok := b.index.keys.find(place-1, hash, e.Key); ok && !b.hold(e) {
				b.open(i).changed(e, b.index.nominees.Width)
			}
			return
		}
		if i, ok := b.index.sizes.find(place-1, hash, e.Key); ok {
			b.measure(i, e)
		}
	case ingest.Selected:
	default:
		if i, ok := b.index.keys.find(place-1, hash, e.Key); ok {
			b.count(i, e)
		}
	}
}

// hold keeps an event for later, and reports whether it did: an input with more of them is counted.
func (b *exactBuilder) hold(e *ingest.Event) bool {
	if !b.holding {
		return false
	}
	b.log.add(e)
	if len(b.log.buf) > smallPart {
		b.holding = false
		b.log.each(b.Event)
	}
	return true
}

// replay counts the events of a held input, as one of the part.
func (b *exactBuilder) replay(to shiftedInput, in *heldInput) {
	b.coverage, b.role, b.input = in.coverage, "", to.number // held events are told as they count
	shift := inputShift{of: []shiftedInput{to}}
	log := eventLog{buf: in.events}
	log.each(func(e *ingest.Event) {
		e.At = shift.placed(e.At)
		b.Event(e)
	})
}

func (b *exactBuilder) measure(i int, e *ingest.Event) {
	if b.hold(e) {
		return
	}
	if len(b.sizes[i]) == 0 {
		b.measured = append(b.measured, i)
	}
	b.sizes[i].event(e)
}

func (s *ExactSize) event(e *ingest.Event) {
	bytes, _ := e.Bytes()
	x := SizeAt{UnixNano: e.Inventory, Items: e.Count(), Bytes: bytes, Files: 1, First: e.At, Last: e.At}
	i, found := slices.BinarySearchFunc(*s, x, compareSizes)
	if !found {
		*s = slices.Insert(*s, i, x)
		return
	}
	(*s)[i].add(x)
}

// place gives 1 + the event's target in Nominees.Targets, 0 when it is none of them.
func (b *exactBuilder) place(e *ingest.Event) uint32 {
	id, ok := b.targets.find(e)
	if !ok { // it has no room for another
		return b.index.targets[targetOf(e)]
	}
	for len(b.places) < len(b.targets.targets) {
		b.places = append(b.places, b.index.targets[b.targets.targets[len(b.places)]])
	}
	return b.places[id]
}

// open gives the counts of a nominee.
func (b *exactBuilder) open(i int) *exactOpen {
	if b.keys[i] == nil {
		b.keys[i] = &exactOpen{key: ExactKey{Latency: &sketch.Histogram{}}}
		of := &b.index.nominees.Keys[i]
		if of.Shards > 0 {
			b.keys[i].key.Shards = newExactShards(of.Shards)
			b.keys[i].shards.of = b.keys[i].key.Shards
		}
		for range b.index.nominees.columnsOf(i) {
			b.keys[i].columns = append(b.keys[i].columns, newOpenColumn())
		}
		b.seen = append(b.seen, i)
	}
	return b.keys[i]
}

// largest notes the units of the largest request.
func (k *exactOpen) largest(e *ingest.Event) {
	read, write := UnitsOfOne(e)
	k.key.MostRead, k.key.MostWrite = max(k.key.MostRead, read), max(k.key.MostWrite, write)
}

// consistent notes what strongly consistent reads cost.
func (k *exactOpen) consistent(e *ingest.Event) {
	if e.Consistency == ingest.ConsistencyUnknown || !e.Op.Reads() {
		return
	}
	k.key.ConsistencyKnown += e.Count()
	if read, _ := e.ReadUnits(); e.Consistency == ingest.Strong {
		k.key.Strong = AddSat(k.key.Strong, read)
	}
}

// UnitsOfOne gives the units of one request of an event, in thousandths rounded up; of an event of several their mean.
func UnitsOfOne(e *ingest.Event) (read, write uint64) {
	read, _ = e.ReadUnits()
	write, _ = e.WriteUnits()
	n := e.Count()
	return read/n + min(read%n, 1), write/n + min(write%n, 1)
}

// changed counts by how much an event makes its item larger or smaller.
func (k *exactOpen) changed(e *ingest.Event, width uint32) {
	n, ok := e.Growth()
	if !ok {
		return
	}
	grown, shrunk := bothWays(n)
	k.key.Changes += e.Count()
	k.key.Grown, k.key.Shrunk = AddSat(k.key.Grown, grown), AddSat(k.key.Shrunk, shrunk)
	if nanos, timed := e.UnixNano(); timed {
		sec := uint32(nanos / second)
		k.at(sec, width).add(ExactPane{Grown: grown, Shrunk: shrunk})
	}
}

func (b *exactBuilder) count(i int, e *ingest.Event) {
	b.log.withColumns = len(b.index.nominees.columnsOf(i)) > 0
	if b.hold(e) {
		return
	}
	k := b.open(i)
	k.changed(e, b.index.nominees.Width)
	nanos, timed := e.UnixNano()
	k.key.Totals.event(e, timed)
	k.largest(e)
	k.consistent(e)
	if len(k.key.Positions) < maxPositions {
		k.key.Positions = append(k.key.Positions, e.At)
	}
	if v, ok := e.Latency(); ok {
		k.key.Latency.Add(v, e.Count())
	}
	if len(e.Node) > 0 {
		k.node(e)
	}
	if len(e.SortKey) > 0 {
		k.sort(e, b.input)
	}
	if timed && e.Throttle != ingest.NotThrottled && e.Count() == 1 {
		k.refused(e, nanos)
	}
	at := placeInTime{timed: timed}
	if timed {
		sec := uint32(nanos / second)
		at.second, at.pane = sec, sec-sec%b.index.nominees.Width
		k.at(sec, b.index.nominees.Width).event(e, b.index.bytes)
		if at.bySecond = k.bySecond(sec-sec%minute, &b.index.nominees.Keys[i]); at.bySecond {
			k.second(sec, e)
		}
	}
	if x := k.shards.of; x != nil {
		k.shards.event(e, x.place(e.SortKey, len(e.SortKey) > 0, e), at)
	}
	for c, column := range k.columns {
		var value []byte
		if c < len(e.Columns) {
			value = e.Columns[c]
		}
		column.event(e, value, at)
	}
}

// at gives the key's pane of a second. Events mostly come in order of time: the last one is looked at first.
func (k *exactOpen) at(sec, width uint32) *ExactPane {
	if k.pane < len(k.key.Panes) {
		if p := &k.key.Panes[k.pane]; sec >= p.Start && sec-p.Start < width {
			return p
		}
	}
	panes, start := &k.key.Panes, sec-sec%width
	k.pane = placeOf(*panes, start, func(p *ExactPane) uint32 { return p.Start })
	if k.pane == len(*panes) || (*panes)[k.pane].Start != start {
		*panes = slices.Insert(*panes, k.pane, ExactPane{Start: start})
	}
	return &(*panes)[k.pane]
}

// bySecond reports whether a minute is one of those that the key is counted in by the second.
func (k *exactOpen) bySecond(start uint32, of *Nominee) bool {
	if k.looked != start+1 {
		k.looked = start + 1
		_, k.chosen = slices.BinarySearch(of.Minutes, start)
	}
	return k.chosen
}

// placeOf gives where in a list sorted by at the one of a time stands or belongs: most often at its end.
func placeOf[T any](list []T, time uint32, at func(x *T) uint32) int {
	if n := len(list); n == 0 || at(&list[n-1]) < time {
		return n
	}
	return sort.Search(len(list), func(i int) bool { return at(&list[i]) >= time }) // slices' would copy each to the heap
}

func (p *ExactPane) event(e *ingest.Event, bytes bool) {
	n := e.Count()
	p.Requests += n
	if e.Op.Reads() {
		p.Reads += n
	}
	p.Cost = AddSat(p.Cost, cost(e, bytes))
	tombs, _ := e.Tombstones()
	read, _ := e.ReadUnits()
	write, _ := e.WriteUnits()
	p.Tombstones = AddSat(p.Tombstones, tombs)
	p.ReadMilli = AddSat(p.ReadMilli, read)
	p.WriteMilli = AddSat(p.WriteMilli, write)
	if e.Throttle != ingest.NotThrottled {
		p.Throttled += n
	}
	if e.Failed {
		p.Failed += n
	}
}

func (k *exactOpen) second(sec uint32, e *ingest.Event) {
	if k.last >= len(k.key.Seconds) || k.key.Seconds[k.last].Second != sec {
		k.openSecond(sec)
	}
	s := &k.key.Seconds[k.last]
	n := e.Count()
	s.Requests += n
	if e.Op.Reads() {
		s.Reads += n
	}
	read, _ := e.ReadUnits()
	write, _ := e.WriteUnits()
	s.ReadMilli = AddSat(s.ReadMilli, read)
	s.WriteMilli = AddSat(s.WriteMilli, write)
}

func (k *exactOpen) openSecond(sec uint32) {
	seconds := &k.key.Seconds
	k.last = placeOf(*seconds, sec, func(s *ExactSecond) uint32 { return s.Second })
	if k.last == len(*seconds) || (*seconds)[k.last].Second != sec {
		*seconds = slices.Insert(*seconds, k.last, ExactSecond{Second: sec})
	}
}

func (k *exactOpen) node(e *ingest.Event) {
	if k.nodes == nil {
		k.nodes = map[string]uint64{}
	}
	k.nodes[string(e.Node)] += e.Count()
}

// refused notes a refusal, for its retries.
func (k *exactOpen) refused(e *ingest.Event, nanos int64) {
	if k.waiting == nil {
		k.waiting = waiting{}
	}
	k.waiting.refused(e, nanos)
}

// sort counts the sort key, and whether writes of one input come in its order.
func (k *exactOpen) sort(e *ingest.Event, input uint32) {
	if k.sortKeys == nil {
		k.sortKeys = sketch.NewTable(sortBudget)
		k.key.SortKeys = sketch.NewDistinct(sortPrecision)
	}
	h := sketch.Hash(e.SortKey)
	k.sortKeys.Add(0, h, e.SortKey, &sketch.Vector{e.Count()}, 0, 0)
	k.key.SortKeys.Add(h)
	k.key.SortKnown += e.Count()
	if !e.Op.Writes() {
		return
	}
	if k.written && k.input == input {
		k.key.Ordered++
		if string(e.SortKey) >= string(k.sortLast) {
			k.key.Ascending++
		}
	}
	k.sortLast, k.written, k.input = append(k.sortLast[:0], e.SortKey...), true, input
}

// end gives the part of a chunk, and makes b ready for another.
func (b *exactBuilder) end(st ingest.ChunkStats) *exactPart {
	if !b.holding {
		return b.seal([]uint64{st.Lines})
	}
	in := heldInput{coverage: b.coverage, events: slices.Clone(b.log.buf)}
	return &exactPart{held: []heldInput{in}, size: len(in.events), lines: []uint64{st.Lines}}
}

// seal gives what was counted in inputs of so many lines each, and makes b ready for others.
func (b *exactBuilder) seal(lines []uint64) *exactPart {
	x := &exactPart{lines: lines}
	b.input = 0
	slices.Sort(b.seen)
	for _, i := range b.seen {
		x.keys = append(x.keys, exactHit{i, b.keys[i].seal()})
		b.keys[i] = nil
	}
	slices.Sort(b.measured)
	for _, i := range b.measured {
		x.sizes = append(x.sizes, sizeHit{i, b.sizes[i]})
		b.sizes[i] = nil
	}
	b.seen, b.measured = b.seen[:0], b.measured[:0]
	return x
}

func (k *exactOpen) seal() *ExactKey {
	x := &k.key
	x.Nodes = sortNodes(k.nodes)
	x.Repeats = k.waiting.repeats()
	if k.sortKeys != nil {
		x.sortTop = k.sortKeys.Seal(sortQuota, 0)
		x.TopSort = topSort(x.sortTop)
	}
	for _, c := range k.columns {
		x.Columns = append(x.Columns, c.seal())
	}
	return x
}

// sortedKeys gives the keys of a set in order.
func sortedKeys(set map[uint32]bool) []uint32 { return slices.Sorted(maps.Keys(set)) }
