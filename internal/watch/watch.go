// Package watch keeps the last minutes of traffic by table and key, in bounded memory, for whoever looks at
// them while they pass. It must not know a format, a screen, a file or a clock: it is told the time.
package watch

import (
	"sync"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A Measure is what is counted of requests.
type Measure int

// The measures. Reported counts records of selected coverage: complaints, of which there were at least so
// many, and which are no requests counted anywhere else.
const (
	Reads Measure = iota
	Writes
	Other // requests of unknown kind
	Tombstones
	Bytes
	Throttled
	ReadMilli // DynamoDB units, thousandths
	WriteMilli
	Reported
	Measures // number of measures
)

// Slots is the number of spans of time that are told apart.
const Slots = 120

// rateSlots are the slots over which a rate is taken.
const rateSlots = Slots / 10

// MaxTables bounds the tables and indexes that are told apart; the others are counted together, as
// detect.OtherTarget.
const MaxTables = 256

// A Watch keeps what was seen in the last Slots spans of time. It is safe for concurrent use.
//
// Its time is that of the records: the latest one is now, and once anything comes in as it happens, now goes
// on from there with the clock. So a finished log shows its end, a clock that is wrong does no harm, and a
// log that falls silent empties.
type Watch struct {
	width int64 // of a slot, seconds

	mu       sync.Mutex
	slots    [Slots]slot
	tables   tables
	clock    int64 // Unix seconds, of the last Tick
	latest   int64 // of the records, Unix seconds; 0: none
	arrived  int64 // clock at which the latest came
	first    int64 // of the records that are kept
	live     bool
	caughtUp bool
	strange  int64 // time of a record too far ahead, Unix seconds; 0: none
	seen     uint64
	strays   uint64
}

// New makes a Watch of a window of time, at least Slots seconds.
func New(window time.Duration) *Watch {
	return &Watch{width: max(1, int64(window/time.Second)/Slots), tables: newTables()}
}

// Tick tells the time.
func (w *Watch) Tick(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = now.Unix()
	if w.arrived == 0 && w.latest != 0 {
		w.arrived = w.clock
	}
}

// CaughtUp says that what comes from now on happens now.
func (w *Watch) CaughtUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.caughtUp {
		return
	}
	w.caughtUp = true
	if off := w.clock - w.latest; w.latest != 0 && off < w.window() && off > -w.window() {
		w.live = true
	}
}

// Ended says that nothing more comes: time stands still.
func (w *Watch) Ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live = false
}

// Seen gives the number of records that were taken.
func (w *Watch) Seen() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

func (w *Watch) window() int64 { return w.width * Slots }

// now gives the second that the window ends with.
func (w *Watch) now() int64 {
	if w.live && w.clock > w.arrived {
		return w.latest + w.clock - w.arrived
	}
	return w.latest
}

// event takes one event.
func (w *Watch) event(e *ingest.Event, coverage ingest.Coverage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if coverage == ingest.StateOnly {
		return
	}
	at, ok := w.place(e)
	if !ok {
		return
	}
	var n counts
	n.of(e, coverage)
	w.slot(at).add(w.tables.of(e), e, &n)
}

// place gives the second of an event, and moves the window to it. It is false for what is not kept.
func (w *Watch) place(e *ingest.Event) (int64, bool) {
	at := w.clock
	if nanos, timed := e.UnixNano(); timed {
		at = nanos / int64(time.Second)
	} else if !w.caughtUp || w.clock == 0 {
		return 0, false // when it happened is anybody's guess
	} else if w.latest != 0 {
		at = w.now()
	}
	w.live = w.live || w.caughtUp
	switch {
	case at <= w.latest:
		kept := at/w.width > w.latest/w.width-Slots
		if kept {
			w.first = min(w.first, at)
		}
		return at, kept
	case w.latest != 0 && at > w.latest+w.window() && at > w.clock+w.window() && !w.believed(at):
		w.strays++
		return 0, false
	}
	if w.first == 0 || at-w.window() > w.latest {
		w.first = at
	}
	w.latest, w.arrived = at, w.clock
	return at, true
}

// believed reports whether a time far ahead of all others is the second such: one alone would empty
// the window for good.
func (w *Watch) believed(at int64) bool {
	known := w.strange != 0 && at-w.strange < w.window() && w.strange-at < w.window()
	w.strange = at
	return known
}

// slot gives the slot of a second, emptied when it held an older one.
func (w *Watch) slot(at int64) *slot {
	index := at / w.width
	s := &w.slots[index%Slots]
	if s.index != index {
		s.reset(index)
	}
	return s
}

// tables number the tables and indexes. A record that names no store is of the store that others name.
type tables struct {
	named map[string]uint32 // by table and index
	full  map[string]uint32 // those whose name several stores have, by store too
	all   []detect.Target
	name  []byte
}

// otherTable is the number of detect.OtherTarget.
const otherTable = 0

func newTables() tables {
	return tables{named: map[string]uint32{}, full: map[string]uint32{}, all: []detect.Target{detect.OtherTarget}}
}

// of gives the number of the event's table. It allocates for a new one only.
func (t *tables) of(e *ingest.Event) uint32 {
	t.name = append(append(append(t.name[:0], e.Table...), 0), e.Index...)
	id, ok := t.named[string(t.name)]
	switch {
	case !ok:
		return t.add(t.named, e)
	case e.Store == ingest.StoreUnknown || e.Store == t.all[id].Store:
		return id
	case t.all[id].Store == ingest.StoreUnknown:
		t.all[id].Store = e.Store
		return id
	}
	t.name = append(t.name, byte(e.Store))
	if id, ok = t.full[string(t.name)]; ok {
		return id
	}
	return t.add(t.full, e)
}

func (t *tables) add(to map[string]uint32, e *ingest.Event) uint32 {
	if len(t.all) > MaxTables {
		return otherTable
	}
	id := uint32(len(t.all))
	t.all = append(t.all, detect.Target{Store: e.Store, Table: string(e.Table), Index: string(e.Index)})
	to[string(t.name)] = id
	return id
}
