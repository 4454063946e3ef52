package ingest

import "bytes"

// A framer gives the records of a stream that begin in [start, stop), one at a time.
type framer struct {
	lines
	begins func(line []byte) bool // see Format.Begins
	quoted bool                   // see Input.quoted
	quiet  func(text []byte) (bytes, records int)
	start  uint64

	first bool // the next line is the first of its input, and begins a record whatever it looks like
	held  bool // the current line ended the record before, and is still to be taken
	node  []byte

	// The current record. With a fault, Data is its beginning.
	rec      Record
	recFault fault
}

// record makes the next record the current one; it is valid until the next call.
func (f *framer) record() bool {
	switch {
	case f.quoted:
		return f.quotedRecord()
	case f.begins != nil:
		return f.groupedRecord()
	}
	for {
		f.keep = f.next
		if !f.line() || f.pos >= f.stop {
			return false
		}
		data := f.buf[f.from:f.to]
		if f.fault == faultNone && !f.part {
			data = trimCR(data)
		}
		if len(data) == 0 || f.pos < f.start {
			continue
		}
		f.open()
		f.rec.Data, f.rec.Cut = data, f.part
		return true
	}
}

// open makes the current line the beginning of the record.
func (f *framer) open() {
	f.rec.At = Position{Byte: f.pos, Line: f.number}
	f.recFault = f.fault
	if f.wrapped != nil {
		f.node = append(f.node[:0], f.wrapped.node...)
		f.rec.UnixNano, f.rec.Node = f.wrapped.unixNano, f.node
	}
}

// groupedRecord gives a line that begins a record and the lines after it that do not. Lines before the
// first that begins one belong to the chunk before; after a record that is too long, to that one.
func (f *framer) groupedRecord() bool {
	size := -1 // of the record so far; -1: none yet
	for f.held || f.line() {
		begins := f.held || f.beginsRecord()
		f.held = false
		if begins && size >= 0 {
			if f.closeGroup(size) {
				f.held = true
				return true
			}
			size = -1
		}
		if size < 0 && f.pos >= f.stop {
			return false
		}
		switch {
		case begins:
			f.keep = f.from
			f.open()
		case size < 0:
			f.keep = f.next
			continue
		}
		size = f.to - f.keep
		if f.fault != faultNone || size > f.limit {
			if f.recFault == faultNone {
				f.recFault = faultLong
			}
			f.rec.Data = f.buf[f.keep : f.keep+min(size, f.limit)]
			return true
		}
	}
	return size >= 0 && f.closeGroup(size)
}

// passQuiet passes over quiet records that begin before end, and gives their number. The current record is
// gone then.
func (f *framer) passQuiet(end uint64) int {
	if !f.held || f.pos >= min(end, f.stop) || f.fault != faultNone {
		return 0
	}
	left := min(end, f.stop) - f.pos // the line ends of another chunk are counted there
	text := f.buf[f.from:f.fill]
	text = text[:min(uint64(len(text)), uint64(f.limit), left)]
	size, n := f.quiet(text)
	if n > 0 {
		f.pass(size, n)
		f.held = false
	}
	return n
}

// beginsRecord judges the current line.
func (f *framer) beginsRecord() bool {
	if f.pos < f.start {
		return false
	}
	first := f.first
	f.first = false
	if first || f.fault == faultUnwrapped || f.wrapped != nil && f.fault == faultLong {
		return true
	}
	line := trimCR(f.buf[f.from:f.to])
	return len(line) > 0 && f.begins(line)
}

// closeGroup makes the size bytes from keep on the record, unless they are blank lines.
func (f *framer) closeGroup(size int) bool {
	data := f.buf[f.keep : f.keep+size]
	for n := len(data); n > 0 && (data[n-1] == '\n' || data[n-1] == '\r'); n-- {
		data = data[:n-1]
	}
	f.rec.Data = data
	return len(data) > 0
}

// quotedRecord gives lines up to the first at whose end no quote is open. A quote that nothing closes
// within the longest record spoils its first line only: reading goes on behind that line.
func (f *framer) quotedRecord() bool {
	for {
		f.keep = f.next
		if !f.line() {
			return false
		}
		f.keep = f.from // the rest of a line that was too long may stand before it
		f.open()
		size := f.to - f.keep
		if f.recFault == faultNone && f.quotesOpen() {
			size = f.closeQuote(size)
		}
		f.rec.Data = f.buf[f.keep : f.keep+size]
		if f.recFault != faultLong {
			f.rec.Data = trimCR(f.rec.Data)
		}
		if len(f.rec.Data) > 0 {
			return true
		}
	}
}

// closeQuote reads on until the quote that the first line of a record opens is closed, and gives the
// size of the record.
func (f *framer) closeQuote(first int) int {
	behind := f.mark()
	for f.line() {
		size := f.to - f.keep
		if f.fault == faultUnwrapped || size > f.limit {
			break
		}
		if f.quotesOpen() {
			return size
		}
	}
	f.rewind(behind)
	f.recFault = faultQuote
	return first
}

// quotesOpen reports whether the current line opens or closes a quote without its counterpart.
func (f *framer) quotesOpen() bool {
	return bytes.Count(f.buf[f.from:f.to], quote)%2 == 1
}

var quote = []byte{'"'}
