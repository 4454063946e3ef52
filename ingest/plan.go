package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// A Split is the part of a file that one worker reads, where several read it, perhaps on other machines.
type Split struct {
	Size    int64 // bytes of the file when the plan was made: no more are read, fewer are an error
	First   int   // chunk of a file that is read by ranges
	Chunks  int   // from First on; 0: the whole file, read in sequence
	Entry   int   // of an archive whose regular files are shared out: the first of them that is read
	Entries int   // from Entry on; 0: the archive is not shared out; RestOfEntries: all that follow
}

// RestOfEntries are those of the last split of an archive: it also finds out how the archive ends.
const RestOfEntries = -1

// holds reports whether the i-th entry of an archive is of the split; nil holds all.
func (s *Split) holds(i int) bool {
	return s == nil || s.Entries == 0 || i >= s.Entry && !s.ended(i)
}

// ended reports whether neither the i-th entry nor a later one is of the split.
func (s *Split) ended(i int) bool {
	return s != nil && s.Entries > 0 && i-s.Entry >= s.Entries
}

// fits reports whether the split is of a file that is read so, of that many chunks, at a depth inside
// archives.
func (s *Split) fits(ranges bool, chunks, depth int) bool {
	if s.Entries != 0 {
		return depth > 0
	}
	if !ranges {
		return s.First == 0 && s.Chunks == 0
	}
	return s.First >= 0 && s.Chunks > 0 && s.First <= chunks-s.Chunks
}

// A Layout says how a file is read.
type Layout struct {
	Size   int64   // bytes on disk
	Chunks int     // that can be read by ranges, side by side; 0: it is read whole
	Format *Format // of a file that can be read by ranges, else nil
	Groups []int   // of an archive that is read by entries: how many go together, in order; nil: as a whole
}

// Plan finds out how each source would be read: a plain file of more than one chunk by ranges, unless its
// format needs the records before, an archive that nothing compresses as a whole by its entries, and what is
// small, compressed or unreadable as a whole. The
// answer depends on the sources, the formats and Options.Chunk alone. The error names streams, which
// cannot be shared out, or is that of ctx, or faulty options.
func Plan(ctx context.Context, src []Source, o Options) ([]Layout, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	o.Sums, o.Again, o.Progress, o.tail = false, nil, nil, 0
	o.Workers = max(1, min(o.Workers, runtime.GOMAXPROCS(0)))
	all := make([]Layout, len(src))
	var large []Source
	var at []int // of large: index in src
	var streams []error
	for i, s := range src {
		all[i].Size = s.Size
		switch {
		case s.Size < 0:
			streams = append(streams, fmt.Errorf("%s: is a stream, which cannot be shared out", s.Name))
		case s.Size > o.Chunk:
			large, at = append(large, s), append(at, i)
		}
	}
	if err := errors.Join(streams...); err != nil {
		return nil, err
	}
	o.layout = make([]Layout, len(large))
	if _, err := newRun(large, o, unheard{}).run(ctx); err != nil {
		return nil, err
	}
	for i, l := range o.layout {
		if l.Chunks > 0 || len(l.Groups) > 1 {
			all[at[i]] = l
		}
	}
	return all, nil
}

func layoutOf(size, chunk int64, f *Format, ranges bool) Layout {
	if !ranges {
		return Layout{}
	}
	return Layout{Size: size, Chunks: chunksOf(size, chunk), Format: f}
}

// groupsOf shares the entries of an archive out: neighbours go together until they come to a chunk.
func groupsOf(sizes []int64, chunk int64) (groups []int) {
	held := int64(0)
	for i, size := range sizes {
		if i == 0 || held >= chunk {
			groups, held = append(groups, 0), 0
		}
		groups[len(groups)-1]++
		held += size
	}
	return groups
}

func chunksOf(size, chunk int64) int { return int((size + chunk - 1) / chunk) }

// unheard is the handler of a run that hands out nothing.
type unheard struct{}

func (unheard) Begin(Chunk) Sink            { return nil }
func (unheard) End(Chunk, Sink, ChunkStats) {}
func (unheard) EndInput(*Input, int)        {}
func (unheard) EndFile(int, int)            {}
