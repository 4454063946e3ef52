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
	index *nomineeIndex
	free  sync.Pool // of *exactBuilder
}

func newCountCutter(s Settings, n *Nominees) *countCutter {
	c := &countCutter{index: newNomineeIndex(n, s.Bytes)}
	c.free.New = func() any {
		return &exactBuilder{
			index: c.index, targets: newTargetIndex(MaxTargets),
			keys: make([]*exactOpen, len(n.Keys)), sizes: make([]ExactSize, len(n.Sizes)),
		}
	}
	return c
}

// Begin gives the sink of a chunk.
func (c *countCutter) Begin(chunk ingest.Chunk) ingest.Sink {
	b := c.free.Get().(*exactBuilder)
	b.coverage = chunk.Input.Format.Coverage
	return b
}

func (c *countCutter) end(s ingest.Sink, st ingest.ChunkStats) *exactPart {
	b := s.(*exactBuilder)
	defer c.free.Put(b)
	return b.seal(st)
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
