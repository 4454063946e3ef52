package ingest

import (
	"errors"
	"math"
)

// passes hands over the records up to the last line end.
func (fl *followed) passes(w *worker) {
	chunk := uint64(w.r.o.Chunk)
	for fl.off < fl.end && !fl.done {
		end := fl.end
		if end-fl.off > chunk {
			end = max(fl.lastLine(fl.off, fl.off+chunk), fl.off)
		}
		before, skip := fl.off, fl.skip
		if end > fl.off {
			fl.pass(w, end, false)
		}
		switch {
		case fl.off != before || fl.skip != skip:
			chunk = uint64(w.r.o.Chunk)
		case end == fl.end:
			return // all that is left is held back
		default:
			chunk *= 2 // a record that is longer than a chunk
		}
	}
}

// flush hands over what was held back, unless a line has begun that may belong to it.
func (fl *followed) flush(w *worker) {
	if fl.last.full && fl.off < fl.end && fl.end == fl.size {
		fl.pass(w, fl.end, true)
	}
}

// pass hands over the records that begin in [off, end) as one chunk; without all, but for the last one
// where it may go on.
func (fl *followed) pass(w *worker, end uint64, all bool) {
	base := max(fl.off, 1) - 1
	w.frame(fl.in, &section{f: fl.f, off: int64(base), end: int64(end), run: w.r}, base, fl.off, math.MaxUint64, end-fl.off)
	if !all && w.f.recFault == faultQuote && w.f.lines.err != nil {
		return // of the header
	}
	headed := len(w.f.rec.Data) > 0
	c := fl.begin(w)
	last := &fl.last
	last.full, last.before = false, 0
	last.on = !all && (fl.in.Format.Begins != nil || fl.in.quoted || fl.in.envelope != nil)
	for skip := fl.skip; w.f.record(); skip-- {
		if skip <= 0 && !last.turn(w, &c) {
			break
		}
	}
	next, lines, skip := end, w.outer().tally.count(0), 0
	switch {
	case fl.off == 0 && !headed && c.records == 0 && !last.full:
		next, lines = 0, 0 // blank lines: the first record is still to come
	case last.full:
		next, lines, skip = last.rec.At.Byte, last.rec.At.Line-1, last.before
		if lines == 0 { // a byte order mark may stand before it
			next, skip = fl.off, skip+fl.skip
		}
	}
	fl.endChunk(w, &c, ChunkStats{Bytes: next - fl.off, Lines: lines, Records: c.records})
	fl.off, fl.skip = next, skip
	if err := w.ended(fl.in); err != nil && !errors.Is(err, errShort) && !errors.Is(err, errStopped) {
		fl.fail(w, err)
	}
}

func (fl *followed) endChunk(w *worker, c *openChunk, st ChunkStats) {
	fl.fed += st.Bytes
	w.r.h.End(c.Chunk, c.sink, st)
	fl.res.add(st, false)
}

// begin begins a chunk, with a decoder that has not yet read a whole chunk of bytes.
func (fl *followed) begin(w *worker) openChunk {
	if fl.fed >= uint64(w.r.o.Chunk) && !fl.in.Format.Sequential {
		fl.decoder, fl.fed = w.decoder(fl.in), 0
	}
	c := openChunk{Chunk: Chunk{Input: fl.in, Index: fl.res.Chunks, Start: fl.off}, decoder: fl.decoder}
	c.sink = w.r.h.Begin(c.Chunk)
	return c
}

// A heldRecord keeps a copy of the last record until another one follows it.
type heldRecord struct {
	on     bool // off: each record is handed over at once
	full   bool
	rec    Record
	fault  fault
	data   []byte
	node   []byte
	before int // records that begin at the same byte before it
}

// turn hands over the record that is held, and holds the current one. It is false when what follows
// would be read wrongly before more has come.
func (h *heldRecord) turn(w *worker, c *openChunk) bool {
	if !h.on {
		w.decode(c)
		return true
	}
	rec, fault := w.f.rec, w.f.recFault
	if h.full {
		w.f.rec, w.f.recFault = h.rec, h.fault
		w.decode(c)
		if h.before++; h.rec.At.Byte != rec.At.Byte {
			h.before = 0
		}
	}
	h.data = append(append(h.data[:0], rec.Data...), make([]byte, recordPadding)...)
	h.node = append(h.node[:0], rec.Node...)
	h.rec, h.fault, h.full = rec, fault, true
	h.rec.Data, h.rec.Node = h.data[:len(rec.Data)], h.node
	return fault != faultQuote || w.f.lines.err == nil // the quote may be closed by what comes
}
