package detect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// A Doubled is a live stream that two inputs recorded at the same time: its requests are counted twice.
type Doubled struct {
	Name string // of both inputs
	Span Span   // that both cover
}

// Doubled gives the streams of live sources that were recorded twice, by two collectors or by one that was
// started again over an old capture, in order of name. Recordings one after the other are none.
func (p *Profile) Doubled() []Doubled {
	var live []*InputStats
	for i := range p.Inputs {
		if in := &p.Inputs[i]; strings.Contains(in.Name, "://") && in.First != 0 {
			live = append(live, in)
		}
	}
	slices.SortStableFunc(live, func(a, b *InputStats) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Format, b.Format), cmp.Compare(a.First, b.First))
	})
	var found []Doubled
	for i := 1; i < len(live); i++ {
		a, b := live[i-1], live[i]
		if a.Name != b.Name || a.Format != b.Format {
			continue
		}
		if end := min(a.Last, b.Last); b.First < end {
			found = append(found, Doubled{b.Name, Span{b.First / second, end/second + 1}})
		}
		if a.Last > b.Last { // a third may lie within the first
			live[i] = a
		}
	}
	return found
}

// Unseen gives the nodes that the topology names and that no input tells of, sorted, and the number of those
// that it names; nothing when no input's node is one of them, since names may be of another kind then.
func (p *Profile) Unseen() (nodes []string, of int) {
	named := map[string]bool{} // a node of the topology: something was read of it
	for i := range p.Facts {
		switch f := &p.Facts[i]; f.Name {
		case ingest.FactNodeState, ingest.FactDatacenter, ingest.FactTokens:
			if f.Node != "" {
				named[f.Node] = false
			}
		}
	}
	seen := false
	see := func(node string) {
		if _, ok := named[node]; ok {
			named[node], seen = true, true
		}
	}
	for i := range p.Inputs {
		see(p.Inputs[i].Node)
	}
	for i := range p.Observers {
		see(p.Observers[i].Node)
	}
	if !seen {
		return nil, 0
	}
	for _, node := range slices.Sorted(maps.Keys(named)) {
		if !named[node] {
			nodes = append(nodes, node)
		}
	}
	return nodes, len(named)
}
