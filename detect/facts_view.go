package detect

import (
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// Fact gives the value of a setting of a target, or of the whole cluster for the zero Target. Of nodes
// that differ the first by name speaks; Conflicts tells of it.
func (v *View) Fact(t Target, name string) (value string, ok bool) {
	if f := v.FactOf(t, name); f != nil {
		return f.Value, true
	}
	return "", false
}

// FactOf is Fact with the place where it stands; nil where none tells it.
func (v *View) FactOf(t Target, name string) *FactStats {
	for i := range v.Facts {
		f := &v.Facts[i]
		if f.Name == name && f.Target.Table == t.Table && f.Target.Index == t.Index && sameStore(f.Target.Store, t.Store) {
			return f
		}
	}
	return nil
}

func sameStore(a, b ingest.Store) bool {
	return a == b || a == ingest.StoreUnknown || b == ingest.StoreUnknown
}

// A Conflict is a setting that nodes or inputs tell differently.
type Conflict struct {
	Target Target
	Name   string
	Node   string     // whose own it is: each node has its rack; empty of settings that all share
	Used   string     // the value that Fact gives
	Values []string   // sorted
	Nodes  [][]string // of each value, the nodes that tell it, sorted; empty where none is named
}

// Conflicts gives the settings that are told differently, in order. What each node has of its own and no node
// is named of, may be of different nodes.
func (v *View) Conflicts() []Conflict {
	var out []Conflict
	for i := 0; i < len(v.Facts); {
		f := &v.Facts[i]
		c := Conflict{Target: f.Target, Name: f.Name, Used: f.Value}
		if ofNode(f.Name) {
			c.Node = f.Node
		}
		for ; i < len(v.Facts) && v.Facts[i].sameSetting(f); i++ {
			c.tell(v.Facts[i].Value, v.Facts[i].Node)
			if v.Facts[i].Other != "" {
				c.tell(v.Facts[i].Other, v.Facts[i].Node)
			}
		}
		if len(c.Values) > 1 && isSetting(f.Name) && (f.Node != "" || !ofNode(f.Name)) {
			out = append(out, c)
		}
	}
	return out
}

// sameSetting reports whether both tell of one thing, so that unlike values contradict each other.
func (f *FactStats) sameSetting(o *FactStats) bool {
	return f.Target == o.Target && f.Name == o.Name && (f.Node == o.Node || !ofNode(f.Name))
}

// ofNode reports whether each node has its own value of a fact.
func ofNode(name string) bool {
	switch name {
	case ingest.FactDatacenter, ingest.FactRack, ingest.FactTokens, ingest.FactNodeState, ingest.FactTraceProbability:
		return true
	}
	return false
}

// isSetting reports whether a fact is a setting: the others are amounts, which change, names given to
// queries, and what manifests tell of each export.
func isSetting(name string) bool {
	switch name {
	case ingest.FactItems, ingest.FactTableBytes, ingest.FactOpenShards, ingest.FactMetricQuery,
		ingest.FactExportItems, ingest.FactExportMD5, ingest.FactExportTotal, ingest.FactExportTime, ingest.FactExportFrom, ingest.FactExportView:
		return false
	}
	return true
}

// tell adds a node that tells of a value.
func (c *Conflict) tell(value, node string) {
	i, found := slices.BinarySearch(c.Values, value)
	if !found {
		c.Values, c.Nodes = slices.Insert(c.Values, i, value), slices.Insert(c.Nodes, i, nil)
	}
	if at, told := slices.BinarySearch(c.Nodes[i], node); node != "" && !told {
		c.Nodes[i] = slices.Insert(c.Nodes[i], at, node)
	}
}
