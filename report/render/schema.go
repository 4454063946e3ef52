package render

import _ "embed"

//go:embed keyheat.report.1.schema.json
var reportSchema []byte

// ReportSchema gives the JSON Schema (2020-12) of the JSON report. The caller owns the bytes.
func ReportSchema() []byte { return append([]byte(nil), reportSchema...) }
