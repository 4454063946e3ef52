package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// slRoleCells is the role of warnings that count cells: a page may log one of rows and one of cells,
// which are one read.
const slRoleCells = "cells"

// request begins an event of the current record.
func (d *scylla) request(op ingest.Op) *ingest.Event {
	e := &d.event
	e.Reset()
	e.Store, e.Op, e.At, e.Node = ingest.Scylla, op, d.rec.At, d.rec.Node
	if d.nano != 0 {
		e.SetTime(d.nano)
	}
	return e
}

// warned reads the warning of one page of a read; replica/querier.cc:
//
//	Read 12 live rows and 10022 tombstones for ks.t partition key "a:b" {{token, pk{hex}}} (see tombstone_warn_threshold)
//	Read 0 live cells and 30011 dead cells/tombstones for ks.t <partition-range-scan> (-inf, +inf) (see tombstone_warn_threshold)
func (d *scylla) warned(s slText) bool {
	s.undropped()
	s.skip("Read ")
	live, ok := s.number()
	cells := bytes.HasPrefix(s, []byte(" live cells"))
	if !ok || !cells && !bytes.HasPrefix(s, []byte(" live rows")) {
		return false
	}
	if _, ok = s.until(" and "); !ok {
		return false
	}
	dead, ok := s.number()
	what, named := s.until("tombstones for ")
	end := bytes.LastIndex(s, slWarning)
	if !ok || !named || len(what) > len(" dead cells/") || end < 0 {
		return false
	}
	subject := slText(s[:end])
	table, ok := subject.until(" ")
	if !ok {
		return false
	}
	e := d.request(ingest.OpRead)
	e.Table, e.Warned = table, true
	if cells {
		e.Role = slRoleCells
	}
	e.SetRows(live)
	e.SetTombstones(dead)
	if !d.place(e, subject) {
		return false
	}
	d.to.Event(e)
	return true
}

// place reads the key of a read, or that it has none.
func (d *scylla) place(e *ingest.Event, s slText) bool {
	if s.skip("<partition-range-scan>") {
		e.Op = ingest.OpScan
		return true
	}
	if !s.skip(`partition key "`) {
		return false
	}
	end := max(bytes.LastIndex(s, []byte(`" {{`)), bytes.LastIndex(s, []byte(`" [`)), bytes.LastIndex(s, []byte(`" (`)))
	if end < 0 {
		if end = bytes.LastIndexByte(s, '"'); end < 0 {
			return false
		}
	}
	e.Key, e.KeyKnown = d.keyOf(e.Table, s[:end], slHexOf(s[end+1:])), true
	return true
}

// exception reads, of 5.2.0 to 5.2.15 and 5.4.0 to 5.4.3,
//
//	Exception when communicating with 10.0.0.7, to read from ks.t: … (Tombstones processed by unpaged query exceeds limit of 10000 (…))
func (d *scylla) exception(s slText) bool {
	before, after, ok := bytes.Cut(s, slUnpaged)
	if !ok {
		d.to.Skip(slSkipOther)
		return true
	}
	rest := slText(after)
	limit, ok := rest.number()
	if !ok {
		return false
	}
	e := d.request(ingest.OpUnknown)
	e.Aborted, e.Failed = true, true
	if _, from, named := bytes.Cut(before, []byte("to read from ")); named {
		if end := bytes.IndexByte(from, ':'); end > 0 {
			e.Table = from[:end]
		}
	}
	e.SetTombstones(limit)
	d.to.Event(e)
	return true
}

// batch reads `Unlogged batch modifying 12 partitions in ks.t, ks.u is of size 1 bytes, exceeding …`; the
// size is not judged, the number of partitions is.
func (d *scylla) batch(s slText) bool {
	s.until(" batch modifying ")
	n, ok := s.number()
	if !ok || !s.skip(" partitions in ") {
		return false
	}
	tables, ok := s.until(" is of size ")
	if !ok {
		return false
	}
	e := d.request(ingest.OpWrite)
	table, _, several := bytes.Cut(bytes.Trim(tables, "{} "), []byte(","))
	if e.Table = table; several {
		e.Table = nil
	}
	e.Partitions = n
	d.to.Event(e)
	return true
}

// limited reads that the limit of a table's partitions refused a request.
func (d *scylla) limited(s slText) bool {
	op, table, ok := rateLimited(s)
	if !ok {
		return false
	}
	e := d.request(op)
	e.Table, e.Throttle = table, ingest.ThrottledKeyRange
	d.to.Event(e)
	return true
}
