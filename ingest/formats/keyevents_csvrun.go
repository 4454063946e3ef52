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
	start, pattern := i, everyByte*uint64(d.separator)
	for k := range d.columns {
		c := &d.columns[k]
		if i >= n {
			return -1
		}
		switch c.run {
		case runText:
			i = bareEnd(buf, i, n, pattern)
		case runTime:
			if c.length > runPast {
				return -1
			}
			at, ok := d.times.SameMinute(buf[i : i+c.length])
			if !ok || c.length > 19 && buf[i+19] == d.separator {
				return -1
			}
			e.UnixNano = at
			i += c.length
		case runTable, runOp:
			w := d.word(c.run, buf, i, n, c.end)
			if w == nil {
				return -1
			}
			if c.run == runOp {
				e.Op = ingest.Op(w.number)
			} else {
				e.Table = w.number
			}
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
		if c.end == '\n' && buf[i] == '\r' {
			i++
		}
		if i >= n || buf[i] != c.end {
			return -1
		}
		i++
	}
	if row := bytes.TrimSuffix(buf[start:i-1], []byte{'\r'}); len(row) == 0 || len(row) == len(d.header) && bytes.Equal(row, d.header) {
		return -1
	}
	return i
}

// word finds the table or operation in the cell at buf[i]. It is placed by its own bytes alone, since a key may follow.
func (d *csv) word(of runValue, buf []byte, i, n int, end byte) *seenWord {
	b := buf[i : i+16 : i+16]
	ends := zeroBytes(load(b) ^ everyByte*uint64(end))
	word := load(b) & (ends ^ (ends - 1)) // all of it without an end
	known := d.runs.tables
	if of == runOp {
		known = d.runs.ops
	}
	if w := known.home(word); w.is(load(b), load(b[8:])) {
		return w
	}
	c := runCell{buf, i, n, word, end, everyByte * uint64(d.separator)}
	if of == runOp {
		return d.runs.op(c)
	}
	return d.runs.table(c)
}
