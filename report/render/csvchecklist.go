package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var csvChecklist = &Renderer{
	Name:   "csv-checklist",
	Title:  "the modelling checklist for a spreadsheet, one row a table and question",
	Doc:    "`yes` is good, `no` is trouble, `unknown` says how to get what is missing.",
	Render: func(w io.Writer, r *report.Report, _ Options) error { return writeChecklistCSV(w, r) },
}
