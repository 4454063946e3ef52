package detect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A PatternKey tells the ways in which a target is accessed apart.
type PatternKey struct {
	Shape string // statement; "" where records carry none, OtherShape beyond the cap
	Op    ingest.Op
	Bound Bound
	// Entity and SortEntity are what stands before the first # of partition and sort key, where the table
	// may be of a single-table design; "" else, and ManyEntities and "" where those are too many to be types.
	Entity     string
	SortEntity string
}

// A Bound says which parts of the key the records of a pattern name.
type Bound uint8

// The parts of a Bound.
const (
	BoundPartition Bound = 1 << iota // the partition key
	BoundSort                        // the sort key
	BoundMany                        // several partitions at once
	boundValues
)

// A PatternStats is what a Profile holds of one way in which a target is accessed. It counts traffic alone.
type PatternStats struct {
	PatternKey
	Requests   uint64
	Refused    uint64 // throttled
	Rows       uint64
	RowsKnown  uint64 // requests whose rows are known; so with the measures below
	Bytes      uint64
	BytesKnown uint64
	ReadMilli  uint64
	WriteMilli uint64
	UnitsKnown uint64
	// Strong are reads that wait for a majority of replicas or more, of ConsistencyKnown.
	Strong           uint64
	ConsistencyKnown uint64
	Latency          *sketch.Histogram // microseconds; nil when no record has one
	// Peak is its busiest second: a lower bound where the records of a second are far apart in the input.
	Peak sketch.Peak
}

// An openPattern is a PatternStats in the making.
type openPattern struct {
	PatternStats
	now sketch.Peak // the second that is being counted
}

// openPatterns are the patterns of one target in the making.
type openPatterns struct {
	all    []*openPattern
	slots  []patternSlot // open addressing by patternHash, at most half full; nil: none yet
	recent [ingest.Ops]*openPattern
	other  [ingest.Ops]*openPattern              // of OtherShape
	joined [ingest.Ops][boundValues]*openPattern // of no statement, with many
	types  int                                   // different pairs of entities
	many   bool                                  // they are more than maxEntities
}

// A patternSlot is the place of a pattern in openPatterns.all, plus one; 0: free.
type patternSlot struct {
	hash  uint64
	place uint32
}

// patternCap gives how many patterns each of n targets holds; beyond are one of OtherShape each operation.
func patternCap(n int) int { return min(max(16384/max(n, 1), 4), 256) }

// event counts one request of n open targets. It allocates for a pattern that is new alone.
func (o *openPatterns) event(e *ingest.Event, sec uint32, n int) {
	p := o.of(e, n)
	count := e.Count()
	p.Requests += count
	if e.Throttle != ingest.NotThrottled {
		p.Refused += count
	}
	p.measure(e, count)
	if e.Consistency != ingest.ConsistencyUnknown && e.Op.Reads() {
		p.ConsistencyKnown += count
		if e.Consistency == ingest.Strong {
			p.Strong += count
		}
	}
	if sec != 0 {
		p.second(sec, count)
	}
}

func (p *PatternStats) measure(e *ingest.Event, n uint64) {
	if v, ok := e.Rows(); ok {
		p.Rows, p.RowsKnown = AddSat(p.Rows, v), p.RowsKnown+n
	}
	if v, ok := e.Bytes(); ok {
		p.Bytes, p.BytesKnown = AddSat(p.Bytes, v), p.BytesKnown+n
	}
	r, okR := e.ReadUnits()
	w, okW := e.WriteUnits()
	if okR || okW {
		p.ReadMilli, p.WriteMilli, p.UnitsKnown = AddSat(p.ReadMilli, r), AddSat(p.WriteMilli, w), p.UnitsKnown+n
	}
	if v, ok := e.Latency(); ok {
		if p.Latency == nil {
			p.Latency = &sketch.Histogram{}
		}
		p.Latency.Add(v, n)
	}
}

func (p *openPattern) second(sec uint32, n uint64) {
	if p.now.At != sec {
		p.Peak, p.now = joinPeak(p.Peak, p.now), sketch.Peak{At: sec}
	}
	p.now.N += n
}

// joinPeak adds what is seen of the same second; else the busier second stays, of equals the earlier.
func joinPeak(a, b sketch.Peak) sketch.Peak {
	switch {
	case a.N > 0 && b.N > 0 && a.At == b.At:
		a.N = AddSat(a.N, b.N)
	case b.N > a.N || b.N == a.N && b.N > 0 && b.At < a.At:
		return b
	}
	return a
}

// of gives the pattern of an event among those of n open targets. A statement is mostly that of the last event of
// its operation; entities differ from event to event.
func (o *openPatterns) of(e *ingest.Event, n int) *openPattern {
	bound := boundOf(e)
	if o.many && len(e.Shape) == 0 {
		p := &o.joined[e.Op][bound]
		if *p == nil {
			*p = o.find(e, bound, []byte(ManyEntities), nil, n)
		}
		return *p
	}
	var entity, sort []byte
	if !o.many {
		entity, sort = entities(e)
	}
	if p := o.recent[e.Op]; p != nil && p.is(e, bound, entity, sort) {
		return p
	}
	p := o.find(e, bound, entity, sort, n)
	o.recent[e.Op] = p
	return p
}

func (p *openPattern) is(e *ingest.Event, bound Bound, entity, sort []byte) bool {
	return p.Op == e.Op && p.Bound == bound && p.Shape == string(e.Shape) && p.Entity == string(entity) && p.SortEntity == string(sort)
}

// find gives the pattern of an event, made if need be. One beyond the cap allocates nothing.
func (o *openPatterns) find(e *ingest.Event, bound Bound, entity, sort []byte, n int) *openPattern {
	h := patternHash(e.Shape, e.Op, bound, entity, sort)
	if mask := uint64(len(o.slots) - 1); len(o.slots) > 0 {
		for at := h & mask; o.slots[at].place > 0; at = (at + 1) & mask {
			if s := o.slots[at]; s.hash == h && o.all[s.place-1].is(e, bound, entity, sort) {
				return o.all[s.place-1]
			}
		}
	}
	if !o.many && len(e.Shape) == 0 && o.newEntities(entity, sort) {
		if o.types++; o.types > maxEntities {
			o.joinEntities()
			return o.of(e, n)
		}
	}
	if len(o.all) >= patternCap(n) {
		return o.rest(e.Op)
	}
	return o.add(&openPattern{PatternStats: PatternStats{PatternKey: PatternKey{string(e.Shape), e.Op, bound, string(entity), string(sort)}}})
}

func (o *openPatterns) newEntities(entity, sort []byte) bool {
	return !slices.ContainsFunc(o.all, func(p *openPattern) bool {
		return p.Shape == "" && p.Entity == string(entity) && p.SortEntity == string(sort)
	})
}

// joinEntities tells the patterns apart by entity no more.
func (o *openPatterns) joinEntities() {
	all := o.all
	*o = openPatterns{many: true}
	for _, p := range all {
		p.PatternKey = p.withoutEntity()
		p.Peak, p.now = joinPeak(p.Peak, p.now), sketch.Peak{}
		if same := o.named(p.PatternKey); same != nil {
			same.join(&p.PatternStats)
			continue
		}
		o.add(p)
	}
}

// named looks a pattern up without a hash: it is rarely asked for.
func (o *openPatterns) named(k PatternKey) *openPattern {
	i := slices.IndexFunc(o.all, func(p *openPattern) bool { return p.PatternKey == k })
	if i < 0 {
		return nil
	}
	return o.all[i]
}

// rest gives the pattern of an operation that counts those beyond the cap.
func (o *openPatterns) rest(op ingest.Op) *openPattern {
	if o.other[op] == nil {
		k := PatternKey{Shape: OtherShape, Op: op}
		if o.other[op] = o.named(k); o.other[op] == nil { // else a statement of that name
			o.other[op] = o.add(&openPattern{PatternStats: PatternStats{PatternKey: k}})
		}
	}
	return o.other[op]
}

func (o *openPatterns) add(p *openPattern) *openPattern {
	o.all = append(o.all, p)
	if 2*len(o.all) > len(o.slots) {
		o.slots = make([]patternSlot, max(8, 2*len(o.slots)))
		for i := range o.all[:len(o.all)-1] {
			o.enter(i)
		}
	}
	o.enter(len(o.all) - 1)
	return p
}

// enter takes the i-th pattern into the slots.
func (o *openPatterns) enter(i int) {
	k := &o.all[i].PatternKey
	h := patternHash([]byte(k.Shape), k.Op, k.Bound, []byte(k.Entity), []byte(k.SortEntity))
	mask := uint64(len(o.slots) - 1)
	at := h & mask
	for o.slots[at].place > 0 {
		at = (at + 1) & mask
	}
	o.slots[at] = patternSlot{h, uint32(i + 1)}
}

func patternHash(shape []byte, op ingest.Op, bound Bound, entity, sort []byte) uint64 {
	h := sketch.Combine(sketch.Hash(entity), uint64(op)<<8|uint64(bound))
	if len(shape) > 0 {
		h = sketch.Combine(h, sketch.Hash(shape))
	}
	if len(sort) > 0 {
		h = sketch.Combine(h, sketch.Hash(sort)+1)
	}
	return h
}

func boundOf(e *ingest.Event) (b Bound) {
	if e.KeyKnown {
		b |= BoundPartition
	}
	if len(e.SortKey) > 0 {
		b |= BoundSort
	}
	if e.Partitions > 1 {
		b |= BoundMany
	}
	return b
}

// maxEntity bounds the name of an entity type in bytes.
const maxEntity = 32

// entities gives the types of entity that the keys of an event name, as single-table designs write them:
// USER#42, ORDER#2026-06-04. Statements tell it better, and tables of CQL hold one type each.
func entities(e *ingest.Event) (key, sort []byte) {
	if e.Store == ingest.Cassandra || e.Store == ingest.Scylla || len(e.Shape) > 0 {
		return nil, nil
	}
	key, sort = entity(e.Key), entity(e.SortKey)
	if key == nil && sort == nil && len(e.Entity) > 0 {
		key = e.Entity[:min(len(e.Entity), maxEntity)]
	}
	return key, sort
}

// entity gives what stands before the first #, if it looks like a name: a letter, then letters, digits,
// hyphens and underscores.
func entity(key []byte) []byte {
	n := bytes.IndexByte(key[:min(len(key), maxEntity+1)], '#')
	if n < 1 || !letter(key[0]) {
		return nil
	}
	for _, c := range key[1:n] {
		if !letter(c) && c-'0' > 9 && c != '-' && c != '_' {
			return nil
		}
	}
	return key[:n]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// seal gives the patterns in order.
func (o *openPatterns) seal() []PatternStats {
	var out []PatternStats
	for _, p := range o.all {
		s := p.PatternStats
		s.Peak = joinPeak(s.Peak, p.now)
		out = append(out, s)
	}
	slices.SortFunc(out, comparePatterns)
	return out
}

func comparePatterns(a, b PatternStats) int {
	return cmp.Or(strings.Compare(a.Shape, b.Shape), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Bound, b.Bound),
		strings.Compare(a.Entity, b.Entity), strings.Compare(a.SortEntity, b.SortEntity))
}

// joinPatterns gives the sum of two lists in order.
func joinPatterns(a, b []PatternStats) []PatternStats {
	return fewEntities(addPatterns(a, b))
}

func addPatterns(a, b []PatternStats) []PatternStats {
	return joinSorted(a, b, comparePatterns, func(x *PatternStats, y PatternStats) { x.join(&y) })
}

func (p *PatternStats) join(o *PatternStats) {
	for _, n := range [][2]*uint64{
		{&p.Requests, &o.Requests}, {&p.Refused, &o.Refused}, {&p.Rows, &o.Rows}, {&p.RowsKnown, &o.RowsKnown},
		{&p.Bytes, &o.Bytes}, {&p.BytesKnown, &o.BytesKnown}, {&p.ReadMilli, &o.ReadMilli}, {&p.WriteMilli, &o.WriteMilli},
		{&p.UnitsKnown, &o.UnitsKnown}, {&p.Strong, &o.Strong}, {&p.ConsistencyKnown, &o.ConsistencyKnown},
	} {
		*n[0] = AddSat(*n[0], *n[1])
	}
	switch {
	case o.Latency == nil:
	case p.Latency == nil:
		p.Latency = o.Latency.Clone()
	default:
		p.Latency.Merge(o.Latency)
	}
	p.Peak = joinPeak(p.Peak, o.Peak)
}

// capPatterns keeps the patterns of most requests, of so many targets; the others become OtherShape.
func (t *TargetStats) capPatterns(targets int) {
	most := patternCap(targets)
	if len(t.Patterns) <= most+int(ingest.Ops) {
		return
	}
	slices.SortFunc(t.Patterns, func(a, b PatternStats) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), comparePatterns(a, b))
	})
	rest := slices.Clone(t.Patterns[most:])
	t.Patterns = t.Patterns[:most:most]
	slices.SortFunc(t.Patterns, comparePatterns)
	for i := range rest {
		rest[i].PatternKey = PatternKey{Shape: OtherShape, Op: rest[i].Op}
		t.Patterns = addPatterns(t.Patterns, rest[i:i+1])
	}
}

// maxEntities is the largest number of entity types of a table: a single-table design has a dozen, and
// what begins more keys than this is part of the key.
const maxEntities = 32

// ManyEntities is the Entity of patterns whose keys begin with more than maxEntities names. None of them is that.
const ManyEntities = "#"

// withoutEntity gives the key of the pattern where entities are not told apart.
func (k PatternKey) withoutEntity() PatternKey {
	if k.Shape == "" {
		k.Entity, k.SortEntity = ManyEntities, ""
	}
	return k
}

// fewEntities gives the patterns without their entities where those are too many to be types, in any part: then
// they are so in the whole.
func fewEntities(list []PatternStats) []PatternStats {
	if !tooManyEntities(list) {
		return list
	}
	var out []PatternStats
	for _, p := range list {
		p.PatternKey = p.withoutEntity()
		if p.Latency != nil {
			p.Latency = p.Latency.Clone()
		}
		out = addPatterns(out, []PatternStats{p})
	}
	return out
}

func tooManyEntities(list []PatternStats) bool {
	types := map[[2]string]bool{}
	for i := range list {
		if list[i].Shape == "" {
			types[[2]string{list[i].Entity, list[i].SortEntity}] = true
		}
	}
	return len(types) > maxEntities || len(types) > 1 && types[[2]string{ManyEntities, ""}]
}

// shownPatterns gives the patterns as they are shown: entities that are none have no name.
func shownPatterns(list []PatternStats) []PatternStats {
	shown := slices.Clone(list)
	for i := range shown {
		if shown[i].Entity == ManyEntities {
			shown[i].Entity = ""
		}
	}
	return shown
}

func (w *encoder) pattern(p *PatternStats) {
	w.text(p.Shape)
	w.nums(uint64(p.Op), uint64(p.Bound))
	w.text(p.Entity)
	w.text(p.SortEntity)
	w.nums(p.Requests, p.Refused, p.Rows, p.RowsKnown, p.Bytes, p.BytesKnown, p.ReadMilli, p.WriteMilli, p.UnitsKnown,
		p.Strong, p.ConsistencyKnown, uint64(p.Peak.At), p.Peak.N)
	w.flag(p.Latency != nil)
	if p.Latency != nil {
		w.b = p.Latency.AppendBinary(w.b)
	}
}

func (r *decoder) pattern() PatternStats {
	k := PatternKey{Shape: r.text(), Op: ingest.Op(r.below(uint64(ingest.Ops), "an operation")), Bound: Bound(r.below(uint64(boundValues), "what is bound"))}
	k.Entity, k.SortEntity = r.text(), r.text()
	p := PatternStats{PatternKey: k}
	for _, n := range []*uint64{&p.Requests, &p.Refused, &p.Rows, &p.RowsKnown, &p.Bytes, &p.BytesKnown, &p.ReadMilli, &p.WriteMilli, &p.UnitsKnown,
		&p.Strong, &p.ConsistencyKnown} {
		*n = r.num()
	}
	p.Peak = sketch.Peak{At: uint32(r.below(1<<32, "a time")), N: r.num()}
	if r.flag() {
		p.Latency = read(r, sketch.ReadHistogram)
	}
	return p
}
