package detect

import (
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// A Collector makes the Profile of a run: it gives each chunk a Builder and folds what they make, in
// order. It implements ingest.Handler.
type Collector struct {
	settings Settings
	fold     *folder[*Profile]
	free     sync.Pool // of *Builder
}

// NewCollector makes the Collector of one run. The settings must be valid.
func NewCollector(s Settings) *Collector {
	c := &Collector{settings: s}
	c.fold = newFolder(s.Fan,
		func(a, b *Profile) *Profile { return merge(a, b, true) },
		func(a, b *Profile) *Profile { return merge(a, b, false) },
		func(in *ingest.Input) *Profile { return EmptyProfile(s, inputStats(in)) },
	)
	c.free.New = func() any { return NewBuilder(s) }
	return c
}

// Begin gives the sink of a chunk.
func (c *Collector) Begin(ingest.Chunk) ingest.Sink { return c.free.Get().(*Builder) }

// End takes what a chunk's sink was fed.
func (c *Collector) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	b := s.(*Builder)
	in := inputStats(chunk.Input)
	in.Bytes, in.Lines, in.Records = st.Bytes, st.Lines, st.Records
	p := b.Seal(in)
	b.Reset()
	c.free.Put(b)
	c.fold.add(chunk.Input.ID, chunk.Index, p)
}

// EndInput takes the end of an input.
func (c *Collector) EndInput(in *ingest.Input, _ int) { c.fold.endInput(in) }

// EndFile takes the end of a file.
func (c *Collector) EndFile(file, members int) { c.fold.endFile(file, members) }

// Profile gives the Profile of all that was read, also of an interrupted run. It is called once.
func (c *Collector) Profile() *Profile {
	p, ok := c.fold.result()
	if !ok {
		p = EmptyProfile(c.settings, InputStats{})
		p.Inputs = nil
	}
	return p
}

func inputStats(in *ingest.Input) InputStats {
	return InputStats{Name: in.Name, Format: in.Format.Name, Coverage: in.Format.Coverage, Node: in.Node}
}
