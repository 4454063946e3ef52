package detect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A decoder takes from the front of b. After the first error it gives zeros.
type decoder struct {
	b   []byte
	err error
}

func (r *decoder) fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.b = nil
}

func (r *decoder) num() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail("a number is cut")
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *decoder) signed() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.fail("a number is cut")
		return 0
	}
	r.b = r.b[size:]
	return n
}

// below reads a number that must be less than limit.
func (r *decoder) below(limit uint64, what string) uint64 {
	n := r.num()
	if n >= limit {
		r.fail(what + " is out of range")
		return 0
	}
	return n
}

func (r *decoder) flag() bool { return r.below(2, "a flag") == 1 }

// count reads the number of items that follow, each of at least one byte.
func (r *decoder) count() int {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.fail("a count is larger than what follows")
		return 0
	}
	return int(n)
}

func (r *decoder) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *decoder) into(ns []uint64) {
	for i := range ns {
		ns[i] = r.num()
	}
}

func (r *decoder) profile() *Profile {
	if name := r.text(); r.err == nil && name != sketch.HashName {
		r.fail(fmt.Sprintf("its hash is %q, this keyheat uses %q", name, sketch.HashName))
	}
	p := &Profile{Settings: r.settings()}
	for range r.count() {
		p.Inputs = append(p.Inputs, r.input())
	}
	for range r.count() {
		t := r.target(p.Settings)
		if n := len(p.Targets); n > 0 && p.Targets[n-1].Target.Compare(t.Target) >= 0 {
			r.fail("targets are out of order")
		}
		p.Targets = append(p.Targets, t)
	}
	for range r.count() {
		p.Nodes = append(p.Nodes, r.text())
	}
	if !slices.IsSorted(p.Nodes) || len(slices.Compact(slices.Clone(p.Nodes))) != len(p.Nodes) {
		r.fail("nodes are out of order")
	}
	r.panes(p)
	p.Run = r.top(len(p.Targets))
	p.Grown = r.top(len(p.Targets))
	r.inventories(p)
	p.First, p.Last = r.signed(), r.signed()
	r.extras(p)
	p.Problems = r.problems()
	l := &p.Lost
	for _, n := range []*uint64{&l.Targets, &l.Nodes, &l.Shapes, &l.Selected, &l.States, &l.Facts, &l.Points, &l.Stored} {
		*n = r.num()
	}
	return p
}

func (r *decoder) settings() Settings {
	s := Settings{Chunk: r.num(), Fan: int(r.below(1<<20, "the fan"))}
	s.Pane = time.Duration(r.below(1<<31, "the pane")) * time.Second
	s.Memory = r.num()
	s.Bytes = r.flag()
	keys := r.below(requestsOnly+1, "what is kept of keys")
	s.KeysOnly, s.RequestsOnly = keys > 0, keys == requestsOnly
	s.NoPanes = r.flag()
	if faults := s.Validate(); r.err == nil && len(faults) > 0 {
		r.fail(faults[0].Error())
	}
	return s
}

func (r *decoder) input() InputStats {
	s := InputStats{Name: r.text(), Format: r.text()}
	s.Coverage = ingest.Coverage(r.below(uint64(ingest.StateOnly)+1, "a coverage"))
	s.Node = r.text()
	for _, n := range []*uint64{&s.Bytes, &s.Lines, &s.Records, &s.Events, &s.States, &s.Facts, &s.Points, &s.Skipped, &s.Problems} {
		*n = r.num()
	}
	s.First, s.Last = r.signed(), r.signed()
	s.Recording = ingest.Recording{Name: r.text(), Part: r.num()}
	s.Named = Named{r.num(), r.num()}
	for range r.count() {
		if s.SkippedKind == nil {
			s.SkippedKind = map[string]uint64{}
		}
		kind := r.text()
		s.SkippedKind[kind] = r.num()
	}
	return s
}

func (r *decoder) target(s Settings) TargetStats {
	t := TargetStats{Target: r.targetName()}
	r.into(t.Totals[:])
	t.First, t.Last = r.signed(), r.signed()
	t.Missed, t.GrownFirst, t.GrownLast = r.num(), r.signed(), r.signed()
	if full := r.flag(); full == s.KeysOnly && r.err == nil {
		r.fail("a target does not fit the settings")
	}
	if r.err == nil && !s.KeysOnly {
		t.Distinct = read(r, sketch.ReadDistinct)
		t.Sample = read(r, sketch.ReadSample)
		for _, h := range []**sketch.Histogram{&t.ItemBytes, &t.Latency, &t.LiveRows, &t.Tombs, &t.Asked} {
			*h = read(r, sketch.ReadHistogram)
		}
	}
	if t.Named = r.num(); t.Named > 0 {
		t.IDs = read(r, sketch.ReadSample)
	}
	for range r.count() {
		t.Shapes = append(t.Shapes, r.shape())
	}
	if !slices.IsSortedFunc(t.Shapes, compareShapes) {
		r.fail("shapes are out of order")
	}
	for range r.count() {
		t.Patterns = append(t.Patterns, r.pattern())
	}
	if !slices.IsSortedFunc(t.Patterns, comparePatterns) {
		r.fail("patterns are out of order")
	}
	for range r.count() {
		t.Rewrites = append(t.Rewrites, r.rewrite())
	}
	if len(t.Rewrites) > MaxRewritten || !slices.IsSortedFunc(t.Rewrites, compareRewrites) {
		r.fail("attributes are too many, or out of order")
	}
	for range r.count() {
		t.Selected = append(t.Selected, r.selected())
	}
	for range r.count() {
		t.States = append(t.States, r.state())
	}
	if !slices.IsSortedFunc(t.Selected, compareSelected) || !slices.IsSortedFunc(t.States, compareStates) {
		r.fail("selected records or states are out of order")
	}
	return t
}

// read takes one summary from the front of r.
func read[T any](r *decoder, from func([]byte) (*T, []byte, error)) *T {
	v, rest, err := from(r.b)
	if err != nil {
		r.fail(err.Error())
		return new(T)
	}
	r.b = rest
	return v
}

func (r *decoder) shape() ShapeStats {
	s := ShapeStats{Shape: r.text(), Op: ingest.Op(r.below(uint64(ingest.Ops), "an operation"))}
	for _, n := range []*uint64{&s.Reads, &s.Rows, &s.RowsKnown, &s.Tombstones, &s.Failed, &s.Dense, &s.FanOut, &s.Wide} {
		*n = r.num()
	}
	s.Largest = r.size()
	s.Widest = Breadth{r.num(), r.position()}
	s.First, s.Last = r.signed(), r.signed()
	return s
}

func (r *decoder) position() ingest.Position {
	return ingest.Position{Input: uint32(r.below(1<<32, "an input")), Byte: r.num(), Line: r.num()}
}

func (r *decoder) panes(p *Profile) {
	p.Width, p.SelectedWidth = r.width(), r.width()
	if r.err == nil && (p.crowded() || !p.aligned()) {
		r.fail("panes of selected records are too many or not of their width")
	}
	for range r.count() {
		pane := r.pane(len(p.Targets), len(p.Nodes))
		if n := len(p.Panes); n > 0 && p.Panes[n-1].Start >= pane.Start || r.err == nil && pane.Start%p.Width != 0 {
			r.fail("panes are out of order")
		}
		p.Panes = append(p.Panes, pane)
	}
	if len(p.Panes) > MaxPanes {
		r.fail("too many panes")
	}
}

func (r *decoder) width() uint32 {
	w := uint32(r.below(1<<32, "the width"))
	if r.err == nil && !slices.Contains(Widths, w) {
		r.fail("the width of panes is none of keyheat's")
	}
	return w
}

func (r *decoder) pane(targets, nodes int) Pane {
	p := Pane{Start: uint32(r.below(1<<32, "a pane"))}
	for range r.count() {
		t := PaneTarget{ID: uint32(r.below(uint64(targets), "a target"))}
		if n := len(p.Targets); n > 0 && p.Targets[n-1].ID >= t.ID {
			r.fail("targets of a pane are out of order")
		}
		r.into(t.Totals[:])
		t.Incomplete = r.flag()
		if r.flag() {
			t.Distinct = read(r, sketch.ReadDistinct)
		}
		p.Targets = append(p.Targets, t)
	}
	n := r.count()
	if n > nodes {
		r.fail("too many nodes of a pane")
		n = 0
	}
	if n > 0 {
		p.Nodes = make([]uint64, n)
		r.into(p.Nodes)
	}
	p.Keys = r.top(targets)
	return p
}

// top reads heavy hitters whose groups are numbers of targets.
func (r *decoder) top(targets int) *sketch.Top {
	if r.err != nil {
		return &sketch.Top{}
	}
	t := read(r, sketch.ReadTop)
	if t.Groups() > targets {
		r.fail("heavy hitters of an unknown target")
	}
	return t
}

func (r *decoder) problems() Problems {
	p := Problems{Total: r.num()}
	for range r.count() {
		c := ProblemCause{Cause: r.text(), Count: r.num()}
		for range r.count() {
			c.Examples = append(c.Examples, ingest.Problem{Cause: c.Cause, Text: r.text(), At: r.position()})
		}
		if n := len(p.Causes); n > 0 && p.Causes[n-1].Cause >= c.Cause {
			r.fail("causes are out of order")
		}
		if len(c.Examples) > maxExamples {
			r.fail("too many examples of a problem")
		}
		p.Causes = append(p.Causes, c)
	}
	return p
}

func (r *decoder) rewrite() RewriteStats {
	x := RewriteStats{Attribute: r.text(), Changes: r.num(), Values: read(r, sketch.ReadDistinct)}
	if r.err == nil && x.Values.Precision() != rewritePrecision {
		r.fail("values of another precision")
	}
	x.Widest = Rewrite{Partitions: r.num(), Minute: uint32(r.below(1<<32, "a minute")), Bytes: r.num()}
	if at := r.positions(); len(at) == 1 {
		x.Widest.At = at[0]
	} else {
		r.fail("no position")
	}
	return x
}
