package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// Exact is what the second pass counted, by nominee.
type Exact struct {
	Nominees *Nominees
	Keys     []*ExactKey // as Nominees.Keys; nil: no event of that key
	Sizes    []ExactSize // as Nominees.Sizes
}

// An exactPart is what the second pass counted in some neighbouring inputs, or as long as that is less,
// the events to count.
type exactPart struct {
	held    []heldInput // nil: counted
	size    int         // of the events, bytes; of a Live, of all that is held
	keys    []exactHit  // sorted by nominee
	sizes   []sizeHit   // likewise
	lines   []uint64    // of each input
	numbers []int       // as those of a part
}

func (p *exactPart) count() int { return len(p.lines) }

// A heldInput is a small input, held as its events with nominated keys.
type heldInput struct {
	coverage ingest.Coverage
	events   []byte
}

type exactHit struct {
	nominee int
	key     *ExactKey
}

type sizeHit struct {
	nominee int
	size    ExactSize
}

// An ExactSize is the measured size of an item collection in each Inventory that holds items of it, sorted by
// time.
type ExactSize []SizeAt

// A SizeAt is the measured size of an item collection in one Inventory.
type SizeAt struct {
	UnixNano     int64
	Items, Bytes uint64
	Files        uint64 // inputs that hold items of it
	First, Last  ingest.Position
}

// An ExactCounter makes the Exact of a second pass over the inputs of a Profile. It implements
// ingest.Handler.
type ExactCounter struct {
	*countCutter
	fold *folder[*exactPart]
}

// NewCounter makes the counter of a second pass over the inputs that p was made of.
func NewCounter(p *Profile, n *Nominees) *ExactCounter {
	c := newCountCutter(p.Settings, n)
	return &ExactCounter{c, newFolder(p.Settings.Fan, c.joins())}
}

// End takes what a chunk's sink was fed.
func (c *ExactCounter) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	c.fold.end(chunk, c.end(chunk, s, st))
}

// AddPart takes counts that a CountMaker of the same nominees made, in place of a Sink. The error wraps
// ErrPart.
func (c *ExactCounter) AddPart(id ingest.InputID, chunk int, form []byte) error {
	p, err := readExactPart(form, c.index.nominees)
	if err == nil {
		c.fold.add(id, chunk, p)
	}
	return err
}

// EndInput takes the end of an input.
func (c *ExactCounter) EndInput(in *ingest.Input, _ int) { c.fold.endInput(in) }

// EndFile takes the end of a file.
func (c *ExactCounter) EndFile(file, members int) { c.fold.endFile(file, members) }

// Exact gives the counts of all that was read. It is called once.
func (c *ExactCounter) Exact() *Exact {
	n := c.index.nominees
	x := &Exact{Nominees: n, Keys: make([]*ExactKey, len(n.Keys)), Sizes: make([]ExactSize, len(n.Sizes))}
	p, ok := c.fold.result()
	if !ok {
		return x
	}
	p = c.counted(p)
	for _, h := range p.keys {
		x.Keys[h.nominee] = h.key
	}
	for _, h := range p.sizes {
		x.Sizes[h.nominee] = h.size
	}
	return x
}

// join adds the counts of b, whose first input continues a's last one or follows it.
func (a *exactPart) join(b *exactPart, continued bool) *exactPart {
	shift := inputShift{inputs: uint32(len(a.lines))}
	if continued {
		last := len(a.lines) - 1
		shift = inputShift{inputs: uint32(last), lines: a.lines[last]}
		b.lines[0] += a.lines[last]
		a.lines = a.lines[:last]
	}
	b.shift(shift)
	a.add(b)
	a.lines, a.numbers = append(a.lines, b.lines...), nil
	return a
}

// joinTogether adds the counts of b, which continues the inputs of a Live that a has as well.
func (a *exactPart) joinTogether(b *exactPart) *exactPart {
	numbers, shiftA, shiftB := together(a.numbers, b.numbers, func(i int) uint64 { return a.lines[i] })
	a.shift(shiftA)
	b.shift(shiftB)
	a.add(b)
	lines := make([]uint64, len(numbers))
	for i, to := range shiftA.of {
		lines[to.number] += a.lines[i]
	}
	for i, to := range shiftB.of {
		lines[to.number] += b.lines[i]
	}
	a.lines, a.numbers = lines, numbers
	return a
}

// shift moves every position.
func (p *exactPart) shift(s inputShift) {
	for i := range p.keys {
		s.positions(p.keys[i].key.Positions)
	}
	for i := range p.sizes {
		for j := range p.sizes[i].size {
			x := &p.sizes[i].size[j]
			x.First, x.Last = s.position(x.First), s.position(x.Last)
		}
	}
}

// add adds the counts of b, whose positions are of the same inputs.
func (a *exactPart) add(b *exactPart) {
	a.keys = joinSorted(a.keys, b.keys,
		func(x, y exactHit) int { return cmp.Compare(x.nominee, y.nominee) },
		func(x *exactHit, y exactHit) { x.key.join(y.key) })
	a.sizes = joinSorted(a.sizes, b.sizes,
		func(x, y sizeHit) int { return cmp.Compare(x.nominee, y.nominee) },
		func(x *sizeHit, y sizeHit) { x.size = joinSorted(x.size, y.size, compareSizes, (*SizeAt).add) })
}

func compareSizes(a, b SizeAt) int { return cmp.Compare(a.UnixNano, b.UnixNano) }

// add adds a later part of the collection.
func (s *SizeAt) add(o SizeAt) {
	s.Items += o.Items
	s.Bytes = AddSat(s.Bytes, o.Bytes)
	s.Files += o.Files
	if s.Last.Input == o.First.Input {
		s.Files--
	}
	s.Last = o.Last
}

// maxPositions bounds the examples of a key.
const maxPositions = 3

// join adds the counts of a later part.
func (k *ExactKey) join(o *ExactKey) {
	k.Totals.add(&o.Totals)
	k.Panes = joinSorted(k.Panes, o.Panes, func(a, b ExactPane) int { return cmp.Compare(a.Start, b.Start) }, (*ExactPane).add)
	k.Seconds = joinSorted(k.Seconds, o.Seconds, func(a, b ExactSecond) int { return cmp.Compare(a.Second, b.Second) }, (*ExactSecond).add)
	k.Nodes = joinSorted(k.Nodes, o.Nodes, func(a, b NodeCount) int { return strings.Compare(a.Node, b.Node) }, (*NodeCount).add)
	k.Latency.Merge(o.Latency)
	k.Positions = append(k.Positions, o.Positions[:min(len(o.Positions), maxPositions-len(k.Positions))]...)
	k.SortKnown += o.SortKnown
	k.Ascending += o.Ascending
	k.Ordered += o.Ordered
	k.MostRead, k.MostWrite = max(k.MostRead, o.MostRead), max(k.MostWrite, o.MostWrite)
	k.Repeats.join(o.Repeats)
	k.Strong, k.ConsistencyKnown = AddSat(k.Strong, o.Strong), k.ConsistencyKnown+o.ConsistencyKnown
	k.Changes += o.Changes
	k.Grown, k.Shrunk = AddSat(k.Grown, o.Grown), AddSat(k.Shrunk, o.Shrunk)
	k.SortKeys, k.sortTop = joinValues(k.SortKeys, o.SortKeys, k.sortTop, o.sortTop)
	k.TopSort = topSort(k.sortTop)
	switch {
	case o.Shards == nil:
	case k.Shards == nil:
		k.Shards = o.Shards
	default:
		k.Shards.join(o.Shards)
	}
	for i := range k.Columns {
		k.Columns[i].join(o.Columns[i])
	}
}

// joinSorted merges two sorted slices, adding what compares equal. Parts mostly follow each other in
// time, so only the end of a that b reaches into is moved. The memory of a is used, from its end on.
func joinSorted[T any](a, b []T, order func(a, b T) int, add func(a *T, b T)) []T {
	if len(b) == 0 {
		return a
	}
	first, _ := slices.BinarySearchFunc(a, b[0], order)
	last := len(a) - 1
	fresh := missing(a[first:], b, order)
	a = slices.Grow(a, fresh)[:len(a)+fresh]
	for at := len(a) - 1; len(b) > 0; at-- {
		x, c := b[len(b)-1], -1
		if last >= first {
			c = order(a[last], x)
		}
		if c <= 0 {
			b = b[:len(b)-1]
		}
		if c >= 0 {
			a[at] = a[last]
			last--
		}
		switch {
		case c < 0:
			a[at] = x
		case c == 0:
			add(&a[at], x)
		}
	}
	return a
}

// missing gives how many of the sorted b are not in a.
func missing[T any](a, b []T, order func(a, b T) int) (n int) {
	for _, x := range b {
		for len(a) > 0 && order(a[0], x) < 0 {
			a = a[1:]
		}
		if len(a) > 0 && order(a[0], x) == 0 {
			a = a[1:]
			continue
		}
		n++
	}
	return n
}

func (p *ExactPane) add(o ExactPane) {
	p.Requests += o.Requests
	p.Reads += o.Reads
	p.Cost = AddSat(p.Cost, o.Cost)
	p.Tombstones = AddSat(p.Tombstones, o.Tombstones)
	p.ReadMilli = AddSat(p.ReadMilli, o.ReadMilli)
	p.WriteMilli = AddSat(p.WriteMilli, o.WriteMilli)
	p.Throttled += o.Throttled
	p.Failed += o.Failed
	p.Grown, p.Shrunk = AddSat(p.Grown, o.Grown), AddSat(p.Shrunk, o.Shrunk)
}

func (s *ExactSecond) add(o ExactSecond) {
	s.Requests += o.Requests
	s.Reads += o.Reads
	s.ReadMilli = AddSat(s.ReadMilli, o.ReadMilli)
	s.WriteMilli = AddSat(s.WriteMilli, o.WriteMilli)
}

func (n *NodeCount) add(o NodeCount) { n.Requests += o.Requests }

// The busiest sort key of a nominee is found in a small table: the question is whether one item takes
// most of the load, and such a one is never missed.
const (
	sortBudget    = 16 << 10
	sortPrecision = 10 // of the number of sort keys: standard error 3.3 %
)

var sortQuota = sketch.Quota{Top: [sketch.Weights]int{16, 0, 0}}

func topSort(t *sketch.Top) Range {
	if t == nil {
		return Range{}
	}
	e, ok := topOf(t, 0)
	if !ok {
		return Range{0, t.Off(0)[ByRequests]}
	}
	return Range{e.Count[ByRequests], max(e.High()[ByRequests], t.Off(0)[ByRequests])}
}

// joinValues adds the values of a later part, and their heavy hitters, to those of an earlier one; a part without any has nil.
func joinValues(values, later *sketch.Distinct, top, laterTop *sketch.Top) (*sketch.Distinct, *sketch.Top) {
	switch {
	case later == nil:
		return values, top
	case values == nil:
		return later, laterTop
	}
	values.Merge(later)
	return values, sketch.MergeTops(top, laterTop, sortQuota)
}

// sortNodes gives the counts in order of their node.
func sortNodes(counts map[string]uint64) []NodeCount {
	out := make([]NodeCount, 0, len(counts))
	for node, n := range counts {
		out = append(out, NodeCount{node, n})
	}
	slices.SortFunc(out, func(a, b NodeCount) int { return strings.Compare(a.Node, b.Node) })
	return out
}
