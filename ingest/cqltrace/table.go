package cqltrace

import "bytes"

// isRule reports whether a line is the rule below a header: -----+-----.
func isRule(text []byte) bool {
	return len(text) > 2 && text[0] == '-' && len(bytes.Trim(text, "-+")) == 0
}

// tableRow reads a header or a row of a table of cqlsh.
func (d *Decoder) tableRow(text []byte) bool {
	d.split(text)
	if cols, ok := header(d.cells); ok {
		d.head(cols)
		return true
	}
	if len(d.cells) == 2 && len(d.columns) == 0 && d.vertical() {
		return true
	}
	cols := d.columns
	if len(d.cells) < len(cols) || len(cols) == 0 {
		if cols = guess(d.cells); cols == nil {
			return false
		}
	}
	if !d.fill(cols) {
		return false
	}
	return d.endRow() == rowTaken
}

// head takes the header of a table. That of a print-out begins a request unless a title has.
func (d *Decoder) head(cols []column) {
	d.columns = append(d.columns[:0], cols...)
	if has(cols, sessionID) {
		return
	}
	if s := d.current; s == nil || d.closing || len(s.sources) > 0 || s.reads+s.writes+s.scans > 0 || len(s.statements) > 0 {
		d.begin(d.add())
	}
}

// split cuts a row of a table into cells; d.starts are where they begin in d.whole.
func (d *Decoder) split(text []byte) {
	d.whole, d.cells, d.starts = text, d.cells[:0], d.starts[:0]
	for at := 0; ; {
		size := bytes.IndexByte(text[at:], '|')
		cell := text[at:]
		if size >= 0 {
			cell = text[at : at+size]
		}
		d.starts = append(d.starts, at+len(cell)-len(bytes.TrimLeft(cell, " \t")))
		d.cells = append(d.cells, bytes.TrimSpace(cell))
		if size < 0 {
			return
		}
		at += size + 1
	}
}

// header gives the columns that the cells name; ok is false when they are no header of traces.
func header(cells [][]byte) (cols []column, ok bool) {
	for _, cell := range cells {
		c, known := columnNames[string(cell)]
		if !known {
			return nil, false
		}
		cols = append(cols, c)
	}
	return cols, has(cols, activityText) || has(cols, sessionID) && (has(cols, parameters) || has(cols, request) || has(cols, startedAt) || has(cols, duration))
}

func has(cols []column, c column) bool {
	for _, x := range cols {
		if x == c {
			return true
		}
	}
	return false
}

// vertical reads `column | value` of a print-out with EXPAND ON.
func (d *Decoder) vertical() bool {
	c, known := columnNames[string(d.cells[0])]
	if !known {
		return false
	}
	if d.row[c] = clone(d.cells[1]); !d.filled {
		d.rowAt = d.rec.At
	}
	d.filled = true
	return true
}

// fill puts the cells into the row. Where there are more than columns, bars stood in the text.
func (d *Decoder) fill(cols []column) bool {
	extra := len(d.cells) - len(cols)
	if extra < 0 {
		return false
	}
	d.rowAt = d.rec.At
	at := 0
	for _, c := range cols {
		cell := d.cells[at]
		if at++; extra > 0 && (c == activityText || c == parameters) {
			end := d.starts[at+extra-1] + len(d.cells[at+extra-1])
			cell = d.whole[d.starts[at-1]:end]
			at, extra = at+extra, 0
		}
		d.row[c] = cell
	}
	d.filled = true
	return extra == 0
}

// guess gives the columns of a row of a table whose header is not there; nil: it is none of traces.
//
//	session | event | activity | parent | span | source | elapsed | thread     ScyllaDB
//	session | event | activity | source | elapsed [| port] | thread
//	activity [thread] | time | source | elapsed [| client]
//	activity [thread] | source | elapsed
func guess(cells [][]byte) []column {
	n := len(cells)
	switch {
	case n >= 6 && isUUID(cells[0]) && isUUID(cells[1]):
		if n >= 8 {
			return []column{sessionID, eventID, activityText, other, other, source0, elapsed, thread}
		}
		if n == 7 {
			return []column{sessionID, eventID, activityText, source0, elapsed, other, thread}
		}
		return []column{sessionID, eventID, activityText, source0, elapsed, thread}
	case n >= 3 && isUUID(cells[0]) && isUUID(cells[1]): // cut off
		return []column{sessionID, eventID, activityText, other, other, other, other, other}[:n]
	case n >= 3 && isActivity(withoutThread(cells[0])):
		if n >= 5 {
			return []column{activityText, timestamp, source0, elapsed, other}
		}
		if n == 4 {
			return []column{activityText, timestamp, source0, elapsed}
		}
		return []column{activityText, source0, elapsed}
	}
	return nil
}
