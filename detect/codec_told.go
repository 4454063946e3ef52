package detect

import (
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

func (w *encoder) targetName(t Target) {
	w.num(uint64(t.Store))
	w.text(t.Table)
	w.text(t.Index)
	w.num(uint64(t.Told))
}

func (w *encoder) positions(list []ingest.Position) {
	w.count(len(list))
	for _, p := range list {
		w.position(p)
	}
}

func (r *decoder) positions() []ingest.Position {
	var list []ingest.Position
	for range r.count() {
		list = append(list, r.position())
	}
	if len(list) > maxPositions {
		r.fail("too many positions")
	}
	return list
}

func (w *encoder) size(s *ReadSize) {
	w.nums(s.Tombstones, s.Rows)
	w.flag(s.RowsKnown)
	w.position(s.At)
}

func (r *decoder) size() ReadSize {
	return ReadSize{Tombstones: r.num(), Rows: r.num(), RowsKnown: r.flag(), At: r.position()}
}

func (w *encoder) selected(s *SelectedStats) {
	w.nums(uint64(s.Observer), uint64(s.Op))
	w.text(s.Shape)
	w.text(s.Key)
	w.flag(s.KeyKnown)
	w.nums(s.Totals[:]...)
	w.size(&s.Largest)
	w.nums(s.Slowest, s.Widest)
	w.signed(s.First)
	w.signed(s.Last)
	w.count(s.Panes.Len())
	for i, start := range s.Panes.At {
		t := s.Panes.Totals(i)
		w.num(uint64(start))
		w.nums(t[:]...)
	}
	w.positions(s.Positions)
}

func (r *decoder) selected() SelectedStats {
	s := SelectedStats{Observer: uint32(r.below(1<<32, "an observer")), Op: ingest.Op(r.below(uint64(ingest.Ops), "an operation"))}
	s.Shape, s.Key, s.KeyKnown = r.text(), r.text(), r.flag()
	r.into(s.Totals[:])
	s.Largest = r.size()
	s.Slowest, s.Widest = r.num(), r.num()
	s.First, s.Last = r.signed(), r.signed()
	for range r.count() {
		var t SelectedTotals
		start := uint32(r.below(1<<32, "a pane"))
		r.into(t[:])
		if n := s.Panes.Len(); n > 0 && s.Panes.At[n-1] >= start {
			r.fail("panes are out of order")
		}
		s.Panes.Add(start, &t)
	}
	s.Positions = r.positions()
	return s
}

func (w *encoder) state(s *StateStats) {
	w.num(uint64(s.Measure))
	w.text(s.Key)
	w.flag(s.KeyKnown)
	w.text(s.Part)
	w.text(s.Node)
	w.text(s.Source)
	w.num(s.Max)
	w.signed(s.MaxNano)
	w.num(s.Limit)
	w.flag(s.AtLeast)
	w.flag(s.Said)
	w.num(s.Count)
	w.signed(s.First)
	w.signed(s.Last)
	w.count(len(s.Days))
	for _, d := range s.Days {
		w.nums(uint64(d.Day), d.Value)
	}
	k := &s.Kinds
	w.nums(k.Rows, k.RowDeletes, k.Ranges, k.Cells, k.Complex, k.Expired, k.Partition)
	w.positions(s.Positions)
}

func (r *decoder) state() StateStats {
	s := StateStats{Measure: ingest.Measure(r.below(uint64(ingest.Measures), "a measure"))}
	s.Key, s.KeyKnown, s.Part, s.Node, s.Source = r.text(), r.flag(), r.text(), r.text(), r.text()
	s.Max, s.MaxNano, s.Limit = r.num(), r.signed(), r.num()
	s.AtLeast, s.Said, s.Count = r.flag(), r.flag(), r.num()
	s.First, s.Last = r.signed(), r.signed()
	for range r.count() {
		s.Days = append(s.Days, DayMax{uint32(r.below(1<<32, "a day")), r.num()})
	}
	if !slices.IsSortedFunc(s.Days, func(a, b DayMax) int { return int(int64(a.Day) - int64(b.Day)) }) {
		r.fail("days are out of order")
	}
	k := &s.Kinds
	for _, n := range []*uint64{&k.Rows, &k.RowDeletes, &k.Ranges, &k.Cells, &k.Complex, &k.Expired, &k.Partition} {
		*n = r.num()
	}
	s.Positions = r.positions()
	return s
}

// extras writes observers, facts and points.
func (w *encoder) extras(p *Profile) {
	w.count(len(p.Observers))
	for _, o := range p.Observers {
		w.text(o.Node)
		w.text(o.Role)
	}
	w.count(len(p.Facts))
	for i := range p.Facts {
		w.fact(&p.Facts[i])
	}
	w.count(len(p.Points))
	for i := range p.Points {
		w.points(&p.Points[i])
	}
}

func (r *decoder) extras(p *Profile) {
	for range r.count() {
		p.Observers = append(p.Observers, Observer{r.text(), r.text()})
	}
	for range r.count() {
		p.Facts = append(p.Facts, r.fact())
	}
	for range r.count() {
		p.Points = append(p.Points, r.points())
	}
	if !slices.IsSortedFunc(p.Observers, Observer.Compare) || !slices.IsSortedFunc(p.Facts, compareFacts) || !slices.IsSortedFunc(p.Points, comparePoints) {
		r.fail("observers, facts or points are out of order")
	}
	for i := range p.Targets {
		for j := range p.Targets[i].Selected {
			if int(p.Targets[i].Selected[j].Observer) >= len(p.Observers) {
				r.fail("records of an unknown observer")
				return
			}
		}
	}
}

func (w *encoder) fact(f *FactStats) {
	w.targetName(f.Target)
	w.text(f.Node)
	w.text(f.Name)
	w.text(f.Value)
	w.signed(f.UnixNano)
	w.text(f.Other)
	w.position(f.At)
}

func (r *decoder) targetName() Target {
	return Target{
		Store: ingest.Store(r.below(uint64(ingest.Scylla)+1, "a store")), Table: r.text(), Index: r.text(),
		Told: Told(r.below(1<<ingest.Witnesses, "a set of witnesses")),
	}
}

func (r *decoder) fact() FactStats {
	return FactStats{
		Target: r.targetName(), Node: r.text(), Name: r.text(), Value: r.text(),
		UnixNano: r.signed(), Other: r.text(), At: r.position(),
	}
}

func (w *encoder) points(p *PointStats) {
	w.targetName(p.Target)
	w.text(p.Node)
	w.text(p.Name)
	w.text(p.Stat)
	w.count(len(p.Values))
	for _, v := range p.Values {
		w.nums(uint64(v.Unix), uint64(v.Seconds), v.Milli)
	}
	w.position(p.First)
}

func (r *decoder) points() PointStats {
	p := PointStats{Target: r.targetName(), Node: r.text(), Name: r.text(), Stat: r.text()}
	for range r.count() {
		p.Values = append(p.Values, PointValue{uint32(r.below(1<<32, "a time")), uint32(r.below(1<<32, "a period")), r.num()})
	}
	p.First = r.position()
	return p
}
