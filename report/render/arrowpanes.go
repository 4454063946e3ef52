package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var arrowPanes = &Renderer{
	Name:   "arrow-panes",
	Title:  "the heat maps as Arrow IPC: one row a key and time pane",
	Doc:    "What each key of the heat maps did in each pane, as bounds; `others` rows are all other keys of the table together. Amounts of `_milli` columns are thousandths of throughput units, and null is not known. Panes in which nothing happened have no row.",
	Binary: true,
	Render: func(w io.Writer, r *report.Report, o Options) error { return paneColumns(r, o).WriteArrow(w) },
}
