package ingest

import (
	"bytes"
	"io"
	"math"
	"strings"
)

// An openChunk is the chunk that a worker reads.
type openChunk struct {
	Chunk
	end     uint64
	sink    Sink
	decoder Decoder
	records uint64
	runner  Runner // nil: each record goes to the decoder
	plains  PlainSink
	vain    int // how many records stay alone for the runs that were in vain
	alone   int // how many still do
}

const (
	worthRun  = 4  // records: a run of fewer is in vain
	mostAlone = 64 // records between two runs
)

func (w *worker) begin(in *Input, index int, d Decoder) openChunk {
	size := uint64(w.r.o.Chunk)
	c := openChunk{Chunk: Chunk{Input: in, Index: index, Start: uint64(index) * size}, decoder: d}
	c.end = c.Start + size
	c.sink = w.r.h.Begin(c.Chunk)
	runner, runs := d.(Runner)
	plains, takes := c.sink.(PlainSink)
	if runs && takes && in.envelope == nil {
		c.runner, c.plains = runner, plains
	}
	return c
}

// end ends a chunk whose counts are the i-th of the tally.
func (w *worker) end(c *openChunk, i int) ChunkStats {
	o := w.outer()
	st := ChunkStats{Records: c.records, Lines: o.tally.count(i), Sum: o.tally.sumOf(i)}
	if read := min(o.read(), c.end); read > c.Start {
		st.Bytes = read - c.Start
	}
	w.r.h.End(c.Chunk, c.sink, st)
	return st
}

// decoder makes the decoder of a later chunk. It was made before with the same arguments; a format that
// refuses them now makes a Problem of each record.
func (w *worker) decoder(in *Input) Decoder {
	d, err := w.newDecoder(in)
	if err != nil {
		return refusal{err.Error()}
	}
	return d
}

type refusal struct{ why string }

// Decode implements Decoder.
func (d refusal) Decode(r *Record, to Sink) {
	to.Problem(Problem{Cause: "decoder refused", Text: d.why, At: r.At})
}

// decode hands the current record to the chunk's decoder, and passes over quiet ones behind it, or over those
// that are read in one run.
func (w *worker) decode(c *openChunk) {
	w.decodeOne(c)
	if c.runner != nil {
		w.run(c)
	}
	if w.f.quiet == nil {
		return
	}
	n := w.f.passQuiet(c.end)
	c.records += uint64(n)
	for range n {
		c.sink.Skip(c.Input.Format.QuietKind)
	}
}

// run reads the records behind the current one that the chunk's decoder reads in one run.
func (w *worker) run(c *openChunk) {
	if c.alone > 0 {
		c.alone--
		return
	}
	text, at := w.f.ahead(c.end)
	size, n := c.runner.Run(text, at, c.plains)
	if n > 0 {
		w.f.skip(size, n)
		c.records += uint64(n)
	}
	if c.vain = min(2*c.vain+1, mostAlone); n >= worthRun {
		c.vain = 0
	}
	c.alone = c.vain
}

func (w *worker) decodeOne(c *openChunk) {
	c.records++
	if w.f.recFault == faultNone {
		c.decoder.Decode(&w.f.rec, c.sink)
		return
	}
	text := w.f.rec.Data[:min(len(w.f.rec.Data), MaxProblemText)]
	c.sink.Problem(Problem{Cause: w.f.recFault.cause(), Text: strings.ToValidUTF8(string(text), "?"), At: w.f.rec.At})
}

// The causes of the Problems that reading itself makes.
const (
	CauseLong      = "record too long" // over Options.MaxRecord (1 MiB by default), a document over MaxDocument
	CauseUnwrapped = "line without its envelope"
	CauseQuote     = "quote that nothing closes"
)

func (f fault) cause() string {
	return [...]string{"", CauseLong, CauseUnwrapped, CauseQuote}[f]
}

// outer gives the lines that positions are counted in.
func (w *worker) outer() *lines {
	if w.f.wrapped != nil {
		return &w.wrapped.outer
	}
	return &w.f.lines
}

// frame makes the worker's framer give the records of in in [start, stop), of what r gives from base on.
// Lines are counted from start on, anew after each chunk bytes.
func (w *worker) frame(in *Input, r io.Reader, base, start, stop, chunk uint64) {
	f := &w.f
	f.begins, f.quoted, f.quiet = in.Format.Begins, in.quoted, in.Format.Quiet
	limit := w.r.o.MaxRecord
	if in.Format.Document {
		f.begins, f.quoted, limit = noLine, false, MaxDocument
	}
	if in.Format.Long {
		limit = MaxDocument
	}
	f.lines.limit, w.wrapped.outer.limit = limit, limit
	f.pieces = in.Format.Pieces && in.envelope == nil
	f.start, f.first, f.held, f.rec, f.recFault = start, start == 0, false, Record{}, faultNone
	f.reset(r, base, stop)
	if in.envelope != nil {
		o := &w.wrapped
		f.quiet = nil // its records are not one piece of the input
		*o = wrapped{envelope: in.envelope, outer: o.outer, marks: o.marks[:0], nodes: o.nodes[:0], joined: o.joined[:0]}
		o.outer.reset(r, base, stop)
		f.wrapped = o
	}
	outer := w.outer()
	outer.tally.reset(chunk, start, w.r.sums(in.ID.File))
	if start == 0 {
		outer.skipBOM()
		if in.Format.Header {
			f.record()
		}
	}
}

// noLine makes an input one record, which its first line begins.
func noLine([]byte) bool { return false }

// ended gives why reading ended before the end of the input, nil if it did not.
func (w *worker) ended(in *Input) error {
	o := w.outer()
	if o.err == nil || o.err == io.EOF {
		return nil
	}
	return &ReadError{Name: in.Name, Byte: o.read(), Err: o.err}
}

// sequence reads an input from its beginning to its end.
func (w *worker) sequence(p place, in *Input, d Decoder, r io.Reader) {
	s := sequence{w: w, p: p, weight: w.r.weight(p.size)}
	s.res.Input = in
	w.frame(in, r, 0, 0, math.MaxUint64, uint64(w.r.o.Chunk))
	w.r.admit(p.file, s.weight)
	s.c = w.begin(in, 0, d)
	for w.f.record() {
		for w.f.rec.At.Byte >= s.c.end {
			s.turn()
		}
		w.decode(&s.c)
	}
	for w.outer().read() > s.c.end { // no record begins in the last chunks
		s.turn()
	}
	if d, ok := s.c.decoder.(Closer); ok {
		d.Close(s.c.sink)
	}
	s.end()
	s.res.Err = w.ended(in)
	w.r.h.EndInput(in, s.res.Chunks)
	file := &w.r.res.Sources[p.file]
	file.Inputs = append(file.Inputs, s.res)
}

// A sequence is the reading of an input chunk by chunk.
type sequence struct {
	w      *worker
	p      place
	c      openChunk
	weight int
	res    InputResult
}

func (s *sequence) turn() {
	s.end()
	s.weight = chunkWeight
	s.w.r.admit(s.p.file, s.weight)
	d := s.c.decoder
	if !s.c.Input.Format.Sequential {
		d = s.w.decoder(s.c.Input)
	}
	s.c = s.w.begin(s.c.Input, s.c.Index+1, d)
}

func (s *sequence) end() {
	s.res.add(s.w.end(&s.c, s.c.Index), s.w.r.sums(s.p.file))
	s.w.r.settle(s.p.file, s.weight)
}

func (r *InputResult) add(st ChunkStats, sums bool) {
	r.Chunks++
	r.Bytes += st.Bytes
	r.Records += st.Records
	if sums {
		r.Sums = append(r.Sums, st.Sum)
	}
}

// rangedChunk reads one chunk of a plain file.
func (w *worker) rangedChunk(g *rangedFile, i int) {
	start := uint64(i) * uint64(w.r.o.Chunk)
	st, err := w.chunk(g.in, g.f, g.size, i, start, start+uint64(w.r.o.Chunk))
	if w.r.chunkDone(g, i, st, err) {
		g.finish(w.r)
	}
}

// chunk reads the records that begin in [start, stop) of a file.
func (w *worker) chunk(in *Input, f File, size int64, index int, start, stop uint64) (ChunkStats, error) {
	base := leadIn(f, int64(start), in.envelope != nil)
	w.frame(in, &section{f: f, off: base, end: size, run: w.r}, uint64(base), start, stop, uint64(w.r.o.Chunk))
	c := w.begin(in, index, w.decoder(in))
	for w.f.record() {
		w.decode(&c)
	}
	return w.end(&c, 0), w.ended(in)
}

// maxLeadIn bounds how far back the line before a chunk is looked for, in bytes.
const maxLeadIn = 128 << 10

// leadIn gives where to begin reading so that lines that begin at start or later are seen as such: one
// byte before it. With an envelope it is where the line before begins, which may go on in the first, empty
// lines or not.
func leadIn(f File, start int64, envelope bool) int64 {
	if start == 0 || !envelope {
		return max(start-1, 0)
	}
	before := make([]byte, min(start-1, maxLeadIn))
	n, _ := f.ReadAt(before, start-1-int64(len(before))) // an error comes again when it is read
	for i := len(bytes.TrimRight(before[:n], "\r\n")) - 1; i >= 0; i-- {
		if before[i] == '\n' {
			return start - 1 - int64(len(before)-i-1)
		}
	}
	return start - 1 - int64(len(before))
}

// tail reads the last bytes of a file as one chunk.
func (w *worker) tail(p place, in *Input) {
	start := uint64(p.size - w.r.o.tail)
	st, err := w.chunk(in, p.disk.f, p.size, 0, start, math.MaxUint64)
	res := InputResult{Input: in, Err: err}
	res.add(st, w.r.sums(p.file))
	w.r.h.EndInput(in, 1)
	file := &w.r.res.Sources[p.file]
	file.Inputs = append(file.Inputs, res)
}
