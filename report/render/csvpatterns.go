package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var csvPatterns = &Renderer{
	Name:  "csv-patterns",
	Title: "the access patterns for a spreadsheet, one row each",
	Doc:   "As `keyheat patterns --format csv` prints them.",
	Render: func(w io.Writer, r *report.Report, o Options) error {
		return renderPatternsCSV(w, &report.PatternTable{Span: r.Span, Patterns: r.Patterns}, o)
	},
}
