package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// CloudTrail tells of more writes than the stream, and of none what it cost.
func TestUnitsOfAStreamAreThoseOfTheRequestsThatCloudTrailTells(t *testing.T) {
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	read := func(h ingest.Handler) {
		s := h.Begin(ingest.Chunk{Input: in})
		for i := range 300 {
			e := &ingest.Event{Store: ingest.DynamoDB, Witness: ingest.TrailChanges, Op: ingest.OpWrite, Table: []byte("t"), KeyKnown: true, Key: []byte("hot")}
			e.SetTime((testStart + int64(i/10)) * second)
			s.Event(e)
			if e.Witness = ingest.ChangeStream; i%3 > 0 {
				e.SetWriteUnits(5000)
				e.SetBytes(5000)
				e.SetGrowth(100)
				s.Event(e)
			}
		}
		h.End(ingest.Chunk{Input: in}, s, ingest.ChunkStats{})
		h.EndInput(in, 1)
		h.EndFile(0, 1)
	}
	collector := NewCollector(smallSettings())
	read(collector)
	p := JoinStores(collector.Profile())
	x := NewCounter(p, Nominate(p))
	read(x)
	for name, exact := range map[string]*Exact{"counted": x.Exact(), "without a second pass": nil} {
		v := NewView(p, exact, DefaultLimits(), Rate{})
		type lent struct {
			Requests, Units, WriteMilli uint64
			Pane, Key                   uint64
			Second                      uint64
			Growing                     int
		}
		target := v.Targets[0]
		k := target.Keys[0]
		got := lent{
			target.Totals[Requests], target.Totals[UnitsKnown], target.Totals[WriteMilli],
			target.Panes[0].Totals[PaneWriteMilli], k.Series()[0].Writes.Low, 30_000, len(target.Growing),
		}
		if exact != nil {
			got.Second = k.Exact.Seconds[1].WriteMilli
		}
		want := lent{300, 200, 1_000_000, 1_000_000, 1_000_000, 30_000, 1}
		if exact != nil {
			want.Second = 35_000 // the 11th to the 20th write
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: got -, want +\n%s", name, diff)
		}
	}
}
