package detect

import (
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// A naming is traffic with many names of one kind.
type naming func(e *ingest.Event, i int)

func profileOf(t *testing.T, from, to int, name naming) *Profile {
	t.Helper()
	b := NewBuilder(smallSettings())
	for i := from; i < to; i++ {
		e := &ingest.Event{Op: ingest.OpRead, KeyKnown: true, Table: []byte("t"), Key: []byte("k")}
		e.SetTime(testStart * second)
		e.SetTombstones(uint64(i))
		name(e, i)
		b.Event(e)
	}
	return b.seal([]InputStats{{Name: "test"}})
}

func TestMergedPartsStayWithinTheCaps(t *testing.T) {
	tests := []struct {
		name   string
		naming naming
		each   int
		held   func(p *Profile) int
		most   int
		lost   func(p *Profile) uint64
	}{
		{"tables", func(e *ingest.Event, i int) { e.Table = fmt.Appendf(nil, "t%d", i) }, 3000,
			func(p *Profile) int { return len(p.Targets) }, MaxTargets + 1, func(p *Profile) uint64 { return p.Lost.Targets }},
		{"nodes", func(e *ingest.Event, i int) { e.Node = fmt.Appendf(nil, "n%d", i) }, 900,
			func(p *Profile) int { return len(p.Nodes) }, MaxNodes, func(p *Profile) uint64 { return p.Lost.Nodes }},
		{"shapes", func(e *ingest.Event, i int) { e.Shape = fmt.Appendf(nil, "s%d", i) }, 900,
			func(p *Profile) int { return len(p.Targets[0].Shapes) }, MaxShapes + int(ingest.Ops), func(p *Profile) uint64 { return p.Lost.Shapes }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := profileOf(t, 0, test.each, test.naming)
			for i := 1; i < 4; i++ {
				q, err := Merge(p, profileOf(t, i*test.each, (i+1)*test.each, test.naming))
				if err != nil {
					t.Fatal(err)
				}
				p = q
			}
			if got := test.held(p); got > test.most {
				t.Errorf("%d held, want at most %d", got, test.most)
			}
			if got, want := test.lost(p), uint64(4*test.each-test.most); got < want {
				t.Errorf("%d requests said to be lost, want at least %d", got, want)
			}
			sum := uint64(0)
			for i := range p.Targets {
				sum += p.Targets[i].Totals[Requests]
			}
			if want := uint64(4 * test.each); sum != want {
				t.Errorf("totals of %d requests, want %d", sum, want)
			}
			b, _ := p.MarshalBinary()
			if _, err := ReadProfile(b); err != nil {
				t.Errorf("does not read back: %v", err)
			}
		})
	}
}

func TestABuilderWithTooManyTablesCountsTheRestTogether(t *testing.T) {
	p := profileOf(t, 0, MaxTargets+100, func(e *ingest.Event, i int) { e.Table = fmt.Appendf(nil, "t%d", i) })
	if got, want := p.Lost.Targets, uint64(100); got != want {
		t.Errorf("%d lost, want %d", got, want)
	}
	if got, want := len(p.Targets), MaxTargets+1; got != want {
		t.Errorf("%d targets, want %d", got, want)
	}
}

func TestAnEventOfAKnownKindAllocatesNothing(t *testing.T) {
	for _, keysOnly := range []bool{false, true} {
		s := DefaultSettings()
		s.KeysOnly, s.NoPanes = keysOnly, keysOnly
		b := NewBuilder(s)
		e := &ingest.Event{Op: ingest.OpRead, KeyKnown: true, Table: []byte("ks.t"), Key: []byte("CUSTOMER#42"), Node: []byte("10.0.0.1")}
		e.SetTime(testStart * second)
		e.SetBytes(100)
		e.SetTombstones(3)
		e.SetLatency(1000)
		b.Event(e)
		if n := testing.AllocsPerRun(1000, func() { b.Event(e) }); n != 0 {
			t.Errorf("keys only %v: %v allocations an event, want 0", keysOnly, n)
		}
	}
}

func BenchmarkBuilder(b *testing.B) {
	for _, tables := range []int{1, 8, 20, 500} {
		for _, keysOnly := range []bool{false, true} {
			b.Run(fmt.Sprintf("tables=%d/keysOnly=%v", tables, keysOnly), func(b *testing.B) {
				l := load{events: 400_000, tables: tables, keys: 1_000_000, minutes: 3, sorted: true}
				var events []*ingest.Event
				l.each(1, func(e *ingest.Event) { events = append(events, e) })
				s := DefaultSettings()
				s.KeysOnly, s.NoPanes = keysOnly, keysOnly
				builder := NewBuilder(s)
				b.ReportAllocs()
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					if i%len(events) == 0 {
						builder.Reset()
					}
					builder.Event(events[i%len(events)])
				}
			})
		}
	}
}

func TestSelectedRecordsOfTablesThatGiveWayKeepTheirPlaces(t *testing.T) {
	part := func(from int) *Profile {
		b := NewBuilder(smallSettings())
		b.inputContext = inputContext{coverage: ingest.Selected, node: "a", role: "system"}
		for i := from; i < from+3000; i++ {
			e := &ingest.Event{Op: ingest.OpRead, Table: fmt.Appendf(nil, "t%d", i), At: ingest.Position{Byte: uint64(i)}}
			e.SetTombstones(uint64(i))
			b.Event(e)
		}
		return b.seal([]InputStats{{Name: "test"}})
	}
	p, err := Merge(part(0), part(3000))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range p.Targets {
		for _, s := range target.Selected {
			for _, at := range s.Positions {
				if int(at.Input) != int(at.Byte/3000) {
					t.Fatalf("%s: %+v is of input %d", target.Target.Table, at, at.Byte/3000)
				}
			}
		}
	}
	if got, want := len(p.Targets), MaxTargets+1; got != want {
		t.Errorf("%d targets, want %d", got, want)
	}
}

func TestNomineesAreCountedAmongAnyNumberOfTables(t *testing.T) {
	each := func(do func(e *ingest.Event)) {
		for i := range 3 * MaxTargets {
			do(&ingest.Event{KeyKnown: true, Table: fmt.Appendf(nil, "t%d", i), Key: []byte("k")})
			do(&ingest.Event{KeyKnown: true, Table: []byte("hot"), Key: []byte("k")})
		}
	}
	b := NewBuilder(smallSettings())
	each(b.Event)
	p := b.seal([]InputStats{{}})
	n := Nominate(p)
	c := NewCounter(p, n)
	in := &ingest.Input{Format: &ingest.Format{Coverage: ingest.Traffic}}
	s := c.Begin(ingest.Chunk{Input: in})
	each(s.Event)
	c.End(ingest.Chunk{Input: in}, s, ingest.ChunkStats{})
	c.EndInput(in, 1)
	c.EndFile(0, 1)
	x := c.Exact()
	for i, k := range n.Keys {
		if n.Targets[k.Target].Table == "hot" {
			if got, want := x.Keys[i].Totals[Requests], uint64(3*MaxTargets); got != want {
				t.Errorf("%d requests of the hot table's key, want %d", got, want)
			}
			return
		}
	}
	t.Error("the hot table's key is not nominated")
}

func TestATableThatFoundNoRoomInAPartHasWiderBounds(t *testing.T) {
	build := func(tables int) *Profile {
		b := NewBuilder(smallSettings())
		for i := range tables {
			e := &ingest.Event{KeyKnown: true, Table: fmt.Appendf(nil, "t%d", i), Key: []byte("k")}
			b.Event(e)
		}
		e := &ingest.Event{KeyKnown: true, Table: []byte("late"), Key: []byte("k"), Requests: 10}
		b.Event(e)
		return b.seal([]InputStats{{}})
	}
	p, err := Merge(build(MaxTargets), build(5)) // the first part has no room for it
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := p.MarshalBinary()
	if p, err = ReadProfile(raw); err != nil {
		t.Fatal(err)
	}
	for _, target := range NewView(p, nil, DefaultLimits(), Rate{}).Targets {
		if target.Target.Table != "late" {
			continue
		}
		if k := target.Keys[0].Requests; k.Low > 20 || k.High < 20 || k.Exact() {
			t.Errorf("20 requests were made, bounds are %v", k)
		}
		return
	}
	t.Error("the late table is not there")
}
