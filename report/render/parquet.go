package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var parquetReport = &Renderer{
	Name:   "parquet",
	Title:  "findings as Parquet, for data frames and SQL",
	Doc:    "One row a finding, with its subject, its span and its first measure; amounts are numbers, unknown ones null. `key` holds the bytes of the key.",
	Binary: true,
	Render: func(w io.Writer, r *report.Report, o Options) error { return findingColumns(r, o).WriteParquet(w) },
}
