package detect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// Selected records are only the bad or capped ones: what they count is "at least". They reach no
// sketch and no share; each observer's reads are counted exactly, and the largest are kept.

// An Observer is one that tells of reads: a node, by one of its files or samplers. Counts of several
// observers are not added up.
type Observer struct {
	Node string // or the folder of its files, where records name no node
	Role string // system, debug, client, sampler, ...
}

// Compare orders observers by node and role.
func (o Observer) Compare(p Observer) int {
	return cmp.Or(strings.Compare(o.Node, p.Node), strings.Compare(o.Role, p.Role))
}

// A SelectedCounter is one of the exact totals of selected records.
type SelectedCounter int

// The counters of SelectedTotals, in requests unless they say otherwise.
const (
	SelectedRecords SelectedCounter = iota // records, each standing for one request or more
	SelectedWarned                         // the store warned of tombstones
	SelectedAborted                        // the store ended the read for its tombstones
	SelectedTimedOut
	SelectedSlow
	SelectedRows // live rows
	SelectedRowsKnown
	SelectedTombstones
	SelectedTombstonesKnown
	SelectedAbortedTombstones     // of aborted reads, which are not in SelectedTombstones
	SelectedFanOut                // requests to several partitions
	SelectedPartitions            // partitions of those
	SelectedWide                  // requests to at least 100 partitions
	SelectedError                 // by which SelectedRecords may be too high
	SelectedRetries               // attempts at those requests that have no record
	SelectedUnits                 // thousandths of throughput units, 3 x write + read
	SelectedThrottle              // SelectedThrottle+reason; SelectedThrottle+0 is not used
	_                             // unknown
	_                             // key range
	_                             // table
	_                             // index
	_                             // account
	_                             // on-demand maximum
	SelectedCounters          int = iota
)

// Requests to several partitions are counted from FanOutPartitions on, and as wide from WidePartitions on.
const (
	FanOutPartitions = 10
	WidePartitions   = 100
)

// SelectedTotals are sums of selected records; index them by SelectedCounter.
type SelectedTotals [SelectedCounters]uint64

func (t *SelectedTotals) add(o *SelectedTotals) {
	for i := range t {
		t[i] = AddSat(t[i], o[i])
	}
}

func (t *SelectedTotals) max(o *SelectedTotals) {
	for i := range t {
		t[i] = max(t[i], o[i])
	}
}

func (t *SelectedTotals) event(e *ingest.Event) {
	n := e.Count()
	t[SelectedRecords] += n
	t.flag(SelectedWarned, e.Warned, n)
	t.flag(SelectedAborted, e.Aborted, n)
	t.flag(SelectedTimedOut, e.TimedOut, n)
	t.flag(SelectedSlow, e.Slow, n)
	if v, ok := e.Rows(); ok {
		t[SelectedRows], t[SelectedRowsKnown] = AddSat(t[SelectedRows], v), t[SelectedRowsKnown]+n
	}
	if v, ok := e.Tombstones(); ok && e.Aborted {
		t[SelectedAbortedTombstones] = AddSat(t[SelectedAbortedTombstones], v)
	} else if ok {
		t[SelectedTombstones], t[SelectedTombstonesKnown] = AddSat(t[SelectedTombstones], v), t[SelectedTombstonesKnown]+n
	}
	if e.Partitions > 1 {
		t[SelectedFanOut] += n
		t[SelectedPartitions] = AddSat(t[SelectedPartitions], MulSat(e.Partitions, n))
	}
	if e.Partitions >= WidePartitions {
		t[SelectedWide] += n
	}
	t[SelectedError] = AddSat(t[SelectedError], e.Error)
	t[SelectedRetries] = AddSat(t[SelectedRetries], e.Retries)
	read, _ := e.ReadUnits()
	write, _ := e.WriteUnits()
	t[SelectedUnits] = AddSat(t[SelectedUnits], AddSat(read, MulSat(3, write)))
	if e.Throttle != ingest.NotThrottled {
		t[SelectedThrottle+SelectedCounter(e.Throttle)] += n
	}
}

func (t *SelectedTotals) flag(c SelectedCounter, on bool, n uint64) {
	if on {
		t[c] += n
	}
}

// A SelectedStats is what one observer tells of one kind of request: one operation, statement shape and
// key of a target.
type SelectedStats struct {
	Observer  uint32 // index in Profile.Observers
	Op        ingest.Op
	Shape     string
	Key       string // in the form of ingest.AppendKey
	KeyKnown  bool
	Totals    SelectedTotals
	Largest   ReadSize // the read of most tombstones
	Slowest   uint64   // latency in microseconds, 0: unknown
	Widest    uint64   // partitions of one request
	First     int64    // Unix nanoseconds; 0, 0 when no record has a time
	Last      int64
	Panes     SelectedSeries // by the second at which they begin; not of all: see selectedWithPanes
	Positions []ingest.Position
}

const (
	// MaxSelected is the most SelectedStats of a target; beyond, those of fewest tombstones and records
	// give way and are counted in Lost.
	MaxSelected = 1024
	// selectedWithPanes is how many of a target keep their panes.
	selectedWithPanes = 128
)

// A selectedKey tells SelectedStats of a target apart.
type selectedKey struct {
	observer uint32
	op       ingest.Op
	keyKnown bool
	shape    string
	key      string
}

func (s *SelectedStats) identity() selectedKey {
	return selectedKey{s.Observer, s.Op, s.KeyKnown, s.Shape, s.Key}
}

func (k selectedKey) compare(o selectedKey) int {
	return cmp.Or(
		cmp.Compare(k.observer, o.observer), cmp.Compare(k.op, o.op), compareBool(k.keyKnown, o.keyKnown),
		strings.Compare(k.shape, o.shape), strings.Compare(k.key, o.key),
	)
}

func compareSelected(a, b SelectedStats) int { return a.identity().compare(b.identity()) }

// selected counts an event of a selected record.
func (b *Builder) selected(e *ingest.Event) {
	id := b.target(e)
	t := &b.open[id]
	k := selectedKey{observer: b.observer(e), op: e.Op, keyKnown: e.KeyKnown, shape: string(e.Shape)}
	if e.KeyKnown {
		k.key = string(e.Key)
	}
	s := t.selected[k]
	if s == nil {
		if len(t.selected) >= 2*MaxSelected {
			t.shrinkSelected(b)
		}
		s = &SelectedStats{Observer: k.observer, Op: k.op, Shape: k.shape, Key: k.key, KeyKnown: k.keyKnown}
		if t.selected == nil {
			t.selected = map[selectedKey]*SelectedStats{}
		}
		t.selected[k] = s
	}
	s.event(e, b.told)
	for s.Panes.Len() > MaxPanes {
		b.widenSelected()
	}
	if nanos, ok := e.UnixNano(); ok {
		b.clock(&t.stats, nanos)
	}
}

func (s *SelectedStats) event(e *ingest.Event, width uint32) {
	s.Totals.event(e)
	n := e.Count()
	tombs, known := e.Tombstones()
	if known && (tombs/n > s.Largest.Tombstones || s.Totals[SelectedRecords] == n) {
		rows, rowsKnown := e.Rows()
		s.Largest = ReadSize{Tombstones: tombs / n, Rows: rows / n, RowsKnown: rowsKnown, At: e.At}
	}
	if micros, ok := e.Latency(); ok {
		s.Slowest = max(s.Slowest, micros)
	}
	s.Widest = max(s.Widest, e.Partitions)
	if len(s.Positions) < maxPositions {
		s.Positions = append(s.Positions, e.At)
	}
	nanos, ok := e.UnixNano()
	if !ok {
		return
	}
	s.First, s.Last = joinSpan(s.First, s.Last, nanos, nanos)
	sec := uint32(nanos / second)
	var t SelectedTotals
	t.event(e)
	s.Panes.Add(sec-sec%width, &t)
}

// join adds what a later part tells of the same.
func (s *SelectedStats) join(o *SelectedStats) {
	s.Totals.add(&o.Totals)
	if o.Largest.Tombstones > s.Largest.Tombstones {
		s.Largest = o.Largest
	}
	s.Slowest, s.Widest = max(s.Slowest, o.Slowest), max(s.Widest, o.Widest)
	s.First, s.Last = joinSpan(s.First, s.Last, o.First, o.Last)
	for i, start := range o.Panes.At {
		t := o.Panes.Totals(i)
		s.Panes.Add(start, &t)
	}
	s.Positions = append(s.Positions, o.Positions[:min(len(o.Positions), maxPositions-len(s.Positions))]...)
}

// widenSelected joins the panes of all selected records into wider ones.
func (b *Builder) widenSelected() {
	b.told = wider(b.told)
	for i := range b.open {
		for _, s := range b.open[i].selected {
			s.Panes.widen(b.told)
		}
	}
}

// widenSelected is Builder.widenSelected for panes of a width already chosen.
func (p *Profile) widenSelected(width uint32) {
	if p.SelectedWidth == width {
		return
	}
	p.SelectedWidth = width
	for i := range p.Targets {
		for j := range p.Targets[i].Selected {
			p.Targets[i].Selected[j].Panes.widen(width)
		}
	}
}

// crowded reports whether selected records have more panes than one kind of request may have.
func (p *Profile) crowded() bool {
	for i := range p.Targets {
		for j := range p.Targets[i].Selected {
			if p.Targets[i].Selected[j].Panes.Len() > MaxPanes {
				return true
			}
		}
	}
	return false
}

// aligned reports whether all panes of selected records begin at a multiple of their width.
func (p *Profile) aligned() bool {
	for i := range p.Targets {
		for j := range p.Targets[i].Selected {
			if slices.ContainsFunc(p.Targets[i].Selected[j].Panes.At, func(start uint32) bool { return start%p.SelectedWidth != 0 }) {
				return false
			}
		}
	}
	return true
}

// weightier orders SelectedStats by how much they matter: aborted reads, tombstones, records.
func weightier(a, b *SelectedStats) int {
	return cmp.Or(
		cmp.Compare(b.Totals[SelectedAborted], a.Totals[SelectedAborted]),
		cmp.Compare(b.Totals[SelectedTombstones], a.Totals[SelectedTombstones]),
		cmp.Compare(b.Totals[SelectedAbortedTombstones], a.Totals[SelectedAbortedTombstones]),
		cmp.Compare(b.Totals[SelectedRecords], a.Totals[SelectedRecords]),
		compareSelected(*a, *b),
	)
}

// capSelected keeps MaxSelected of a target and gives the records of the others; of those kept, some
// keep their panes.
func capSelected(list []*SelectedStats) (kept []*SelectedStats, lost uint64) {
	slices.SortFunc(list, weightier)
	for _, s := range list[min(len(list), MaxSelected):] {
		lost = AddSat(lost, s.Totals[SelectedRecords])
	}
	list = list[:min(len(list), MaxSelected)]
	for _, s := range list[min(len(list), selectedWithPanes):] {
		s.Panes = SelectedSeries{}
	}
	return list, lost
}

func (t *openTarget) shrinkSelected(b *Builder) {
	kept, lost := capSelected(t.selectedList())
	b.lost.Selected = AddSat(b.lost.Selected, lost)
	clear(t.selected)
	for _, s := range kept {
		t.selected[s.identity()] = s
	}
}

func (t *openTarget) selectedList() []*SelectedStats {
	list := make([]*SelectedStats, 0, len(t.selected))
	for _, s := range t.selected {
		list = append(list, s)
	}
	return list
}

// capSelected brings the selected records of a target back to MaxSelected, in order.
func (t *TargetStats) capSelected() (lost uint64) {
	if len(t.Selected) <= MaxSelected {
		return 0
	}
	list := make([]*SelectedStats, len(t.Selected))
	for i := range t.Selected {
		list[i] = &t.Selected[i]
	}
	list, lost = capSelected(list)
	kept := make([]SelectedStats, 0, len(list))
	for _, s := range list {
		kept = append(kept, *s)
	}
	slices.SortFunc(kept, compareSelected)
	t.Selected = kept
	return lost
}

// observer gives the number of the event's observer.
func (b *Builder) observer(e *ingest.Event) uint32 {
	o := Observer{Node: b.nodeOf(e.Node), Role: e.Role}
	switch {
	case o.Role == "":
		o.Role = b.role
	case strings.HasPrefix(o.Role, ingest.RoleSampler):
		o.Role += " of " + b.name
	}
	i := slices.Index(b.observers, o)
	if i < 0 {
		i = len(b.observers)
		b.observers = append(b.observers, o)
	}
	return uint32(i)
}

// nodeOf gives the node that a record names, else that of its input.
func (b *Builder) nodeOf(named []byte) string {
	if len(named) > 0 {
		return string(bytes.Clone(named))
	}
	return b.inputContext.node
}
