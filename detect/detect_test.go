package detect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// An oracle counts exactly what a Profile only bounds.
type oracle struct {
	run   map[string]uint64            // by target and key
	panes map[uint32]map[string]uint64 // by finest pane
	total map[Target]uint64
}

// A load describes generated traffic of a test.
type load struct {
	name             string
	events           int
	tables, keys     int
	minutes          int
	sorted           bool
	hot              uint64 // percent of table 0's requests on one key
	untimed, sortKey bool
	nodes            int
	columns          bool
}

const testStart = 1_780_000_000 - 1_780_000_000%86400

func (l load) each(seed uint64, do func(e *ingest.Event)) {
	r := rand.New(rand.NewPCG(seed, 1))
	z := rand.NewZipf(r, 1.1, 1, uint64(l.keys-1))
	tz := rand.NewZipf(r, 1.5, 1, uint64(l.tables-1+1))
	for i := range l.events {
		table := int(tz.Uint64()) % l.tables
		key := fmt.Sprintf("key-%06d", z.Uint64())
		if table == 0 && r.Uint64N(100) < l.hot {
			key = "hot"
		}
		at := i * l.minutes * 60 / l.events
		if !l.sorted {
			at = r.IntN(l.minutes * 60)
		}
		e := &ingest.Event{
			Store: ingest.Cassandra, Op: ingest.OpRead, KeyKnown: true, Requests: 1 + r.Uint64N(3),
			Table: fmt.Appendf(nil, "ks.t%03d", table), Key: []byte(key),
			At: ingest.Position{Byte: uint64(i) * 10, Line: uint64(i + 1)},
		}
		if !l.untimed {
			e.SetTime((testStart + int64(at)) * second)
		}
		if l.sortKey {
			e.SortKey = fmt.Appendf(nil, "s%08d", i)
		}
		if l.nodes > 0 {
			e.Node = fmt.Appendf(nil, "10.0.0.%d", r.IntN(l.nodes))
		}
		if l.columns { // few values and many, some of them empty or absent
			e.Columns = [][]byte{fmt.Appendf(nil, "v%d", i*i%37), nil}
			if i%3 > 0 {
				e.Columns[1] = bytes.Repeat([]byte("w"), i%90)
			}
		}
		e.SetBytes(r.Uint64N(4096))
		e.SetTombstones(r.Uint64N(20))
		e.SetRows(r.Uint64N(5))
		e.SetLatency(r.Uint64N(100000))
		do(e)
	}
}

func (l load) oracle(seed uint64) oracle {
	o := oracle{run: map[string]uint64{}, panes: map[uint32]map[string]uint64{}, total: map[Target]uint64{}}
	l.each(seed, func(e *ingest.Event) {
		name := string(e.Table) + "/" + string(e.Key)
		o.run[name] += e.Count()
		o.total[Target{Store: e.Store, Table: string(e.Table), Index: ""}] += e.Count()
		nanos, _ := e.UnixNano()
		start := uint32(nanos/second) / 60 * 60
		if o.panes[start] == nil {
			o.panes[start] = map[string]uint64{}
		}
		o.panes[start][name] += e.Count()
	})
	return o
}

// profile makes a Profile in chunks of so many events.
func (l load) profile(t *testing.T, seed uint64, s Settings, chunk int) *Profile {
	t.Helper()
	c := NewCollector(s)
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	var sink ingest.Sink
	n, index := 0, 0
	end := func() {
		c.End(ingest.Chunk{Input: in, Index: index}, sink, ingest.ChunkStats{Records: uint64(n), Lines: uint64(n)})
		sink, n, index = nil, 0, index+1
	}
	l.each(seed, func(e *ingest.Event) {
		if sink == nil {
			sink = c.Begin(ingest.Chunk{Input: in, Index: index})
		}
		e.At.Line = uint64(n + 1)
		sink.Event(e)
		if n++; n == chunk {
			end()
		}
	})
	if sink != nil {
		end()
	}
	c.EndInput(in, index)
	c.EndFile(0, 1)
	return c.Profile()
}

func smallSettings() Settings {
	s := DefaultSettings()
	s.Memory = MinMemory
	return s
}

var loads = []load{
	{name: "one table in order", events: 60_000, tables: 1, keys: 20_000, minutes: 20, sorted: true, hot: 20},
	{name: "twenty tables in order over hours", events: 60_000, tables: 20, keys: 5_000, minutes: 400, sorted: true, nodes: 3},
	{name: "twenty tables out of order", events: 60_000, tables: 20, keys: 5_000, minutes: 1440, hot: 40},
	{name: "five hundred tables", events: 60_000, tables: 500, keys: 2_000, minutes: 60, sorted: true},
	{name: "events of unknown time", events: 20_000, tables: 3, keys: 5_000, minutes: 1, untimed: true},
}

func TestBoundsOfAProfileHoldForEveryKey(t *testing.T) {
	for _, l := range loads {
		for _, chunk := range []int{1_000_000, 7_000, 500} {
			t.Run(fmt.Sprintf("%s, chunks of %d", l.name, chunk), func(t *testing.T) {
				seed := uint64(chunk)
				p := l.profile(t, seed, smallSettings(), chunk)
				checkBounds(t, p, l.oracle(seed))
			})
		}
	}
}

func checkBounds(t *testing.T, p *Profile, o oracle) {
	t.Helper()
	v := NewView(p, nil, DefaultLimits(), Rate{})
	for _, target := range v.Targets {
		if got, want := target.Totals[Requests], o.total[target.Target]; got != want {
			t.Errorf("%v: %d requests, want %d", target.Target, got, want)
		}
	}
	violations := 0
	for name, want := range o.run {
		table, key := name[:7], name[8:]
		target := v.Targets[indexOf(p, table)]
		r := Range{0, target.Untold.Requests}
		for _, k := range target.Keys {
			if string(k.Key) == key {
				r = k.Requests
			}
		}
		if want < r.Low || want > r.High {
			violations++
			t.Logf("%s: %d outside [%d, %d]", name, want, r.Low, r.High)
		}
	}
	violations += paneViolations(t, p, o)
	if violations > 0 {
		t.Errorf("%d bounds violated", violations)
	}
}

func paneViolations(t *testing.T, p *Profile, o oracle) int {
	t.Helper()
	wide := map[uint32]map[string]uint64{}
	for start, keys := range o.panes {
		at := start - start%p.Width
		if wide[at] == nil {
			wide[at] = map[string]uint64{}
		}
		for k, n := range keys {
			wide[at][k] += n
		}
	}
	violations := 0
	for i := range p.Panes {
		for name, want := range wide[p.Panes[i].Start] {
			r := bounds(p.Panes[i].Keys, uint32(indexOf(p, name[:7])), []byte(name[8:]))[ByRequests]
			if want < r.Low || want > r.High {
				violations++
			}
		}
	}
	return violations
}

func indexOf(p *Profile, table string) int {
	for i := range p.Targets {
		if p.Targets[i].Target.Table == table {
			return i
		}
	}
	return -1
}

func TestAProfileReadsBackAsItWasWritten(t *testing.T) {
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			p := l.profile(t, 7, smallSettings(), 9_000)
			b, _ := p.MarshalBinary()
			q, err := ReadProfile(b)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := q.MarshalBinary()
			if string(again) != string(b) {
				t.Errorf("written again: %d bytes, want the same %d", len(again), len(b))
			}
		})
	}
}

func TestADamagedProfileIsRefused(t *testing.T) {
	p := load{events: 300, tables: 3, keys: 50, minutes: 3, sorted: true}.profile(t, 1, smallSettings(), 100)
	b, _ := p.MarshalBinary()
	for i := range b {
		damaged := append([]byte(nil), b...)
		damaged[i] ^= 0x40
		if _, err := ReadProfile(damaged); err == nil {
			t.Fatalf("accepted with byte %d changed", i)
		}
		if _, err := ReadProfile(b[:i]); err == nil {
			t.Fatalf("accepted when cut to %d bytes", i)
		}
	}
}

func TestTheOrderOfArrivalDoesNotReachTheProfile(t *testing.T) {
	s := smallSettings()
	l := loads[2]
	want, _ := l.profile(t, 3, s, 1000).MarshalBinary()
	c := NewCollector(s)
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	var chunks [][]*ingest.Event
	l.each(3, func(e *ingest.Event) {
		if len(chunks) == 0 || len(chunks[len(chunks)-1]) == 1000 {
			chunks = append(chunks, nil)
		}
		last := &chunks[len(chunks)-1]
		e.At.Line = uint64(len(*last) + 1)
		*last = append(*last, e)
	})
	for _, i := range rand.New(rand.NewPCG(5, 5)).Perm(len(chunks)) {
		sink := c.Begin(ingest.Chunk{Input: in, Index: i})
		for _, e := range chunks[i] {
			sink.Event(e)
		}
		n := uint64(len(chunks[i]))
		c.End(ingest.Chunk{Input: in, Index: i}, sink, ingest.ChunkStats{Records: n, Lines: n})
	}
	c.EndFile(0, 1)
	c.EndInput(in, len(chunks))
	got, _ := c.Profile().MarshalBinary()
	if string(got) != string(want) {
		t.Errorf("another order of arrival gives other bytes")
	}
}

func TestTheSecondPassCountsNomineesExactly(t *testing.T) {
	for _, l := range loads[:4] {
		t.Run(l.name, func(t *testing.T) {
			l.sortKey = true
			p := l.profile(t, 11, smallSettings(), 4_000)
			n := Nominate(p)
			x := l.exact(p, n, 11, 4_000)
			o := l.oracle(11)
			for i, k := range n.Keys {
				name := n.Targets[k.Target].Table + "/" + string(k.Key)
				if got, want := x.Keys[i].Totals[Requests], o.run[name]; got != want {
					t.Errorf("%s: %d requests, want %d", name, got, want)
				}
				sum := uint64(0)
				for _, pane := range x.Keys[i].Panes {
					sum += pane.Requests
				}
				if diff := cmp.Diff(o.run[name], sum); diff != "" {
					t.Errorf("%s: sum of panes (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func (l load) exact(p *Profile, n *Nominees, seed uint64, chunk int) *Exact {
	c := NewCounter(p, n)
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test"}}
	var sink ingest.Sink
	count, index := 0, 0
	end := func() {
		c.End(ingest.Chunk{Input: in, Index: index}, sink, ingest.ChunkStats{Lines: uint64(count)})
		sink, count, index = nil, 0, index+1
	}
	l.each(seed, func(e *ingest.Event) {
		if sink == nil {
			sink = c.Begin(ingest.Chunk{Input: in, Index: index})
		}
		sink.Event(e)
		if count++; count == chunk {
			end()
		}
	})
	if sink != nil {
		end()
	}
	c.EndInput(in, index)
	c.EndFile(0, 1)
	return c.Exact()
}
