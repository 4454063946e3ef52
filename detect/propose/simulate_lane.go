package propose

import (
	"github.com/keyheat/keyheat/ingest"
)

// What a laneSink hands on, by place.
const (
	toTraffic = iota
	toWritten // stored items in place of writes: what their sizes come to
	toDeleted // likewise in place of deletes
)

// A laneSink puts the events of a chunk under one key.
type laneSink struct {
	placement
	today   bool // nothing is changed
	tallies *tallies
	to      [3]ingest.Sink
	out     ingest.Event
	form    []byte
}

func (s *laneSink) event(e *ingest.Event, coverage ingest.Coverage) {
	n := e.Count()
	if coverage == ingest.Selected {
		s.tallies[ingest.Witnesses].skip(whySelected, "", n)
		return
	}
	traffic := coverage != ingest.StateOnly
	y := s.tallies[ingest.Witnesses]
	if traffic {
		y = s.tallies[e.Witness]
		y.add(requests, n)
		if e.Op.Reads() {
			y.add(allReads, n)
		}
	}
	why, name := s.place(e)
	switch {
	case why != "":
		y.skip(why, name, n)
		if traffic {
			s.unbound(e)
		}
	case traffic:
		y.request(e, &s.placement)
		s.put(e)
	default:
		s.stored(e)
	}
}

// unbound hands on a request whose partition is not known under the key. A read is a scan there.
func (s *laneSink) unbound(e *ingest.Event) {
	s.out = *e
	s.out.Key, s.out.KeyKnown = nil, false
	if s.out.Op == ingest.OpRead && !s.today {
		s.out.Op = ingest.OpScan
	}
	s.to[toTraffic].Event(&s.out)
}

// stored hands on a stored item.
func (s *laneSink) stored(e *ingest.Event) {
	for i := range s.all {
		s.out = *e
		s.name(i)
		if s.all > 1 {
			s.part(e, i)
		}
		if s.all == 1 || s.out.Requests > 0 {
			s.to[toTraffic].Event(&s.out)
		}
	}
}

// name gives the event that goes out the key of shard number i.
func (s *laneSink) name(i uint64) {
	if s.today {
		return
	}
	s.form = s.appendKey(s.form[:0], i)
	s.out.Key, s.out.KeyKnown = s.form, true
}

// put hands on a request to each partition that it asks.
func (s *laneSink) put(e *ingest.Event) {
	s.out = *e
	if !s.today {
		s.relieve()
	}
	if s.all == 1 {
		s.name(0)
		s.hand()
		return
	}
	hit := mix(e.At.Byte) % s.all
	for i := range s.all {
		s.out = *e
		s.relieve()
		s.name(i)
		s.part(e, (i+s.all-hit)%s.all)
		if s.out.Op.Reads() || s.out.Requests > 0 {
			s.hand()
		}
	}
}

// relieve makes a read of a bound partition of a scan, and a served request of one that was refused for
// its key range, or for a reason that is not told: under another key it may be served. It then costs one
// write unit or half a read unit at least.
func (s *laneSink) relieve() {
	e := &s.out
	if e.Op == ingest.OpScan {
		e.Op = ingest.OpRead
	}
	if e.Throttle != ingest.ThrottledKeyRange && e.Throttle != ingest.ThrottledUnknown {
		return
	}
	e.Throttle = ingest.NotThrottled
	_, readKnown := e.ReadUnits()
	_, writeKnown := e.WriteUnits()
	switch {
	case readKnown || writeKnown:
	case e.Op.Reads():
		e.SetReadUnits(leastRead * e.Count())
	case e.Op.Writes():
		e.SetWriteUnits(1000 * e.Count())
	}
}

// part makes the event that goes out the i-th share of e, the one that holds the item being number 0.
// Writes that stand for several requests are spread evenly over random shards.
func (s *laneSink) part(e *ingest.Event, i uint64) {
	out := &s.out
	if !e.Op.Reads() {
		out.Requests = share(e.Count(), s.all, i)
	}
	of := func(amount uint64) uint64 {
		if e.Op.Reads() && isPoint(e) {
			return amount * (1 - min(i, 1))
		}
		return share(amount, s.all, i)
	}
	if v, ok := out.Bytes(); ok {
		out.SetBytes(of(v))
	}
	if v, ok := out.WriteUnits(); ok {
		out.SetWriteUnits(of(v))
	}
	if v, ok := out.Rows(); ok {
		out.SetRows(of(v))
	}
	if v, ok := out.Tombstones(); ok {
		out.SetTombstones(of(v))
	}
	if v, ok := out.Growth(); ok {
		out.SetGrowth(int64(of(uint64(max(v, 0)))))
	}
	if v, ok := out.ReadUnits(); ok {
		c := costOfRead(e, v, s.all)
		out.SetReadUnits(c.each)
		if i == 0 {
			out.SetReadUnits(c.hit)
		}
	}
}

// share gives the i-th of n parts of an amount; the first ones are one larger where it does not divide.
func share(amount, n, i uint64) uint64 {
	if i < amount%n {
		return amount/n + 1
	}
	return amount / n
}

// hand hands on the event that goes out, and what it writes or deletes.
func (s *laneSink) hand() {
	e := &s.out
	s.to[toTraffic].Event(e)
	if !e.KeyKnown || !e.Op.Writes() || e.Throttle != ingest.NotThrottled {
		return
	}
	op := e.Op
	e.Coverage, e.Op = ingest.StateOnly, ingest.OpWrite
	if op == ingest.OpDelete {
		e.SetBytes(e.Count())
		s.to[toDeleted].Event(e)
		return
	}
	if grown, ok := e.Growth(); ok {
		e.SetBytes(uint64(max(grown, 0)))
	}
	if _, ok := e.Bytes(); ok {
		s.to[toWritten].Event(e)
	}
}
