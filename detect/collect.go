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
func (c *Collector) Begin(chunk ingest.Chunk) ingest.Sink {
	b := c.free.Get().(*Builder)
	b.input(chunk.Input)
	return b
}

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

// input takes from an input what stands for all its records.
func (b *Builder) input(in *ingest.Input) {
	b.coverage = in.Format.Coverage
	b.inputNode, b.inputName, b.role = in.Node, in.Name, in.Role()
	if b.inputNode == "" {
		b.inputNode = in.Folder()
	}
}

func inputStats(in *ingest.Input) InputStats {
	return InputStats{Name: in.Name, Format: in.Format.Name, Coverage: in.Format.Coverage, Node: in.Node}
}
