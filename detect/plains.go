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

// plains is Event for each of the events, with keysOfRun.
func (b *Builder) plains(p *ingest.Plains) {
	if p.Anew {
		clear(b.plainIDs)
	}
	for len(b.plainIDs) < len(p.Tables) {
		b.plainIDs = append(b.plainIDs, 0)
	}
	table := b.untimedTable()
	for i := range p.Events {
		e := &p.Events[i]
		id := b.plainTarget(p, e.Table)
		t := &b.open[id]
		t.stats.Totals[Requests]++
		t.stats.Totals[ByOp+Counter(e.Op)]++
		if p.Sized {
			t.stats.Totals.known(Bytes, e.Bytes, 1)
		}
		sec := uint32(0)
		if p.Timed {
			b.clock(&t.stats, e.UnixNano)
			sec = uint32(e.UnixNano / second)
		} else {
			t.stats.Totals[Untimed]++
		}
		if t.other {
			continue
		}
		key := p.Key(e)
		hash := sketch.Combine(sketch.Hash(key), b.targets.hashes[id])
		w := sketch.Vector{1, e.Bytes, 0}
		table.Add(id, hash, key, &w, sec, markAt(ingest.Position{Input: p.At.Input, Byte: p.At.Byte + uint64(e.Record)}))
	}
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
