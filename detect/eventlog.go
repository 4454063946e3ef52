package detect

import (
	"encoding/binary"

	"github.com/keyheat/keyheat/ingest"
)

// A small part is held as the events themselves: 100,000 files of a few records each would else cost a
// Profile each to make and to merge. An eventLog is such events, one after the other.
type eventLog struct {
	buf      []byte
	sortKeys bool         // sort keys are held whole
	event    ingest.Event // for reading
	changes  []ingest.Change
	columns  [][]byte

	withColumns bool // columns of the next event are held
}

// smallPart is the most of a part's events that are held as they are, in bytes. Several parts together
// are held so up to Settings.openBudget.
const smallPart = 32 << 10

// heldChunk is about what a held chunk takes beside its events, in bytes. Those of a Live may have few of them.
const heldChunk = 512

// The flags of a logged event.
const (
	loggedKey = 1 << iota
	loggedFailed
	loggedWarned
	loggedAborted
	loggedTimedOut
	loggedSlow
	loggedTime
	loggedBytes
	loggedReadUnits
	loggedWriteUnits
	loggedRows
	loggedTombstones
	loggedLatency
	loggedGrowth
	loggedInventory
	loggedChanged
	loggedWindow
	loggedID
	loggedNames   // index, sort key, node, shape or entity follow
	loggedRare    // what few records tell follows: see rare
	loggedChanges // changes follow
	loggedColumns // columns follow
)

// add appends all of an event that a Builder looks at.
func (l *eventLog) add(e *ingest.Event) {
	var values [11]uint64
	flags, n := loggedValues(e, &values)
	names := [...][]byte{e.Index, e.SortKey, e.Node, e.Shape, e.Entity}
	if !l.sortKeys { // what a Builder looks at
		names[1] = e.SortKey[:min(len(e.SortKey), maxEntity+1)]
	}
	if len(e.Index)+len(e.SortKey)+len(e.Node)+len(e.Shape)+len(e.Entity) > 0 {
		flags |= loggedNames
	}
	rare := rareOf(e)
	if rare != (rareValues{}) || len(e.Role) > 0 {
		flags |= loggedRare
	}
	if len(e.Changes) > 0 {
		flags |= loggedChanges
	}
	if l.withColumns && len(e.Columns) > 0 {
		flags |= loggedColumns
	}
	w := encoder{l.buf}
	w.num(flags)
	w.nums(values[:n]...)
	w.nums(uint64(e.Store), uint64(e.Op), e.At.Byte, e.At.Line)
	w.bytes(e.Table)
	w.bytes(e.Key)
	if flags&loggedNames != 0 {
		for _, name := range names {
			w.bytes(name)
		}
	}
	if flags&loggedRare != 0 {
		w.nums(rare[:]...)
		w.text(e.Role)
	}
	if flags&loggedChanges != 0 {
		w.count(len(e.Changes))
		for _, c := range e.Changes {
			w.bytes(c.Name)
			w.nums(c.Value, c.Bytes)
		}
	}
	if flags&loggedColumns != 0 {
		w.count(len(e.Columns))
		for _, c := range e.Columns {
			if w.flag(c != nil); c != nil {
				w.bytes(c)
			}
		}
	}
	l.buf = w.b
}

func (w *encoder) bytes(b []byte) {
	w.count(len(b))
	w.b = append(w.b, b...)
}

// rareValues are those of an event that are mostly 0.
type rareValues [8]uint64

func rareOf(e *ingest.Event) rareValues {
	return rareValues{
		uint64(e.Throttle), uint64(e.Coverage), uint64(e.Consistency), uint64(e.Witness),
		e.Requests, e.Partitions, e.Error, e.Retries,
	}
}

// loggedValues gives the flags of what an event is and measures, and its n measures in the order of their flags.
func loggedValues(e *ingest.Event, values *[11]uint64) (flags uint64, n int) {
	for i, on := range [...]bool{e.KeyKnown, e.Failed, e.Warned, e.Aborted, e.TimedOut, e.Slow} {
		if on {
			flags |= loggedKey << i
		}
	}
	value := func(flag, v uint64, ok bool) {
		if ok {
			flags |= flag
			values[n] = v
			n++
		}
	}
	nanos, ok := e.UnixNano()
	value(loggedTime, uint64(nanos), ok)
	v, ok := e.Bytes()
	value(loggedBytes, v, ok)
	v, ok = e.ReadUnits()
	value(loggedReadUnits, v, ok)
	v, ok = e.WriteUnits()
	value(loggedWriteUnits, v, ok)
	v, ok = e.Rows()
	value(loggedRows, v, ok)
	v, ok = e.Tombstones()
	value(loggedTombstones, v, ok)
	v, ok = e.Latency()
	value(loggedLatency, v, ok)
	grown, ok := e.Growth()
	value(loggedGrowth, uint64(grown), ok)
	value(loggedInventory, uint64(e.Inventory), e.Inventory != 0)
	if e.Changed {
		flags |= loggedChanged
	}
	v, ok = e.Window()
	value(loggedWindow, v, ok)
	value(loggedID, e.ID, e.ID != 0)
	return flags, n
}

// each reads the events back. The event is the same one each time.
func (l *eventLog) each(do func(e *ingest.Event)) {
	for b := l.buf; len(b) > 0; {
		b = l.read(b)
		do(&l.event)
	}
}

// A logReader reads what add wrote.
type logReader struct{ b []byte }

func (r *logReader) num() uint64 {
	if n := r.b[0]; n < 0x80 {
		r.b = r.b[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.b)
	r.b = r.b[size:]
	return n
}

func (r *logReader) text() []byte {
	n := r.num()
	t := r.b[:n:n]
	r.b = r.b[n:]
	return t
}

// read reads one event from the front of b and gives the rest. b is what add wrote.
func (l *eventLog) read(b []byte) []byte {
	e, r := &l.event, logReader{b}
	e.Reset()
	flags := r.num()
	e.KeyKnown, e.Failed = flags&loggedKey != 0, flags&loggedFailed != 0
	e.Warned, e.Aborted = flags&loggedWarned != 0, flags&loggedAborted != 0
	e.TimedOut, e.Slow, e.Changed = flags&loggedTimedOut != 0, flags&loggedSlow != 0, flags&loggedChanged != 0
	r.values(e, flags)
	e.Store, e.Op = ingest.Store(r.num()), ingest.Op(r.num())
	e.At.Byte, e.At.Line = r.num(), r.num()
	e.Table, e.Key = r.text(), r.text()
	if flags&loggedNames != 0 {
		e.Index, e.SortKey, e.Node, e.Shape, e.Entity = r.text(), r.text(), r.text(), r.text(), r.text()
	}
	if flags&loggedRare != 0 {
		e.Throttle, e.Coverage = ingest.Throttle(r.num()), ingest.Coverage(r.num())
		e.Consistency, e.Witness = ingest.Consistency(r.num()), ingest.Witness(r.num())
		e.Requests, e.Partitions, e.Error, e.Retries = r.num(), r.num(), r.num(), r.num()
		e.Role = string(r.text())
	}
	if flags&loggedChanges != 0 {
		l.changes = l.changes[:0]
		for range r.num() {
			l.changes = append(l.changes, ingest.Change{Name: r.text(), Value: r.num(), Bytes: r.num()})
		}
		e.Changes = l.changes
	}
	if flags&loggedColumns != 0 {
		l.columns = l.columns[:0]
		for range r.num() {
			var value []byte
			if r.num() != 0 {
				value = r.text()
			}
			l.columns = append(l.columns, value)
		}
		e.Columns = l.columns
	}
	return r.b
}

// values reads what loggedValues gave.
func (r *logReader) values(e *ingest.Event, flags uint64) {
	if flags&loggedTime != 0 {
		e.SetTime(int64(r.num()))
	}
	if flags&loggedBytes != 0 {
		e.SetBytes(r.num())
	}
	if flags&loggedReadUnits != 0 {
		e.SetReadUnits(r.num())
	}
	if flags&loggedWriteUnits != 0 {
		e.SetWriteUnits(r.num())
	}
	if flags&loggedRows != 0 {
		e.SetRows(r.num())
	}
	if flags&loggedTombstones != 0 {
		e.SetTombstones(r.num())
	}
	if flags&loggedLatency != 0 {
		e.SetLatency(r.num())
	}
	if flags&loggedGrowth != 0 {
		e.SetGrowth(int64(r.num()))
	}
	if flags&loggedInventory != 0 {
		e.Inventory = int64(r.num())
	}
	if flags&loggedWindow != 0 {
		e.SetWindow(r.num())
	}
	if flags&loggedID != 0 {
		e.ID = r.num()
	}
}
