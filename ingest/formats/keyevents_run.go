package formats

import "github.com/keyheat/keyheat/ingest"

// runs reads records in a run: those that look like the last ones, tell nothing but a key, a time, a table, an
// operation and a size, and have a usual value for each. It gives them as plain events, several at once.
type runs struct {
	plains ingest.Plains
	tables *seenWords // the numbers of plains.Tables
	ops    *seenWords
	names  []byte // owns the names in tables and ops
}

const (
	runEvents = 64   // given in one call
	runTables = 4096 // names; a run adds fewer than fit into 16 bits beside them
	runPast   = 32   // most of the text before a value, and of a time: what is read at once ends in the padding
)

// begin begins a run of the records in text.
func (r *runs) begin(text []byte, at ingest.Position) {
	if len(r.plains.Tables) > runTables || r.plains.Events == nil {
		r.plains.Events = make([]ingest.Plain, runEvents)
		r.plains.Tables, r.names = append(r.plains.Tables[:0], nil), r.names[:0] // 0 is no table
		r.tables, r.ops = &seenWords{}, &seenWords{}
	}
	clear(r.plains.Events)
	r.plains.Text, r.plains.At, r.plains.Anew = text, at, true
}

// give hands over the first n events.
func (r *runs) give(n int, to ingest.PlainSink) {
	if n == 0 {
		return
	}
	r.plains.Events = r.plains.Events[:n]
	to.Plains(&r.plains)
	r.plains.Events, r.plains.Unquoted = r.plains.Events[:runEvents], r.plains.Unquoted[:0]
	r.plains.At.Line += uint64(n)
	r.plains.Anew = false
}

// unquote makes what the text of a JSON string stands for the key of an event.
func (r *runs) unquote(text []byte, e *ingest.Plain) {
	from := len(r.plains.Unquoted)
	r.plains.Unquoted = ingest.AppendUnquoted(r.plains.Unquoted, text)
	e.Key, e.KeySize = uint32(from), uint16(len(r.plains.Unquoted)-from)
}

// A runCell is a place in a record: a value that begins at buf[at], is placed among seenWords by word, ends with the byte
// end before n, and cannot hold the byte of the pattern.
type runCell struct {
	buf     []byte
	at, n   int
	word    uint64
	end     byte
	pattern uint64
}

// table gives what is known of the table's name in a cell, new or not; nil when it is none.
func (r *runs) table(c runCell) *seenWord {
	if w := r.tables.find(c.word, c.buf, c.at); w != nil {
		return w
	}
	kept := r.keep(c)
	if kept == nil || len(r.plains.Tables) > 1<<15 {
		return nil
	}
	r.plains.Tables = append(r.plains.Tables, kept[:len(kept)-1])
	return r.tables.add(c.word, kept, uint16(len(r.plains.Tables)-1))
}

// op is table for the name of an operation.
func (r *runs) op(c runCell) *seenWord {
	if w := r.ops.find(c.word, c.buf, c.at); w != nil {
		return w
	}
	kept := r.keep(c)
	if kept == nil {
		return nil
	}
	return r.ops.add(c.word, kept, uint16(opOf(kept[:len(kept)-1])))
}

// keep copies a value and the byte that ends it; nil when it is empty, not plain or has spaces around it.
func (r *runs) keep(c runCell) []byte {
	end := bareEnd(c.buf, c.at, c.n, c.pattern)
	if end >= c.n || end == c.at || c.buf[end] != c.end || c.buf[c.at] == ' ' || c.buf[end-1] == ' ' {
		return nil
	}
	from := len(r.names)
	r.names = append(r.names, c.buf[c.at:end+1]...)
	return r.names[from:]
}

// foreseers read one record at buf[i] that they foresee and that ends before n, into e, and give where the next one
// begins; -1 when it must be read another way. What they read behind n is found there by the next value, or by the end.
type foreseer interface {
	foreseen(buf []byte, i, n int, e *ingest.Plain) (next int)
}

// read reads the records at the beginning of text, which tell these fields.
func (r *runs) read(f foreseer, fields uint32, text []byte, at ingest.Position, to ingest.PlainSink) (size, records int) {
	if cap(text) < len(text)+pastRecord {
		return 0, 0
	}
	r.begin(text, at)
	p := &r.plains
	p.Timed, p.Sized = fields&(1<<fieldTime) != 0, fields&(1<<fieldBytes) != 0
	buf, n := text[:len(text)+pastRecord], 0
	for size < len(text) {
		e := &p.Events[n]
		next := f.foreseen(buf, size, len(text), e)
		if next < 0 {
			break
		}
		e.Record = uint32(size)
		size = next
		records++
		if n++; n == runEvents {
			r.give(n, to)
			n = 0
		}
	}
	r.give(n, to)
	return size, records
}

// A runValue says what a run makes of a value.
type runValue uint8

const (
	runNever runValue = iota // records with it are read one by one
	runText                  // not used
	runWord                  // neither is it, and it has no quotes
	runTime
	runTable
	runOp
	runKey
	runBytes
)

// runOf tells what a run makes of the values of a field.
func runOf(f field) runValue {
	switch f {
	case fieldBytes:
		return runBytes
	case fieldTime:
		return runTime
	case fieldTable:
		return runTable
	case fieldOp:
		return runOp
	case fieldKey:
		return runKey
	}
	return runNever
}
