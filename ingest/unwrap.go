package ingest

import (
	"bytes"
	"io"
)

// wrapped is what lines knows of the lines outside of an envelope.
type wrapped struct {
	outer    lines
	envelope *Envelope
	marks    []lineMark // of the lines in buf, in order
	cur      int        // of the next line
	nodes    []byte

	// The line that is put together from outer ones.
	joined   []byte
	mark     lineMark
	joining  bool
	unixNano int64  // of the current line
	node     []byte // of the current line
}

// A lineMark is where a line inside an envelope was outside.
type lineMark struct {
	at           int // index in buf
	pos, number  uint64
	unixNano     int64
	node, length int // in nodes
	fault        fault
}

// locate sets the place of the current line.
func (l *lines) locate() {
	w := l.wrapped
	m := &w.marks[w.cur]
	w.cur++
	l.pos, l.number, l.fault = m.pos, m.number, m.fault
	w.unixNano, w.node = m.unixNano, w.nodes[m.node:m.node+m.length]
}

// rewind makes the line at index at the next one.
func (w *wrapped) rewind(at int) {
	for w.cur > 0 && w.marks[w.cur-1].at >= at {
		w.cur--
	}
}

// forget drops the marks of the first n bytes of buf.
func (w *wrapped) forget(n int) {
	drop := 0
	for drop < len(w.marks) && w.marks[drop].at < n {
		drop++
	}
	w.marks = w.marks[:copy(w.marks, w.marks[drop:])]
	w.cur -= drop
	used := 0
	for i := range w.marks {
		m := &w.marks[i]
		m.at -= n
		copy(w.nodes[used:], w.nodes[m.node:m.node+m.length])
		m.node, used = used, used+m.length
	}
	w.nodes = w.nodes[:used]
}

// unwrapBlock appends about a block of lines without their envelope to buf.
func (l *lines) unwrapBlock() bool {
	w, start := l.wrapped, l.fill
	for l.fill-start < l.block || w.joining {
		w.outer.keep = w.outer.next
		if !w.outer.line() {
			l.flush()
			l.err = w.outer.err
			if l.err == nil {
				l.err = io.EOF
			}
			break
		}
		l.unwrapLine()
	}
	return l.fill > start
}

// unwrapLine undoes the envelope of the current outer line. A line that the envelope says goes on in
// the next one is kept until it is whole.
func (l *lines) unwrapLine() {
	w := l.wrapped
	o := &w.outer
	text := trimCR(o.buf[o.from:o.to])
	if len(text) == 0 {
		return
	}
	mark := lineMark{pos: o.pos, number: o.number, fault: o.fault}
	if o.fault != faultNone {
		l.flush()
		l.append(text[:min(len(text), MaxProblemText)], mark)
		return
	}
	out, meta, ok := w.envelope.Unwrap(w.joined, text)
	if !ok {
		l.flush()
		mark.fault = faultUnwrapped
		l.append(text[:min(len(text), MaxProblemText)], mark)
		return
	}
	w.joined = out
	if !w.joining {
		w.mark, w.joining = mark, true
		w.mark.unixNano = meta.UnixNano
		w.mark.node, w.mark.length = len(w.nodes), len(meta.Node)
		w.nodes = append(w.nodes, meta.Node...)
	}
	if len(w.joined) > l.limit {
		w.joined, w.mark.fault = w.joined[:l.limit], faultLong
	}
	if !meta.Partial {
		l.flush()
	}
}

// flush appends the lines that were put together. They have one place: that of the outer line.
func (l *lines) flush() {
	w := l.wrapped
	if !w.joining {
		return
	}
	rest := bytes.TrimRight(w.joined, "\r\n")
	if w.mark.fault != faultNone {
		rest = rest[:min(len(rest), MaxProblemText)]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
	}
	for {
		line, after, more := bytes.Cut(rest, lineEnd)
		l.append(line, w.mark)
		if !more {
			break
		}
		rest = after
	}
	w.joined, w.joining = w.joined[:0], false
}

var lineEnd = []byte{'\n'}

// append appends a line and its mark to buf.
func (l *lines) append(text []byte, m lineMark) {
	need := l.fill + len(text) + 1 + recordPadding
	if need > len(l.buf) {
		l.buf = append(l.buf, make([]byte, max(need-len(l.buf), len(l.buf)))...)
	}
	m.at = l.fill
	l.fill += copy(l.buf[l.fill:], text)
	l.buf[l.fill] = '\n'
	l.fill++
	l.wrapped.marks = append(l.wrapped.marks, m)
}

// trimCR gives line without the carriage return of a CRLF line end.
func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
