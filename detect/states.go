package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// A StateStats is what is known over time of one condition: one measure of one partition, row, cell or
// item of a target, as one node and one statement of the store tell it.
type StateStats struct {
	Measure  ingest.Measure
	Key      string // in the form of ingest.AppendKey
	KeyKnown bool
	Part     string
	Node     string
	Source   string

	Max     uint64
	MaxNano int64 // when; 0: unknown
	Limit   uint64
	AtLeast bool // Max is a lower bound
	Said    bool // the store itself reported it as passing a limit
	Count   uint64
	First   int64 // Unix nanoseconds; 0, 0 when no state has a time
	Last    int64
	Days    []DayMax // sorted
	Kinds   ingest.TombstoneKinds
	// Positions are those of the largest value and of the first ones.
	Positions []ingest.Position
}

// Bucketed reports whether the source prints the top of a histogram bucket in place of a size.
func (s *StateStats) Bucketed() bool {
	switch s.Source {
	case ingest.SourceTableStats, ingest.SourceTableHistograms, ingest.SourceView:
		return true
	}
	return false
}

// Least gives the lower bound of Max: of the top of a bucket its floor.
func (s *StateStats) Least() uint64 {
	if s.Bucketed() {
		return min(ingest.BucketFloor(s.Max), s.Max)
	}
	return s.Max
}

// A DayMax is the largest value of one day, UTC.
type DayMax struct {
	Day   uint32 // days since 1970-01-01
	Value uint64
}

const (
	// MaxStates is the most StateStats of a target; beyond, the smallest of each measure give way and
	// are counted in Lost.
	MaxStates = 1024
	maxDays   = 128 // of a StateStats; beyond, the first give way
)

func compareStates(a, b StateStats) int {
	return cmp.Or(
		cmp.Compare(a.Measure, b.Measure), compareBool(a.KeyKnown, b.KeyKnown), strings.Compare(a.Key, b.Key),
		strings.Compare(a.Part, b.Part), strings.Compare(a.Node, b.Node), strings.Compare(a.Source, b.Source),
	)
}

// State keeps a measured condition.
func (b *Builder) State(s *ingest.State) {
	b.states++
	at := b.collectedAt(s.UnixNano)
	e := ingest.Event{Store: s.Store, Table: s.Table, Index: s.Index}
	t := &b.open[b.target(&e)]
	x := StateStats{
		Measure: s.Measure, Key: string(s.Key), KeyKnown: s.KeyKnown, Part: string(s.Part),
		Node: b.nodeOf(s.Node), Source: s.Source,
		Max: s.Value, MaxNano: at, Limit: s.Limit, AtLeast: s.AtLeast, Said: s.Said, Count: 1,
		First: at, Last: at, Kinds: s.Kinds, Positions: []ingest.Position{s.At},
	}
	if at != 0 {
		x.Days = []DayMax{{uint32(at / second / 86400), s.Value}}
		b.clock(&t.stats, at)
	}
	t.stats.States = joinState(t.stats.States, &x)
	if len(t.stats.States) > 2*MaxStates {
		b.lost.States = AddSat(b.lost.States, t.stats.capStates())
	}
}

// collectedAt gives the time of what a record tells, else that of its input.
func (b *Builder) collectedAt(unixNano int64) int64 { return cmp.Or(unixNano, b.inputContext.taken) }

// joinState adds x to a sorted list.
func joinState(list []StateStats, x *StateStats) []StateStats {
	i, found := slices.BinarySearchFunc(list, *x, compareStates)
	if !found {
		return slices.Insert(list, i, *x)
	}
	list[i].join(x)
	return list
}

// join adds what a later part tells of the same condition.
func (s *StateStats) join(o *StateStats) {
	if o.Max > s.Max {
		s.Max, s.MaxNano, s.AtLeast = o.Max, o.MaxNano, o.AtLeast
		s.Positions = append(slices.Clone(o.Positions), s.Positions...)
	} else {
		s.Positions = append(s.Positions, o.Positions...)
	}
	s.Positions = s.Positions[:min(len(s.Positions), maxPositions)]
	s.Limit, s.Said = max(s.Limit, o.Limit), s.Said || o.Said
	s.Count = AddSat(s.Count, o.Count)
	s.First, s.Last = joinSpan(s.First, s.Last, o.First, o.Last)
	s.Days = joinSorted(s.Days, o.Days,
		func(a, b DayMax) int { return cmp.Compare(a.Day, b.Day) },
		func(a *DayMax, b DayMax) { a.Value = max(a.Value, b.Value) })
	s.Days = s.Days[max(0, len(s.Days)-maxDays):]
	s.Kinds = maxKinds(s.Kinds, o.Kinds)
}

func maxKinds(a, b ingest.TombstoneKinds) ingest.TombstoneKinds {
	return ingest.TombstoneKinds{
		Rows: max(a.Rows, b.Rows), RowDeletes: max(a.RowDeletes, b.RowDeletes), Ranges: max(a.Ranges, b.Ranges),
		Cells: max(a.Cells, b.Cells), Complex: max(a.Complex, b.Complex), Expired: max(a.Expired, b.Expired),
		Partition: max(a.Partition, b.Partition),
	}
}

// capStates keeps the largest states of each measure, and gives how many others there were.
func (t *TargetStats) capStates() (lost uint64) {
	if len(t.States) <= MaxStates {
		return 0
	}
	slices.SortFunc(t.States, func(a, b StateStats) int {
		return cmp.Or(-compareBool(a.Said, b.Said), cmp.Compare(b.rank(), a.rank()), compareStates(a, b))
	})
	for i := range t.States[MaxStates:] {
		lost = AddSat(lost, t.States[MaxStates+i].Count)
	}
	t.States = t.States[:MaxStates:MaxStates]
	slices.SortFunc(t.States, compareStates)
	return lost
}

// rank makes measures comparable: a row or a tombstone counts as a kilobyte.
func (s *StateStats) rank() uint64 {
	switch s.Measure {
	case ingest.PartitionRows, ingest.PartitionCells, ingest.PartitionTombstones, ingest.CollectionItems:
		return MulSat(s.Max, 1024)
	}
	return s.Max
}

// A FactStats is the value of one setting, as one node tells it. Of several the last one holds; that
// there were others is kept.
type FactStats struct {
	Target   Target // the zero Target: of the node or the cluster
	Node     string // empty: of all nodes
	Name     string
	Value    string
	UnixNano int64
	Other    string // an unlike value that it replaced; empty when there was none
	At       ingest.Position
}

// MaxFacts bounds the facts of a Profile.
const MaxFacts = 16384

func compareFacts(a, b FactStats) int {
	return cmp.Or(a.Target.Compare(b.Target), strings.Compare(a.Name, b.Name), strings.Compare(a.Node, b.Node))
}

// Fact keeps a setting. One of no table is of the node whose input it is; tables have the same ones everywhere.
func (b *Builder) Fact(f *ingest.Fact) {
	b.facts++
	x := FactStats{
		Target: Target{Store: f.Store, Table: string(f.Table), Index: string(f.Index)}, Node: string(f.Node),
		Name: f.Name, Value: string(f.Value), UnixNano: f.UnixNano, At: f.At,
	}
	if x.Node == "" && x.Target.Table == "" {
		x.Node = b.inputContext.node
	}
	b.factList = joinFact(b.factList, &x, &b.lost)
}

func joinFact(list []FactStats, x *FactStats, lost *Lost) []FactStats {
	i, found := slices.BinarySearchFunc(list, *x, compareFacts)
	switch {
	case found:
		list[i].join(x)
	case len(list) >= MaxFacts:
		lost.Facts++
	default:
		list = slices.Insert(list, i, *x)
	}
	return list
}

// join replaces the value by a later one.
func (f *FactStats) join(o *FactStats) {
	later := o.UnixNano >= f.UnixNano
	switch {
	case f.Value == o.Value && f.Other == "":
		f.Other = o.Other
	case f.Value == o.Value:
	case later:
		f.Other = f.Value
	default:
		f.Other = o.Value
	}
	if later {
		f.Value, f.UnixNano, f.At = o.Value, o.UnixNano, o.At
	}
}

// A PointStats is the series of one metric of a target, by one statistic.
type PointStats struct {
	Target Target
	Node   string
	Name   string
	Stat   string
	Values []PointValue // sorted by time; of two at the same time the first holds
	First  ingest.Position
}

// A PointValue is one datapoint.
type PointValue struct {
	Unix    uint32 // start of the period, Unix seconds; 0: unknown
	Seconds uint32 // length of the period; 0: a reading at one time
	Milli   uint64
}

// Caps of metrics. What lies beyond is counted in Lost.
const (
	MaxPoints      = 4096 // series
	MaxPointValues = 2880 // of a series: two days by the minute
)

func comparePoints(a, b PointStats) int {
	return cmp.Or(a.Target.Compare(b.Target), strings.Compare(a.Name, b.Name), strings.Compare(a.Stat, b.Stat), strings.Compare(a.Node, b.Node))
}

// Point keeps a datapoint of a metric.
func (b *Builder) Point(p *ingest.Point) {
	b.points++
	x := PointStats{
		Target: Target{Store: p.Store, Table: string(p.Table), Index: string(p.Index)}, Node: b.nodeOf(p.Node),
		Name: string(p.Name), Stat: p.Stat,
		Values: []PointValue{{uint32(b.collectedAt(p.UnixNano) / second), p.Seconds, p.Milli}}, First: p.At,
	}
	b.pointList = joinPoint(b.pointList, &x, &b.lost)
}

func joinPoint(list []PointStats, x *PointStats, lost *Lost) []PointStats {
	i, found := slices.BinarySearchFunc(list, *x, comparePoints)
	switch {
	case found:
		lost.Points += list[i].join(x)
	case len(list) >= MaxPoints:
		lost.Points += uint64(len(x.Values))
	default:
		list = slices.Insert(list, i, *x)
	}
	return list
}

// join adds the values of a later part, and gives how many found no room.
func (p *PointStats) join(o *PointStats) (lost uint64) {
	p.Values = joinSorted(p.Values, o.Values,
		func(a, b PointValue) int {
			return cmp.Or(cmp.Compare(a.Unix, b.Unix), cmp.Compare(a.Seconds, b.Seconds))
		},
		func(*PointValue, PointValue) {})
	if n := len(p.Values) - MaxPointValues; n > 0 {
		lost, p.Values = uint64(n), p.Values[n:]
	}
	return lost
}
