package detect

import (
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// A Collector makes the Profile of a run: it gives each chunk a Sink and folds what they come to, in
// order. It implements ingest.Handler.
type Collector struct {
	workshop *workshop
	fold     *folder[*part]
	free     sync.Pool // of *recorder
}

// NewCollector makes the Collector of one run. The settings must be valid.
func NewCollector(s Settings) *Collector {
	c := &Collector{workshop: newWorkshop(s)}
	c.fold = newFolder(s.Fan,
		func(a, b *part) *part { return c.workshop.join(a, b, true) },
		func(a, b *part) *part { return c.workshop.join(a, b, false) },
		func(in *ingest.Input) *part {
			return &part{inputs: []loggedInput{{context: contextOf(in), stats: statsOf(in)}}}
		},
	)
	c.free.New = func() any { return &recorder{workshop: c.workshop} }
	return c
}

// Begin gives the sink of a chunk.
func (c *Collector) Begin(chunk ingest.Chunk) ingest.Sink {
	r := c.free.Get().(*recorder)
	r.begin(chunk.Input)
	return r
}

// End takes what a chunk's sink was fed.
func (c *Collector) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	r := s.(*recorder)
	p := r.end(chunk.Input, st)
	c.free.Put(r)
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
		p = &part{}
	}
	return c.workshop.profile(p)
}
