package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var textReport = &Renderer{
	Name:   "text",
	Title:  "for a person at a terminal",
	Doc:    "Findings as cards, worst first, then tables, what could not be assessed and what could not be read. Low findings are folded to one line when there are worse ones; `--min-severity low` shows them.",
	Render: renderText,
}

func renderText(w io.Writer, r *report.Report, o Options) error {
	p := newPage(r, o)
	p.header()
	p.findings()
	p.scripts()
	p.heatMaps()
	p.tables()
	p.stored()
	p.partitions()
	p.patterns()
	p.checklists()
	p.notAssessed()
	p.problems()
	p.unread()
	_, err := w.Write(p.Bytes())
	return err
}
