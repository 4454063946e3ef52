package ingest

// A Plain is an event that tells no more than most do: the key, and the time, table, operation and size as far as
// all events of its Plains tell them. What they do not is 0.
type Plain struct {
	UnixNano int64
	Bytes    uint64
	Record   uint32 // where its record begins in Plains.Text
	Key      uint32 // where its key begins there, or in Plains.Unquoted
	KeySize  uint16
	Table    uint16 // the place of its table's name in Plains.Tables
	Op       Op
	Unquoted bool // the key stands in Plains.Unquoted
}

// Plains are events of neighbouring records of one input. All they hold is valid only during the call that hands
// them over.
type Plains struct {
	Events       []Plain
	Timed, Sized bool     // the events tell their time; their bytes
	Text         []byte   // holds the records
	Unquoted     []byte   // holds keys that are written otherwise in the records: with escapes
	At           Position // of the first byte of Text; its Line is that of the first event
	Tables       [][]byte // names; more are added as they come
	Anew         bool     // Tables may be others than those of the call before
}

// Key gives the partition key of an event.
func (p *Plains) Key(e *Plain) []byte {
	text := p.Text
	if e.Unquoted {
		text = p.Unquoted
	}
	return text[e.Key : e.Key+uint32(e.KeySize)]
}

// Fill makes to the i-th event; to is the zero Event or was filled by a call for other events of p.
func (p *Plains) Fill(i int, to *Event) {
	e := &p.Events[i]
	to.Op, to.Table, to.Key, to.KeyKnown = e.Op, p.Tables[e.Table], p.Key(e), true
	to.At = Position{Input: p.At.Input, Byte: p.At.Byte + uint64(e.Record), Line: p.At.Line + uint64(i)}
	if p.Timed {
		to.SetTime(e.UnixNano)
	}
	if p.Sized {
		to.SetBytes(e.Bytes)
	}
}

// A PlainSink is a Sink that takes several plain events in one call, as if each of them came by Event.
type PlainSink interface {
	Sink
	Plains(p *Plains)
}

// A Runner is a Decoder that reads runs of records that look like the last ones where they lie in the buffer: what
// is done once a run is not done for each record.
type Runner interface {
	Decoder
	// Run reads records of one line each from the beginning of text, which stands at at, and stops before the first
	// whose line end is not in text, or that is better read by Decode. It gives how many bytes and records were
	// read; behind text recordPadding bytes can be read.
	Run(text []byte, at Position, to PlainSink) (bytes, records int)
}

// ahead gives what has been read of the lines behind the current one that begin before end, and where it stands.
func (f *framer) ahead(end uint64) (text []byte, at Position) {
	pos := f.base + uint64(f.next)
	end = min(end, f.stop)
	if f.rest || pos >= end {
		return nil, at
	}
	text = f.buf[f.next:f.fill]
	text = text[:min(uint64(len(text)), uint64(f.limit), end-pos)]
	return text, Position{Byte: pos, Line: f.tally.lineNumber(pos)}
}

// skip passes over size bytes behind the current line: n lines of one chunk. The current record is gone then.
func (l *lines) skip(size, n int) {
	l.next += size
	l.seen, l.keep = l.next, l.next
	l.tally.lineEnds(n)
}
