package detect

import (
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// JoinStores gives the Profile of the same traffic in which a table that some records name without its
// store is of the one store that others name with it: a throttled request carries no units that would tell
// DynamoDB, and tools do not say which store printed their lists. Where two stores have a table of that
// name, nothing is joined. Then the witnesses of each table are joined: see joinWitnesses. p is not used
// afterwards.
//
// It is the last step before a Profile is judged: done before a merge, it would not see what the other
// side tells.
func JoinStores(p *Profile) *Profile {
	stores := p.storesByTable()
	return joinWitnesses(p.renamed(func(t Target) Target { t.Store = stores.of(t); return t }))
}

// renamed gives p with targets under other names: those whose name is changed are joined to the one that has
// that name already. No two of them get the same name.
func (p *Profile) renamed(name func(t Target) Target) *Profile {
	if !slices.ContainsFunc(p.Targets, func(t TargetStats) bool { return name(t.Target) != t.Target }) {
		return p
	}
	told := p.taken(func(t Target) (Target, bool) { return name(t), name(t) != t })
	rest := p.taken(func(t Target) (Target, bool) { return t, name(t) == t })
	for i := range told.Panes {
		told.Panes[i].Nodes = nil // they are of all targets, and in rest
	}
	told.Problems, told.Lost, told.Facts, told.Points = Problems{}, Lost{}, nil, nil
	return join(rest, told)
}

// tableStores are the stores that are told of each table; StoreUnknown stands for several.
type tableStores map[string]ingest.Store

func (p *Profile) storesByTable() tableStores {
	stores := tableStores{}
	for i := range p.Targets {
		t := p.Targets[i].Target
		if t.Store == ingest.StoreUnknown {
			continue
		}
		if s, told := stores[t.Table]; told && s != t.Store {
			t.Store = ingest.StoreUnknown
		}
		stores[t.Table] = t.Store
	}
	return stores
}

// of gives the store of a target.
func (s tableStores) of(t Target) ingest.Store {
	if t.Store == ingest.StoreUnknown {
		return s[t.Table]
	}
	return t.Store
}

// taken gives what p holds of some of its targets, under new names. It shares memory with p.
func (p *Profile) taken(name func(t Target) (Target, bool)) *Profile {
	part := *p
	part.Targets = nil
	for _, t := range p.Targets {
		if named, ok := name(t.Target); ok {
			t.Target = named
			part.Targets = append(part.Targets, t)
		}
	}
	slices.SortFunc(part.Targets, func(a, b TargetStats) int { return a.Target.Compare(b.Target) })
	ids := make([]uint32, len(p.Targets))
	for i := range p.Targets {
		ids[i] = sketch.Dropped
		if named, ok := name(p.Targets[i].Target); ok {
			at, _ := slices.BinarySearchFunc(part.Targets, named, func(t TargetStats, n Target) int { return t.Target.Compare(n) })
			ids[i] = uint32(at)
		}
	}
	part.Panes = slices.Clone(p.Panes)
	for i := range part.Panes {
		part.Panes[i].Targets = slices.Clone(part.Panes[i].Targets)
	}
	part.Inventories = slices.Clone(p.Inventories)
	for i := range part.Inventories {
		part.Inventories[i].Targets = slices.Clone(part.Inventories[i].Targets)
	}
	part.regroup(ids, places(p.Nodes, p.Nodes))
	return &part
}
