package formats

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// KeyEventsCSV is the generic format as a table.
var KeyEventsCSV = ingest.Format{
	Name:     "key-events-csv",
	Title:    "key events, a table with a header",
	Coverage: ingest.Traffic,
	Carries:  keyEventsCarry,
	Doc: `A table whose first line names the columns, separated by commas, tabs or semicolons (whichever the header
has), quoted as in RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180). An empty cell is an unknown value.

    ts,table,op,key,bytes
    2026-03-01T10:00:00.123Z,orders,read,CUSTOMER#42,512
` + keyEventNames,
	Quoted: true,
	Header: true,
	Sniff:  sniffCSV,
	New:    newCSV,
}

const (
	causeCells = "more or fewer cells than the header has"
	causeQuote = "quote that does not end its cell"

	skipHeader = "header"
)

// csv decodes one row a record.
type csv struct {
	row
	columns   []target
	separator byte
	header    []byte
}

func newCSV(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	return p.csv(head, o)
}

// csv makes a decoder for the columns that the header names.
func (p *plan) csv(head []byte, o ingest.DecodeOptions) (*csv, error) {
	header := headerOf(head)
	d := &csv{header: bytes.Clone(header), separator: p.separator(header)}
	d.times.Location = o.Location
	if p.parts > 0 {
		d.parts = make([][]byte, p.parts)
	}
	known := false
	for _, name := range cells(header, d.separator) {
		var t target
		if e := p.names.find(name); e != nil {
			t = e.target
		}
		if t.field != fieldNone && slices.Contains(d.columns, t) && sameColumn(header, d.separator, name) {
			return nil, fmt.Errorf("two columns are named %s", name)
		}
		known = known || t.field != fieldNone
		d.columns = append(d.columns, t)
	}
	if !known {
		return nil, errors.New("the header names no field of a key event")
	}
	return d, nil
}

// sameColumn reports whether several columns have a name.
func sameColumn(header []byte, separator byte, name []byte) bool {
	n := 0
	for _, other := range cells(header, separator) {
		if bytes.EqualFold(name, other) {
			n++
		}
	}
	return n > 1
}

// headerOf gives the first record of head.
func headerOf(head []byte) []byte {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte{'\r'}), []byte("\xEF\xBB\xBF"))
}

// separator gives the separator that makes most fields of the header known, and of those the one that
// makes most cells.
func (p *plan) separator(header []byte) byte {
	best, score := byte(','), -1
	for _, sep := range []byte{',', '\t', ';'} {
		names := cells(header, sep)
		n := len(names)
		for _, name := range names {
			if e := p.names.find(name); e != nil && e.target.field != fieldNone {
				n += maxColumns
			}
		}
		if n > score {
			best, score = sep, n
		}
	}
	return best
}

const maxColumns = 1 << 20 // more than a header has

// cells splits a header, without quotes and the spaces around names.
func cells(header []byte, separator byte) [][]byte {
	names := bytes.Split(header, []byte{separator})
	for i, name := range names {
		names[i] = bytes.Trim(bytes.TrimSpace(name), `"`)
	}
	return names
}

// Decode gives the event of a row, or the problem with it, or skips it.
func (d *csv) Decode(rec *ingest.Record, to ingest.Sink) {
	data := rec.Data
	switch {
	case len(data) == 0:
		to.Skip(skipEmpty)
		return
	case len(data) == len(d.header) && bytes.Equal(data, d.header):
		to.Skip(skipHeader)
		return
	}
	d.begin(rec.At)
	if cause := d.cells(data); cause != "" {
		problem(rec, to, cause, d.bad)
		return
	}
	d.finish(rec, to)
}

// cells reads the row's cells.
func (d *csv) cells(data []byte) (cause string) {
	i, n := 0, len(data)
	for c := range d.columns {
		if i > n { // the separator before this cell is missing
			d.bad = data
			return causeCells
		}
		var text []byte
		var end int
		if i < n && data[i] == '"' {
			if text, end = d.quoted(data, i+1); end < 0 {
				d.bad = data[i:]
				return causeQuote
			}
		} else {
			end = separatorIn(data, i, d.separator)
			text = data[i:end]
		}
		if t := d.columns[c]; t.field != fieldNone {
			if cause := d.cell(t, text); cause != "" {
				return cause
			}
		}
		i = end + 1
	}
	if i != n+1 {
		d.bad = data
		return causeCells
	}
	return ""
}

// cell takes one cell. Spaces around a key belong to it; around another value they do not.
func (d *csv) cell(t target, text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if t.field != fieldKey && (text[0] <= ' ' || text[len(text)-1] <= ' ') {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return ""
		}
	}
	return d.set(t, ingest.JSONString, text)
}

// quoted reads a cell whose contents begin at data[i], and gives the place of the separator after it;
// -1 when there is none.
func (d *csv) quoted(data []byte, i int) (text []byte, end int) {
	start, copied := i, -1
	for {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			return nil, -1
		}
		i += q + 1
		if i < len(data) && data[i] == '"' { // a doubled quote stands for one
			if copied < 0 {
				copied = len(d.scratch)
			}
			d.scratch = append(d.scratch, data[start:i]...)
			i++
			start = i
			continue
		}
		break
	}
	if i < len(data) && data[i] != d.separator {
		return nil, -1
	}
	if copied < 0 {
		return data[start : i-1], i
	}
	d.scratch = append(d.scratch, data[start:i-1]...)
	return d.scratch[copied:], i
}

// separatorIn gives the place of the first separator at or after i, or len(data).
func separatorIn(data []byte, i int, separator byte) int {
	n := len(data)
	if cap(data) >= n+pastRecord {
		buf, pattern := data[:n+pastRecord], everyByte*uint64(separator)
		for ; i < n; i += 8 {
			w := load(buf[i:i+8]) ^ pattern
			if m := (w - everyByte) &^ w & highBits; m != 0 {
				return min(i+bits.TrailingZeros64(m)>>3, n)
			}
		}
		return n
	}
	if k := bytes.IndexByte(data[i:], separator); k >= 0 {
		return i + k
	}
	return n
}

// sniffCSV judges the header and the first rows of head.
func sniffCSV(head []byte, o ingest.DecodeOptions) ingest.Verdict {
	p, err := newPlan(o)
	if err != nil {
		return ingest.Verdict{Fit: ingest.No, Why: err.Error()}
	}
	header := headerOf(head)
	if len(header) == 0 || header[0] == '{' || header[0] == '[' {
		return ingest.Verdict{Fit: ingest.No, Why: "no header of a table"}
	}
	d, err := p.csv(head, o)
	if err != nil {
		return ingest.Verdict{Fit: ingest.No, Why: err.Error()}
	}
	if len(d.columns) < 2 && !p.mapped[fieldKey] {
		return ingest.Verdict{Fit: ingest.No, Why: "a single column"}
	}
	s := survey{plan: p}
	var names []string
	for _, name := range cells(header, d.separator) {
		names = append(names, string(name))
	}
	s.observe(names)
	_, rows, _ := bytes.Cut(head, []byte{'\n'})
	misfits, layout := 0, csv{separator: d.separator, columns: make([]target, len(d.columns))}
	for row := range quotedLines(rows) {
		if s.records++; s.records > surveyedRecords {
			break
		}
		if layout.cells(row) != "" {
			misfits++
		}
		d.Decode(&ingest.Record{Data: row}, onlyEvents{&s})
	}
	if misfits*2 > s.records {
		return ingest.Verdict{Fit: ingest.No, Why: "rows have more or fewer cells than the header"}
	}
	if s.records == 0 && slices.ContainsFunc(d.columns, func(t target) bool { return t.field == fieldKey }) {
		return ingest.Verdict{Fit: ingest.Possible, Why: "a header with a partition key, and no rows"}
	}
	return s.verdict("a table")
}

// quotedLines steps through lines, of which a line end inside quotes is a part.
func quotedLines(data []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			end, quoted := 0, false
			for end < len(data) && (quoted || data[end] != '\n') {
				quoted = quoted != (data[end] == '"')
				end++
			}
			line := bytes.TrimSuffix(data[:end], []byte{'\r'})
			if len(line) > 0 && !yield(line) {
				return
			}
			data = data[min(end+1, len(data)):]
		}
	}
}
