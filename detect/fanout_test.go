package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestRequestsToManyPartitionsAreCountedByShape(t *testing.T) {
	var p *Profile
	for _, partitions := range []uint64{0, 9, 10, 99, 100, 250, 250} {
		b := NewBuilder(smallSettings())
		b.inputContext = inputContext{coverage: ingest.Traffic}
		e := &ingest.Event{Op: ingest.OpRead, Table: []byte("ks.t"), Shape: []byte("select"), Partitions: partitions, Requests: 2}
		e.At = ingest.Position{Byte: partitions, Line: 1}
		b.Event(e)
		raw, _ := b.seal([]InputStats{{Name: "log"}}).MarshalBinary()
		part, err := ReadProfile(raw)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			p = part
		} else if p, err = Merge(p, part); err != nil {
			t.Fatal(err)
		}
	}
	shapes := NewView(p, nil, DefaultLimits(), Rate{}).Targets[0].Shapes
	if len(shapes) != 1 {
		t.Fatalf("%d shapes, want 1", len(shapes))
	}
	want := ShapeStats{Shape: "select", Op: ingest.OpRead, FanOut: 10, Wide: 6, Widest: Breadth{250, ingest.Position{Input: 5, Byte: 250, Line: 1}}}
	if diff := cmp.Diff(shapes[0], want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}
