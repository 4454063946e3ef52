package cqltrace

import "bytes"

// beginsCSV reports whether a line is the header, or a row without one, of a CSV of traces, and sets its
// delimiter. cqlsh writes commas; ScyllaDB's recipe for dumps has semicolons.
func beginsCSV(text []byte, comma *byte) bool {
	for _, c := range []byte{',', ';'} {
		parts := bytes.Split(text[:min(len(text), 1024)], []byte{c})
		if len(parts) < 4 {
			continue
		}
		for i := range parts {
			parts[i] = bytes.Trim(parts[i], `"`)
		}
		_, named := header(parts)
		if named || isUUID(parts[0]) && (isUUID(parts[1]) || bytes.Contains(text, []byte("CQL3")) || bytes.Contains(text, []byte("{'"))) {
			*comma = c
			return true
		}
	}
	return false
}

// csv reads one record of a CSV, as COPY TO writes it: quotes within quotes have a backslash before them
// or are doubled.
func (d *Decoder) csv(text []byte) verdict {
	if !d.splitCSV(text) {
		d.carry = append(d.carry[:0], text...)
		return rowTaken
	}
	if cols, ok := header(d.cells); ok {
		d.columns = append(d.columns[:0], cols...)
		return rowTaken
	}
	cols := d.columns
	if len(cols) == 0 {
		cols = guessCSV(d.cells)
	}
	if len(cols) != len(d.cells) || !d.fill(cols) {
		return rowBroken
	}
	return d.endRow()
}

// splitCSV cuts a record into cells; false: it goes on in the next line.
func (d *Decoder) splitCSV(text []byte) bool {
	if cap(d.text) < len(text) {
		d.text = make([]byte, 0, 2*len(text))
	}
	out, start, quoted := d.text[:0], 0, false
	d.cells = d.cells[:0]
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			out = append(out, text[i])
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			i++
			out = append(out, '"')
		case c == '"':
			quoted = !quoted
		case c == d.comma && !quoted:
			d.cells = append(d.cells, out[start:len(out):len(out)])
			start = len(out)
		default:
			out = append(out, c)
		}
	}
	d.cells = append(d.cells, out[start:])
	return !quoted
}

// guessCSV gives the columns of a record of a CSV without a header, in the order in which tables have
// them: the key first, then by name.
func guessCSV(cells [][]byte) []column {
	if len(cells) > 2 && isUUID(cells[0]) && isUUID(cells[1]) {
		return guess(cells)
	}
	cols := make([]column, len(cells))
	for i, cell := range cells {
		switch {
		case i == 0 && isUUID(cell):
			cols[i] = sessionID
		case bytes.HasPrefix(cell, []byte("{")) && !has(cols, parameters):
			cols[i] = parameters
			if i > 0 {
				cols[i-1] = duration
			}
			if i+2 < len(cells) {
				cols[i+1], cols[i+2] = request, startedAt
			}
			if i+5 < len(cells) { // ScyllaDB: request, request_size, response_size, started_at, username
				cols[i+2], cols[i+4] = other, startedAt
			}
			return cols
		}
	}
	return cols
}
