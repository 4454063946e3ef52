package render

import (
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
	"github.com/keyheat/keyheat/report"
)

// columnsOf are a table of columns in the making: a column is named where its cell of each row is made.
type columnsOf[T any] struct {
	rows  []T
	table columnar.Table
}

func newColumns[T any](schema string, r *report.Report, rows []T) *columnsOf[T] {
	return &columnsOf[T]{rows: rows, table: columnar.Table{Meta: map[string]string{"schema": schema, "keyheat": orUnknown(r.Version)}}}
}

func (c *columnsOf[T]) add(name string, values columnar.Values) {
	c.table.Columns = append(c.table.Columns, columnar.Column{Name: name, Values: values})
}

func (c *columnsOf[T]) text(name string, cell func(*T) string) {
	c.add(name, columnar.Texts(each(c.rows, func(row *T) string { return validText(cell(row)) })))
}

func (c *columnsOf[T]) count(name string, cell func(*T) *uint64) {
	c.add(name, columnar.Counts(each(c.rows, cell)))
}

func (c *columnsOf[T]) number(name string, cell func(*T) *float64) {
	c.add(name, columnar.Numbers(each(c.rows, cell)))
}

func (c *columnsOf[T]) time(name string, cell func(*T) *int64) {
	c.add(name, columnar.Times(each(c.rows, cell)))
}

// keys adds a key as its bytes, and as text with its encoding.
func (c *columnsOf[T]) keys(form func(*T) ([]byte, bool)) {
	names := each(c.rows, func(row *T) keyName {
		if key, ok := form(row); ok {
			return nameKey(key)
		}
		return keyName{}
	})
	c.add("key", columnar.Keys(each(c.rows, func(row *T) []byte {
		key, ok := form(row)
		if !ok {
			return nil
		}
		return rawKey(key)
	})))
	c.add("key_text", columnar.Texts(each(names, func(n *keyName) string { return validText(n.text) })))
	c.add("key_encoding", columnar.Texts(each(names, func(n *keyName) string { return n.encoding })))
	c.add("key_hash", columnar.Texts(each(names, func(n *keyName) string { return n.hash })))
}

// rawKey gives the bytes of a key of one component, and of several the form in which keyheat holds them.
func rawKey(form []byte) []byte {
	if k := ingest.ParseKey(form); len(k.Parts) == 1 && !k.Cut {
		return append([]byte{}, k.Parts[0]...)
	}
	return append([]byte{}, form...)
}

// findingColumns gives one row a finding.
func findingColumns(r *report.Report, o Options) *columnar.Table {
	r = r.Masked(o.Mask)
	kept, _ := shown(r, o)
	type row = *report.Finding
	c := newColumns("keyheat.findings/1", r, kept)
	c.text("id", func(f *row) string { return (*f).ID })
	c.text("rule", func(f *row) string { return (*f).Rule })
	c.text("severity", func(f *row) string { return (*f).Severity.String() })
	c.text("confidence", func(f *row) string { return (*f).Confidence.String() })
	c.text("store", func(f *row) string { return (*f).Subject.Target.Store.String() })
	c.text("table", func(f *row) string { return (*f).Subject.Target.Table })
	c.text("index", func(f *row) string { return (*f).Subject.Target.Index })
	c.keys(func(f *row) ([]byte, bool) { return (*f).Subject.Key, (*f).Subject.HasKey })
	c.text("query", func(f *row) string { return (*f).Subject.Shape })
	c.text("node", func(f *row) string { return (*f).Subject.Node })
	c.text("mechanism", func(f *row) string { return (*f).Mechanism })
	c.time("start", func(f *row) *int64 { return spanTime((*f).Span, (*f).Span.Start) })
	c.time("end", func(f *row) *int64 { return spanTime((*f).Span, (*f).Span.End) })
	c.text("message", func(f *row) string { return (*f).Message })
	c.text("measure", func(f *row) string { return firstEvidence(*f).Measure })
	c.text("unit", func(f *row) string { return firstEvidence(*f).Unit })
	c.number("value", func(f *row) *float64 { return milliNumber(*f, firstEvidence(*f).Value, true) })
	c.number("low", func(f *row) *float64 { return milliNumber(*f, firstEvidence(*f).Low, true) })
	c.number("high", func(f *row) *float64 { return milliNumber(*f, firstEvidence(*f).High, !firstEvidence(*f).Open) })
	c.number("limit", func(f *row) *float64 {
		return milliNumber(*f, firstEvidence(*f).Limit, firstEvidence(*f).Limit > 0)
	})
	c.text("proposals", func(f *row) string {
		return strings.Join(each((*f).Proposals, func(p *detect.Proposal) string { return p.Title }), "; ")
	})
	return &c.table
}

func spanTime(s detect.Span, at int64) *int64 {
	if s == (detect.Span{}) {
		return nil
	}
	return &at
}

func firstEvidence(f *report.Finding) detect.Evidence {
	if len(f.Evidence) == 0 {
		return detect.Evidence{}
	}
	return f.Evidence[0]
}

// milliNumber gives thousandths as a number; null when it is not known.
func milliNumber(f *report.Finding, m detect.Milli, known bool) *float64 {
	if len(f.Evidence) == 0 || !known {
		return nil
	}
	n := float64(m) / 1000
	return &n
}

// A paneRow is one key of a heat map in one pane; without a key it is all other keys together.
type paneRow struct {
	table  *report.Table
	row    *report.HeatRow
	others bool
	pane   detect.PaneSpan
	at     int
}

// paneColumns gives one row a key of a heat map and pane.
func paneColumns(r *report.Report, o Options) *columnar.Table {
	r = r.Masked(o.Mask)
	c := newColumns("keyheat.panes/1", r, paneRows(r))
	c.text("store", func(p *paneRow) string { return p.table.Target.Store.String() })
	c.text("table", func(p *paneRow) string { return p.table.Target.Table })
	c.text("index", func(p *paneRow) string { return p.table.Target.Index })
	c.keys(func(p *paneRow) ([]byte, bool) { return p.row.Key, !p.others })
	c.add("others", columnar.Flags(each(c.rows, func(p *paneRow) bool { return p.others })))
	c.time("start", func(p *paneRow) *int64 { return &p.pane.Start })
	c.time("end", func(p *paneRow) *int64 { return &p.pane.End })
	for m := range report.Measure(report.Measures) {
		name, milli := m.String(), m == report.HeatReads || m == report.HeatWrites || m == report.HeatCost
		if milli {
			name += "_milli"
		}
		if m == report.HeatCost { // of tables with units; bytes are another column
			c.count(name+"_low", func(p *paneRow) *uint64 { return p.bound(m, false, false) })
			c.count(name+"_high", func(p *paneRow) *uint64 { return p.bound(m, true, false) })
			c.count("bytes_low", func(p *paneRow) *uint64 { return p.bound(m, false, true) })
			c.count("bytes_high", func(p *paneRow) *uint64 { return p.bound(m, true, true) })
			continue
		}
		c.count(name+"_low", func(p *paneRow) *uint64 { return p.bound(m, false, p.table.Heat.Bytes) })
		c.count(name+"_high", func(p *paneRow) *uint64 { return p.bound(m, true, p.table.Heat.Bytes) })
	}
	return &c.table
}

// bound gives a bound of a measure in the pane; null when it is not known, or the table counts cost otherwise.
func (p *paneRow) bound(m report.Measure, high, inBytes bool) *uint64 {
	series := p.row.Series[m]
	if series == nil || p.table.Heat.Bytes != inBytes {
		return nil
	}
	n := series[p.at].Low
	if high {
		n = series[p.at].High
	}
	return &n
}

// paneRows gives the cells of all heat maps in which something may have happened.
func paneRows(r *report.Report) []paneRow {
	var out []paneRow
	for i := range r.Tables {
		t := &r.Tables[i]
		if t.Heat == nil {
			continue
		}
		for j := range len(t.Heat.Rows) + 1 {
			row := &t.Heat.Rest
			if j < len(t.Heat.Rows) {
				row = &t.Heat.Rows[j]
			}
			for at, pane := range r.Panes {
				if busyAt(row, at) {
					out = append(out, paneRow{t, row, j == len(t.Heat.Rows), pane, at})
				}
			}
		}
	}
	return out
}

func busyAt(row *report.HeatRow, at int) bool {
	for _, series := range row.Series {
		if series != nil && series[at].High > 0 {
			return true
		}
	}
	return false
}
