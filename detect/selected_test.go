package detect

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A telling is one selected record of a test.
type telling struct {
	node, role string
	minute     int
	key        string
	tombs      uint64
	aborted    bool
}

func tell(t *testing.T, list []telling) *Profile {
	t.Helper()
	var p *Profile
	for _, x := range list {
		b := NewBuilder(smallSettings())
		b.inputContext = inputContext{coverage: ingest.Selected, node: x.node, role: x.role}
		e := &ingest.Event{Op: ingest.OpRead, Table: []byte("ks.t"), Shape: []byte("select"), Key: []byte(x.key), KeyKnown: true}
		e.Warned, e.Aborted = !x.aborted, x.aborted
		e.SetTime((testStart + int64(x.minute)*60) * second)
		e.SetTombstones(x.tombs)
		b.Event(e)
		part := b.seal([]InputStats{{Name: x.node + "/" + x.role}})
		raw, _ := part.MarshalBinary()
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
	return p
}

func TestOneReadIsOneReadHoweverManyTellOfIt(t *testing.T) {
	tests := []struct {
		name  string
		list  []telling
		reads Range
		tombs Range
	}{
		{"system and debug log of a node repeat each other", []telling{
			{node: "a", role: "system", minute: 1, tombs: 1500}, {node: "a", role: "debug", minute: 1, tombs: 1500},
		}, Range{1, 1}, Range{1500, 1500}},
		{"logs of a node that overlap in part", []telling{
			{node: "a", role: "system", minute: 1, tombs: 1500}, {node: "a", role: "system", minute: 2, tombs: 1500},
			{node: "a", role: "debug", minute: 2, tombs: 1500}, {node: "a", role: "debug", minute: 3, tombs: 1500},
		}, Range{3, 3}, Range{4500, 4500}},
		{"replicas", []telling{
			{node: "a", role: "system", minute: 1, tombs: 1500}, {node: "b", role: "system", minute: 1, tombs: 1400},
		}, Range{1, 2}, Range{1500, 2900}},
		{"the warning and the error of an aborted read", []telling{
			{node: "a", role: "system", minute: 1, tombs: 1001}, {node: "a", role: "system", minute: 1, tombs: 1001, aborted: true},
		}, Range{1, 1}, Range{1001, 1001}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := NewView(tell(t, test.list), nil, DefaultLimits(), Rate{})
			if len(v.Targets) != 1 || len(v.Targets[0].Selected) != 1 {
				t.Fatalf("%d targets, want 1 with 1 kind of read", len(v.Targets))
			}
			s := v.Targets[0].Selected[0]
			if diff := cmp.Diff(test.reads, s.Reads()); diff != "" {
				t.Errorf("reads (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.tombs, s.Tombstones()); diff != "" {
				t.Errorf("tombstones (-want +got):\n%s", diff)
			}
			if v.Targets[0].Totals[Requests] != 0 {
				t.Errorf("selected records count as traffic")
			}
		})
	}
}

func TestSelectedRecordsBeyondTheCapAreCountedAsLost(t *testing.T) {
	b := NewBuilder(smallSettings())
	b.coverage = ingest.Selected
	const n = 5 * MaxSelected
	for i := range n {
		e := &ingest.Event{Op: ingest.OpRead, Table: []byte("t"), Key: fmt.Appendf(nil, "k%06d", i), KeyKnown: true}
		e.SetTombstones(uint64(i))
		b.Event(e)
	}
	p := b.seal([]InputStats{{}})
	if got, want := len(p.Targets[0].Selected), MaxSelected; got != want {
		t.Errorf("%d kept, want %d", got, want)
	}
	if got, want := p.Lost.Selected, uint64(n-MaxSelected); got != want {
		t.Errorf("%d lost, want %d", got, want)
	}
	best := NewView(p, nil, DefaultLimits(), Rate{}).Targets[0].Selected[0]
	if got, want := string(best.Key), fmt.Sprintf("k%06d", n-1); got != want {
		t.Errorf("first is %s, want %s", got, want)
	}
}

func TestStatesKeepTheLargestAndTheDays(t *testing.T) {
	b := NewBuilder(smallSettings())
	for i, v := range []uint64{10, 30, 20} {
		b.State(&ingest.State{
			Table: []byte("ks.t"), Key: []byte("k"), KeyKnown: true, Measure: ingest.PartitionBytes, Value: v,
			UnixNano: (testStart + int64(i)*86400) * second, At: ingest.Position{Byte: uint64(i)}, Said: i == 2,
		})
	}
	b.Fact(&ingest.Fact{Table: []byte("ks.t"), Name: ingest.FactGCGrace, Value: []byte("864000")})
	b.Fact(&ingest.Fact{Table: []byte("ks.t"), Name: ingest.FactGCGrace, Value: []byte("3600"), UnixNano: 5})
	b.Point(&ingest.Point{Table: []byte("ks.t"), Name: []byte("ReadThrottleEvents"), Stat: "sum", Milli: 5000, UnixNano: testStart * second, Seconds: 60})
	raw, _ := b.seal([]InputStats{{}}).MarshalBinary()
	p, err := ReadProfile(raw)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Targets[0].States[0]
	if s.Max != 30 || s.Count != 3 || !s.Said || len(s.Days) != 3 || s.Positions[0].Byte != 1 {
		t.Errorf("got %+v", s)
	}
	v := NewView(p, nil, DefaultLimits(), Rate{})
	if value, ok := v.Fact(p.Targets[0].Target, ingest.FactGCGrace); value != "3600" || !ok {
		t.Errorf("gc grace %q, %v", value, ok)
	}
	if c := v.Conflicts(); len(c) != 1 || len(c[0].Values) != 2 {
		t.Errorf("conflicts: %+v", c)
	}
	if len(p.Points) != 1 || p.Points[0].Values[0].Milli != 5000 {
		t.Errorf("points: %+v", p.Points)
	}
}

func TestItemCollectionsAreMeasuredInTheSecondPass(t *testing.T) {
	event := func(i int) *ingest.Event {
		e := &ingest.Event{Store: ingest.DynamoDB, Table: []byte("t"), Key: fmt.Appendf(nil, "k%05d", i*i%3000), KeyKnown: true}
		e.SetBytes(uint64(100 + i%7))
		return e
	}
	in := &ingest.Input{Name: "export", Format: &ingest.Format{Name: "test", Coverage: ingest.StateOnly}}
	read := func(h ingest.Handler) {
		for c := range 4 {
			s := h.Begin(ingest.Chunk{Input: in, Index: c})
			for i := c * 5000; i < (c+1)*5000; i++ {
				s.Event(event(i))
			}
			h.End(ingest.Chunk{Input: in, Index: c}, s, ingest.ChunkStats{})
		}
		h.EndInput(in, 4)
		h.EndFile(0, 1)
	}
	want := map[string]uint64{}
	for i := range 20000 {
		e := event(i)
		n, _ := e.Bytes()
		want[string(e.Key)] += n
	}
	c := NewCollector(smallSettings())
	read(c)
	p := c.Profile()
	for _, second := range []bool{false, true} {
		var x *Exact
		if second {
			counter := NewCounter(p, Nominate(p))
			read(counter)
			x = counter.Exact()
		}
		stored := NewView(p, x, DefaultLimits(), Rate{}).Targets[0].Stored
		if stored.Items != 20000 {
			t.Errorf("%d items, want 20000", stored.Items)
		}
		exact := 0
		for _, c := range stored.Collections {
			if n := want[string(c.Key)]; n < c.Bytes.Low || n > c.Bytes.High {
				t.Errorf("%s: %d bytes outside %v", c.Key, n, c.Bytes)
			}
			if c.Bytes.Exact() {
				exact++
			}
		}
		if second && exact < nominatedByRank {
			t.Errorf("%d collections measured, want %d", exact, nominatedByRank)
		}
	}
}

func TestListsOfSamplersAreKeptApart(t *testing.T) {
	b := NewBuilder(smallSettings())
	b.inputContext = inputContext{coverage: ingest.Selected, name: "toppartitions.txt"}
	for _, x := range []struct {
		role string
		op   ingest.Op
		n    uint64
	}{{"sampler 1", ingest.OpRead, 100}, {"sampler 1", ingest.OpWrite, 50}, {"sampler 2", ingest.OpRead, 120}} {
		b.Event(&ingest.Event{Table: []byte("t"), Key: []byte("k"), KeyKnown: true, Op: x.op, Role: x.role, Requests: x.n, Error: 3})
	}
	v := NewView(b.seal([]InputStats{{}}), nil, DefaultLimits(), Rate{})
	var got []SampledKey
	for _, w := range v.Targets[0].Windows {
		got = append(got, w.Keys...)
	}
	if len(got) != 2 || got[0].Requests != 150 || got[0].Error != 6 || got[1].Requests != 120 {
		t.Errorf("got %+v", got)
	}
	if len(v.Targets[0].Selected) != 0 {
		t.Errorf("lines of a list are no reads of their own")
	}
}

func TestAConflictWithinALaterPartIsNotLost(t *testing.T) {
	fact := func(value string) *Profile {
		b := NewBuilder(smallSettings())
		b.Fact(&ingest.Fact{Table: []byte("ks.t"), Name: ingest.FactGCGrace, Value: []byte(value)})
		return b.seal([]InputStats{{}})
	}
	later, err := Merge(fact("3600"), fact("864000"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Merge(fact("864000"), later)
	if err != nil {
		t.Fatal(err)
	}
	if c := NewView(p, nil, DefaultLimits(), Rate{}).Conflicts(); len(c) != 1 || len(c[0].Values) != 2 {
		t.Errorf("conflicts %+v, want one of two values", c)
	}
}
