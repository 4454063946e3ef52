package watch

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/sketch"
)

// A Query says what is looked at.
type Query struct {
	Target *detect.Target // nil: the tables
	Key    []byte         // of Target; nil: its keys
	// Order compares rows, the first to show first. Rows that it holds equal stand in order of their names.
	Order func(a, b *Row) int
	Keep  func(r *Row) bool // nil: all
	Limit int               // rows; of all others the number is told
}

// A Board is what was seen at one moment.
type Board struct {
	Now    time.Time // end of the window; zero: no record has a time
	Clock  time.Time // zero: not told
	Live   bool      // Now goes on with the clock
	Latest time.Time // of the records
	Window time.Duration
	Rate   time.Duration // over which rates are taken
	Tables int
	Strays uint64 // records whose time is too far ahead to be believed
	Total  Row    // of all rows: of the tables, or of the one
	Rows   []Row
	More   int // rows beyond Limit
}

// A Row is a table, or a key of one.
type Row struct {
	Target detect.Target
	Key    []byte // nil: the table
	// PerSecond are amounts a second, thousandths, of the last tenth of the window.
	PerSecond [Measures]detect.Range
	Seen      uint64             // requests and complaints in the window, at least
	Series    [Measures][]uint64 // by slot of the window, the oldest first; of keys the middle of the bounds
}

// Requests gives the requests a second, thousandths.
func (r *Row) Requests() detect.Range {
	return r.PerSecond[Reads].Plus(r.PerSecond[Writes]).Plus(r.PerSecond[Other])
}

// Look gives what is known now.
func (w *Watch) Look(q Query) *Board {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.looker()
	b := &Board{
		Live: w.live, Window: time.Duration(w.window()) * time.Second, Rate: time.Duration(l.span) * time.Second,
		Tables: len(w.tables.all) - 1, Strays: w.strays,
	}
	if w.latest != 0 {
		b.Now, b.Latest = time.Unix(l.now, 0).UTC(), time.Unix(w.latest, 0).UTC()
	}
	if w.clock != 0 {
		b.Clock = time.Unix(w.clock, 0).UTC()
	}
	switch id, ok := w.tables.find(q.Target); {
	case q.Target == nil:
		b.Total, b.Rows = l.tables()
	case !ok:
		b.Total.Target = *q.Target
	default:
		b.Total = l.table(id)
		b.Rows = l.keys(id, q.Key)
	}
	b.choose(q)
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Key != nil {
			id, _ := w.tables.find(&r.Target)
			l.series(r, id)
		}
	}
	return b
}

func (t *tables) find(target *detect.Target) (uint32, bool) {
	if target == nil {
		return 0, false
	}
	i := slices.Index(t.all, *target)
	return uint32(max(i, 0)), i >= 0
}

// choose orders and cuts the rows.
func (b *Board) choose(q Query) {
	if q.Keep != nil {
		b.Rows = slices.DeleteFunc(b.Rows, func(r Row) bool { return !q.Keep(&r) })
	}
	slices.SortFunc(b.Rows, func(x, y Row) int {
		c := 0
		if q.Order != nil {
			c = q.Order(&x, &y)
		}
		return cmp.Or(c, x.Target.Compare(y.Target), bytes.Compare(x.Key, y.Key))
	})
	if q.Limit > 0 && len(b.Rows) > q.Limit {
		b.More, b.Rows = len(b.Rows)-q.Limit, b.Rows[:q.Limit]
	}
}

// A looker is one look: the slots that are in the window.
type looker struct {
	w    *Watch
	now  int64
	all  [Slots]*slot // the oldest first; nil: nothing was seen
	span int64        // seconds that the last rateSlots cover
}

func (w *Watch) looker() *looker {
	l := &looker{w: w, now: w.now()}
	last := l.now / w.width
	for i := range l.all {
		index := last - Slots + 1 + int64(i)
		if s := &w.slots[max(index, 0)%Slots]; w.latest != 0 && s.index == index {
			l.all[i] = s
		}
		if i < Slots-rateSlots {
			w.slots[max(index, 0)%Slots].tops = [families]*sketch.Top{}
		}
	}
	l.span = max(1, l.now+1-max((last-rateSlots+1)*w.width, w.first))
	return l
}

// perSecond gives an amount of the recent slots as a rate, in thousandths.
func (l *looker) perSecond(m int, n uint64) uint64 {
	if Measure(m) == ReadMilli || Measure(m) == WriteMilli {
		return n / uint64(l.span)
	}
	return uint64(detect.Ratio(n, uint64(l.span)))
}

// tables gives the sum of all tables, and each that was active in the window.
func (l *looker) tables() (all Row, rows []Row) {
	for id := range l.w.tables.all {
		r := l.table(uint32(id))
		if !r.active() {
			continue
		}
		rows = append(rows, r)
		all.plus(&r)
	}
	return all, rows
}

func (r *Row) active() bool {
	for m := range r.Series {
		for _, n := range r.Series[m] {
			if n > 0 {
				return true
			}
		}
	}
	return false
}

func (r *Row) plus(o *Row) {
	for m := range r.Series {
		r.PerSecond[m] = r.PerSecond[m].Plus(o.PerSecond[m])
		if r.Series[m] == nil {
			r.Series[m] = make([]uint64, Slots)
		}
		for i, n := range o.Series[m] {
			r.Series[m][i] += n
		}
	}
}

// table gives one table, which is exact.
func (l *looker) table(id uint32) Row {
	r := Row{Target: l.w.tables.all[id]}
	var recent counts
	for m := range r.Series {
		r.Series[m] = make([]uint64, Slots)
	}
	for i, s := range l.all {
		if s == nil {
			continue
		}
		total := s.total(id)
		for m, n := range total {
			r.Series[m][i] = n
			r.Seen += loadOf(Measure(m), n)
		}
		if i >= Slots-rateSlots {
			recent.add(&total)
		}
	}
	for m, n := range recent {
		r.PerSecond[m] = detect.Range{Low: l.perSecond(m, n), High: l.perSecond(m, n)}
	}
	return r
}

// loadOf gives the amounts that are requests or complaints.
func loadOf(m Measure, n uint64) uint64 {
	if m <= Other || m == Reported {
		return n
	}
	return 0
}

// keySum adds up what the recent slots know of a key. In slots that do not hold it, up to their off may be
// its own.
type keySum struct {
	low, high, off counts
	seen           uint64
}

// keys gives the keys of a table that were among the heaviest of a slot; with only, that one.
func (l *looker) keys(id uint32, only []byte) []Row {
	sums, off := map[string]*keySum{}, counts{}
	if only != nil {
		sums[string(only)] = &keySum{}
	}
	for i, s := range l.all {
		if s == nil {
			continue
		}
		for f := range families {
			if i < Slots-rateSlots {
				if top := s.first(f); top != nil && only == nil {
					earlier(sums, top, id, f)
				}
			} else if top := s.top(f); top != nil {
				gather(sums, &off, top, id, f, only)
			}
		}
	}
	rows := make([]Row, 0, len(sums))
	for key, sum := range sums {
		r := Row{Target: l.w.tables.all[id], Key: []byte(key), Seen: sum.seen}
		for m := range r.PerSecond {
			r.PerSecond[m] = detect.Range{Low: l.perSecond(m, sum.low[m]), High: l.perSecond(m, sum.high[m]+off[m]-sum.off[m])}
		}
		rows = append(rows, r)
	}
	return rows
}

// gather adds the keys that a slot holds of a family, and its off.
func gather(sums map[string]*keySum, off *counts, top *sketch.Top, id uint32, f int, only []byte) {
	first := f * sketch.Weights
	rest := top.Off(id)
	for w := range sketch.Weights {
		off[first+w] += rest[w]
	}
	from, to := top.Group(id)
	for i := from; i < to; i++ {
		e := top.At(i)
		if only != nil && !bytes.Equal(e.Key, only) {
			continue
		}
		sum := sums[string(e.Key)]
		if sum == nil {
			sum = &keySum{}
			sums[string(e.Key)] = sum
		}
		high := e.High()
		for w := range sketch.Weights {
			sum.low[first+w] += e.Count[w]
			sum.high[first+w] += high[w]
			sum.off[first+w] += rest[w]
			sum.seen += loadOf(Measure(first+w), e.Count[w])
		}
	}
}

// earlier adds the heaviest keys of a slot over which no rate is taken.
func earlier(sums map[string]*keySum, top *sketch.Top, id uint32, f int) {
	from, to := top.Group(id)
	for i := from; i < to; i++ {
		e := top.At(i)
		sum := sums[string(e.Key)]
		if sum == nil {
			sum = &keySum{}
			sums[string(e.Key)] = sum
		}
		for w := range sketch.Weights {
			sum.seen += loadOf(Measure(f*sketch.Weights+w), e.Count[w])
		}
	}
}

// series fills in the course of a key.
func (l *looker) series(r *Row, id uint32) {
	hash := keyHash(id, r.Key)
	for m := range r.Series {
		r.Series[m] = make([]uint64, Slots)
	}
	for i, s := range l.all {
		if s == nil {
			continue
		}
		low, high := s.bounds(id, hash, r.Key)
		for m := range r.Series {
			r.Series[m][i] = detect.Range{Low: low[m], High: high[m]}.Middle()
		}
	}
}
