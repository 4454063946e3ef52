package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// An openPane is a Pane in the making. Targets are numbered in the order of the Builder.
type openPane struct {
	start   uint32
	end     uint32
	targets []PaneTarget // in the order in which they were active
	place   []uint32     // by number of target: 1 + index in targets; 0: not active
	current uint32       // index in targets of the last event's target
	nodes   []uint64
	keys    *sketch.Table
	base    *sketch.Top // what narrower panes held before they were joined into this one; may be nil
}

// clear empties p and keeps the memory of its table.
func (p *openPane) clear() {
	keys := p.keys
	keys.Reset()
	*p = openPane{keys: keys, targets: p.targets[:0], place: p.place[:0]}
}

// at gives the pane of a second, and opens it when it is new.
func (b *Builder) at(sec uint32) *openPane {
	if p := b.pane; p != nil && sec >= p.start && sec < p.end {
		return p
	}
	start := sec - sec%b.width
	for _, p := range b.panes {
		if p.start == start {
			b.pane = p
			return p
		}
	}
	if len(b.panes) == MaxPanes {
		b.widen()
		return b.at(sec)
	}
	b.pane = b.openPane(start)
	b.panes = append(b.panes, b.pane)
	if len(b.panes) > fedFromPanes && !b.feeding {
		b.feed()
	}
	b.share()
	return b.pane
}

func (b *Builder) openPane(start uint32) *openPane {
	budget := b.settings.paneBudget(len(b.panes) + 1)
	p := &openPane{}
	if n := len(b.spare); n > 0 {
		p, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		p.keys = sketch.NewTable(budget)
	}
	p.keys.SetBudget(budget)
	p.start, p.end = start, start+b.width
	return p
}

// share gives every open table its part of the budget for all.
func (b *Builder) share() {
	budget := b.settings.paneBudget(len(b.panes))
	for _, p := range b.panes {
		p.keys.SetBudget(budget)
	}
}

// feed begins to add each event to a table of the whole run: with many panes open, each of their
// tables is small, and their sum would be loose.
func (b *Builder) feed() {
	b.feeding = true
	if b.fed == nil {
		b.fed = sketch.NewTable(b.settings.tableBudget())
	}
	for _, p := range b.panes {
		b.joined = joinTops(b.joined, p.sealed(b.finest(p), sketch.Quota{}), sketch.Quota{})
	}
}

// finest gives the start of a pane that still has the width to begin with, and 0 for a wider one.
func (b *Builder) finest(p *openPane) uint32 {
	if b.widened {
		return 0
	}
	return p.start
}

// sealed gives all that p holds of keys.
func (p *openPane) sealed(interval uint32, q sketch.Quota) *sketch.Top {
	top := p.keys.Seal(q, interval)
	if p.base == nil {
		return top
	}
	return sketch.MergeTops(p.base, top, q)
}

func joinTops(a, b *sketch.Top, q sketch.Quota) *sketch.Top {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return sketch.MergeTops(a, b, q)
}

// widen joins panes into wider ones, until there are fewer than MaxPanes.
func (b *Builder) widen() {
	slices.SortFunc(b.panes, func(x, y *openPane) int { return cmp.Compare(x.start, y.start) })
	for len(b.panes) >= MaxPanes && b.width != wider(b.width) {
		b.widenOnce()
	}
	b.pane = nil
	b.share()
}

func (b *Builder) widenOnce() {
	quota := b.settings.paneQuota(len(b.open))
	for _, p := range b.panes {
		p.base = p.sealed(b.finest(p), quota)
		p.keys.Reset()
	}
	b.width, b.widened = wider(b.width), true
	kept := b.panes[:0]
	for _, p := range b.panes {
		start := p.start - p.start%b.width
		if n := len(kept); n > 0 && kept[n-1].start == start {
			kept[n-1].join(p, quota)
			p.clear()
			b.spare = append(b.spare, p)
			continue
		}
		p.start, p.end = start, start+b.width
		kept = append(kept, p)
	}
	b.panes = kept
}

// join adds a pane whose table is sealed into its base.
func (p *openPane) join(o *openPane, q sketch.Quota) {
	p.base = joinTops(p.base, o.base, q)
	p.nodes = addSlices(p.nodes, o.nodes)
	for id, at := range o.place {
		if at > 0 {
			place := p.placeOf(uint32(id), o.targets[at-1].Distinct != nil) // it may move p.targets
			p.targets[place].join(&o.targets[at-1])
		}
	}
}

// join adds what o holds of the same target.
func (t *PaneTarget) join(o *PaneTarget) {
	for i := range t.Totals {
		t.Totals[i] = AddSat(t.Totals[i], o.Totals[i])
	}
	t.Incomplete = t.Incomplete || o.Incomplete
	switch {
	case o.Distinct == nil:
	case t.Distinct == nil:
		t.Distinct = o.Distinct.Clone()
	default:
		t.Distinct.Merge(o.Distinct)
	}
}

func addSlices(a, b []uint64) []uint64 {
	if len(a) < len(b) {
		a = append(a, make([]uint64, len(b)-len(a))...)
	}
	for i, n := range b {
		a[i] = AddSat(a[i], n)
	}
	return a
}

// placeOf gives the index in p.targets of a target, and makes it active when it is not.
func (p *openPane) placeOf(id uint32, distinct bool) uint32 {
	for uint32(len(p.place)) <= id {
		p.place = append(p.place, 0)
	}
	if p.place[id] == 0 {
		t := PaneTarget{ID: id}
		if distinct {
			t.Distinct = sketch.NewDistinct(panePrecision)
		}
		p.targets = append(p.targets, t)
		p.place[id] = uint32(len(p.targets))
	}
	return p.place[id] - 1
}

// event adds an event to the totals of its target and node in this pane.
func (p *openPane) event(e *ingest.Event, id uint32, b *Builder) {
	if p.current >= uint32(len(p.targets)) || p.targets[p.current].ID != id {
		p.current = p.placeOf(id, !b.settings.KeysOnly)
	}
	p.targets[p.current].Totals.event(e)
	if len(e.Node) > 0 && !b.settings.KeysOnly {
		p.node(e, b)
	}
}

func (p *openPane) node(e *ingest.Event, b *Builder) {
	id, ok := b.nodes.find(e.Node)
	if !ok {
		b.lost.Nodes += e.Count()
		return
	}
	for uint32(len(p.nodes)) <= id {
		p.nodes = append(p.nodes, 0)
	}
	p.nodes[id] += e.Count()
}

func (t *PaneTotals) event(e *ingest.Event) {
	n := e.Count()
	t[PaneRequests] += n
	if e.Op.Reads() {
		t[PaneReads] += n
	}
	if e.Failed {
		t[PaneFailed] += n
	}
	if e.Throttle != ingest.NotThrottled {
		t[PaneThrottle+PaneCounter(e.Throttle)] += n
	}
	bytes, _ := e.Bytes()
	read, _ := e.ReadUnits()
	write, _ := e.WriteUnits()
	tombs, _ := e.Tombstones()
	t[PaneBytes] = AddSat(t[PaneBytes], bytes)
	t[PaneReadMilli] = AddSat(t[PaneReadMilli], read)
	t[PaneWriteMilli] = AddSat(t[PaneWriteMilli], write)
	t[PaneTombstones] = AddSat(t[PaneTombstones], tombs)
}
