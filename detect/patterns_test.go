package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

func TestEntitiesAreWhatNamesBeginKeys(t *testing.T) {
	for key, want := range map[string]string{
		"USER#42": "USER", "order-line_2#7#8": "order-line_2", "USER": "", "#42": "", "2026#06": "", "a b#1": "", "": "", "é#1": "",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF#1": "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG#1": "",
	} {
		if got := string(entity([]byte(key))); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// randomEvents are requests of a few patterns in order of time.
func randomEvents(seed uint64, n int) []*ingest.Event {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]*ingest.Event, n)
	for i := range out {
		e := &ingest.Event{Store: ingest.DynamoDB, Op: ingest.Op(r.IntN(int(ingest.Ops))), Table: []byte("orders"), KeyKnown: r.IntN(5) > 0,
			Requests: 1 + r.Uint64N(3), Consistency: ingest.Consistency(r.IntN(3)), At: ingest.Position{Byte: uint64(i) * 10, Line: uint64(i + 1)}}
		e.SetTime((testStart + int64(i/7)) * second)
		if e.KeyKnown {
			e.Key = fmt.Appendf(nil, "%s#%d", []string{"USER", "CART"}[r.IntN(2)], r.IntN(100))
		}
		if r.IntN(2) == 0 {
			e.SortKey = fmt.Appendf(nil, "ORDER#%040d", r.IntN(100))
		}
		if r.IntN(3) == 0 {
			e.Throttle, e.Partitions = ingest.ThrottledTable, 2
		}
		if r.IntN(2) == 0 {
			e.SetReadUnits(r.Uint64N(5000))
			e.SetLatency(r.Uint64N(100_000))
			e.SetBytes(r.Uint64N(5000))
			e.SetRows(r.Uint64N(50))
		}
		out[i] = e
	}
	return out
}

func patternsOfChunks(t *testing.T, events []*ingest.Event, chunk int) []PatternStats {
	t.Helper()
	c := NewCollector(smallSettings())
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	index := 0
	for ; len(events) > 0; index++ {
		n := min(chunk, len(events))
		sink := c.Begin(ingest.Chunk{Input: in, Index: index})
		for _, e := range events[:n] {
			sink.Event(e)
		}
		c.End(ingest.Chunk{Input: in, Index: index}, sink, ingest.ChunkStats{Records: uint64(n), Lines: uint64(n)})
		events = events[n:]
	}
	c.EndInput(in, index)
	c.EndFile(0, 1)
	p := c.Profile()
	form, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadProfile(form)
	if err != nil {
		t.Fatal(err)
	}
	return back.Targets[0].Patterns
}

var patternValues = cmp.Options{cmp.AllowUnexported(sketch.Histogram{}), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b *sketch.Histogram) bool {
	if a == nil || b == nil {
		return a == b
	}
	return string(a.AppendBinary(nil)) == string(b.AppendBinary(nil))
})}

// Patterns are sums: they are the same whatever the parts, held as events or not, and after a round trip.
func TestPatternsAreTheSameInAnyParts(t *testing.T) {
	const seed = 5
	events := randomEvents(seed, 5000)
	want := patternsOfChunks(t, events, len(events))
	for _, chunk := range []int{7, 100, 1999} {
		if diff := cmp.Diff(patternsOfChunks(t, events, chunk), want, patternValues); diff != "" {
			t.Fatalf("seed %d, chunks of %d (-got +want):\n%s", seed, chunk, diff)
		}
	}
	all, strong, peak := uint64(0), uint64(0), uint64(0)
	for _, p := range want {
		all, strong, peak = all+p.Requests, strong+p.Strong, max(peak, p.Peak.N)
	}
	wantAll, wantStrong, wantPeak := uint64(0), uint64(0), uint64(0)
	seconds := map[PatternKey]map[int64]uint64{}
	for _, e := range events {
		entity, sort := entities(e)
		k := PatternKey{"", e.Op, boundOf(e), string(entity), string(sort)}
		if seconds[k] == nil {
			seconds[k] = map[int64]uint64{}
		}
		nanos, _ := e.UnixNano()
		seconds[k][nanos] += e.Count()
		wantAll, wantPeak = wantAll+e.Count(), max(wantPeak, seconds[k][nanos])
		if e.Op.Reads() && e.Consistency == ingest.Strong {
			wantStrong += e.Count()
		}
	}
	if all != wantAll || strong != wantStrong || peak != wantPeak || len(want) != len(seconds) {
		t.Errorf("seed %d: %d requests, %d strong, peak %d in %d patterns, want %d, %d, %d in %d", seed, all, strong, peak, len(want), wantAll, wantStrong, wantPeak, len(seconds))
	}
}

func TestPatternsBeyondTheCapAreOneEachOperation(t *testing.T) {
	part := func(from int) *Profile {
		b := NewBuilder(smallSettings())
		b.inputContext = inputContext{coverage: ingest.Traffic}
		for i := range 400 {
			b.Event(&ingest.Event{Op: ingest.OpRead, Table: []byte("t"), Shape: fmt.Appendf(nil, "shape %d", from+i), KeyKnown: true})
		}
		return b.seal([]InputStats{{Name: "test"}})
	}
	p, err := Merge(part(0), part(1000))
	if err != nil {
		t.Fatal(err)
	}
	got := p.Targets[0].Patterns
	sum := uint64(0)
	for _, s := range got {
		sum += s.Requests
	}
	if len(got) > patternCap(1)+int(ingest.Ops) || sum != 800 || got[0].Shape != OtherShape {
		t.Errorf("%d patterns of %d requests, the first %q, want at most %d of 800, the first %q", len(got), sum, got[0].Shape, patternCap(1)+int(ingest.Ops), OtherShape)
	}
}

func TestManyPrefixesAreNoEntities(t *testing.T) {
	var list []PatternStats
	for i := range maxEntities + 1 {
		list = append(list, PatternStats{PatternKey: PatternKey{Op: ingest.OpRead, Entity: fmt.Sprintf("e%02d", i)}, Requests: 2})
	}
	if got := fewEntities(list[:maxEntities]); len(got) != maxEntities {
		t.Errorf("%d patterns of %d entities, want as many", len(got), maxEntities)
	}
	if got := fewEntities(list); len(got) != 1 || got[0].Requests != 2*(maxEntities+1) || got[0].Entity != ManyEntities {
		t.Errorf("got %+v, want one pattern without an entity", got)
	}
}

func TestPatternsBeyondTheCapAllocateNothing(t *testing.T) {
	var o openPatterns
	e := ingest.Event{Op: ingest.OpRead, KeyKnown: true}
	event := func(statement int) {
		e.Shape = fmt.Appendf(e.Shape[:0], "SELECT %d", statement)
		o.event(&e, 1, 1)
	}
	for statement := range 300 {
		event(statement)
	}
	if got, want := len(o.all), patternCap(1)+1; got != want {
		t.Fatalf("%d patterns, want %d", got, want)
	}
	statement := 0
	if n := testing.AllocsPerRun(1000, func() { statement++; event(statement % 300) }); n != 0 {
		t.Errorf("%v allocations an event, want 0", n)
	}
	for _, p := range o.all {
		if i := slices.IndexFunc(o.all, func(q *openPattern) bool { return q.PatternKey == p.PatternKey }); o.all[i] != p {
			t.Errorf("%+v is there twice", p.PatternKey)
		}
	}
}

func TestAStatementNamedLikeTheRestIsCountedWithIt(t *testing.T) {
	var o openPatterns
	for i := range patternCap(1) + 10 {
		shape := fmt.Appendf(nil, "SELECT %d", i)
		if i == 3 {
			shape = []byte(OtherShape)
		}
		o.event(&ingest.Event{Op: ingest.OpRead, Shape: shape}, 1, 1)
	}
	sealed := o.seal()
	if got, want := len(sealed), patternCap(1); got != want {
		t.Errorf("%d patterns, want %d", got, want)
	}
	i := slices.IndexFunc(sealed, func(p PatternStats) bool { return p.Shape == OtherShape })
	if got, want := sealed[i].Requests, uint64(11); got != want {
		t.Errorf("%d requests of the rest, want %d", got, want)
	}
}

// With more names before the # than a design has types of entity, they are part of the key: whatever the parts, the
// requests are those of one pattern each operation, and none is among the rest.
func TestKeysOfManyTenantsAreOfOnePattern(t *testing.T) {
	const seed = 6
	events := randomEvents(seed, 3000)
	for i, e := range events {
		if e.KeyKnown {
			e.Key = fmt.Appendf(nil, "T%d#U", i%400)
		}
		e.SortKey = nil
	}
	noPeak := cmpopts.IgnoreFields(PatternStats{}, "Peak") // a bound, which is lower with smaller parts
	want := patternsOfChunks(t, events, len(events))
	for _, chunk := range []int{7, 100, 1999} {
		if diff := cmp.Diff(patternsOfChunks(t, events, chunk), want, patternValues, noPeak); diff != "" {
			t.Fatalf("seed %d, chunks of %d (-got +want):\n%s", seed, chunk, diff)
		}
	}
	requests := map[PatternKey]uint64{}
	for _, e := range events {
		requests[PatternKey{Op: e.Op, Bound: boundOf(e), Entity: ManyEntities}] += e.Count()
	}
	for _, p := range want {
		if requests[p.PatternKey] != p.Requests {
			t.Errorf("seed %d: %+v has %d requests, want %d", seed, p.PatternKey, p.Requests, requests[p.PatternKey])
		}
	}
	if got, want := len(want), len(requests); got != want {
		t.Errorf("seed %d: %d patterns, want %d", seed, got, want)
	}
	for _, p := range shownPatterns(want) {
		if p.Entity != "" {
			t.Errorf("the entity %s is shown", p.Entity)
		}
	}
}

func TestAnEventOfManyTenantsAllocatesNothing(t *testing.T) {
	var o openPatterns
	e := ingest.Event{Op: ingest.OpRead, KeyKnown: true}
	i := 0
	event := func() {
		i++
		e.Key = fmt.Appendf(e.Key[:0], "T%d#U", i)
		o.event(&e, 1, 1)
	}
	for range maxEntities + 1 {
		event()
	}
	e.Key = []byte("T99#U")
	if n := testing.AllocsPerRun(1000, func() { o.event(&e, 1, 1) }); n != 0 || len(o.all) != 1 {
		t.Errorf("%v allocations an event in %d patterns, want 0 in 1", n, len(o.all))
	}
}
