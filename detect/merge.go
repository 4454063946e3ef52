package detect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/sketch"
)

// ErrUnlike is returned by Merge for Profiles made with other settings.
var ErrUnlike = errors.New("profiles made with other settings do not merge")

// Merge gives the Profile of the traffic of both, a's inputs first. Neither is used afterwards: their
// memory may be part of the result. The bounds of the result hold for any tree of merges; its bytes are
// defined by the tree, which is why Settings.Fan is part of a Profile.
func Merge(a, b *Profile) (*Profile, error) {
	if a.Settings != b.Settings {
		return nil, fmt.Errorf("%w: %+v and %+v", ErrUnlike, a.Settings, b.Settings)
	}
	return merge(a, b, false), nil
}

// merge joins b to a. With continued, b's first input is the continuation of a's last.
func merge(a, b *Profile, continued bool) *Profile {
	shift := inputShift{inputs: uint32(len(a.Inputs))}
	if continued {
		shift.inputs--
		shift.lines = a.Inputs[len(a.Inputs)-1].Lines
	}
	b.shift(shift)
	a.Inputs, b.Inputs = joinInputs(a.Inputs, b.Inputs, continued), nil
	return join(a, b)
}

// join joins b to a, whose positions are of the same inputs: those of a.
func join(a, b *Profile) *Profile {
	m := &Profile{Settings: a.Settings, Inputs: a.Inputs, Width: max(a.Width, b.Width), SelectedWidth: max(a.SelectedWidth, b.SelectedWidth)}
	a.widenTo(m.Width)
	b.widenTo(m.Width)
	a.widenSelected(m.SelectedWidth)
	b.widenSelected(m.SelectedWidth)
	m.joinObservers(a, b)
	idsA, idsB := m.joinTargets(a, b)
	nodesA, nodesB := m.joinNodes(a, b)
	a.regroup(idsA, nodesA)
	b.regroup(idsB, nodesB)
	m.joinPanes(a.Panes, b.Panes)
	m.Grown = sketch.MergeTops(a.Grown, b.Grown, m.Settings.runQuota(len(m.Targets)))
	m.Run = sketch.MergeTops(a.Run, b.Run, m.Settings.runQuota(len(m.Targets)))
	m.First, m.Last = joinSpan(a.First, a.Last, b.First, b.Last)
	m.Problems = joinProblems(a.Problems, b.Problems)
	m.Lost = a.Lost.plus(b.Lost)
	m.Inventories = joinInventories(a.Inventories, b.Inventories, m.Settings, len(m.Targets), &m.Lost)
	m.Facts, m.Points = a.Facts, a.Points
	for i := range b.Facts {
		m.Facts = joinFact(m.Facts, &b.Facts[i], &m.Lost)
	}
	for i := range b.Points {
		m.Points = joinPoint(m.Points, &b.Points[i], &m.Lost)
	}
	for len(m.Panes) > MaxPanes && m.Width != wider(m.Width) {
		m.widenTo(wider(m.Width))
	}
	m.cap()
	for m.crowded() {
		m.widenSelected(wider(m.SelectedWidth))
	}
	return m
}

func (l Lost) plus(o Lost) Lost {
	return Lost{
		Targets:  AddSat(l.Targets, o.Targets),
		Nodes:    AddSat(l.Nodes, o.Nodes),
		Shapes:   AddSat(l.Shapes, o.Shapes),
		Selected: AddSat(l.Selected, o.Selected),
		States:   AddSat(l.States, o.States),
		Facts:    AddSat(l.Facts, o.Facts),
		Points:   AddSat(l.Points, o.Points),
		Stored:   AddSat(l.Stored, o.Stored),
	}
}

func joinInputs(a, b []InputStats, continued bool) []InputStats {
	if !continued {
		return append(a, b...)
	}
	a[len(a)-1].add(&b[0])
	return append(a, b[1:]...)
}

// add adds the counts of a later part of the same input.
func (s *InputStats) add(o *InputStats) {
	s.Bytes += o.Bytes
	s.Lines += o.Lines
	s.Records += o.Records
	s.Events += o.Events
	s.States += o.States
	s.Facts += o.Facts
	s.Points += o.Points
	s.Skipped += o.Skipped
	s.Problems += o.Problems
	s.First, s.Last = joinSpan(s.First, s.Last, o.First, o.Last)
	s.SkippedKind = addCounts(s.SkippedKind, o.SkippedKind)
	s.Named.join(o.Named)
}

// joinTargets sets m.Targets to the targets of both and gives the new numbers of a's and b's.
func (m *Profile) joinTargets(a, b *Profile) (idsA, idsB []uint32) {
	i, j := 0, 0
	for i < len(a.Targets) || j < len(b.Targets) {
		id, order := uint32(len(m.Targets)), 0
		switch {
		case i == len(a.Targets):
			order = 1
		case j == len(b.Targets):
			order = -1
		default:
			order = a.Targets[i].Target.Compare(b.Targets[j].Target)
		}
		var t TargetStats
		if order <= 0 {
			t, idsA, i = a.Targets[i], append(idsA, id), i+1
		}
		switch {
		case order < 0:
			t.Missed = AddSat(t.Missed, b.Lost.Targets)
		case order == 0:
			t.join(&b.Targets[j])
		default:
			t = b.Targets[j]
			t.Missed = AddSat(t.Missed, a.Lost.Targets)
		}
		if order >= 0 {
			idsB, j = append(idsB, id), j+1
		}
		m.Targets = append(m.Targets, t)
	}
	for i := range m.Targets {
		m.Targets[i].shrink(m.Settings, len(m.Targets))
	}
	return idsA, idsB
}

// join adds what o holds of the same target.
func (t *TargetStats) join(o *TargetStats) {
	t.Totals.add(&o.Totals)
	t.First, t.Last = joinSpan(t.First, t.Last, o.First, o.Last)
	t.Shapes = joinShapes(t.Shapes, o.Shapes)
	t.Patterns = joinPatterns(t.Patterns, o.Patterns)
	t.Rewrites = joinRewrites(t.Rewrites, o.Rewrites)
	t.Missed = AddSat(t.Missed, o.Missed)
	t.joinIDs(o)
	t.GrownFirst, t.GrownLast = joinSpan(t.GrownFirst, t.GrownLast, o.GrownFirst, o.GrownLast)
	t.joinSelected(o.Selected)
	for i := range o.States {
		t.States = joinState(t.States, &o.States[i])
	}
	if t.Distinct == nil {
		return
	}
	t.Distinct.Merge(o.Distinct)
	t.Sample.Merge(o.Sample)
	t.ItemBytes.Merge(o.ItemBytes)
	t.Latency.Merge(o.Latency)
	t.LiveRows.Merge(o.LiveRows)
	t.Tombs.Merge(o.Tombs)
	t.Asked.Merge(o.Asked)
}

// joinSpan gives the first and last of two spans; 0, 0 is none.
func joinSpan(firstA, lastA, firstB, lastB int64) (first, last int64) {
	switch {
	case firstA == 0 && lastA == 0:
		return firstB, lastB
	case firstB == 0 && lastB == 0:
		return firstA, lastA
	}
	return min(firstA, firstB), max(lastA, lastB)
}

func (t *TargetStats) joinSelected(list []SelectedStats) {
	t.Selected = joinSorted(t.Selected, list, compareSelected, func(a *SelectedStats, b SelectedStats) { a.join(&b) })
}

func joinShapes(a, b []ShapeStats) []ShapeStats {
	for _, s := range b {
		i, found := slices.BinarySearchFunc(a, s, compareShapes)
		if found {
			a[i].join(&s)
		} else {
			a = slices.Insert(a, i, s)
		}
	}
	return a
}

func (s *ShapeStats) join(o *ShapeStats) {
	s.Reads = AddSat(s.Reads, o.Reads)
	s.Rows = AddSat(s.Rows, o.Rows)
	s.RowsKnown = AddSat(s.RowsKnown, o.RowsKnown)
	s.Tombstones = AddSat(s.Tombstones, o.Tombstones)
	s.Failed = AddSat(s.Failed, o.Failed)
	s.Dense = AddSat(s.Dense, o.Dense)
	s.FanOut, s.Wide = AddSat(s.FanOut, o.FanOut), AddSat(s.Wide, o.Wide)
	s.widest(o.Widest)
	s.largest(o.Largest)
	s.First, s.Last = joinSpan(s.First, s.Last, o.First, o.Last)
}

// joinObservers sets m.Observers to the observers of both and renumbers their selected records. Order
// is kept, so what is sorted stays sorted.
func (m *Profile) joinObservers(a, b *Profile) {
	m.Observers = slices.Concat(a.Observers, b.Observers)
	slices.SortFunc(m.Observers, Observer.Compare)
	m.Observers = slices.Compact(m.Observers)
	for _, p := range []*Profile{a, b} {
		ids := observerPlaces(p.Observers, m.Observers)
		for i := range p.Targets {
			for j := range p.Targets[i].Selected {
				x := &p.Targets[i].Selected[j].Observer
				*x = ids[*x]
			}
		}
	}
}

// joinNodes sets m.Nodes to the nodes of both and gives the new numbers of a's and b's.
func (m *Profile) joinNodes(a, b *Profile) (idsA, idsB []uint32) {
	m.Nodes = slices.Concat(a.Nodes, b.Nodes)
	slices.Sort(m.Nodes)
	m.Nodes = slices.Compact(m.Nodes)
	return places(a.Nodes, m.Nodes), places(b.Nodes, m.Nodes)
}

func places(names, in []string) []uint32 {
	ids := make([]uint32, len(names))
	for i, name := range names {
		at, _ := slices.BinarySearch(in, name)
		ids[i] = uint32(at)
	}
	return ids
}

// regroup renumbers the targets and nodes of panes and of the whole run, without those of the targets
// that are Dropped.
func (p *Profile) regroup(ids, nodes []uint32) {
	p.Run = p.Run.Renumber(ids, nil)
	p.Grown = p.Grown.Renumber(ids, nil)
	for i := range p.Inventories {
		p.Inventories[i].regroup(ids)
	}
	for i := range p.Panes {
		pane := &p.Panes[i]
		pane.Keys = pane.Keys.Renumber(ids, nil)
		pane.Nodes = renumber(pane.Nodes, nodes)
		for j := range pane.Targets {
			pane.Targets[j].ID = ids[pane.Targets[j].ID]
		}
		pane.Targets = slices.DeleteFunc(pane.Targets, func(t PaneTarget) bool { return t.ID == sketch.Dropped })
	}
}

// joinPanes sets m.Panes to the panes of both, which have the same width.
func (m *Profile) joinPanes(a, b []Pane) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].Start < b[j].Start:
			m.Panes, i = append(m.Panes, a[i]), i+1
		case i == len(a) || b[j].Start < a[i].Start:
			m.Panes, j = append(m.Panes, b[j]), j+1
		default:
			a[i].join(&b[j], m.Settings)
			m.Panes, i, j = append(m.Panes, a[i]), i+1, j+1
		}
	}
}

// join adds what o holds of the same or a neighbouring time.
func (p *Pane) join(o *Pane, s Settings) {
	targets := make([]PaneTarget, 0, max(len(p.Targets), len(o.Targets)))
	i, j := 0, 0
	for i < len(p.Targets) || j < len(o.Targets) {
		switch {
		case j == len(o.Targets) || i < len(p.Targets) && p.Targets[i].ID < o.Targets[j].ID:
			targets, i = append(targets, p.Targets[i]), i+1
		case i == len(p.Targets) || o.Targets[j].ID < p.Targets[i].ID:
			targets, j = append(targets, o.Targets[j]), j+1
		default:
			t := p.Targets[i]
			t.join(&o.Targets[j])
			targets, i, j = append(targets, t), i+1, j+1
		}
	}
	p.Targets = targets
	p.Nodes = addSlices(p.Nodes, o.Nodes)
	p.Keys = sketch.MergeTops(p.Keys, o.Keys, s.paneQuota(len(targets)))
	p.keepDistinct()
}

// widenTo joins panes into ones of that width.
func (p *Profile) widenTo(width uint32) {
	if p.Width == width {
		return
	}
	p.Width = width
	var kept []Pane
	for _, pane := range p.Panes {
		pane.Start -= pane.Start % width
		if n := len(kept); n > 0 && kept[n-1].Start == pane.Start {
			kept[n-1].join(&pane, p.Settings)
			continue
		}
		kept = append(kept, pane)
	}
	p.Panes = kept
}

func joinProblems(a, b Problems) Problems {
	a.Total = AddSat(a.Total, b.Total)
	for _, c := range b.Causes {
		i, found := slices.BinarySearchFunc(a.Causes, c, func(x, y ProblemCause) int { return strings.Compare(x.Cause, y.Cause) })
		if !found {
			a.Causes = slices.Insert(a.Causes, i, c)
			continue
		}
		x := &a.Causes[i]
		x.Count = AddSat(x.Count, c.Count)
		x.Examples = append(x.Examples, c.Examples[:min(len(c.Examples), maxExamples-len(x.Examples))]...)
	}
	return a
}
