package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// A SelectedView is what all observers together tell of one kind of request of a target: one operation,
// statement shape and key. Its counts are "at least": Low is what one node alone saw, High the sum over
// nodes, which counts a read once for each replica that logged it.
type SelectedView struct {
	Op        ingest.Op
	Shape     string
	Key       []byte // in the form of ingest.AppendKey
	KeyKnown  bool
	Counts    [SelectedCounters]Range
	Largest   ReadSize
	Slowest   uint64 // microseconds
	Widest    uint64 // partitions
	Span      Span
	Series    []SelectedTotals // as View.Panes: the largest of any node; nil when no record has a time
	Nodes     []string         // that tell of it, sorted
	Positions []ingest.Position
}

// Reads gives the reads of warnings and aborts: one read that is ended leaves one of each.
func (s *SelectedView) Reads() Range {
	warned, aborted := s.Counts[SelectedWarned], s.Counts[SelectedAborted]
	return Range{max(warned.Low, aborted.Low), max(warned.High, aborted.High)}
}

// Tombstones gives what those reads scanned, all together. Where a read is ended, the warning and the
// error tell the same number.
func (s *SelectedView) Tombstones() Range {
	warned, aborted := s.Counts[SelectedTombstones], s.Counts[SelectedAbortedTombstones]
	return Range{max(warned.Low, aborted.Low), max(warned.High, aborted.High)}
}

// sameLog are the roles of files that repeat each other's records.
var sameLog = []string{"system", "debug", "output", "cassandra", "stdout"}

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
	v := &SelectedView{Op: s.Op, Shape: s.Shape, Key: []byte(s.Key), KeyKnown: s.KeyKnown, Largest: s.Largest}
	var first, last int64
	for _, s := range group {
		if s.Largest.Tombstones > v.Largest.Tombstones {
			v.Largest = s.Largest
		}
		v.Slowest, v.Widest = max(v.Slowest, s.Slowest), max(v.Widest, s.Widest)
		first, last = joinSpan(first, last, s.First, s.Last)
		v.Positions = append(v.Positions, s.Positions...)
		v.Nodes = append(v.Nodes, p.Observers[s.Observer].Node)
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
			v.Counts[c] = Range{max(v.Counts[c].Low, total[c]), addSat(v.Counts[c].High, total[c])}
		}
		for start, t := range panes {
			i, found := slices.BinarySearchFunc(p.Panes, start, func(x Pane, start uint32) int { return cmp.Compare(x.Start, start) })
			if !found {
				continue
			}
			if v.Series == nil {
				v.Series = make([]SelectedTotals, len(p.Panes))
			}
			v.Series[i].max(&t)
		}
	}
}

// overlaid gives what files that repeat each other tell together: the sum over panes of the larger
// count, but no less than any of them alone.
func overlaid(list []*SelectedStats) (total SelectedTotals, panes map[uint32]SelectedTotals) {
	panes = map[uint32]SelectedTotals{}
	for _, s := range list {
		for i := range s.Panes {
			t := panes[s.Panes[i].Start]
			t.max(&s.Panes[i].Totals)
			panes[s.Panes[i].Start] = t
		}
	}
	for _, t := range panes {
		total.add(&t)
	}
	for _, s := range list {
		total.max(&s.Totals)
	}
	return total, panes
}

// Fact gives the value of a setting of a target, or of the whole cluster for the zero Target. Of nodes
// that differ the first by name speaks; Conflicts tells of it.
func (v *View) Fact(t Target, name string) (value string, ok bool) {
	for i := range v.Facts {
		f := &v.Facts[i]
		if f.Name == name && f.Target.Table == t.Table && f.Target.Index == t.Index && sameStore(f.Target.Store, t.Store) {
			return f.Value, true
		}
	}
	return "", false
}

func sameStore(a, b ingest.Store) bool {
	return a == b || a == ingest.StoreUnknown || b == ingest.StoreUnknown
}

// A Conflict is a setting that nodes or inputs tell differently.
type Conflict struct {
	Target Target
	Name   string
	Values []string // sorted
}

// Conflicts gives the settings that are told differently, in order.
func (v *View) Conflicts() []Conflict {
	var out []Conflict
	for i := 0; i < len(v.Facts); {
		f := &v.Facts[i]
		c := Conflict{Target: f.Target, Name: f.Name}
		for ; i < len(v.Facts) && v.Facts[i].Target == f.Target && v.Facts[i].Name == f.Name; i++ {
			c.Values = append(c.Values, v.Facts[i].Value)
			if v.Facts[i].Other != "" {
				c.Values = append(c.Values, v.Facts[i].Other)
			}
		}
		slices.Sort(c.Values)
		c.Values = slices.Compact(c.Values)
		if len(c.Values) > 1 {
			out = append(out, c)
		}
	}
	return out
}
