package ingest

import (
	"bytes"
	"io"
	"sync/atomic"
)

// largestKept is the most of a buffer that grew for a long record that is kept for the next input.
const largestKept = 4 << 20

// recordPadding is the readable bytes after each record.
const recordPadding = 64

// A fault is why a line cannot be (part of) a record.
type fault uint8

const (
	faultNone      fault = iota
	faultLong            // longer than the longest record: only its beginning is held
	faultUnwrapped       // an envelope is missing
	faultQuote           // opens a quote that nothing closes
)

// lines cuts a stream into lines, one at a time, and holds on to those after keep, so that a record
// of several lines is one piece of memory. With an envelope they are the lines inside of it, and
// their places are those of the lines outside.
//
// Invariant: keep <= from <= to, next <= seen <= fill; there is no line end in buf[next:seen].
type lines struct {
	src     io.Reader
	stopped *atomic.Bool // reading is to end early
	buf     []byte
	base    uint64 // position of buf[0]
	keep    int    // what is before it may be forgotten
	next    int    // where the line after the current one begins
	seen    int
	fill    int    // end of what was read
	err     error  // io.EOF, or why reading ended
	limit   int    // longest line, in bytes without its end
	block   int    // bytes to read at once
	rest    bool   // the current line was too long, and goes on at next
	pieces  bool   // lines that are too long come as several
	part    bool   // the current line is such a piece, and not the last
	stop    uint64 // the rest of a line that is too long is not read past here
	tally   tally

	// The current line.
	from, to int // without its line end
	pos      uint64
	number   uint64 // in its chunk, from 1
	fault    fault

	wrapped *wrapped // nil: no envelope
}

func (l *lines) reset(src io.Reader, base, stop uint64) {
	l.src, l.base, l.stop, l.err, l.rest, l.wrapped = src, base, stop, nil, false, nil
	l.keep, l.next, l.seen, l.fill, l.from, l.to, l.fault = 0, 0, 0, 0, 0, 0, faultNone
	if want := l.block + recordPadding; len(l.buf) < want || len(l.buf) > largestKept+want {
		l.buf = make([]byte, want)
	}
}

// line makes the next line the current one. It is false at the end; a last line without a line end is
// a line, unless reading ended for an error.
func (l *lines) line() bool {
	if l.rest && !l.dropRest() {
		return false
	}
	l.part = false
	for {
		i := bytes.IndexByte(l.buf[l.seen:l.fill], '\n')
		if l.pieces && l.piece(i) {
			break
		}
		if i >= 0 {
			l.take(l.next, l.seen+i)
			l.next, l.seen = l.to+1, l.to+1
			if l.wrapped == nil {
				l.tally.lineEnd(l.base + uint64(l.to))
			}
			break
		}
		l.seen = l.fill
		if l.fill-l.next > l.limit {
			l.take(l.next, l.fill)
			l.next, l.rest = l.fill, true
			break
		}
		if l.more() {
			continue
		}
		if l.err != io.EOF || l.next == l.fill {
			return false
		}
		l.take(l.next, l.fill)
		l.next = l.fill
		break
	}
	if l.wrapped != nil {
		l.locate()
	} else if l.to-l.from > l.limit {
		l.to, l.fault = l.from+l.limit, faultLong
	}
	return true
}

// piece makes the beginning of a line that is too long the current line; its end stands i bytes behind seen, -1:
// further on. False: it is not too long, as far as it is known.
func (l *lines) piece(i int) bool {
	end := l.fill
	if i >= 0 {
		end = l.seen + i
	}
	if end-l.next <= l.limit {
		return false
	}
	l.take(l.next, l.next+l.limit)
	l.next, l.seen, l.part = l.to, end, true
	return true
}

// take makes buf[from:to] the current line.
func (l *lines) take(from, to int) {
	l.from, l.to, l.fault = from, to, faultNone
	if l.wrapped == nil {
		l.pos = l.base + uint64(from)
		l.number = l.tally.lineNumber(l.pos)
	}
}

// pass passes over the first of size bytes that the current line begins: n lines of the same chunk.
func (l *lines) pass(size, n int) {
	l.next = l.from + size
	l.seen, l.keep = l.next, l.next
	l.tally.lineEnds(n - 1) // that of the current line is counted
}

// dropRest passes over the rest of a line that is too long.
func (l *lines) dropRest() bool {
	for {
		if i := bytes.IndexByte(l.buf[l.next:l.fill], '\n'); i >= 0 {
			l.next += i + 1
			l.seen, l.rest = l.next, false
			l.tally.lineEnd(l.base + uint64(l.next-1))
			return true
		}
		l.next, l.seen, l.keep = l.fill, l.fill, l.fill
		if l.base+uint64(l.next) >= l.stop || !l.more() {
			return false
		}
	}
}

// more reads on. Indexes into buf change, what is after keep stays.
func (l *lines) more() bool {
	if l.err != nil {
		return false
	}
	if l.stopped.Load() {
		l.err = errStopped
		return false
	}
	l.compact()
	if l.wrapped != nil {
		return l.unwrapBlock()
	}
	n, err := readSome(l.src, l.buf[l.fill:len(l.buf)-recordPadding])
	l.tally.add(l.base+uint64(l.fill), l.buf[l.fill:l.fill+n])
	l.fill += n
	l.err = err
	return n > 0
}

// compact forgets what is before keep, and makes room when half of the buffer is held.
func (l *lines) compact() {
	held := l.fill - l.keep
	to := l.buf
	if held > (len(l.buf)-recordPadding)/2 {
		to = make([]byte, 2*len(l.buf))
	}
	copy(to, l.buf[l.keep:l.fill])
	l.buf = to
	l.base += uint64(l.keep)
	if l.wrapped != nil {
		l.wrapped.forget(l.keep)
	}
	l.next, l.seen, l.fill = l.next-l.keep, l.seen-l.keep, held
	l.from, l.to = max(l.from-l.keep, 0), max(l.to-l.keep, 0)
	l.keep = 0
}

// A linesMark is the place behind a line, to go back to.
type linesMark struct {
	length int // from keep
	tally  tallyMark
}

func (l *lines) mark() linesMark {
	if l.wrapped != nil {
		return linesMark{length: l.next - l.keep}
	}
	return linesMark{length: l.next - l.keep, tally: l.tally.mark()}
}

// rewind makes the line behind m the next one again. keep must not have moved since.
func (l *lines) rewind(m linesMark) {
	l.next = l.keep + m.length
	l.seen, l.rest = l.next, false
	if l.wrapped != nil {
		l.wrapped.rewind(l.next)
		return
	}
	l.tally.rewind(m.tally)
}

// skipBOM passes over a byte order mark at the beginning of the stream.
func (l *lines) skipBOM() {
	for l.fill < len(bom) && l.more() {
	}
	if bytes.HasPrefix(l.buf[:l.fill], bom) {
		l.keep, l.next, l.seen = len(bom), len(bom), len(bom)
	}
}

var bom = []byte("\xEF\xBB\xBF")

// read gives the position up to which was read.
func (l *lines) read() uint64 { return l.base + uint64(l.fill) }

// readSome is one Read that gives bytes or an error.
func readSome(r io.Reader, p []byte) (int, error) {
	for range 100 {
		n, err := r.Read(p)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
