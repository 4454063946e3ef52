package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// KeyEventsTable is the generic format as a file of columns.
var KeyEventsTable = ingest.Format{
	Name:     "key-events-table",
	Title:    "key events, a Parquet or Arrow file",
	Coverage: ingest.Traffic,
	Carries:  keyEventsCarry,
	Doc: `A Parquet file (https://parquet.apache.org/docs/file-format/) or an Arrow IPC file or stream
(https://arrow.apache.org/docs/format/Columnar.html), such as pyarrow, DuckDB, Spark or polars write: a row for each
record, a column for each field. Positions are numbers of rows, from 0. Times may be timestamps (of one without a zone,
--timezone says which), text or numbers; decimals and booleans are read as such. Nested columns are left alone. A batch
of an Arrow file may have 64 MiB. Parquet is read at any place, so it must lie on disk, neither compressed as a whole nor
archived, and not compressed with LZ4.
` + keyEventNames,
	Sniff: sniffTable,
	Open:  openTable,
}

func sniffTable(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	switch {
	case columnar.BeginsParquet(head):
		return ingest.Verdict{Fit: ingest.Possible, Why: "is a Parquet file"}
	case columnar.BeginsStream(head):
		return ingest.Verdict{Fit: ingest.Possible, Why: "is an Arrow file or stream"}
	}
	return ingest.Verdict{Why: "is neither Parquet nor Arrow"}
}

// A columnReader gives the rows of a file of columns.
type columnReader interface {
	Fields() []columnar.Field
	Meta(name string) (string, bool)
	Next() (*columnar.Batch, error)
	Release()
}

// openTable finds the columns that a key event has. Its error lists those that there are.
func openTable(s *ingest.Stored, o ingest.DecodeOptions) (ingest.Live, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	rows, err := openColumns(s)
	if err != nil {
		return nil, err
	}
	t := &eventTable{name: s.Name, node: s.Node, rows: rows}
	t.times.Location, t.location = o.Location, o.Location
	t.compose(p)
	if err := t.choose(p); err != nil {
		rows.Release()
		return nil, err
	}
	return t, nil
}

func openColumns(s *ingest.Stored) (columnReader, error) {
	if s.At == nil {
		return openStream(s)
	}
	head := make([]byte, 4)
	if _, err := s.At.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if columnar.BeginsParquet(head) {
		return columnar.NewParquetReader(s.At, s.Size, nil)
	}
	return openStream(s)
}

func openStream(s *ingest.Stored) (columnReader, error) {
	r, err := columnar.NewStreamReader(s.All, nil)
	if errors.Is(err, columnar.ErrNoStream) {
		return nil, errors.New("a Parquet file is read at any place, so it must lie on disk, neither compressed as a whole nor archived")
	}
	return r, err
}

// An eventTable is a file of columns. It implements ingest.Live.
type eventTable struct {
	row
	name     string
	node     string
	location *time.Location
	rows     columnReader
	used     []usedColumn
	cells    []byte // of the current row
}

// A usedColumn is a column that tells a field.
type usedColumn struct {
	at     int // in a batch
	target target
}

// choose finds the columns that are used, and has the file read those alone if it can.
func (t *eventTable) choose(p *plan) error {
	if of, ok := t.rows.Meta("schema"); ok && strings.HasPrefix(of, "keyheat.") {
		return fmt.Errorf("is an output of keyheat (%.40s), not traffic", of)
	}
	columns, err := t.targets(p)
	if err != nil {
		return err
	}
	parquet, ok := t.rows.(*columnar.ParquetReader)
	if !ok {
		return nil
	}
	for i := range t.used {
		t.used[i].at = i
	}
	return parquet.Choose(columns)
}

// targets finds what each column is used for, and gives the places of those that are used.
func (t *eventTable) targets(p *plan) (columns []int, err error) {
	found, key := []string{}, 0
	for i, f := range t.rows.Fields() {
		found = append(found, fmt.Sprintf("%.60q", f.Name))
		e := p.names.find([]byte(f.Name))
		if e == nil || e.target.field == fieldNone || f.Kind == columnar.Other {
			continue
		}
		if slices.ContainsFunc(t.used, func(u usedColumn) bool { return u.target.clashes(e.target) }) {
			return nil, fmt.Errorf("the column %q and another one may both be the field %s", f.Name, fieldNames[e.target.field.slot()][0])
		}
		if e.target.field == fieldKey {
			key++
		}
		t.used = append(t.used, usedColumn{i, e.target})
		columns = append(columns, i)
	}
	if want := max(1, p.parts); key < want {
		return nil, fmt.Errorf("no column with a partition key (%s, or that of --map); the columns are %s",
			strings.Join(fieldNames[fieldKey], ", "), listed(found))
	}
	return columns, nil
}

// clashes reports whether two columns cannot both be used.
func (t target) clashes(o target) bool {
	several := t.field == fieldKey || t.field == fieldColumn
	return t.field.slot() == o.field.slot() && (!several || t == o)
}

// listed joins names, at most the first 30.
func listed(names []string) string {
	const most = 30
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Collect implements ingest.Live.
func (t *eventTable) Collect(_ context.Context, to ingest.Streams) error {
	defer t.rows.Release()
	sink := &oneRecord{Sink: to.Open(ingest.LiveInput{Name: t.name, Format: &KeyEventsTable, Node: t.node})}
	for {
		batch, err := t.rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range batch.Rows() {
			sink.calls = 0
			t.decode(batch, i, sink)
		}
	}
}

// decode gives the event of a row, or the problem with it.
func (t *eventTable) decode(b *columnar.Batch, row int, to ingest.Sink) {
	var rec ingest.Record
	t.begin(rec.At)
	t.cells = t.cells[:0]
	for _, c := range t.used {
		if cause := t.cell(b, c, row); cause != "" {
			problem(&rec, to, cause, t.bad)
			return
		}
	}
	t.finish(&rec, to)
}

// cell takes a cell.
func (t *eventTable) cell(b *columnar.Batch, c usedColumn, row int) (cause string) {
	if c.target.field == fieldTime {
		if nanos, zoned, ok := b.UnixNano(c.at, row); ok {
			t.event.SetTime(t.inZone(nanos, zoned))
			t.seen |= 1 << fieldTime
			return ""
		}
	}
	start := len(t.cells)
	cells, ok := b.AppendText(t.cells, c.at, row)
	if !ok || len(cells) == start && c.target.field != fieldKey {
		return ""
	}
	t.cells = slices.Grow(cells, pastRecord) // decoders look past the end of a text
	return t.set(c.target, ingest.JSONString, t.cells[start:])
}

// inZone gives a time that a clock in the zone of --timezone showed, in Unix nanoseconds.
func (t *eventTable) inZone(nanos int64, zoned bool) int64 {
	if zoned || t.location == nil || t.location == time.UTC {
		return nanos
	}
	at := time.Unix(0, nanos).UTC()
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), t.location).UnixNano()
}

// oneRecord makes all that a row tells one record, so that positions are numbers of rows.
type oneRecord struct {
	ingest.Sink
	calls int
}

// Event passes e on.
func (o *oneRecord) Event(e *ingest.Event) {
	if o.calls++; o.calls > 1 {
		ingest.Continue(o.Sink)
	}
	o.Sink.Event(e)
}
