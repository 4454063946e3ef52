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
// started again over an old capture, or of which one capture is there twice, in order of name. Captures one after
// the other are none, nor those of one recording.
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
	for len(live) > 0 {
		n := 1
		for n < len(live) && live[n].Name == live[0].Name && live[n].Format == live[0].Format {
			n++
		}
		found = append(found, doubledIn(live[:n])...)
		live = live[n:]
	}
	return found
}

// doubledIn gives the times that two of the inputs of one stream cover, which stand in order of their first event.
func doubledIn(inputs []*InputStats) (found []Doubled) {
	captures := map[ingest.Recording]*InputStats{}
	so := reach{}
	for _, in := range inputs {
		before, copied := so.of(in), false
		if first := captures[in.Recording]; first != nil && in.Recording.Name != "" {
			before, copied = first, true
		}
		captures[in.Recording] = in
		so.add(in)
		if before == nil {
			continue
		}
		if end := min(before.Last, in.Last); in.First < end || copied {
			found = append(found, Doubled{in.Name, Span{in.First / second, end/second + 1}})
		}
	}
	return found
}

// A reach is the inputs that go furthest so far: the first, and the first of those of other recordings than that.
type reach struct{ furthest, other *InputStats }

// of gives the one that goes furthest of those of another recording than in; nil: there is none.
func (r *reach) of(in *InputStats) *InputStats {
	if sameRecording(r.furthest, in) {
		return r.other
	}
	return r.furthest
}

func (r *reach) add(in *InputStats) {
	same := sameRecording(r.furthest, in)
	switch {
	case r.furthest == nil || in.Last >= r.furthest.Last:
		if !same {
			r.other = r.furthest
		}
		r.furthest = in
	case !same && (r.other == nil || in.Last > r.other.Last):
		r.other = in
	}
}

// sameRecording reports whether both are captures of one recording; absent ones are not.
func sameRecording(a, b *InputStats) bool {
	return a != nil && b != nil && a.Recording.Name != "" && a.Recording.Name == b.Recording.Name
}

// A Missing is captures of a recording that are not among the inputs, though later ones are.
type Missing struct {
	Recording   string
	First, Last uint64 // numbers
}

// Missing gives the captures that are missing between those that were read, in order.
func (p *Profile) Missing() (found []Missing) {
	read := map[string][]uint64{}
	for i := range p.Inputs {
		if r := p.Inputs[i].Recording; r.Name != "" {
			read[r.Name] = append(read[r.Name], r.Part)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		parts := read[name]
		slices.Sort(parts)
		for i := 1; i < len(parts); i++ {
			if parts[i] > parts[i-1]+1 {
				found = append(found, Missing{name, parts[i-1] + 1, parts[i] - 1})
			}
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
