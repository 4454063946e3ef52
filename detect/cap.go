package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// cap brings p back to MaxTargets, MaxNodes and MaxShapes after a merge, whatever the input names. What
// gives way is counted in Lost; of targets that give way, the totals of the whole run are kept under OtherTarget.
func (p *Profile) cap() {
	for i := range p.Targets {
		p.Lost.Shapes = AddSat(p.Lost.Shapes, p.Targets[i].capShapes())
		p.Targets[i].capPatterns(len(p.Targets))
		p.Lost.Selected = AddSat(p.Lost.Selected, p.Targets[i].capSelected())
		p.Lost.States = AddSat(p.Lost.States, p.Targets[i].capStates())
	}
	if len(p.Targets) > MaxTargets+1 {
		p.capTargets()
	}
	if len(p.Nodes) > MaxNodes {
		p.capNodes()
	}
}

// capShapes keeps the shapes of most tombstones and gives the reads of the others, which are kept as
// OtherShape.
func (t *TargetStats) capShapes() (lost uint64) {
	if len(t.Shapes) <= MaxShapes+int(ingest.Ops) {
		return 0
	}
	slices.SortFunc(t.Shapes, func(a, b ShapeStats) int {
		return cmp.Or(cmp.Compare(b.Tombstones, a.Tombstones), cmp.Compare(b.Reads, a.Reads), compareShapes(a, b))
	})
	rest := slices.Clone(t.Shapes[MaxShapes:])
	t.Shapes = t.Shapes[:MaxShapes]
	slices.SortFunc(t.Shapes, compareShapes)
	for i := range rest {
		if rest[i].Shape != OtherShape {
			lost = AddSat(lost, rest[i].Reads)
		}
		rest[i].Shape = OtherShape
		t.Shapes = joinShapes(t.Shapes, rest[i:i+1])
	}
	return lost
}

// capTargets keeps the targets of most requests.
func (p *Profile) capTargets() {
	by := make([]uint32, len(p.Targets))
	for i := range by {
		by[i] = uint32(i)
	}
	slices.SortFunc(by, func(x, y uint32) int {
		a, b := &p.Targets[x], &p.Targets[y]
		return cmp.Or(
			-compareBool(a.Target == OtherTarget, b.Target == OtherTarget),
			cmp.Compare(b.Totals[Requests], a.Totals[Requests]),
			a.Target.Compare(b.Target),
		)
	})
	kept := by[:MaxTargets+1]
	slices.Sort(kept)
	ids := make([]uint32, len(p.Targets))
	for i := range ids {
		ids[i] = sketch.Dropped
	}
	other := Profile{Settings: p.Settings, Width: p.Width, SelectedWidth: p.SelectedWidth, Observers: p.Observers, Run: &sketch.Top{}, Grown: &sketch.Top{}, Targets: []TargetStats{p.newOther()}}
	targets := make([]TargetStats, 0, len(kept))
	for i, id := range kept {
		ids[id] = uint32(i)
		targets = append(targets, p.Targets[id])
	}
	for _, id := range by[MaxTargets+1:] {
		other.Targets[0].join(&p.Targets[id])
		p.Lost.Targets = AddSat(p.Lost.Targets, p.Targets[id].Totals[Requests])
	}
	p.Targets = targets
	p.regroup(ids, places(p.Nodes, p.Nodes))
	*p = *join(p, &other)
}

// newOther makes an empty OtherTarget.
func (p *Profile) newOther() TargetStats {
	b := NewBuilder(p.Settings)
	return b.newTarget(OtherTarget).stats
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// capNodes keeps the nodes of most requests.
func (p *Profile) capNodes() {
	views := nodeViews(p)
	by := make([]int, len(views))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(x, y int) int { return cmp.Compare(views[y].Total, views[x].Total) })
	kept := by[:MaxNodes]
	for _, i := range by[MaxNodes:] {
		p.Lost.Nodes = AddSat(p.Lost.Nodes, views[i].Total)
	}
	slices.Sort(kept)
	for i := range p.Panes {
		nodes := make([]uint64, 0, len(kept))
		for _, k := range kept {
			nodes = append(nodes, views[k].Requests[i])
		}
		p.Panes[i].Nodes = nodes
	}
	names := make([]string, 0, len(kept))
	for _, k := range kept {
		names = append(names, p.Nodes[k])
	}
	p.Nodes = names
}
