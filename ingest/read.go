package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
)

// InputID orders the inputs of a run: by argument, then by place inside an archive. Members that no
// format knows have no number.
type InputID struct{ File, Member int }

// An Input is one stream of records: a file, or a member of an archive.
type Input struct {
	ID          InputID
	Name        string // of a member: bundle.tar.gz/nodes/10.0.0.1/logs/cassandra/system.log
	Format      *Format
	Node        string   // that its name tells, as collected bundles do; empty when it tells none
	Envelopes   []string // from the outermost to the innermost
	Compression string   // outermost first, joined by "+": gzip; empty when there is none
	UTF16       bool     // positions are those of its UTF-8 form
	Recording   Recording
	// Live is the first of the inputs of the Live that this one is of; nil: it is of no Live.
	Live *InputID

	envelope *Envelope
	quoted   bool   // line ends inside quotes do not end a record
	head     []byte // its beginning, envelope undone, as formats are shown it
}

// A Chunk is the records of an input that begin in bytes [Index*Options.Chunk, (Index+1)*Options.Chunk)
// of its decompressed form. An input of n bytes has n/Options.Chunk chunks, rounded up, whether a
// record begins in each or not. Chunks of an input that is followed begin where the one before ended.
type Chunk struct {
	Input *Input
	Index int
	Start uint64 // Index*Options.Chunk
}

// ChunkStats counts what a chunk held. Bytes, Lines and Sum are of its range of bytes: they add up to
// those of the input, and a record that begins in the range may go on after it.
type ChunkStats struct {
	Bytes   uint64
	Lines   uint64 // line ends: what to add to the line numbers of the chunks after it
	Records uint64 // records handed to the decoder, and those that reading itself made a Problem of
	Sum     uint32 // CRC-32C of the bytes; 0 unless Options.Sums or Options.Again is set
}

// A Handler takes what is read. Begin, the calls to the Sink and End of one chunk happen on one
// goroutine; different chunks run at the same time, also those of one input. Positions of records
// name the byte in the decompressed input and the line counted from the chunk's start; their Input
// is left 0.
type Handler interface {
	// Begin is called at the start of a chunk. The Sink is used by one goroutine, until End.
	Begin(c Chunk) Sink
	// End is called once for each Begin, also when the chunk ended early.
	End(c Chunk, to Sink, st ChunkStats)
	// EndInput follows all End calls of the input, chunks many. The chunks of all inputs of a Live end one
	// after the other, and all of them before its inputs, of which the first ends last.
	EndInput(in *Input, chunks int)
	// EndFile follows all EndInput calls of the file; members is their number. It is called for each
	// source, also those that gave nothing, but not for those that a cancelled run never began.
	EndFile(file, members int)
}

// Options are the settings of a run. Zero values are the defaults.
type Options struct {
	Formats []*Format // in order of preference
	Decode  DecodeOptions
	Files   Files
	Stdin   io.Reader

	Chunk      int64 // bytes of decompressed input of a chunk; default 64 MiB
	Workers    int   // inputs or chunks read at the same time; default GOMAXPROCS
	ReadBuffer int   // bytes; default 256 KiB, grown for longer records
	MaxRecord  int   // bytes of the longest record; default 1 MiB

	// Sums asks for a checksum of each chunk, which a second pass needs.
	Sums bool
	// Stamp gives what changes when the bytes of a file do, 0 where that cannot be told from outside: those are
	// summed. A file of another stamp than in the first pass is marked Changed. Nil: all are summed.
	Stamp func(fs.FileInfo) int64
	// Again is the result of the first pass over the same sources with the same settings: exactly the
	// bytes of that pass are read, and sources that hold others are marked Changed.
	Again *Result
	// Follow makes Read go on with what grows until the context ends, as tail -F does: plain files that
	// were named, the standard input and pipes. It is called between two looks at them, and ends after a
	// while or with the context. A file that is cut, or replaced by another, goes on as another input. What
	// one look finds is one chunk, or several; it is not read Again.
	Follow func(ctx context.Context)
	// Progress is called after each few MiB read, by one goroutine at a time.
	Progress func(Progress)

	tail   int64    // read the last bytes only of inputs that can be read by ranges
	layout []Layout // by source: find out how it would be read, and read nothing of it
}

// Progress says how far reading is.
type Progress struct {
	Bytes uint64 // read, as stored
	Total uint64 // of all sources; 0 when not known
}

const (
	defaultChunk      = 64 << 20
	defaultReadBuffer = 256 << 10
	defaultMaxRecord  = 1 << 20
	minReadBuffer     = 512
	minChunk          = 16 // a byte order mark is in the first
)

// Validate reports every fault of the options.
func (o *Options) Validate() error {
	var faults []error
	if len(o.Formats) == 0 {
		faults = append(faults, errors.New("no formats to read with"))
	}
	if o.Files == nil {
		faults = append(faults, errors.New("no files to read from"))
	}
	if o.Chunk < 0 || o.Chunk > 0 && o.Chunk < minChunk {
		faults = append(faults, fmt.Errorf("chunk size %d: must be at least %d bytes", o.Chunk, minChunk))
	}
	if o.Workers < 0 {
		faults = append(faults, fmt.Errorf("workers %d: must be at least 1", o.Workers))
	}
	if o.ReadBuffer < 0 || o.ReadBuffer > 0 && o.ReadBuffer < minReadBuffer {
		faults = append(faults, fmt.Errorf("read buffer %d: must be at least %d bytes", o.ReadBuffer, minReadBuffer))
	}
	if o.MaxRecord < 0 {
		faults = append(faults, fmt.Errorf("longest record %d: must be at least 1 byte", o.MaxRecord))
	}
	return errors.Join(faults...)
}

func (o Options) withDefaults() Options {
	if o.Chunk == 0 {
		o.Chunk = defaultChunk
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.ReadBuffer == 0 {
		o.ReadBuffer = defaultReadBuffer
	}
	if o.MaxRecord == 0 {
		o.MaxRecord = defaultMaxRecord
	}
	return o
}

// Read reads the sources and hands their records to h. Each source that could not be read, or not
// wholly, says so in the Result; the others go on. The error is that of ctx, or faulty options; the
// Result of a cancelled run holds what was read. To be cancelled is the normal end of a Live: where nothing
// else was cut short, there is no error.
func Read(ctx context.Context, src []Source, o Options, h Handler) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return newRun(src, o.withDefaults(), h).run(ctx)
}
