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
)

// add appends all of an event that a Builder looks at.
func (l *eventLog) add(e *ingest.Event) {
	w := encoder{l.buf}
	flags := uint64(0)
	values := [11]uint64{}
	n := 0
	set := func(flag uint64, on bool) {
		if on {
			flags |= flag
		}
	}
	value := func(flag, v uint64, ok bool) {
		if ok {
			flags |= flag
			values[n], n = v, n+1
		}
	}
	set(loggedKey, e.KeyKnown)
	set(loggedFailed, e.Failed)
	set(loggedWarned, e.Warned)
	set(loggedAborted, e.Aborted)
	set(loggedTimedOut, e.TimedOut)
	set(loggedSlow, e.Slow)
	nanos, ok := e.UnixNano()
	value(loggedTime, uint64(nanos), ok)
	number := func(flag uint64, get func() (uint64, bool)) {
		v, ok := get()
		value(flag, v, ok)
	}
	number(loggedBytes, e.Bytes)
	number(loggedReadUnits, e.ReadUnits)
	number(loggedWriteUnits, e.WriteUnits)
	number(loggedRows, e.Rows)
	number(loggedTombstones, e.Tombstones)
	number(loggedLatency, e.Latency)
	grown, ok := e.Growth()
	value(loggedGrowth, uint64(grown), ok)
	number(loggedWindow, e.Window)
	value(loggedInventory, uint64(e.Inventory), e.Inventory != 0)
	value(loggedID, e.ID, e.ID != 0)
	set(loggedChanged, e.Changed)
	w.num(flags)
	w.nums(values[:n]...)
	w.nums(uint64(e.Store), uint64(e.Op), uint64(e.Throttle), uint64(e.Coverage), uint64(e.Consistency), uint64(e.Witness), e.Requests, e.Partitions, e.Error, e.Retries, e.At.Byte, e.At.Line)
	w.text(e.Role)
	sortKey := e.SortKey
	if !l.sortKeys { // what a Builder looks at
		sortKey = sortKey[:min(len(sortKey), maxEntity+1)]
	}
	for _, b := range [...][]byte{e.Table, e.Index, e.Key, sortKey, e.Node, e.Shape, e.Entity} {
		w.count(len(b))
		w.b = append(w.b, b...)
	}
	w.count(len(e.Changes))
	for _, c := range e.Changes {
		w.count(len(c.Name))
		w.b = append(w.b, c.Name...)
		w.nums(c.Value, c.Bytes)
	}
	l.buf = w.b
}

// each reads the events back. The event is the same one each time.
func (l *eventLog) each(do func(e *ingest.Event)) {
	for b := l.buf; len(b) > 0; {
		b = l.read(b)
		do(&l.event)
	}
}

// read reads one event from the front of b and gives the rest. b is what add wrote.
func (l *eventLog) read(b []byte) []byte {
	e := &l.event
	e.Reset()
	num := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return n
	}
	text := func() []byte {
		n := num()
		t := b[:n:n]
		b = b[n:]
		return t
	}
	flags := num()
	e.KeyKnown, e.Failed = flags&loggedKey != 0, flags&loggedFailed != 0
	e.Warned, e.Aborted = flags&loggedWarned != 0, flags&loggedAborted != 0
	e.TimedOut, e.Slow = flags&loggedTimedOut != 0, flags&loggedSlow != 0
	if flags&loggedTime != 0 {
		e.SetTime(int64(num()))
	}
	for _, x := range [...]struct {
		flag uint64
		set  func(uint64)
	}{
		{loggedBytes, e.SetBytes}, {loggedReadUnits, e.SetReadUnits}, {loggedWriteUnits, e.SetWriteUnits},
		{loggedRows, e.SetRows}, {loggedTombstones, e.SetTombstones}, {loggedLatency, e.SetLatency},
	} {
		if flags&x.flag != 0 {
			x.set(num())
		}
	}
	if flags&loggedGrowth != 0 {
		e.SetGrowth(int64(num()))
	}
	if flags&loggedWindow != 0 {
		e.SetWindow(num())
	}
	if flags&loggedInventory != 0 {
		e.Inventory = int64(num())
	}
	if flags&loggedID != 0 {
		e.ID = num()
	}
	e.Changed = flags&loggedChanged != 0
	e.Store, e.Op, e.Throttle, e.Coverage = ingest.Store(num()), ingest.Op(num()), ingest.Throttle(num()), ingest.Coverage(num())
	e.Consistency, e.Witness = ingest.Consistency(num()), ingest.Witness(num())
	e.Requests, e.Partitions, e.Error, e.Retries = num(), num(), num(), num()
	e.At.Byte, e.At.Line = num(), num()
	e.Role = string(text())
	e.Table, e.Index, e.Key, e.SortKey, e.Node, e.Shape, e.Entity = text(), text(), text(), text(), text(), text(), text()
	l.changes = l.changes[:0]
	for range num() {
		l.changes = append(l.changes, ingest.Change{Name: text(), Value: num(), Bytes: num()})
	}
	e.Changes = l.changes
	return b
}
