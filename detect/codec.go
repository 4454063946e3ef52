package detect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// The serialised form of a Profile: magic, version, name of the hash, settings, parts, CRC-32C of all
// that stands before it. Numbers are varints, texts and slices have their length in front. The form is
// canonical: equal Profiles have equal bytes.
const (
	profileMagic   = "keyheatP"
	profileVersion = 7
)

// ErrProfile is wrapped by every error of ReadProfile.
var ErrProfile = errors.New("not a readable profile")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// IsProfile reports whether a form begins like that of a Profile; its first eight bytes suffice.
func IsProfile(form []byte) bool { return bytes.HasPrefix(form, []byte(profileMagic)) }

// MarshalBinary gives the serialised form of p; its error is always nil.
func (p *Profile) MarshalBinary() ([]byte, error) {
	w := encoder{append([]byte(profileMagic), profileVersion)}
	w.text(sketch.HashName)
	w.settings(p.Settings)
	w.inputs(p.Inputs)
	w.count(len(p.Targets))
	for i := range p.Targets {
		w.target(&p.Targets[i])
	}
	w.texts(p.Nodes)
	w.nums(uint64(p.Width), uint64(p.SelectedWidth))
	w.count(len(p.Panes))
	for i := range p.Panes {
		w.pane(&p.Panes[i])
	}
	w.b = p.Run.AppendBinary(w.b)
	w.b = p.Grown.AppendBinary(w.b)
	w.inventories(p.Inventories)
	w.signed(p.First)
	w.signed(p.Last)
	w.extras(p)
	w.problems(&p.Problems)
	l := &p.Lost
	w.nums(l.Targets, l.Nodes, l.Shapes, l.Selected, l.States, l.Facts, l.Points, l.Stored)
	return binary.BigEndian.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli)), nil
}

// An encoder appends to b.
type encoder struct{ b []byte }

func (w *encoder) num(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *encoder) signed(n int64) { w.b = binary.AppendVarint(w.b, n) }
func (w *encoder) count(n int)    { w.num(uint64(n)) }

func (w *encoder) nums(ns ...uint64) {
	for _, n := range ns {
		w.num(n)
	}
}

func (w *encoder) flag(on bool) {
	n := uint64(0)
	if on {
		n = 1
	}
	w.num(n)
}

func (w *encoder) text(s string) {
	w.count(len(s))
	w.b = append(w.b, s...)
}

func (w *encoder) texts(list []string) {
	w.count(len(list))
	for _, s := range list {
		w.text(s)
	}
}

// requestsOnly stands for Settings.RequestsOnly where KeysOnly is written.
const requestsOnly = 2

func (w *encoder) settings(s Settings) {
	w.nums(s.Chunk, uint64(s.Fan), uint64(s.Pane/time.Second), s.Memory)
	w.flag(s.Bytes)
	if s.RequestsOnly {
		w.num(requestsOnly)
	} else {
		w.flag(s.KeysOnly)
	}
	w.flag(s.NoPanes)
}

func (w *encoder) inputs(list []InputStats) {
	w.count(len(list))
	for i := range list {
		s := &list[i]
		w.text(s.Name)
		w.text(s.Format)
		w.num(uint64(s.Coverage))
		w.text(s.Node)
		w.nums(s.Bytes, s.Lines, s.Records, s.Events, s.States, s.Facts, s.Points, s.Skipped, s.Problems)
		w.signed(s.First)
		w.signed(s.Last)
		w.text(s.Recording.Name)
		w.num(s.Recording.Part)
		w.nums(s.Named.Records, s.Named.Sum)
		w.count(len(s.SkippedKind))
		for _, kind := range slices.Sorted(maps.Keys(s.SkippedKind)) {
			w.text(kind)
			w.num(s.SkippedKind[kind])
		}
	}
}

func (w *encoder) target(t *TargetStats) {
	w.targetName(t.Target)
	w.nums(t.Totals[:]...)
	w.signed(t.First)
	w.signed(t.Last)
	w.num(t.Missed)
	w.signed(t.GrownFirst)
	w.signed(t.GrownLast)
	w.flag(t.Distinct != nil)
	if t.Distinct != nil {
		w.b = t.Distinct.AppendBinary(w.b)
		w.b = t.Sample.AppendBinary(w.b)
		for _, h := range []*sketch.Histogram{t.ItemBytes, t.Latency, t.LiveRows, t.Tombs, t.Asked} {
			w.b = h.AppendBinary(w.b)
		}
	}
	w.num(t.Named)
	if t.Named > 0 {
		w.b = t.IDs.AppendBinary(w.b)
	}
	w.count(len(t.Shapes))
	for i := range t.Shapes {
		w.shape(&t.Shapes[i])
	}
	w.count(len(t.Patterns))
	for i := range t.Patterns {
		w.pattern(&t.Patterns[i])
	}
	w.count(len(t.Rewrites))
	for i := range t.Rewrites {
		x := &t.Rewrites[i]
		w.text(x.Attribute)
		w.num(x.Changes)
		w.b = x.Values.AppendBinary(w.b)
		w.nums(x.Widest.Partitions, uint64(x.Widest.Minute), x.Widest.Bytes)
		w.positions([]ingest.Position{x.Widest.At})
	}
	w.count(len(t.Selected))
	for i := range t.Selected {
		w.selected(&t.Selected[i])
	}
	w.count(len(t.States))
	for i := range t.States {
		w.state(&t.States[i])
	}
}

func (w *encoder) shape(s *ShapeStats) {
	w.text(s.Shape)
	w.nums(uint64(s.Op), s.Reads, s.Rows, s.RowsKnown, s.Tombstones, s.Failed, s.Dense, s.FanOut, s.Wide)
	w.size(&s.Largest)
	w.num(s.Widest.Partitions)
	w.position(s.Widest.At)
	w.signed(s.First)
	w.signed(s.Last)
}

func (w *encoder) position(p ingest.Position) { w.nums(uint64(p.Input), p.Byte, p.Line) }

func (w *encoder) pane(p *Pane) {
	w.num(uint64(p.Start))
	w.count(len(p.Targets))
	for i := range p.Targets {
		t := &p.Targets[i]
		w.num(uint64(t.ID))
		w.nums(t.Totals[:]...)
		w.flag(t.Incomplete)
		w.flag(t.Distinct != nil)
		if t.Distinct != nil {
			w.b = t.Distinct.AppendBinary(w.b)
		}
	}
	w.count(len(p.Nodes))
	w.nums(p.Nodes...)
	w.b = p.Keys.AppendBinary(w.b)
}

func (w *encoder) problems(p *Problems) {
	w.num(p.Total)
	w.count(len(p.Causes))
	for _, c := range p.Causes {
		w.text(c.Cause)
		w.num(c.Count)
		w.count(len(c.Examples))
		for _, x := range c.Examples {
			w.text(x.Text)
			w.position(x.At)
		}
	}
}

// ReadProfile reads the serialised form of a Profile. It is safe on any input: it allocates no more
// than a small multiple of len(b), and a Profile that it accepts can be merged and judged.
func ReadProfile(b []byte) (*Profile, error) {
	head := len(profileMagic) + 1
	if len(b) < head+4 || string(b[:head-1]) != profileMagic {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrProfile, profileMagic)
	}
	if b[head-1] != profileVersion {
		return nil, fmt.Errorf("%w: it has version %d, this keyheat reads %d", ErrProfile, b[head-1], profileVersion)
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrProfile)
	}
	r := decoder{b: body[head:]}
	p := r.profile()
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes left over")
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProfile, r.err)
	}
	return p, nil
}
