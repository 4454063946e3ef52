package detect

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestStoredItemsAreOfTheEntityThatKeyOrAttributeNames(t *testing.T) {
	for _, c := range []struct {
		name  string
		items int
		of    func(i int, e *ingest.Event)
		want  []EntitySize
	}{
		{"the sort key's first, then the partition key's, then the attribute", 30, func(i int, e *ingest.Event) {
			switch i % 3 {
			case 0:
				e.Key, e.SortKey, e.Entity = []byte("USER#1"), []byte("ORDER#5"), []byte("x")
			case 1:
				e.Key, e.SortKey = []byte("USER#1"), []byte("2026")
			case 2:
				e.Key, e.Entity = []byte("u1"), []byte("Profile")
			}
		}, []EntitySize{{"ORDER", 10, 1000}, {"Profile", 10, 1000}, {"USER", 10, 1000}}},
		{"one type is none", 30, func(i int, e *ingest.Event) { e.Key = fmt.Appendf(nil, "USER#%d", i) }, nil},
		{"nearly as many as items", 20, func(i int, e *ingest.Event) { e.Key = fmt.Appendf(nil, "k%d#1", i) }, nil},
		{"more than a design has", 400, func(i int, e *ingest.Event) { e.Key = fmt.Appendf(nil, "k%d#1", i%(maxEntities+1)) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			collector := NewCollector(smallSettings())
			in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.StateOnly}}
			for chunk := range 2 {
				s := collector.Begin(ingest.Chunk{Input: in, Index: chunk})
				for i := range c.items {
					e := &ingest.Event{Store: ingest.DynamoDB, Table: []byte("t"), KeyKnown: true}
					c.of(i, e)
					e.SetBytes(100)
					if i%2 == chunk {
						s.Event(e)
					}
				}
				collector.End(ingest.Chunk{Input: in, Index: chunk}, s, ingest.ChunkStats{})
			}
			collector.EndInput(in, 2)
			collector.EndFile(0, 1)
			raw, _ := collector.Profile().MarshalBinary()
			p, err := ReadProfile(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(NewView(p, nil, DefaultLimits(), Rate{}).Targets[0].Stored.Entities, c.want); diff != "" {
				t.Errorf("got -, want +\n%s", diff)
			}
		})
	}
}
