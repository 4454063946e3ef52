package detect

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// Plains holds the events, or adds them.
func (r *recorder) Plains(p *ingest.Plains) {
	if r.builder == nil || !r.builder.keysOfRun() {
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

// keysOfRun reports whether of traffic the keys of the whole run are all that b remembers.
func (b *Builder) keysOfRun() bool {
	return b.settings.KeysOnly && b.settings.NoPanes && b.coverage == ingest.Traffic
}

// plainEvents is how many plain events have their keys looked up together.
const plainEvents = 64

// plains is Event for each of the events, with keysOfRun.
func (b *Builder) plains(p *ingest.Plains) {
	if p.Anew {
		clear(b.plainIDs)
	}
	for len(b.plainIDs) < len(p.Tables) {
		b.plainIDs = append(b.plainIDs, 0)
	}
	for from := 0; from < len(p.Events); from += plainEvents {
		b.plainKeys(p, p.Events[from:min(from+plainEvents, len(p.Events))])
	}
}

// plainKeys adds at most plainEvents events.
func (b *Builder) plainKeys(p *ingest.Plains, events []ingest.Plain) {
	var ids [plainEvents]uint32
	var hashes [plainEvents]uint64
	for i := range events {
		ids[i%plainEvents] = b.plainTotals(p, &events[i])
		hashes[i%plainEvents] = sketch.Combine(sketch.Hash(p.Key(&events[i])), b.targets.hashes[ids[i%plainEvents]])
	}
	table, costs := b.untimed, ^uint64(0)
	if table == nil {
		table = b.untimedTable()
	}
	if b.settings.RequestsOnly {
		costs = 0
	}
	table.Fetch(hashes[:len(events)])
	for i := range events {
		e := &events[i]
		if b.open[ids[i%plainEvents]].other {
			continue
		}
		sec := uint32(uint64(e.UnixNano) / second)
		w := sketch.Vector{1, e.Bytes & costs}
		at := ingest.Position{Input: p.At.Input, Byte: p.At.Byte + uint64(e.Record)}
		table.Add(ids[i%plainEvents], hashes[i%plainEvents], p.Key(e), &w, sec, markAt(at))
	}
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

// plainTarget is target for a table of p.
func (b *Builder) plainTarget(p *ingest.Plains, table uint16) uint32 {
	if id := b.plainIDs[table]; id > 0 && !b.open[id-1].other {
		return id - 1
	}
	id := b.target(&ingest.Event{Table: p.Tables[table]})
	b.plainIDs[table] = id + 1
	return id
}
