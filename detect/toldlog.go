package detect

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A toldLog is what a chunk of a Live tells beside events, held as it is: inputs that take turns would else cost a
// Profile for each few datapoints.
type toldLog struct {
	states []ingest.State
	facts  []ingest.Fact
	points []ingest.Point
	size   int // bytes
}

// toldRecord is about what such a record takes beside its texts, in bytes.
const toldRecord = 300

func (l *toldLog) state(s *ingest.State) {
	x := *s
	x.Table, x.Index, x.Key, x.Part, x.Node = bytes.Clone(s.Table), bytes.Clone(s.Index), bytes.Clone(s.Key), bytes.Clone(s.Part), bytes.Clone(s.Node)
	l.states = append(l.states, x)
	l.size += toldRecord + len(s.Table) + len(s.Index) + len(s.Key) + len(s.Part) + len(s.Node)
}

func (l *toldLog) fact(f *ingest.Fact) {
	x := *f
	x.Table, x.Index, x.Node, x.Value = bytes.Clone(f.Table), bytes.Clone(f.Index), bytes.Clone(f.Node), bytes.Clone(f.Value)
	l.facts = append(l.facts, x)
	l.size += toldRecord + len(f.Table) + len(f.Index) + len(f.Node) + len(f.Value)
}

func (l *toldLog) point(p *ingest.Point) {
	x := *p
	x.Table, x.Index, x.Node, x.Name = bytes.Clone(p.Table), bytes.Clone(p.Index), bytes.Clone(p.Node), bytes.Clone(p.Name)
	l.points = append(l.points, x)
	l.size += toldRecord + len(p.Table) + len(p.Index) + len(p.Node) + len(p.Name)
}

// each gives a Builder what is held, with its positions moved.
func (l *toldLog) each(to *Builder, place func(ingest.Position) ingest.Position) {
	for _, s := range l.states {
		s.At = place(s.At)
		to.State(&s)
	}
	for _, f := range l.facts {
		f.At = place(f.At)
		to.Fact(&f)
	}
	for _, p := range l.points {
		p.At = place(p.At)
		to.Point(&p)
	}
}
