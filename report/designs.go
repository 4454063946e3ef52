package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Bounds of notes on designs.
const (
	maxDesigns = 8 // tables and indexes
	maxTypes   = 5 // of a table
)

// indexDesigns tells of indexes of DynamoDB tables what is peculiar about their keys.
func indexDesigns(v *detect.View) []string {
	return bounded(v, func(t *detect.TargetView) []string {
		if t.Target.Index == "" {
			return nil
		}
		return indexNotes(v, t)
	})
}

// typeDesigns tells of DynamoDB tables that hold several types of entity how their items and load spread over these, and
// of indexes which ones they hold. Types are parts of keys.
func typeDesigns(v *detect.View) []string {
	return bounded(v, func(t *detect.TargetView) []string {
		if names := typeNames(t.Stored.Entities); t.Target.Index != "" && len(names) > 1 {
			return []string{fmt.Sprintf("index %s of %s: it is overloaded: its keys begin as %d types (%s), which share its capacity",
				cut(t.Target.Index), cut(t.Target.Table), len(names), strings.Join(names[:min(len(names), maxTypes)], ", "))}
		}
		if note := typeNote(t); t.Target.Index == "" && note != "" {
			return []string{note}
		}
		return nil
	})
}

// bounded gives the first notes on the DynamoDB targets of a view, and the number of the others.
func bounded(v *detect.View, of func(t *detect.TargetView) []string) (notes []string) {
	for _, t := range v.Targets {
		if t.Target.Store == ingest.DynamoDB {
			notes = append(notes, of(t)...)
		}
	}
	if more := len(notes) - maxDesigns; more > 0 {
		notes = append(notes[:maxDesigns], fmt.Sprintf("more notes on designs of tables and indexes: %d", more))
	}
	return notes
}

// typeNote tells the types of a table's stored items, those of most bytes first, with their requests where traffic is
// known as well.
func typeNote(t *detect.TargetView) string {
	types := byBytes(t.Stored.Entities)
	if len(types) == 0 {
		return ""
	}
	said := []string{}
	for _, e := range types[:min(len(types), maxTypes)] {
		text := fmt.Sprintf("%s %s of the bytes (%d items)", cmp.Or(cut(e.Name), "(no type)"), percentOf(e.Bytes, t.Stored.Bytes), e.Items)
		if n := requestsOf(t, e.Name); n > 0 {
			text += fmt.Sprintf(", %s of the requests", percentOf(n, t.Totals[detect.Requests]))
		}
		said = append(said, text)
	}
	if more := len(types) - maxTypes; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s holds %d types of entity, as keys or an attribute name them: %s", cmp.Or(cut(t.Target.Table), "the table"), len(types), strings.Join(said, "; "))
}

// requestsOf gives the requests to one type of entity.
func requestsOf(t *detect.TargetView, name string) uint64 {
	sum := uint64(0)
	for i := range t.Patterns {
		if p := &t.Patterns[i]; name != "" && cmp.Or(p.SortEntity, p.Entity) == name {
			sum += p.Requests
		}
	}
	return sum
}

// The kinds of indexes.
const (
	multiAttribute = "multi-attribute" // its partition key is several attributes together
	inverted       = "inverted"        // its key is the table's key turned round
	sparse         = "sparse"          // items of the table have no entry
	overloaded     = "overloaded"      // its keys begin as several types of entity
)

// A Design is what is peculiar about the keys of a DynamoDB table or index.
type Design struct {
	Kinds    []string // of an index: multi-attribute, inverted, sparse, overloaded
	Entities []Entity // types of its stored items, most bytes first; fewer than two are none
}

// An Entity is the items of one type, as keys or an attribute name it.
type Entity struct {
	Name     string // empty: items that tell no type
	Items    uint64
	Bytes    uint64
	Requests uint64 // to it, as far as traffic tells the type
}

// designOf gives what is peculiar about a target's keys; nil where nothing is.
func designOf(v *detect.View, t *detect.TargetView) *Design {
	if t.Target.Store != ingest.DynamoDB {
		return nil
	}
	d := &Design{Kinds: kindsOf(v, t)}
	for _, e := range byBytes(t.Stored.Entities) {
		d.Entities = append(d.Entities, Entity{e.Name, e.Items, e.Bytes, requestsOf(t, e.Name)})
	}
	if len(d.Kinds)+len(d.Entities) == 0 {
		return nil
	}
	return d
}

func byBytes(types []detect.EntitySize) []detect.EntitySize {
	types = slices.Clone(types)
	slices.SortStableFunc(types, func(a, b detect.EntitySize) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return types
}

// kindsOf gives what kind of index a target is, in the order above.
func kindsOf(v *detect.View, t *detect.TargetView) (kinds []string) {
	if t.Target.Index == "" {
		return nil
	}
	base := detect.Target{Store: t.Target.Store, Table: t.Target.Table}
	fact := func(of detect.Target, name string) string {
		value, _ := v.Fact(of, name)
		return value
	}
	hash, sort := fact(t.Target, ingest.FactPartitionKey), fact(t.Target, ingest.FactClustering)
	if strings.Contains(hash, ",") {
		kinds = append(kinds, multiAttribute)
	}
	if hash != "" && hash == fact(base, ingest.FactClustering) && sort == fact(base, ingest.FactPartitionKey) {
		kinds = append(kinds, inverted)
	}
	if all := storedIn(v, base); t.Stored.Items > 0 && t.Stored.UnixNano == all.UnixNano && t.Stored.Items < all.Items {
		kinds = append(kinds, sparse)
	}
	if len(typeNames(t.Stored.Entities)) > 1 {
		kinds = append(kinds, overloaded)
	}
	return kinds
}

// storedIn gives the stored items of a target.
func storedIn(v *detect.View, of detect.Target) *detect.StoredItems {
	for _, t := range v.Targets {
		if t.Target == of {
			return &t.Stored
		}
	}
	return &detect.StoredItems{}
}

// indexNotes tells what is peculiar about an index. That it is overloaded names types, which are parts of keys: see
// typeDesigns.
func indexNotes(v *detect.View, t *detect.TargetView) (said []string) {
	for _, kind := range kindsOf(v, t) {
		text := ""
		switch kind {
		case multiAttribute:
			hash, _ := v.Fact(t.Target, ingest.FactPartitionKey)
			text = fmt.Sprintf("its partition key is %d attributes together (%s): queries must give all, and heat is told by their tuple", strings.Count(hash, ",")+1, cut(hash))
		case inverted:
			text = "it is inverted: its key is the table's key turned round, so what shares a sort key there shares a partition here"
		case sparse:
			all := storedIn(v, detect.Target{Store: t.Target.Store, Table: t.Target.Table})
			text = fmt.Sprintf("it is sparse: %d of the table's %d items have an entry, the others lack an attribute of its key", t.Stored.Items, all.Items)
		default:
			continue
		}
		said = append(said, fmt.Sprintf("index %s of %s: %s", cut(t.Target.Index), cut(t.Target.Table), text))
	}
	return said
}

func typeNames(types []detect.EntitySize) (names []string) {
	for _, e := range types {
		if e.Name != "" {
			names = append(names, cut(e.Name))
		}
	}
	return names
}

// percentOf writes a share with a tenth.
func percentOf(part, whole uint64) string {
	m := detect.Ratio(part, whole)
	return fmt.Sprintf("%d.%d %%", m/10, m%10)
}
