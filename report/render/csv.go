package render

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var csvReport = &Renderer{
	Name:  "csv",
	Title: "findings for a spreadsheet, one row each",
	Doc: "One row a finding, with its first measure and its proposals in short. Text that a spreadsheet would take for a formula begins with an apostrophe, " +
		"and what is not printable is escaped: `hash` tells such keys apart. All else is in `--format json`.",
	Render: renderCSV,
}

func renderCSV(w io.Writer, r *report.Report, o Options) error {
	p := newPage(r, Options{Width: 400, Mask: o.Mask})
	out := csv.NewWriter(w)
	head := []string{"id", "rule", "severity", "confidence", "store", "table", "index", "key", "encoding", "hash", "query", "node", "mechanism",
		"start", "end", "message", "measure", "unit", "value", "low", "high", "limit", "how", "proposals", "position"}
	if err := out.Write(head); err != nil {
		return err
	}
	kept, _ := shown(p.r, o)
	for _, f := range kept {
		if err := out.Write(p.csvRow(f)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (p *page) csvRow(f *report.Finding) []string {
	s := &f.Subject
	key, encoding, hash := "", "", ""
	if s.HasKey {
		name := nameKey(s.Key)
		key, encoding, hash = visible(name.text), name.encoding, name.hash
	}
	start, end := "", ""
	if f.Span != (detect.Span{}) {
		start, end = stamp(f.Span.Start), stamp(f.Span.End)
	}
	row := []string{f.ID, f.Rule, f.Severity.String(), f.Confidence.String(), s.Target.Store.String(), visible(s.Target.Table), visible(s.Target.Index),
		key, encoding, hash, visible(s.Shape), visible(s.Node), f.Mechanism, start, end, visible(f.Message)}
	row = append(row, csvEvidence(f)...)
	titles := make([]string, len(f.Proposals))
	for i := range f.Proposals {
		titles[i] = visible(f.Proposals[i].Title)
	}
	place := ""
	if at := positions(f); len(at) > 0 {
		place = p.place(at[0])
	}
	row = append(row, strings.Join(titles, "; "), place)
	for i := range row {
		row[i] = csvText(row[i])
	}
	return row
}

// csvEvidence gives the first measure of a finding: measure, unit, value, low, high, limit, how.
func csvEvidence(f *report.Finding) []string {
	row := make([]string, 7)
	if len(f.Evidence) == 0 {
		return row
	}
	e := &f.Evidence[0]
	copy(row, []string{e.Measure, e.Unit, decimal(e.Value), decimal(e.Low), "", "", e.How.String()})
	if !e.Open {
		row[4] = decimal(e.High)
	}
	if e.Limit > 0 {
		row[5] = decimal(e.Limit)
	}
	return row
}
