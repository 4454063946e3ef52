package detect

import (
	"errors"
	"fmt"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// The serialised form of the part of one chunk, or of all chunks of a Live: a byte for its kind, and then a Profile or exact counts,
// or the events that one of them is held as. Whoever stores parts guards them with a checksum and keeps those of
// other settings away: a part that it gives back is one that this package made.
const (
	partProfile = 'P'
	partEvents  = 'E'
	partExact   = 'X'
	partHeld    = 'Y' // exact counts, held as events
)

// ErrPart is wrapped by every error about the serialised form of a part, or of nominees.
var ErrPart = errors.New("not a readable part")

func badPart(why error) error { return fmt.Errorf("%w: %w", ErrPart, why) }

// marshal gives the serialised form of the part of one chunk, or of a Live.
func (p *part) marshal() []byte {
	if p.profile != nil {
		form, _ := p.profile.MarshalBinary() // its error is always nil
		return append([]byte{partProfile}, form...)
	}
	w := encoder{[]byte{partEvents}}
	in := &p.inputs[0]
	w.num(uint64(in.context.coverage))
	w.text(in.context.node)
	w.text(in.context.name)
	w.text(in.context.role)
	w.inputs([]InputStats{in.stats})
	w.problems(&in.problems)
	w.b = append(w.b, in.events...)
	return w.b
}

// readPart reads what marshal wrote, of a run with these settings. It is safe on any input.
func readPart(b []byte, s Settings) (*part, error) {
	switch {
	case len(b) > 0 && b[0] == partProfile:
		return readProfilePart(b[1:], s)
	case len(b) > 0 && b[0] == partEvents:
		return readEventsPart(b[1:])
	}
	return nil, badPart(errors.New("of an unknown kind"))
}

func readProfilePart(b []byte, s Settings) (*part, error) {
	p, err := ReadProfile(b)
	switch {
	case err != nil:
		return nil, badPart(err)
	case p.Settings != s:
		return nil, badPart(fmt.Errorf("%w: %+v and %+v", ErrUnlike, p.Settings, s))
	case len(p.Inputs) == 0:
		return nil, badPart(errors.New("of no input"))
	}
	return &part{profile: p}, nil
}

func readEventsPart(b []byte) (*part, error) {
	r := decoder{b: b}
	in := loggedInput{context: inputContext{
		coverage: ingest.Coverage(r.below(uint64(ingest.StateOnly)+1, "a coverage")),
		node:     r.text(), name: r.text(), role: r.text(),
	}}
	if r.below(2, "a number of inputs") != 1 {
		r.fail("not of one input")
	}
	in.stats = r.input()
	in.problems = r.problems()
	in.events = r.b
	for r.err == nil && len(r.b) > 0 {
		r.loggedEvent()
	}
	if r.err != nil {
		return nil, badPart(r.err)
	}
	return &part{inputs: []loggedInput{in}, size: len(in.events)}, nil
}

// loggedEvent passes over one event of an eventLog, and checks what eventLog.read trusts in.
func (r *decoder) loggedEvent() {
	flags := r.below(loggedColumns<<1, "the flags of an event")
	for flag := uint64(loggedTime); flag <= loggedID; flag <<= 1 {
		if flag != loggedChanged && flags&flag != 0 {
			r.num()
		}
	}
	r.below(uint64(ingest.Scylla)+1, "a store")
	r.below(uint64(ingest.Ops), "an operation")
	r.num() // byte
	r.num() // line
	r.skipText()
	r.skipText()
	if flags&loggedNames != 0 {
		for range 5 {
			r.skipText()
		}
	}
	if flags&loggedRare != 0 {
		r.below(uint64(ingest.Throttles), "a reason of throttling")
		r.below(uint64(ingest.StateOnly)+1, "a coverage")
		r.below(uint64(ingest.Strong)+1, "a consistency")
		r.below(uint64(ingest.Witnesses), "a witness")
		for range 4 { // requests, partitions, error, retries
			r.num()
		}
		r.skipText() // role
	}
	if flags&loggedChanges != 0 {
		for range r.count() {
			r.skipText()
			r.num()
			r.num()
		}
	}
	if flags&loggedColumns != 0 {
		for range r.below(MostColumns+1, "a number of columns") {
			if r.flag() {
				r.skipText()
			}
		}
	}
}

func (r *decoder) skipText() { r.b = r.b[r.count():] }

// marshal gives the serialised form of the counts of one chunk, or of a Live.
func (p *exactPart) marshal() []byte {
	if len(p.held) > 0 {
		w := encoder{[]byte{partHeld}}
		w.nums(uint64(p.held[0].coverage), p.lines[0])
		return append(w.b, p.held[0].events...)
	}
	w := encoder{[]byte{partExact}}
	w.count(len(p.lines))
	w.nums(p.lines...)
	w.count(len(p.keys))
	for _, h := range p.keys {
		w.num(uint64(h.nominee))
		w.exactKey(h.key)
	}
	w.count(len(p.sizes))
	for _, h := range p.sizes {
		w.num(uint64(h.nominee))
		w.exactSize(h.size)
	}
	return w.b
}

// readExactPart reads what marshal wrote, of a pass that counts these nominees. It is safe on any input.
func readExactPart(b []byte, n *Nominees) (*exactPart, error) {
	switch {
	case len(b) > 0 && b[0] == partHeld:
		return readHeldPart(b[1:])
	case len(b) == 0 || b[0] != partExact:
		return nil, badPart(errors.New("no exact counts"))
	}
	r := decoder{b: b[1:]}
	p := &exactPart{}
	for range r.count() {
		p.lines = append(p.lines, r.num())
	}
	if len(p.lines) == 0 {
		r.fail("of no input")
	}
	for range r.count() {
		h := exactHit{nominee: int(r.below(uint64(len(n.Keys)), "a nominee"))}
		if k := len(p.keys); k > 0 && p.keys[k-1].nominee >= h.nominee {
			r.fail("nominees are out of order")
		}
		h.key = r.exactKey(n, h.nominee)
		p.keys = append(p.keys, h)
	}
	for range r.count() {
		h := sizeHit{nominee: int(r.below(uint64(len(n.Sizes)), "a nominee"))}
		if k := len(p.sizes); k > 0 && p.sizes[k-1].nominee >= h.nominee {
			r.fail("nominees are out of order")
		}
		h.size = r.exactSize()
		p.sizes = append(p.sizes, h)
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes left over")
	}
	if r.err != nil {
		return nil, badPart(r.err)
	}
	return p, nil
}

func readHeldPart(b []byte) (*exactPart, error) {
	r := decoder{b: b}
	in := heldInput{coverage: ingest.Coverage(r.below(uint64(ingest.StateOnly)+1, "a coverage"))}
	lines := r.num()
	in.events = r.b
	for r.err == nil && len(r.b) > 0 {
		r.loggedEvent()
	}
	if r.err != nil {
		return nil, badPart(r.err)
	}
	return &exactPart{held: []heldInput{in}, size: len(in.events), lines: []uint64{lines}}, nil
}

func (w *encoder) exactKey(k *ExactKey) {
	w.nums(k.Totals[:]...)
	w.count(len(k.Panes))
	for i := range k.Panes {
		p := &k.Panes[i]
		w.nums(uint64(p.Start), p.Requests, p.Reads, p.Cost, p.Tombstones, p.ReadMilli, p.WriteMilli, p.Throttled, p.Failed, p.Grown, p.Shrunk)
	}
	w.count(len(k.Seconds))
	for _, s := range k.Seconds {
		w.nums(uint64(s.Second), s.Requests, s.Reads, s.ReadMilli, s.WriteMilli)
	}
	w.b = k.Latency.AppendBinary(w.b)
	w.count(len(k.Nodes))
	for _, n := range k.Nodes {
		w.text(n.Node)
		w.num(n.Requests)
	}
	w.positions(k.Positions)
	w.nums(k.SortKnown, k.Ascending, k.Ordered, k.MostRead, k.MostWrite, k.Strong, k.ConsistencyKnown, k.Changes, k.Grown, k.Shrunk, k.Repeats.Refused, k.Repeats.Requests, k.Repeats.Longest)
	w.flag(k.SortKeys != nil)
	if k.SortKeys != nil {
		w.b = k.SortKeys.AppendBinary(w.b)
		w.b = k.sortTop.AppendBinary(w.b)
	}
	w.shards(k.Shards)
	w.columns(k.Columns)
}

// shards writes the counts by shard; their number is that of the nominee.
func (w *encoder) shards(x *ExactShards) {
	w.flag(x != nil)
	if x == nil {
		return
	}
	counts := func(list []ShardCount) {
		for _, c := range list {
			w.nums(c.Requests, c.ReadMilli, c.WriteMilli)
		}
	}
	counts(x.Totals)
	for _, list := range [][]ShardSecond{x.Seconds, x.Panes} {
		w.count(len(list))
		for i := range list {
			w.num(uint64(list[i].Second))
			counts(list[i].Counts)
		}
	}
}

func (r *decoder) shards(of uint32) *ExactShards {
	if !r.flag() {
		return nil
	}
	if of == 0 {
		r.fail("counts by shard of a key that has none")
		return nil
	}
	x := newExactShards(of)
	counts := func(list []ShardCount) {
		for i := range list {
			list[i] = ShardCount{r.num(), r.num(), r.num()}
		}
	}
	counts(x.Totals)
	for _, list := range []*[]ShardSecond{&x.Seconds, &x.Panes} {
		for range r.count() {
			s := ShardSecond{uint32(r.below(1<<32, "a second")), make([]ShardCount, of+2)}
			counts(s.Counts)
			if r.err != nil {
				return nil
			}
			if n := len(*list); n > 0 && (*list)[n-1].Second >= s.Second {
				r.fail("seconds are out of order")
			}
			*list = append(*list, s)
		}
	}
	return x
}

// exactKey reads the counts of a nominee.
func (r *decoder) exactKey(n *Nominees, nominee int) *ExactKey {
	k := &ExactKey{}
	r.into(k.Totals[:])
	for range r.count() {
		p := ExactPane{Start: uint32(r.below(1<<32, "a pane"))}
		for _, n := range []*uint64{&p.Requests, &p.Reads, &p.Cost, &p.Tombstones, &p.ReadMilli, &p.WriteMilli, &p.Throttled, &p.Failed, &p.Grown, &p.Shrunk} {
			*n = r.num()
		}
		k.Panes = append(k.Panes, p)
	}
	for range r.count() {
		k.Seconds = append(k.Seconds, ExactSecond{uint32(r.below(1<<32, "a second")), r.num(), r.num(), r.num(), r.num()})
	}
	k.Latency = read(r, sketch.ReadHistogram)
	for range r.count() {
		k.Nodes = append(k.Nodes, NodeCount{r.text(), r.num()})
	}
	k.Positions = r.positions()
	if len(k.Positions) > maxPositions {
		r.fail("too many positions of a key")
	}
	for _, n := range []*uint64{&k.SortKnown, &k.Ascending, &k.Ordered, &k.MostRead, &k.MostWrite, &k.Strong, &k.ConsistencyKnown, &k.Changes, &k.Grown, &k.Shrunk, &k.Repeats.Refused, &k.Repeats.Requests, &k.Repeats.Longest} {
		*n = r.num()
	}
	if r.flag() {
		k.SortKeys = read(r, sketch.ReadDistinct)
		k.sortTop = r.top(1)
		k.TopSort = topSort(k.sortTop)
		if r.err == nil && k.SortKeys.Precision() != sortPrecision {
			r.fail("sort keys of another precision")
		}
	}
	if r.err == nil {
		k.Shards = r.shards(n.Keys[nominee].Shards)
		k.Columns = r.columns(len(n.columnsOf(nominee)))
	}
	return k
}

// MarshalBinary gives the serialised form of n, which is canonical; its error is always nil.
func (n *Nominees) MarshalBinary() ([]byte, error) {
	w := encoder{}
	w.num(uint64(n.Width))
	w.count(len(n.Columns))
	for _, c := range n.Columns {
		w.text(c)
	}
	w.count(len(n.Targets))
	for _, t := range n.Targets {
		w.targetName(t)
	}
	for _, list := range [][]Nominee{n.Keys, n.Sizes} {
		w.count(len(list))
		for i := range list {
			w.num(uint64(list[i].Target))
			w.text(string(list[i].Key))
			w.num(uint64(list[i].Shards))
			w.flag(list[i].Columns)
			w.count(len(list[i].Minutes))
			for _, m := range list[i].Minutes {
				w.num(uint64(m))
			}
		}
	}
	return w.b, nil
}

// ReadNominees reads the serialised form of Nominees. It is safe on any input; the error wraps ErrPart.
func ReadNominees(b []byte) (*Nominees, error) {
	r := decoder{b: b}
	n := &Nominees{Width: r.width()}
	for range r.below(MostColumns+1, "a number of columns") {
		n.Columns = append(n.Columns, r.text())
	}
	for range r.count() {
		n.Targets = append(n.Targets, r.targetName())
	}
	n.Keys, n.Sizes = r.nominees(len(n.Targets)), r.nominees(len(n.Targets))
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes left over")
	}
	if r.err != nil {
		return nil, badPart(r.err)
	}
	return n, nil
}

// sharded reads a number of shards.
func (r *decoder) sharded() uint32 {
	n := uint32(r.below(MostShards+1, "a number of shards"))
	if n != 0 && (n < LeastShards || n&(n-1) != 0) {
		r.fail("shards that are no power of two")
		return 0
	}
	return n
}

func (r *decoder) nominees(targets int) []Nominee {
	var list []Nominee
	for range r.count() {
		k := Nominee{Target: uint32(r.below(uint64(targets), "a target")), Key: []byte(r.text()), Shards: r.sharded(), Columns: r.flag()}
		for range r.count() {
			k.Minutes = append(k.Minutes, uint32(r.below(1<<32, "a minute")))
		}
		if len(list) > 0 && compareNominees(list[len(list)-1], k) >= 0 {
			r.fail("nominees are out of order")
		}
		list = append(list, k)
	}
	return list
}
