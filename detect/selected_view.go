package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A SelectedView is what all observers together tell of one kind of request of a target: one operation,
// statement shape and key. Its counts are "at least": Low is what one node alone saw, High the sum over
// nodes, which counts a read once for each replica that logged it.
type SelectedView struct {
	Op        ingest.Op
	Shape     string
	Key       []byte // in the form of ingest.AppendKey
	KeyKnown  bool
	Traced    bool // only traces tell of it, whose statement is the client's: logs may tell of the same reads in other words
	Counts    [SelectedCounters]Range
	Largest   ReadSize
	Slowest   uint64 // microseconds
	Widest    uint64 // partitions
	Span      Span
	Series    SelectedSeries // by number in View.Panes: the largest of any node
	Nodes     []string       // that tell of it, sorted
	Positions []ingest.Position
}

// Reads gives the reads of warnings and aborts: one read that is ended leaves one of each.
func (s *SelectedView) Reads() Range {
	warned, aborted := s.Counts[SelectedWarned], s.Counts[SelectedAborted]
	return Range{max(warned.Low, aborted.Low), max(warned.High, aborted.High)}
}

// Once gives the requests that the records tell of: a slow or ended read leaves a record of each kind.
func (s *SelectedView) Once() Range {
	all := s.Counts[SelectedRecords]
	flagged, most := uint64(0), uint64(0)
	for _, c := range []SelectedCounter{SelectedWarned, SelectedAborted, SelectedTimedOut, SelectedSlow} {
		flagged, most = AddSat(flagged, s.Counts[c].Low), max(most, s.Counts[c].Low)
	}
	return Range{max(most, AddSat(all.Low-min(all.Low, flagged), most)), all.High}
}

// Tombstones gives what those reads scanned, all together. Where a read is ended, the warning and the
// error tell the same number.
func (s *SelectedView) Tombstones() Range {
	warned, aborted := s.Counts[SelectedTombstones], s.Counts[SelectedAbortedTombstones]
	return Range{max(warned.Low, aborted.Low), max(warned.High, aborted.High)}
}

// sameLog are the roles of files that repeat each other's records, and of the table that holds the last of them.
var sameLog = []string{"system", "debug", "output", "cassandra", "stdout", "system_logs"}

func roleGroup(role string) string {
	if slices.Contains(sameLog, role) {
		return sameLog[0]
	}
	return role
}

// selectedViews joins the observers of a target's selected records.
func selectedViews(p *Profile, list []SelectedStats) []*SelectedView {
	groups := map[selectedKey][]*SelectedStats{}
	for i := range list {
		if isSampled(p, &list[i]) {
			continue
		}
		k := list[i].identity()
		k.observer = 0
		groups[k] = append(groups[k], &list[i])
	}
	views := make([]*SelectedView, 0, len(groups))
	for _, group := range groups {
		views = append(views, newSelectedView(p, group))
	}
	slices.SortFunc(views, func(a, b *SelectedView) int {
		return cmp.Or(
			cmp.Compare(b.Counts[SelectedAborted].Low, a.Counts[SelectedAborted].Low),
			cmp.Compare(b.Tombstones().Low, a.Tombstones().Low),
			cmp.Compare(b.Counts[SelectedRecords].Low, a.Counts[SelectedRecords].Low),
			cmp.Compare(a.Op, b.Op), cmp.Compare(a.Shape, b.Shape), compareBool(a.KeyKnown, b.KeyKnown), slices.Compare(a.Key, b.Key),
		)
	})
	return views
}

func newSelectedView(p *Profile, group []*SelectedStats) *SelectedView {
	s := group[0]
	v := &SelectedView{Op: s.Op, Shape: s.Shape, Key: []byte(s.Key), KeyKnown: s.KeyKnown, Traced: true, Largest: s.Largest}
	var first, last int64
	for _, s := range group {
		if s.Largest.Tombstones > v.Largest.Tombstones {
			v.Largest = s.Largest
		}
		v.Slowest, v.Widest = max(v.Slowest, s.Slowest), max(v.Widest, s.Widest)
		first, last = joinSpan(first, last, s.First, s.Last)
		v.Positions = append(v.Positions, s.Positions...)
		v.Nodes = append(v.Nodes, p.Observers[s.Observer].Node)
		v.Traced = v.Traced && p.Observers[s.Observer].Role == ingest.RoleTrace
	}
	if first != 0 || last != 0 {
		v.Span = Span{first / second, last/second + 1}
	}
	v.Positions = v.Positions[:min(len(v.Positions), maxPositions)]
	slices.Sort(v.Nodes)
	v.Nodes = slices.Compact(v.Nodes)
	v.count(p, group)
	return v
}

// count joins what observers counted: of files of a node that repeat each other the larger of each
// pane, then of nodes and of their other files the largest and the sum.
func (v *SelectedView) count(p *Profile, group []*SelectedStats) {
	type source struct{ node, role string }
	logs := map[source][]*SelectedStats{}
	for _, s := range group {
		o := p.Observers[s.Observer]
		k := source{o.Node, roleGroup(o.Role)}
		logs[k] = append(logs[k], s)
	}
	for _, list := range logs {
		total, panes := overlaid(list)
		for c := range v.Counts {
			v.Counts[c] = Range{max(v.Counts[c].Low, total[c]), AddSat(v.Counts[c].High, total[c])}
		}
		v.overlay(p, panes)
	}
}

// overlay adds what one node's log tells of each pane to Series.
func (v *SelectedView) overlay(p *Profile, panes *SelectedSeries) {
	if p.SelectedWidth > p.Width {
		return // there is no telling which of the panes it was
	}
	var wide SelectedSeries
	for j, start := range panes.At {
		if i, found := p.paneAt(start); found {
			t := panes.Totals(j)
			wide.Add(uint32(i), &t)
		}
	}
	v.Series.raise(&wide)
}

// paneAt gives the index of the pane that holds a second.
func (p *Profile) paneAt(sec uint32) (int, bool) {
	return slices.BinarySearchFunc(p.Panes, sec-sec%p.Width, func(x Pane, start uint32) int { return cmp.Compare(x.Start, start) })
}

// withSelectedPanes gives p with panes, empty of traffic, where only selected records tell of the time:
// of their width when there is no traffic, and else as long as they fit. It shares memory with p.
func (p *Profile) withSelectedPanes() *Profile {
	q := *p
	if len(p.Panes) == 0 {
		q.Width = p.SelectedWidth
	}
	if q.Width < p.SelectedWidth {
		return p
	}
	starts := p.selectedStarts(q.Width)
	for len(p.Panes) == 0 && len(starts) > MaxPanes {
		q.Width = wider(q.Width)
		starts = p.selectedStarts(q.Width)
	}
	q.Panes = slices.Clone(p.Panes)
	for start := range starts {
		if _, found := p.paneAt(start); !found {
			q.Panes = append(q.Panes, Pane{Start: start, Keys: &sketch.Top{}})
		}
	}
	if len(q.Panes) > MaxPanes {
		return p
	}
	slices.SortFunc(q.Panes, func(a, b Pane) int { return cmp.Compare(a.Start, b.Start) })
	return &q
}

// selectedStarts gives the starts of the panes of a width that selected records fall into.
func (p *Profile) selectedStarts(width uint32) map[uint32]bool {
	starts := map[uint32]bool{}
	for i := range p.Targets {
		for j := range p.Targets[i].Selected {
			for _, start := range p.Targets[i].Selected[j].Panes.At {
				starts[start-start%width] = true
			}
		}
	}
	return starts
}

// overlaid gives what files that repeat each other tell together: the sum over panes of the larger
// count, but no less than any of them alone.
func overlaid(list []*SelectedStats) (total SelectedTotals, panes *SelectedSeries) {
	panes = &list[0].Panes
	if len(list) > 1 {
		panes = &SelectedSeries{}
		for _, s := range list {
			panes.raise(&s.Panes)
		}
	}
	for i := range panes.At {
		t := panes.Totals(i)
		total.add(&t)
	}
	for _, s := range list {
		total.max(&s.Totals)
	}
	return total, panes
}
