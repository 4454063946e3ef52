package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var checklistText = &ChecklistRenderer{
	Name:   "text",
	Title:  "for a person at a terminal",
	Doc:    "The questions of each table: ✓ is good, ✗ is trouble, ? is not known, with what would tell it.",
	Render: renderChecklistText,
}

var checklistJSON = &ChecklistRenderer{
	Name:   "json",
	Title:  "for programs",
	Doc:    "One object: `tables`, each with its `checklist` as in the JSON report.",
	Render: renderChecklistJSON,
}

var checklistMarkdown = &ChecklistRenderer{
	Name:   "markdown",
	Title:  "for a design review",
	Doc:    "One table of all questions.",
	Render: renderChecklistMarkdown,
}

func everyAnswer(*report.Answer) bool { return true }

func renderChecklistText(w io.Writer, r *report.Report, o Options) error {
	p := newPage(r, o)
	if len(p.r.Tables) == 0 {
		p.line("no table was seen")
	}
	shown := p.busiest()
	for i, t := range shown {
		if i > 0 {
			p.line()
		}
		p.line(p.paint(bold, fit(orNoTable(tableName(t.Target)), p.width)))
		p.answers(t, everyAnswer)
	}
	p.more(len(p.r.Tables)-len(shown), "table")
	_, err := w.Write(p.Bytes())
	return err
}

type docChecklists struct {
	Schema string         `json:"schema"`
	Span   *docSpan       `json:"span"`
	Tables []docChecklist `json:"tables"`
}

type docChecklist struct {
	Store     string      `json:"store"`
	Table     string      `json:"table"`
	Index     string      `json:"index"`
	Checklist []docAnswer `json:"checklist"`
}

func renderChecklistJSON(w io.Writer, r *report.Report, _ Options) error {
	return writeJSON(w, docChecklists{"keyheat.checklist/1", spanOf(r.Span), each(r.Tables, func(t *report.Table) docChecklist {
		return docChecklist{t.Target.Store.String(), validText(t.Target.Table), validText(t.Target.Index), answersOf(t)}
	})})
}

func renderChecklistMarkdown(w io.Writer, r *report.Report, o Options) error {
	o.Width = 400
	p := newPage(r, o)
	p.mdf("# Modelling checklist\n")
	shown := p.busiest()
	p.mdChecklistRows(shown, everyAnswer)
	if n := len(p.r.Tables) - len(shown); n > 0 {
		p.mdf("\n… %s.", plural(uint64(n), "more table"))
	}
	_, err := w.Write(p.Bytes())
	return err
}
