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
	return r.end(chunk.Input, st)
}

// A PartMaker makes the part of each chunk for a Collector of another process. It implements
// ingest.Handler.
type PartMaker struct {
	*partCutter
	ends
	give GivePart
}

// NewPartMaker makes the PartMaker of one run. The settings must be valid.
func NewPartMaker(s Settings, give GivePart) *PartMaker {
	return &PartMaker{partCutter: newPartCutter(s), give: give}
}

// End gives the part of what a chunk's sink was fed.
func (m *PartMaker) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	m.give(chunk, st, m.end(chunk, s, st).marshal())
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

func (c *countCutter) end(s ingest.Sink, st ingest.ChunkStats) *exactPart {
	b := s.(*exactBuilder)
	defer c.free.Put(b)
	return b.end(st)
}

// join gives the counts of both; with continued, b's first input is the continuation of a's last.
func (c *countCutter) join(a, b *exactPart, continued bool) *exactPart {
	if size := a.size + b.size; len(a.held) > 0 && len(b.held) > 0 && !continued && size <= c.settings.openBudget() {
		return &exactPart{held: append(a.held, b.held...), size: size, inputs: a.inputs + b.inputs, lines: b.lines}
	}
	return c.counted(a).join(c.counted(b), continued)
}

// counted counts the events that a part is held as.
func (c *countCutter) counted(p *exactPart) *exactPart {
	if len(p.held) == 0 {
		return p
	}
	b := c.free.Get().(*exactBuilder)
	defer c.free.Put(b)
	b.holding = false
	for i := range p.held {
		b.replay(uint32(i), &p.held[i])
	}
	return b.seal(p.inputs, p.lines)
}

// A CountMaker makes the exact counts of each chunk for an ExactCounter of another process. It implements
// ingest.Handler.
type CountMaker struct {
	*countCutter
	ends
	give GivePart
}

// NewCountMaker makes the CountMaker of a second pass with the settings of the first.
func NewCountMaker(s Settings, n *Nominees, give GivePart) *CountMaker {
	return &CountMaker{countCutter: newCountCutter(s, n), give: give}
}

// End gives the counts of what a chunk's sink was fed.
func (m *CountMaker) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	m.give(chunk, st, m.end(s, st).marshal())
}

// ends are of no concern to makers of parts: whoever reads the parts is told of them otherwise.
type ends struct{}

// EndInput does nothing.
func (ends) EndInput(*ingest.Input, int) {}

// EndFile does nothing.
func (ends) EndFile(int, int) {}
