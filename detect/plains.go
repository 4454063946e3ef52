package detect

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// Plains holds the events, or adds them.
func (r *recorder) Plains(p *ingest.Plains) {
	if r.builder == nil || r.builder.coverage != ingest.Traffic {
		var e ingest.Event
		for i := range p.Events {
			p.Fill(i, &e)
			r.Event(&e)
		}
		return
	}
	r.events += uint64(len(p.Events))
	if p.Timed {
		for i := range p.Events {
			at := p.Events[i].UnixNano
			if r.first == 0 || at < r.first {
				r.first = at
			}
			r.last = max(r.last, at)
		}
	}
	r.builder.plains(p)
}

// plainEvents is how many plain events have their keys looked up together.
const plainEvents = 64

// plains is Event for each of the events, of traffic.
func (b *Builder) plains(p *ingest.Plains) {
	if p.Anew {
		clear(b.plainIDs)
	}
	for len(b.plainIDs) < len(p.Tables) {
		b.plainIDs = append(b.plainIDs, 0)
	}
	for from := 0; from < len(p.Events); from += plainEvents {
		to := min(from+plainEvents, len(p.Events))
		if b.settings.KeysOnly {
			if pane, ok := b.plainPane(p, p.Events[from:to]); ok {
				b.plainKeys(p, p.Events[from:to], pane)
				continue
			}
		}
		b.plainWhole(p, from, to)
	}
}

// plainWhole adds at most plainEvents events of which more than keys is kept, or that several tables take.
func (b *Builder) plainWhole(p *ingest.Plains, from, to int) {
	var hashes, fetch [plainEvents]uint64
	n := 0
	for i, e := range p.Events[from:to] {
		hashes[i] = sketch.Hash(p.Key(&e))
		if id := b.plainIDs[e.Table]; id > 0 {
			fetch[n] = sketch.Combine(hashes[i], b.targets.hashes[id-1])
			n++
		}
	}
	if b.pane != nil { // of the event before, and most likely of these
		b.pane.keys.Fetch(fetch[:n])
	}
	if b.feeding {
		b.fed.Fetch(fetch[:n])
	}
	var e ingest.Event
	for i := from; i < to; i++ {
		p.Fill(i, &e)
		b.traffic(&e, b.plainTarget(p, p.Events[i].Table), hashes[i-from])
	}
}

// plainPane gives the pane that events are of, nil where they are of none; ok is false when they are of several, or
// feed the whole run too.
func (b *Builder) plainPane(p *ingest.Plains, events []ingest.Plain) (pane *openPane, ok bool) {
	if b.settings.NoPanes || !p.Timed {
		return nil, true
	}
	pane = b.at(plainSecond(&events[0]))
	for i := range events {
		if sec := plainSecond(&events[i]); sec < pane.start || sec >= pane.end {
			return nil, false
		}
	}
	return pane, !b.feeding
}

func plainSecond(e *ingest.Plain) uint32 { return uint32(uint64(e.UnixNano) / second) }

// plainKeys adds at most plainEvents events of one pane, or of none.
func (b *Builder) plainKeys(p *ingest.Plains, events []ingest.Plain, pane *openPane) {
	var ids [plainEvents]uint32
	var hashes [plainEvents]uint64
	for i := range events {
		e, at := &events[i], i%plainEvents
		ids[at] = b.plainTotals(p, e)
		hashes[at] = sketch.Combine(sketch.Hash(p.Key(e)), b.targets.hashes[ids[at]])
		if pane != nil {
			pane.plain(e, ids[at])
		}
	}
	table, costs := b.plainTable(pane), ^uint64(0)
	if b.settings.RequestsOnly {
		costs = 0
	}
	table.Fetch(hashes[:len(events)])
	for i := range events {
		e, at := &events[i], i%plainEvents
		if b.open[ids[at]].other {
			continue
		}
		w := sketch.Vector{ByRequests: 1, ByCost: e.Bytes & costs}
		place := ingest.Position{Input: p.At.Input, Byte: p.At.Byte + uint64(e.Record)}
		table.Add(ids[at], hashes[at], p.Key(e), &w, plainSecond(e), markAt(place))
	}
}

// plainTable gives the table of the heavy hitters of a pane, or of events of none.
func (b *Builder) plainTable(pane *openPane) *sketch.Table {
	switch {
	case pane != nil:
		return pane.keys
	case b.untimed == nil:
		return b.untimedTable()
	}
	return b.untimed
}

// plainTotals adds an event to the totals of its target, and gives the number of that.
func (b *Builder) plainTotals(p *ingest.Plains, e *ingest.Plain) uint32 {
	id := b.plainTarget(p, e.Table)
	t := &b.open[id].stats
	t.Totals[Requests]++
	t.Totals[ByOp+Counter(e.Op)]++
	if p.Sized {
		t.Totals.known(Bytes, e.Bytes, 1)
	}
	if p.Timed {
		b.clock(t, e.UnixNano)
	} else {
		t.Totals[Untimed]++
	}
	return id
}

// plain is event for a plain one, where only keys are kept.
func (p *openPane) plain(e *ingest.Plain, id uint32) {
	if p.current >= uint32(len(p.targets)) || p.targets[p.current].ID != id {
		p.current = p.placeOf(id, false)
	}
	t := &p.targets[p.current].Totals
	t[PaneRequests]++
	if e.Op.Reads() {
		t[PaneReads]++
	}
	t[PaneBytes] = AddSat(t[PaneBytes], e.Bytes)
}

// plainTarget is target for a table of p.
func (b *Builder) plainTarget(p *ingest.Plains, table uint16) uint32 {
	if id := b.plainIDs[table]; id > 0 && !b.open[id-1].other {
		return id - 1
	}
	id := b.target(&ingest.Event{Table: p.Tables[table]})
	b.plainIDs[table] = id + 1
	return id
}
