package formats

import (
	"bytes"
	"slices"
)

// trailColumns gives the columns of a text that begins as such a table; nil: it does not.
func trailColumns(head []byte) [][]byte {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.ContainsAny(line, "{}[]") {
		return nil
	}
	columns, _ := appendCells(nil, nil, bytes.ToLower(bytes.TrimRight(line, "\r")))
	for _, needed := range []string{"eventname", "eventtime", "requestparameters"} {
		if !containsCell(columns, needed) {
			return nil
		}
	}
	return columns
}

func containsCell(cells [][]byte, name string) bool {
	for _, c := range cells {
		if string(c) == name {
			return true
		}
	}
	return false
}

// appendCells appends the cells of a row of CSV, RFC 4180, without their quotes; their text is in the row, or behind text.
// What stands behind a closing quote is a cell too many.
func appendCells(cells [][]byte, text, row []byte) (_ [][]byte, _ []byte) {
	text = slices.Grow(text, len(row)) // cells stay where they are
	for {
		var cell []byte
		cell, text, row = cutCell(text, row)
		cells = append(cells, cell)
		switch {
		case len(row) == 0:
			return cells, text
		case row[0] == ',':
			row = row[1:]
		}
	}
}

// cutCell gives the first cell of a row, and the rest from the comma behind it on.
func cutCell(text, row []byte) (cell, grown, rest []byte) {
	if len(row) == 0 || row[0] != '"' {
		if i := bytes.IndexByte(row, ','); i >= 0 {
			return row[:i], text, row[i:]
		}
		return row, text, nil
	}
	begin := len(text)
	for i := 1; i < len(row); i++ {
		switch {
		case row[i] != '"':
			text = append(text, row[i])
		case i+1 < len(row) && row[i+1] == '"':
			i++
			text = append(text, '"')
		default:
			return text[begin:], text, row[i+1:]
		}
	}
	return text[begin:], text, nil
}
