package detect

import (
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// An EntitySize is what an Inventory holds of the items of one type of entity of a target.
type EntitySize struct {
	Name  string // "": items that tell no type
	Items uint64
	Bytes uint64
}

func (s *EntitySize) add(o EntitySize) {
	s.Items, s.Bytes = AddSat(s.Items, o.Items), AddSat(s.Bytes, o.Bytes)
}

func compareEntities(a, b EntitySize) int { return strings.Compare(a.Name, b.Name) }

// entityOf gives the type of entity of an item, as single-table designs write it: what stands before the first # of its
// sort key, else of its partition key, else the attribute that names it.
func entityOf(e *ingest.Event) []byte {
	if name := entity(e.SortKey); name != nil {
		return name
	}
	if name := entity(e.Key); name != nil {
		return name
	}
	return e.Entity[:min(len(e.Entity), maxEntity)]
}

// entity adds stored items to their type. Where types are more than any design has, they are none, and Entities stays
// empty from then on.
func (t *StoredTarget) entity(e *ingest.Event, n, bytes uint64) {
	if t.Types || t.Distinct == nil {
		return
	}
	name := entityOf(e)
	for i := range t.Entities {
		if s := &t.Entities[i]; s.Name == string(name) {
			s.add(EntitySize{Items: n, Bytes: bytes})
			return
		}
	}
	t.joinEntities([]EntitySize{{string(name), n, bytes}})
}

func (t *StoredTarget) joinEntities(list []EntitySize) {
	t.Entities = joinSorted(t.Entities, list, compareEntities, (*EntitySize).add)
	if len(t.Entities) > maxEntities {
		t.Entities, t.Types = nil, true
	}
}

// typesOf gives the types of entity of stored items, in order of their names; nil where there are no two, or nearly as many as items: then what begins a key is part of it.
func (t *StoredTarget) typesOf() []EntitySize {
	if n := uint64(len(t.Entities)); n < 2 || 10*n > 9*t.Items {
		return nil
	}
	return t.Entities
}
