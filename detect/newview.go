package detect

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// NewView brings together what p holds, what the second pass counted (x may be nil) and the limits.
// p must not change while the View is in use.
func NewView(p *Profile, x *Exact, l *Limits, sampling Rate) *View {
	p = p.withSelectedPanes()
	v := &View{
		Limits:   l,
		Width:    p.Width,
		Inputs:   p.Inputs,
		Second:   x != nil,
		Sampling: sampling,
		Lost:     p.Lost,
		Facts:    p.Facts,
		Points:   pointsByQuery(p.Points, p.Facts),
	}
	if p.First != 0 || p.Last != 0 {
		v.Span = Span{p.First / second, p.Last/second + 1}
	} else {
		v.Span = metricSpan(p.Points)
	}
	for i := range p.Panes {
		start := int64(p.Panes[i].Start)
		v.Panes = append(v.Panes, PaneSpan{start, start + int64(p.Width)})
	}
	v.Nodes = nodeViews(p)
	n := Nominate(p)
	if x != nil {
		n, v.Columns = x.Nominees, x.Nominees.Columns
	}
	for i := range p.Targets {
		v.Targets = append(v.Targets, newTargetView(p, uint32(i), n, x))
	}
	v.Targets = beside(v.Targets, p)
	v.measureStorage()
	return v
}

// metricSpan gives the time of CloudWatch's metrics, where nothing else tells of any.
func metricSpan(points []PointStats) Span {
	span := Span{}
	for i := range points {
		for _, n := range points[i].Values {
			if points[i].Target.Store != ingest.DynamoDB || n.Unix == 0 {
				continue
			}
			if start := int64(n.Unix); span.Start == 0 || start < span.Start {
				span.Start = start
			}
			span.End = max(span.End, int64(n.Unix)+int64(max(n.Seconds, 1)))
		}
	}
	return span
}

func nodeViews(p *Profile) []NodeView {
	nodes := make([]NodeView, len(p.Nodes))
	for i, name := range p.Nodes {
		nodes[i] = NodeView{Name: name, Requests: make([]uint64, len(p.Panes))}
	}
	for i := range p.Panes {
		for j, n := range p.Panes[i].Nodes {
			nodes[j].Requests[i] = n
			nodes[j].Total = AddSat(nodes[j].Total, n)
		}
	}
	return nodes
}

func newTargetView(p *Profile, id uint32, n *Nominees, x *Exact) *TargetView {
	s := &p.Targets[id]
	t := &TargetView{
		Target:   s.Target.Bare(),
		Told:     s.Target.Told,
		ID:       id,
		Totals:   s.Totals,
		Missed:   s.Missed,
		Copies:   s.copies(),
		Latency:  orEmpty(s.Latency),
		Bytes:    orEmpty(s.ItemBytes),
		LiveRows: orEmpty(s.LiveRows),
		Tombs:    orEmpty(s.Tombs),
		Asked:    orEmpty(s.Asked),
		Shapes:   s.Shapes,
		Patterns: shownPatterns(fewEntities(s.Patterns)),
		Rewrites: s.Rewrites,
		Selected: selectedViews(p, s.Selected),
		Windows:  samplerWindows(p, s.Selected),
		Growing:  growingOf(p, id, n, x),
		States:   s.States,
		Panes:    make([]TargetPane, len(p.Panes)),
	}
	if s.GrownFirst != 0 || s.GrownLast != 0 {
		t.Grew = Span{s.GrownFirst / second, s.GrownLast/second + 1}
	}
	t.Stored, t.Earlier = storedOf(p, id, n, x)
	if s.First != 0 || s.Last != 0 {
		t.Span = Span{s.First / second, s.Last/second + 1}
	}
	for i := range p.Panes {
		t.Panes[i] = targetPane(&p.Panes[i], id)
	}
	off := p.Run.Off(id)
	t.Untold = Untold{off[ByRequests], off[ByCost], off[ByTombstones]}.missing(s.Missed)
	first, end := p.Run.Group(id)
	t.Distinct = distinctOf(s.Distinct, p.Run.Exact(id), uint64(end-first), p.Run.Total(id)[ByRequests])
	k := keyViews{profile: p, target: t, id: id}
	k.add(n, x)
	t.Keys = k.keys
	if s.Missed > 0 {
		t.Distinct.Exact, t.Distinct.High = false, AddSat(t.Distinct.High, s.Missed)
		return t
	}
	t.Skew = skewOf(t, s, p.Run, id)
	return t
}

// missing widens upper bounds by requests that may be of the target, and whose cost is not known.
func (u Untold) missing(requests uint64) Untold {
	if requests == 0 {
		return u
	}
	return Untold{AddSat(u.Requests, requests), ^uint64(0), ^uint64(0)}
}

func orEmpty(h *sketch.Histogram) *sketch.Histogram {
	if h == nil {
		return &sketch.Histogram{}
	}
	return h
}

// distinctOf joins what is known of the number of keys: held of them exactly when nothing was let go,
// the estimate of d, and no more than the requests.
func distinctOf(d *sketch.Distinct, exact bool, held, requests uint64) Distinct {
	switch {
	case exact:
		return Distinct{held, held, held, true}
	case d == nil:
		return Distinct{held, held, requests, held == requests}
	}
	value, low, high := d.Estimate()
	low, high = max(low, held), min(max(high, held), requests)
	low = min(low, high)
	return Distinct{min(max(value, low), high), low, high, low == high}
}

func targetPane(p *Pane, id uint32) TargetPane {
	i, found := slices.BinarySearchFunc(p.Targets, id, func(t PaneTarget, id uint32) int { return cmp.Compare(t.ID, id) })
	if !found {
		return TargetPane{Distinct: Distinct{Exact: true}}
	}
	t := &p.Targets[i]
	off := p.Keys.Off(id)
	first, end := p.Keys.Group(id)
	d := t.Distinct
	if t.Incomplete {
		d = nil
	}
	return TargetPane{
		Totals:   t.Totals,
		Distinct: distinctOf(d, p.Keys.Exact(id), uint64(end-first), t.Totals[PaneRequests]),
		Untold:   Untold{off[ByRequests], off[ByCost], off[ByTombstones]},
	}
}

// keyViews gathers the keys of one target.
type keyViews struct {
	profile *Profile
	target  *TargetView
	id      uint32
	keys    []*KeyView
}

// add takes the heavy hitters of the whole run and the nominees, and ranks them.
func (k *keyViews) add(n *Nominees, x *Exact) {
	first, end := k.profile.Run.Group(k.id)
	byKey := map[string]*KeyView{}
	for i := first; i < end; i++ {
		e := k.profile.Run.At(i)
		byKey[string(e.Key)] = k.view(e.Key)
	}
	for i := range n.Keys {
		nominee := &n.Keys[i]
		if nominee.Target != k.id {
			continue
		}
		v := byKey[string(nominee.Key)]
		if v == nil && k.target.Totals[Requests] == 0 {
			continue // nominated by what its items grew by, which no traffic tells of
		}
		if v == nil {
			v = k.view(nominee.Key)
			byKey[string(nominee.Key)] = v
		}
		if x != nil {
			v.exact(x.Keys[i], nominee.Minutes)
		}
	}
	for _, v := range byKey {
		k.keys = append(k.keys, v)
	}
	slices.SortFunc(k.keys, func(a, b *KeyView) int {
		return cmp.Or(cmp.Compare(b.Requests.Middle(), a.Requests.Middle()), bytes.Compare(a.Key, b.Key))
	})
}

// view gives what the sketches know of a key: the bounds of the whole run, and those of its panes.
func (k *keyViews) view(key []byte) *KeyView {
	v := &KeyView{Key: key}
	runs := bounds(k.profile.Run, k.id, key)
	if !k.profile.Settings.NoPanes {
		runs = meet(runs, k.fromPanes(key))
	}
	v.Requests, v.Cost, v.Tombstones = runs[ByRequests], runs[ByCost], runs[ByTombstones]
	if missed := k.target.Missed; missed > 0 {
		high := Untold{v.Requests.High, v.Cost.High, v.Tombstones.High}.missing(missed)
		v.Requests.High, v.Cost.High, v.Tombstones.High = high.Requests, high.Cost, high.Tombstones
	}
	if e, ok := k.profile.Run.Find(k.id, key); ok {
		v.peak(&e)
	}
	for i := 0; i < len(k.profile.Panes) && v.Positions == nil; i++ {
		if e, ok := k.profile.Panes[i].Keys.Find(k.id, key); ok {
			v.peak(&e)
		}
	}
	if !k.unitCost() {
		v.CostSecond = sketch.Peak{}
	}
	v.fill = func() []KeyPane { return k.panes(key, v.Exact) }
	return v
}

// unitCost reports whether the cost of the target is made of throughput units alone: bytes stand in for
// them in records that carry none. A stream tells both, and CloudTrail neither.
func (k *keyViews) unitCost() bool {
	t := &k.target.Totals
	weighed := t[UnitsKnown] == t[Requests] || t[BytesKnown] == 0 || !k.target.Told.has(ingest.AnyWitness) && k.target.Target.Store == ingest.DynamoDB
	return !k.profile.Settings.Bytes && weighed
}

// peak takes the busiest second and the example position of an entry.
func (k *KeyView) peak(e *sketch.Entry) {
	if e.Second.N > k.PeakSecond.N {
		k.PeakSecond = e.Second
	}
	if e.CostSecond.N > k.CostSecond.N {
		k.CostSecond = e.CostSecond
	}
	if at, ok := markPosition(e.Mark); ok {
		k.Positions = []ingest.Position{at}
	}
}

// exact replaces bounds by counts, of which seconds were taken in these minutes.
func (k *KeyView) exact(x *ExactKey, minutes []uint32) {
	if x == nil {
		return
	}
	x.Minutes = minutes
	k.Exact = x
	k.Requests = Range{x.Totals[Requests], x.Totals[Requests]}
	k.Tombstones = Range{x.Totals[Tombstones], x.Totals[Tombstones]}
	cost := uint64(0)
	for i := range x.Panes {
		cost = AddSat(cost, x.Panes[i].Cost)
	}
	if x.Totals[Untimed] == 0 {
		k.Cost = Range{cost, cost}
	}
	k.Positions = x.Positions
	for _, s := range x.Seconds {
		if s.Requests > k.PeakSecond.N {
			k.PeakSecond = sketch.Peak{At: s.Second, N: s.Requests}
		}
	}
}

// bounds gives the bounds of a key in a summary, held or not.
func bounds(t *sketch.Top, id uint32, key []byte) [sketch.Weights]Range {
	var out [sketch.Weights]Range
	e, ok := t.Find(id, key)
	low, high := e.Count, e.High()
	if !ok {
		low, high = sketch.Vector{}, t.Off(id)
	}
	for w := range out {
		out[w] = Range{low[w], high[w]}
	}
	return out
}

func meet(a, b [sketch.Weights]Range) [sketch.Weights]Range {
	for w := range a {
		a[w] = a[w].Meet(b[w])
	}
	return a
}

// fromPanes adds up a key's bounds in all panes. Events of unknown time are in none: any of them
// could be the key's, so they widen the upper bound.
func (k *keyViews) fromPanes(key []byte) [sketch.Weights]Range {
	var sum [sketch.Weights]Range
	for i := range k.profile.Panes {
		b := bounds(k.profile.Panes[i].Keys, k.id, key)
		for w := range sum {
			sum[w] = sum[w].Plus(b[w])
		}
	}
	if k.target.Totals[Untimed] > 0 {
		for w := range sum {
			sum[w].High = ^uint64(0)
		}
	}
	return sum
}

// panes gives what is known of a key in each pane. The sums of its table there bound what its cost
// can be made of: each write unit weighs three.
func (k *keyViews) panes(key []byte, x *ExactKey) []KeyPane {
	out := make([]KeyPane, len(k.profile.Panes))
	for i := range out {
		pane := &k.profile.Panes[i]
		if x != nil {
			out[i] = exactPane(x, pane.Start)
			continue
		}
		b := bounds(pane.Keys, k.id, key)
		totals := &k.target.Panes[i].Totals
		b[ByRequests].High = AddSat(b[ByRequests].High, k.target.Missed)
		out[i] = KeyPane{Requests: b[ByRequests], Cost: b[ByCost], Tombstones: b[ByTombstones]}
		if read, write := totals[PaneReadMilli], totals[PaneWriteMilli]; read > 0 || write > 0 {
			c := b[ByCost]
			if !k.unitCost() {
				c = Range{0, ^uint64(0)}
			}
			out[i].Reads = Range{subFloor(c.Low, MulSat(3, write)), min(read, c.High)}
			out[i].Writes = Range{(subFloor(c.Low, read) + 2) / 3, min(write, c.High/3)}
		}
	}
	return out
}

func exactPane(x *ExactKey, start uint32) KeyPane {
	i, found := slices.BinarySearchFunc(x.Panes, start, func(p ExactPane, start uint32) int { return cmp.Compare(p.Start, start) })
	if !found {
		return KeyPane{}
	}
	p := &x.Panes[i]
	return KeyPane{
		Requests:   Range{p.Requests, p.Requests},
		Cost:       Range{p.Cost, p.Cost},
		Tombstones: Range{p.Tombstones, p.Tombstones},
		Reads:      Range{p.ReadMilli, p.ReadMilli},
		Writes:     Range{p.WriteMilli, p.WriteMilli},
	}
}
