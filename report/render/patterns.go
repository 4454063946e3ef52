package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var patternsText = &PatternsRenderer{
	Name:   "text",
	Title:  "columns",
	Doc:    "One row a pattern, most requests first. `?` is not known; `≥` is at least.",
	Render: renderPatternsText,
}

var patternsCSV = &PatternsRenderer{
	Name:   "csv",
	Title:  "comma-separated values",
	Doc:    "RFC 4180 with a header; what is not known is `unknown`. A cell of text that a spreadsheet would take for a formula begins with an apostrophe.",
	Render: renderPatternsCSV,
}

var patternsJSON = &PatternsRenderer{
	Name:   "json",
	Title:  "for programs",
	Doc:    "One object: `span` and `patterns`, as in the JSON report.",
	Render: renderPatternsJSON,
}

var patternsMarkdown = &PatternsRenderer{
	Name:   "markdown",
	Title:  "for a design document",
	Doc:    "A table of the patterns; what is not known is `unknown`.",
	Render: renderPatternsMarkdown,
}

func renderPatternsText(w io.Writer, t *report.PatternTable, o Options) error {
	t = t.Masked(o.Mask)
	p := &pen{width: o.width(), color: o.Color}
	if o.Plain {
		p.width = 1 << 30
	}
	if len(t.Patterns) == 0 {
		p.line("no request was seen")
	} else {
		p.grid(patternColumns(t.Patterns))
	}
	if words := costWords(t.Patterns); words != "" {
		p.hanging("", dim, words)
	}
	_, err := w.Write(p.Bytes())
	return err
}

func renderPatternsMarkdown(w io.Writer, t *report.PatternTable, o Options) error {
	t = t.Masked(o.Mask)
	p := &page{pen: pen{width: 400}, o: o}
	p.mdf("# Access patterns\n")
	p.mdPatternRows(t.Patterns)
	_, err := w.Write(p.Bytes())
	return err
}
