package detect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/sketch"
)

// seal gives the Profile of what b was fed from these inputs. b may be Reset and used again.
func (b *Builder) seal(inputs []InputStats) *Profile {
	order, ids := b.order()
	p := &Profile{
		Settings:      b.settings,
		Inputs:        inputs,
		Width:         b.width,
		SelectedWidth: b.told,
		First:         b.first,
		Last:          b.last,
		Problems:      b.problems,
		Facts:         b.factList,
		Points:        b.pointList,
	}
	observerIDs := b.sealObservers(p)
	for _, id := range order {
		p.Targets = append(p.Targets, b.open[id].seal(observerIDs, &b.lost))
	}
	p.Inventories = b.sealInventories(ids, &b.lost)
	p.Lost = b.lost
	nodeIDs := b.sealNodes(p)
	tops := b.sealPanes(p, ids, nodeIDs)
	p.Grown = &sketch.Top{}
	if b.grown != nil {
		p.Grown = b.grown.Seal(b.settings.runQuota(len(p.Targets)), 0).Renumber(ids, nil)
	}
	p.Run = b.sealRun(tops).Trim(b.settings.runQuota(len(p.Targets))).Renumber(ids, nil)
	return p
}

// order gives the numbers of targets in order of Target, and by number its place in that order.
func (b *Builder) order() (order, ids []uint32) {
	order = make([]uint32, len(b.open))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return b.targets.targets[x].Compare(b.targets.targets[y]) })
	ids = make([]uint32, len(order))
	for i, id := range order {
		ids[id] = uint32(i)
	}
	return order, ids
}

func (t *openTarget) seal(observers []uint32, lost *Lost) TargetStats {
	s := t.stats
	lost.States = AddSat(lost.States, s.capStates())
	s.Selected = slices.Grow(s.Selected, len(t.selected))
	for _, x := range t.selected {
		x.Observer = observers[x.Observer]
		s.Selected = append(s.Selected, *x)
	}
	slices.SortFunc(s.Selected, compareSelected)
	lost.Selected = AddSat(lost.Selected, s.capSelected())
	for _, shape := range t.shapes {
		s.Shapes = append(s.Shapes, *shape)
	}
	slices.SortFunc(s.Shapes, compareShapes)
	s.Patterns = t.patterns.seal()
	sortRewrites(s.Rewrites)
	return s
}

func compareShapes(a, b ShapeStats) int {
	return cmp.Or(strings.Compare(a.Shape, b.Shape), cmp.Compare(a.Op, b.Op))
}

// sealObservers sets the sorted observers of p and gives by number of one its place there.
func (b *Builder) sealObservers(p *Profile) []uint32 {
	p.Observers = slices.Clone(b.observers)
	slices.SortFunc(p.Observers, Observer.Compare)
	return observerPlaces(b.observers, p.Observers)
}

func observerPlaces(list, in []Observer) []uint32 {
	ids := make([]uint32, len(list))
	for i, o := range list {
		at, _ := slices.BinarySearchFunc(in, o, Observer.Compare)
		ids[i] = uint32(at)
	}
	return ids
}

// sealNodes sets the sorted nodes of p and gives by number of a node its place there.
func (b *Builder) sealNodes(p *Profile) []uint32 {
	p.Nodes = slices.Sorted(slices.Values(b.nodes.names))
	ids := make([]uint32, len(p.Nodes))
	for i, name := range b.nodes.names {
		at, _ := slices.BinarySearch(p.Nodes, name)
		ids[i] = uint32(at)
	}
	return ids
}

// sealPanes sets the panes of p, and gives all that each of them held of keys.
func (b *Builder) sealPanes(p *Profile, ids, nodeIDs []uint32) []*sketch.Top {
	slices.SortFunc(b.panes, func(x, y *openPane) int { return cmp.Compare(x.start, y.start) })
	b.pane = nil
	tops := make([]*sketch.Top, 0, len(b.panes))
	for _, o := range b.panes {
		top := o.sealed(b.finest(o), sketch.Quota{})
		tops = append(tops, top)
		pane := Pane{
			Start: o.start,
			Nodes: renumber(o.nodes, nodeIDs),
			Keys:  top.Trim(b.settings.paneQuota(len(o.targets))).Renumber(ids, nil),
		}
		pane.Targets = slices.Clone(o.targets)
		for i := range pane.Targets {
			pane.Targets[i].ID = ids[pane.Targets[i].ID]
		}
		slices.SortFunc(pane.Targets, func(x, y PaneTarget) int { return cmp.Compare(x.ID, y.ID) })
		pane.keepDistinct()
		p.Panes = append(p.Panes, pane)
	}
	return tops
}

// renumber moves the count at i to ids[i].
func renumber(counts []uint64, ids []uint32) []uint64 {
	var out []uint64
	for i, n := range counts {
		for uint32(len(out)) <= ids[i] {
			out = append(out, 0)
		}
		out[ids[i]] = n
	}
	return out
}

// keepDistinct leaves the distinct keys to the busiest targets of the pane, ties to the first.
func (p *Pane) keepDistinct() {
	if len(p.Targets) <= paneDistincts {
		return
	}
	by := make([]int, len(p.Targets))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(x, y int) int {
		return cmp.Compare(p.Targets[y].Totals[PaneRequests], p.Targets[x].Totals[PaneRequests])
	})
	for _, i := range by[paneDistincts:] {
		p.Targets[i].Incomplete = p.Targets[i].Incomplete || p.Targets[i].Distinct != nil
		p.Targets[i].Distinct = nil
	}
}

// sealRun gives the heavy hitters of the whole chunk, from what its panes held or from the table that
// each event was fed to. Events of unknown time are in neither.
func (b *Builder) sealRun(panes []*sketch.Top) *sketch.Top {
	run := b.joined
	if b.feeding {
		run = joinTops(run, b.fed.Seal(sketch.Quota{}, 0), sketch.Quota{})
	} else {
		for _, top := range panes {
			run = joinTops(run, top, sketch.Quota{})
		}
	}
	if b.untimed != nil {
		run = joinTops(run, b.untimed.Seal(sketch.Quota{}, 0), sketch.Quota{})
	}
	if run == nil {
		run = &sketch.Top{}
	}
	return run
}

// shrink brings the parts of a target down to what n targets allow.
func (t *TargetStats) shrink(s Settings, n int) {
	if t.Distinct == nil {
		return
	}
	t.Distinct.Fold(min(t.Distinct.Precision(), distinctPrecision(n)))
	t.Sample.SetCap(s.sampleSize(n))
	if t.IDs != nil {
		t.IDs.SetCap(s.sampleSize(n))
	}
}

// addCounts adds the counts of b to a, which may be nil.
func addCounts(a, b map[string]uint64) map[string]uint64 {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[string]uint64{}
	}
	for k, n := range b {
		sum[k] += n
	}
	return sum
}
