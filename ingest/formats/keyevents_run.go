package formats

import (
	"math/bits"

	"github.com/keyheat/keyheat/ingest"
)

// runs reads records in a run: those that look like the last ones, tell nothing but a key, a time, a table, an
// operation and a size, and have a usual value for each. It gives them as plain events, several at once.
type runs struct {
	plains ingest.Plains
	tables *seenWords // the numbers of plains.Tables
	ops    *seenWords
	names  []byte // owns the names in tables and ops
	wait   int    // runs not to begin, since the last ones were in vain
	vain   int    // runs in a row that were
}

const (
	runEvents = 64   // given in one call
	runTables = 4096 // names; a run adds fewer than fit into 16 bits beside them
	runWait   = 64   // most of runs.wait
	runPast   = 32   // most of the text before a value, and of a time: what is read at once ends in the padding
)

// begin begins a run of the records in text. It reports whether it is worth trying.
func (r *runs) begin(text []byte, at ingest.Position) bool {
	if r.wait > 0 {
		r.wait--
		return false
	}
	if len(r.plains.Tables) > runTables || r.plains.Events == nil {
		r.plains.Events = make([]ingest.Plain, runEvents)
		r.plains.Tables, r.names = append(r.plains.Tables[:0], nil), r.names[:0] // 0 is no table
		r.tables, r.ops = &seenWords{}, &seenWords{}
	}
	clear(r.plains.Events)
	r.plains.Text, r.plains.At, r.plains.Anew = text, at, true
	return true
}

// give hands over the first n events.
func (r *runs) give(n int, to ingest.PlainSink) {
	if n == 0 {
		return
	}
	r.plains.Events = r.plains.Events[:n]
	to.Plains(&r.plains)
	r.plains.Events = r.plains.Events[:runEvents]
	r.plains.At.Line += uint64(n)
	r.plains.Anew = false
}

// end takes how many records the run read.
func (r *runs) end(records int) {
	if records > 0 {
		r.vain, r.wait = 0, 0
		return
	}
	r.vain = min(r.vain+1, runWait)
	r.wait = r.vain
}

// tableAt gives what is known of the table's name at buf[i], new or not, which a quote ends before n; nil when it is none.
func (r *runs) tableAt(buf []byte, i, n int) *seenWord {
	if w := r.tables.find(buf, i); w != nil {
		return w
	}
	kept := r.keep(buf, i, n)
	if kept == nil || len(r.plains.Tables) > 1<<15 {
		return nil
	}
	r.plains.Tables = append(r.plains.Tables, kept[:len(kept)-1])
	return r.tables.add(buf, i, kept, uint16(len(r.plains.Tables)-1))
}

// opAt is tableAt for the name of an operation.
func (r *runs) opAt(buf []byte, i, n int) *seenWord {
	if w := r.ops.find(buf, i); w != nil {
		return w
	}
	kept := r.keep(buf, i, n)
	if kept == nil {
		return nil
	}
	return r.ops.add(buf, i, kept, uint16(opOf(kept[:len(kept)-1])))
}

// keep copies the value at buf[i] and the quote that ends it before n; nil when it is empty or not plain.
func (r *runs) keep(buf []byte, i, n int) []byte {
	end := bareEnd(buf, i, n)
	if end >= n || end == i || buf[end] != '"' {
		return nil
	}
	from := len(r.names)
	r.names = append(r.names, buf[i:end+1]...)
	return r.names[from:]
}

// A runValue says what a run makes of a value.
type runValue uint8

const (
	runNever runValue = iota // records with it are read one by one
	runText                  // not used
	runNumber
	runTime
	runTable
	runOp
	runKey
	runBytes
)

// inRun tells what a run makes of the value.
func (v *shaped) inRun() runValue {
	switch {
	case v.size > runPast:
		return runNever
	case v.entry == nil && v.quoted:
		return runText
	case v.entry == nil:
		return runNumber
	case v.plain == fieldBytes && !v.quoted:
		return runBytes
	case !v.quoted:
		return runNever
	}
	switch v.plain {
	case fieldTime:
		if v.length <= runPast {
			return runTime
		}
	case fieldTable:
		return runTable
	case fieldOp:
		return runOp
	case fieldKey:
		return runKey
	}
	return runNever
}

// Run implements ingest.Runner.
func (d *ndjson) Run(text []byte, at ingest.Position, to ingest.PlainSink) (size, records int) {
	if !d.shape.runs || cap(text) < len(text)+pastRecord || !d.runs.begin(text, at) {
		return 0, 0
	}
	p := &d.runs.plains
	p.Timed, p.Sized = d.shape.fields&(1<<fieldTime) != 0, d.shape.fields&(1<<fieldBytes) != 0
	buf, n := text[:len(text)+pastRecord], 0
	for size < len(text) {
		e := &p.Events[n]
		next := d.foreseen(buf, size, len(text), e)
		if next < 0 {
			break
		}
		e.Record = uint32(size)
		size = next
		records++
		if n++; n == runEvents {
			d.runs.give(n, to)
			n = 0
		}
	}
	d.runs.give(n, to)
	d.runs.end(records)
	return size, records
}

// foreseen reads the record at buf[i] if it has the shape and ends before n, and gives where the next one begins;
// -1 when it must be read another way. Like fast it is long for speed. What is read behind n is found there by the next
// value, or by the end.
func (d *ndjson) foreseen(buf []byte, i, n int, e *ingest.Plain) (next int) {
	values, tables, ops := d.shape.values, d.runs.tables, d.runs.ops
	for k := range values {
		v := &values[k]
		if i >= n || !v.at(buf, i) {
			return -1
		}
		i += v.size
		switch v.run {
		case runTime:
			digits, ok := d.times.Milli(buf[i : i+24 : i+24])
			if v.length == 24 && ok {
				e.UnixNano, ok = d.times.OfMinute(digits)
			} else {
				e.UnixNano, ok = d.times.SameMinute(buf[i : i+v.length])
			}
			if !ok { // also where it has a quote
				return -1
			}
			i += v.length
		case runTable:
			b := buf[i : i+16 : i+16]
			w := tables.home(load(b))
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.tableAt(buf, i, n); w == nil {
					return -1
				}
			}
			e.Table = w.number
			i += w.size
		case runOp:
			b := buf[i : i+16 : i+16]
			w := ops.home(load(b))
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.opAt(buf, i, n); w == nil {
					return -1
				}
			}
			e.Op = ingest.Op(w.number)
			i += w.size
		case runKey:
			end := i + v.length
			if end >= n || buf[end] != '"' || !bare(buf, i, end) {
				end = max(bareEnd(buf, i, n), i)
				v.length = end - i
			}
			if end-i > ingest.MaxKey || buf[i] == 0xFF {
				return -1
			}
			e.Key, e.KeySize = uint32(i), uint16(end-i)
			i = end
		case runBytes:
			w := load(buf[i:i+8:i+8]) ^ everyByte*'0'
			m := (w + everyByte*0x76 | w) & highBits
			digits := bits.TrailingZeros64(m) >> 3
			if digits == 0 || digits == 8 {
				return -1
			}
			e.Bytes = eightDigits(w << ((64 - 8*uint(digits)) & 63))
			i += digits
		case runText:
			i = bareEnd(buf, i, n)
		case runNumber:
			if c := buf[i]; c != '-' && c-'0' > 9 {
				return -1
			}
			for i++; i < n && numberByte(buf[i]); i++ {
			}
		}
	}
	return d.shape.tail.endOfLine(buf, i, n)
}

// endOfLine gives the place behind the line end that follows the literal at buf[i], before n; -1 when it is not there.
func (l *shaped) endOfLine(buf []byte, i, n int) int {
	if i >= n || !l.at(buf, i) {
		return -1
	}
	if i += l.size; i < n && buf[i] == '\r' {
		i++
	}
	if i >= n || buf[i] != '\n' {
		return -1
	}
	return i + 1
}

func numberByte(c byte) bool {
	return c-'0' <= 9 || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}
