package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// Run implements ingest.Runner.
func (d *csv) Run(text []byte, at ingest.Position, to ingest.PlainSink) (size, records int) {
	if !d.inRuns {
		return 0, 0
	}
	return d.runs.read(d, d.fields, text, at, to)
}

// planRuns finds out whether the columns allow of runs, and what these make of each.
func (d *csv) planRuns() {
	d.inRuns = d.fields&(1<<fieldKey) != 0 && d.parts == nil && d.row.columns == nil
	for i := range d.columns {
		c := &d.columns[i]
		c.end = d.separator
		if c.run = runText; c.field != fieldNone {
			c.run = runOf(c.field)
		}
		d.inRuns = d.inRuns && c.run != runNever
	}
	d.columns[len(d.columns)-1].end = '\n'
}

// foreseen implements foreseer for rows without quotes whose used cells all have a value. Like cells it is long for speed.
func (d *csv) foreseen(buf []byte, i, n int, e *ingest.Plain) (next int) {
	start, pattern, columns := i, everyByte*uint64(d.separator), d.columns
	tables, ops := d.runs.tables, d.runs.ops
	for k := range columns {
		c := &columns[k] // i is not above n: what is read behind that is found there by the end
		switch c.run {
		case runText:
			i = bareEnd(buf, i, n, pattern)
		case runTime:
			if c.length > runPast {
				return -1
			}
			digits, ok := d.times.Milli(buf[i : i+24 : i+24])
			if c.length == 24 && ok {
				e.UnixNano, ok = d.times.OfMinute(digits)
			} else {
				e.UnixNano, ok = d.times.SameMinute(buf[i : i+c.length])
			}
			if !ok || c.length > 19 && buf[i+19] == d.separator {
				return -1
			}
			i += c.length
		case runTable:
			b := buf[i : i+16 : i+16]
			word := wordBefore(load(b), c.end)
			w := tables.home(word)
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.table(runCell{buf, i, n, word, c.end, pattern}); w == nil {
					return -1
				}
			}
			e.Table = w.number
			i += w.size
		case runOp:
			b := buf[i : i+16 : i+16]
			word := wordBefore(load(b), c.end)
			w := ops.home(word)
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.op(runCell{buf, i, n, word, c.end, pattern}); w == nil {
					return -1
				}
			}
			e.Op = ingest.Op(w.number)
			i += w.size
		case runKey:
			end := i + c.length
			if end >= n || buf[end] != c.end || !bare(buf, i, end, pattern) {
				end = max(bareEnd(buf, i, n, pattern), i)
				c.length = end - i
			}
			if end == i || end-i > ingest.MaxKey || buf[i] == 0xFF {
				return -1
			}
			e.Key, e.KeySize = uint32(i), uint16(end-i)
			i = end
		case runBytes:
			bytes, size := digitsAt(buf[i : i+8 : i+8])
			if size == 0 || size == 8 {
				return -1
			}
			e.Bytes = bytes
			i += size
		}
		if buf[i] != c.end {
			if c.end != '\n' || buf[i] != '\r' || buf[i+1] != '\n' {
				return -1
			}
			i++
		}
		if i++; i > n {
			return -1
		}
	}
	if d.tellsNothing(buf[start : i-1]) {
		return -1
	}
	return i
}

// tellsNothing reports whether a row is empty or the header once more.
func (d *csv) tellsNothing(row []byte) bool {
	size := len(row)
	if size > 0 && row[size-1] == '\r' {
		size--
	}
	return size == 0 || size == len(d.header) && bytes.Equal(row[:size], d.header)
}

// wordBefore gives the part of w that is a cell and the byte end behind it, all of w where that does not come: a table or an
// operation is placed by no more, since a key may follow.
func wordBefore(w uint64, end byte) uint64 {
	ends := zeroBytes(w ^ everyByte*uint64(end))
	return w & (ends ^ (ends - 1)) // all of it without an end
}
