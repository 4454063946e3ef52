package detect

import "github.com/keyheat/keyheat/ingest"

// An inputShift renumbers the inputs of positions, and moves the lines of the first input.
type inputShift struct {
	inputs uint32
	lines  uint64
	of     []shiftedInput // in place of both; nil: none
}

// A shiftedInput is the new number of an input, and what is added to the lines of its positions.
type shiftedInput struct {
	number uint32
	lines  uint64
}

func (s inputShift) position(p ingest.Position) ingest.Position {
	if s.of != nil {
		return s.placed(p)
	}
	if p.Input == 0 && p.Line > 0 {
		p.Line += s.lines
	}
	p.Input += s.inputs
	return p
}

// placed gives a position of an input that of tells.
func (s inputShift) placed(p ingest.Position) ingest.Position {
	if int(p.Input) >= len(s.of) {
		return p
	}
	to := s.of[p.Input]
	if p.Line > 0 {
		p.Line += to.lines
	}
	p.Input = to.number
	return p
}

// moves reports what the shift changes at all, and whether that are numbers of inputs.
func (s inputShift) moves() (any, numbers bool) {
	any, numbers = s.inputs > 0 || s.lines > 0, s.inputs > 0
	for i, to := range s.of {
		numbers = numbers || to.number != uint32(i)
		any = any || numbers || to.lines > 0
	}
	return any, numbers
}

func (s inputShift) mark(mark uint64) uint64 {
	p, ok := markPosition(mark)
	if !ok {
		return 0
	}
	return markAt(s.position(p))
}

func (s inputShift) target(t *TargetStats) {
	for i := range t.Shapes {
		x := &t.Shapes[i]
		if x.Reads > 0 {
			x.Largest.At = s.position(x.Largest.At)
		}
		if x.Widest.Partitions > 0 {
			x.Widest.At = s.position(x.Widest.At)
		}
	}
	for i := range t.Rewrites {
		at := &t.Rewrites[i].Widest.At
		*at = s.position(*at)
	}
	for i := range t.Selected {
		at := &t.Selected[i].Largest.At
		*at = s.position(*at)
		s.positions(t.Selected[i].Positions)
	}
	for i := range t.States {
		s.positions(t.States[i].Positions)
	}
}

func (s inputShift) positions(list []ingest.Position) {
	for i := range list {
		list[i] = s.position(list[i])
	}
}

// shift moves every position of p.
func (p *Profile) shift(s inputShift) {
	any, numbers := s.moves()
	if !any {
		return
	}
	for i := range p.Targets {
		s.target(&p.Targets[i])
	}
	for i := range p.Facts {
		p.Facts[i].At = s.position(p.Facts[i].At)
	}
	for i := range p.Points {
		p.Points[i].First = s.position(p.Points[i].First)
	}
	for i := range p.Problems.Causes {
		for j := range p.Problems.Causes[i].Examples {
			at := &p.Problems.Causes[i].Examples[j].At
			*at = s.position(*at)
		}
	}
	if !numbers {
		return
	}
	p.Run = p.Run.Renumber(nil, s.mark)
	p.Grown = p.Grown.Renumber(nil, s.mark)
	for i := range p.Inventories {
		p.Inventories[i].Sizes = p.Inventories[i].Sizes.Renumber(nil, s.mark)
	}
	for i := range p.Panes {
		p.Panes[i].Keys = p.Panes[i].Keys.Renumber(nil, s.mark)
	}
}
