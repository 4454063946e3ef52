package formats

import (
	"bytes"
	"errors"
	"fmt"
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
	columns   []column
	separator byte
	header    []byte
	fields    uint32 // that the columns give, by slot
	runs      runs
	inRuns    bool
}

// column is what a cell is used for. Like the values of a shape, cells of one length are not searched
// for their end.
type column struct {
	target
	run runValue
	end byte // of its cells
	lengths
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
	d.compose(p)
	for _, name := range cells(header, d.separator) {
		var t target
		if e := p.names.find(name); e != nil {
			t = e.target
		}
		several := t.field == fieldKey && p.parts > 0 || t.field == fieldColumn
		if bit := uint32(1) << t.field.slot() &^ 1; d.fields&bit == 0 {
			d.fields |= bit
		} else if !several || slices.Contains(d.columns, column{target: t}) {
			return nil, fmt.Errorf("the column %s and another one may both be the field %s", name, fieldNames[t.field.slot()][0])
		}
		d.columns = append(d.columns, column{target: t})
	}
	if d.fields == 0 {
		return nil, errors.New("the header names no field of a key event")
	}
	d.planRuns()
	return d, nil
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
	var cause string
	if d.steady {
		d.again(rec.At)
		cause = d.cells(data)
	}
	if !d.steady {
		d.begin(rec.At)
		cause = d.cells(data)
	}
	if cause != "" {
		problem(rec, to, cause, d.bad)
		return
	}
	d.finish(rec, to)
	d.steady = d.steady && d.seen == d.fields
}

// cells reads the row's cells. When the event is steady and a used cell is empty, it is steady no more,
// and the row must be read again. Like fast of ndjson it is long for speed.
func (d *csv) cells(data []byte) (cause string) {
	i, n := 0, len(data)
	if cap(data) < n+pastRecord { // not from a reader of records
		data = append(make([]byte, 0, n+pastRecord), data...)
	}
	buf := data[:n+pastRecord]
	pattern := everyByte * uint64(d.separator)
	for c := range d.columns {
		col := &d.columns[c]
		end := i + col.length
		var text []byte
		switch {
		case i < n && buf[i] == '"':
			if text, end = d.quoted(data, i+1); end < 0 {
				d.bad = data[i:]
				return causeQuote
			}
		case i > n: // the separator before this cell is missing
			d.bad = data
			return causeCells
		case col.same >= sameOften && (end < n && buf[end] == d.separator || end == n):
			text = data[i:end]
			if col.field == fieldTime && (len(text) < 20 || text[19] != d.separator) {
				if at, ok := d.times.SameMinute(text); ok { // hence without another separator
					d.event.SetTime(at)
					d.seen |= 1 << fieldTime
					i = end + 1
					continue
				}
			}
			if byteIn(buf, i, end, pattern) < end {
				end = col.search(buf, i, n, pattern)
				text = data[i:end]
			}
		default:
			end = col.search(buf, i, n, pattern)
			text = data[i:end]
		}
		i = end + 1
		switch {
		case col.field == fieldNone:
		case len(text) == 0:
			if d.steady {
				d.steady = false
				return ""
			}
		case col.field == fieldKey && d.parts == nil:
			d.setKey(text)
			d.seen |= 1 << fieldKey
		case col.field == fieldTable && text[0] > ' ' && text[len(text)-1] > ' ':
			d.event.Table = text
			d.seen |= 1 << fieldTable
		default:
			if cause := d.cell(col.target, text); cause != "" {
				return cause
			}
		}
	}
	if i != n+1 {
		d.bad = data
		return causeCells
	}
	return ""
}

// search gives the place of the first separator at or after i, or n, and notes the length.
func (c *column) search(buf []byte, i, n int, pattern uint64) int {
	b := buf[i : i+16]
	low, high := zeroBytes(load(b)^pattern), zeroBytes(load(b[8:])^pattern)
	end := i + 16
	if low|high != 0 { // the usual cell is short
		end = i + firstOf(low, high)
	} else {
		end = byteIn(buf, end, n, pattern)
	}
	end = min(end, n)
	c.note(end - i)
	return end
}

// cell takes one cell that is not empty, and no whole key. Spaces around a key belong to it; around
// another value they do not.
func (d *csv) cell(t target, text []byte) string {
	if t.field == fieldKey || t.field == fieldColumn { // a part of a key that is composed
		return d.set(t, ingest.JSONString, text)
	}
	if text[0] <= ' ' || text[len(text)-1] <= ' ' {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			d.steady = false
			return ""
		}
	}
	d.seen |= 1 << t.field.slot()
	return d.assign(t.field, text)
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

// byteIn gives the place of the first byte of the pattern at or after i, or one that is not below n.
func byteIn(buf []byte, i, n int, pattern uint64) int {
	for ; i < n; i += 16 {
		b := buf[i : i+16]
		if low, high := zeroBytes(load(b)^pattern), zeroBytes(load(b[8:])^pattern); low|high != 0 {
			return i + firstOf(low, high)
		}
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
	s := survey{plan: p}
	var names []string
	for _, name := range cells(header, p.separator(header)) {
		names = append(names, string(name))
	}
	s.observe(names)
	if len(o.Map) == 0 && exportedTable(names) {
		return ingest.Verdict{Fit: ingest.No, Why: "columns of an export that has a format of its own"}
	}
	if len(names) < 2 && !p.mapped[fieldKey] {
		return ingest.Verdict{Fit: ingest.No, Why: "a single column"}
	}
	d, err := p.csv(head, o)
	if err != nil && s.clashes() {
		return s.verdict("a table")
	}
	if err != nil {
		return ingest.Verdict{Fit: ingest.No, Why: err.Error()}
	}
	_, rows, _ := bytes.Cut(head, []byte{'\n'})
	misfits, layout := 0, csv{separator: d.separator, columns: make([]column, len(d.columns))}
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
	if s.records == 0 && slices.ContainsFunc(d.columns, func(c column) bool { return c.field == fieldKey }) {
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
