package detect

import (
	"github.com/keyheat/keyheat/ingest"
)

// A Collector makes the Profile of a run: it gives each chunk a Sink and folds what they come to, in
// order. It implements ingest.Handler.
type Collector struct {
	*partCutter
	fold *folder[*part]
}

// NewCollector makes the Collector of one run. The settings must be valid.
func NewCollector(s Settings) *Collector {
	c := &Collector{partCutter: newPartCutter(s)}
	c.fold = newFolder(s.Fan, c.joins())
	return c
}

// End takes what a chunk's sink was fed.
func (c *Collector) End(chunk ingest.Chunk, s ingest.Sink, st ingest.ChunkStats) {
	c.fold.end(chunk, c.end(chunk, s, st))
}

// AddPart takes a part that a PartMaker with the same settings made, in place of a Sink. The error wraps
// ErrPart.
func (c *Collector) AddPart(id ingest.InputID, chunk int, form []byte) error {
	p, err := readPart(form, c.workshop.settings)
	if err == nil {
		c.fold.add(id, chunk, p)
	}
	return err
}

// EndInput takes the end of an input.
func (c *Collector) EndInput(in *ingest.Input, _ int) { c.fold.endInput(in) }

// EndFile takes the end of a file.
func (c *Collector) EndFile(file, members int) { c.fold.endFile(file, members) }

// Snapshot gives a Profile of the chunks that have ended so far. Reading goes on afterwards; it may be
// called at any time before Profile, and costs about as much as writing and reading all that is held.
func (c *Collector) Snapshot() *Profile {
	p, ok := c.fold.snapshot((*part).copied)
	if !ok {
		p = &part{}
	}
	return c.workshop.profile(p)
}

// Profile gives the Profile of all that was read, also of an interrupted run. It is called once.
func (c *Collector) Profile() *Profile {
	p, ok := c.fold.result()
	if !ok {
		p = &part{}
	}
	return c.workshop.profile(p)
}
