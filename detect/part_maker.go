package detect

import (
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// GivePart takes the serialised part of a chunk. It is called by several goroutines at once.
type GivePart func(c ingest.Chunk, st ingest.ChunkStats, form []byte)

// A partCutter makes the parts of chunks.
type partCutter struct {
	workshop *workshop
	free     sync.Pool // of *recorder
}

func newPartCutter(s Settings) *partCutter {
	c := &partCutter{workshop: newWorkshop(s)}
	c.free.New = func() any { return &recorder{workshop: c.workshop} }
	return c
}

// Begin gives the sink of a chunk.
func (c *partCutter) Begin(chunk ingest.Chunk) ingest.Sink {
	r := c.free.Get().(*recorder)
	r.begin(chunk.Input)
	return r
}

func (c *partCutter) end(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) *part {
	r := s.(*recorder)
	defer c.free.Put(r)
	p := r.end(chunk.Input, st)
	if p.numbers = numbersOf(chunk.Input); p.numbers != nil {
		p.size += heldChunk
	}
	return p
}

// numbersOf gives the number of an input of a Live among the inputs of that, nil for others.
func numbersOf(in *ingest.Input) []int {
	if in.Live == nil {
		return nil
	}
	return []int{in.ID.Member - in.Live.Member}
}

func (c *partCutter) joins() joins[*part] {
	return joins[*part]{
		chunks:   func(a, b *part) *part { return c.workshop.join(a, b, true) },
		together: c.workshop.joinTogether,
		inputs:   func(a, b *part) *part { return c.workshop.join(a, b, false) },
		empty: func(in *ingest.Input) *part {
			return &part{inputs: []loggedInput{{context: contextOf(in), stats: statsOf(in)}}, numbers: numbersOf(in), size: heldChunk}
		},
		whole: c.workshop.whole,
	}
}

// A PartMaker makes the part of each chunk for a Collector of another process, and one of all chunks of a Live, at
// its end. It implements ingest.Handler.
type PartMaker struct {
	*partCutter
	*sentParts[*part]
}

// NewPartMaker makes the PartMaker of one run. The settings must be valid.
func NewPartMaker(s Settings, give GivePart) *PartMaker {
	c := newPartCutter(s)
	return &PartMaker{c, &sentParts[*part]{newFolder(s.Fan, c.joins()), give}}
}

// End gives the part of what a chunk's sink was fed.
func (m *PartMaker) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	m.send(chunk, st, m.end(chunk, s, st))
}

// A countCutter counts the nominees of chunks.
type countCutter struct {
	index    *nomineeIndex
	settings Settings
	free     sync.Pool // of *exactBuilder
}

func newCountCutter(s Settings, n *Nominees) *countCutter {
	c := &countCutter{index: newNomineeIndex(n, s.Bytes), settings: s}
	c.free.New = func() any {
		return &exactBuilder{
			index: c.index, targets: newTargetIndex(MaxTargets),
			keys: make([]*exactOpen, len(n.Keys)), sizes: make([]ExactSize, len(n.Sizes)), log: eventLog{sortKeys: true},
		}
	}
	return c
}

// Begin gives the sink of a chunk.
func (c *countCutter) Begin(chunk ingest.Chunk) ingest.Sink {
	b := c.free.Get().(*exactBuilder)
	b.coverage, b.role, b.holding, b.log.buf = chunk.Input.Format.Coverage, chunk.Input.Role(), true, b.log.buf[:0]
	return b
}

func (c *countCutter) end(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) *exactPart {
	b := s.(*exactBuilder)
	defer c.free.Put(b)
	p := b.end(st)
	if p.numbers = numbersOf(chunk.Input); p.numbers != nil {
		p.size += heldChunk
	}
	return p
}

func (c *countCutter) joins() joins[*exactPart] {
	return joins[*exactPart]{
		chunks:   func(a, b *exactPart) *exactPart { return c.join(a, b, true) },
		together: c.joinTogether,
		inputs:   func(a, b *exactPart) *exactPart { return c.join(a, b, false) },
		empty: func(in *ingest.Input) *exactPart {
			return &exactPart{held: make([]heldInput, 1), lines: make([]uint64, 1), numbers: numbersOf(in), size: heldChunk}
		},
		whole: c.counted,
	}
}

// join gives the counts of both; with continued, b's first input is the continuation of a's last.
func (c *countCutter) join(a, b *exactPart, continued bool) *exactPart {
	if size := a.size + b.size; len(a.held) > 0 && len(b.held) > 0 && !continued && size <= c.settings.openBudget() {
		return &exactPart{held: append(a.held, b.held...), size: size, lines: append(a.lines, b.lines...)}
	}
	return c.counted(a).join(c.counted(b), continued)
}

// joinTogether gives the counts of both, which are of chunks of one Live.
func (c *countCutter) joinTogether(a, b *exactPart) *exactPart {
	if size := a.size + b.size; len(a.held) > 0 && len(b.held) > 0 && size <= c.settings.openBudget() {
		return &exactPart{held: append(a.held, b.held...), size: size, lines: append(a.lines, b.lines...), numbers: append(a.numbers, b.numbers...)}
	}
	return c.counted(a).joinTogether(c.counted(b))
}

// counted counts the events that a part is held as.
func (c *countCutter) counted(p *exactPart) *exactPart {
	if len(p.held) == 0 {
		return p
	}
	b := c.free.Get().(*exactBuilder)
	defer c.free.Put(b)
	b.holding = false
	places, numbers, n := placesOf(p.numbers, len(p.held))
	lines := make([]uint64, n)
	for i := range p.held {
		at := places[i]
		b.replay(shiftedInput{uint32(at), lines[at]}, &p.held[i])
		lines[at] += p.lines[i]
	}
	sealed := b.seal(lines)
	sealed.numbers = numbers
	return sealed
}

// A CountMaker makes the exact counts of each chunk, and of each Live, for an ExactCounter of another process.
// It implements ingest.Handler.
type CountMaker struct {
	*countCutter
	*sentParts[*exactPart]
}

// NewCountMaker makes the CountMaker of a second pass with the settings of the first.
func NewCountMaker(s Settings, n *Nominees, give GivePart) *CountMaker {
	c := newCountCutter(s, n)
	return &CountMaker{c, &sentParts[*exactPart]{newFolder(s.Fan, c.joins()), give}}
}

// End gives the counts of what a chunk's sink was fed.
func (m *CountMaker) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	m.send(chunk, st, m.end(chunk, s, st))
}

// sentParts are given away: each as it comes, but those of a Live together, at its end. Of ends of inputs and files
// whoever reads them is told otherwise.
type sentParts[T interface {
	foldable
	marshal() []byte
}] struct {
	lives *folder[T]
	give  GivePart
}

func (p *sentParts[T]) send(c ingest.Chunk, st ingest.ChunkStats, v T) {
	if c.Input.Live != nil {
		p.lives.end(c, v)
		return
	}
	p.give(c, st, v.marshal())
}

// EndInput gives what a Live came to.
func (p *sentParts[T]) EndInput(in *ingest.Input, _ int) {
	if in.Live == nil {
		return
	}
	if v, ok := p.lives.endLive(in); ok {
		p.give(ingest.Chunk{Input: in}, ingest.ChunkStats{}, v.marshal())
	}
}

// EndFile does nothing.
func (*sentParts[T]) EndFile(int, int) {}
