// Package render prints reports: one file an output. It is handed a writer and everything else that
// matters, so the same report and options give the same bytes anywhere. It must not judge: what is not
// in the report is not printed, and nothing in it is weighed again.
package render

import (
	"io"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// Options are how to print. The zero value prints everything, 100 columns wide, without colour.
type Options struct {
	Width       int             // columns of text, at least MinWidth; 0: 100
	Color       bool            // text: SGR colours
	MinSeverity detect.Severity // findings below are left out, and counted; 0: none is, but text folds the low ones
	Limit       int             // rows of each list of text; 0: a default that fits a screen
	Mask        report.Masker   // nil: keys are shown
	Plain       bool            // keys table as text: for pipes, not for eyes
	HeatMap     string          // text: the measure of the heat maps, by its name; empty: none are drawn
}

// MinWidth is the least width that text is laid out for.
const MinWidth = 60

// An Output prints one kind of value. Render gives the error of w alone.
type Output[T any] struct {
	Name   string // as given to --format
	Title  string // one line
	Doc    string // what it is for, what it leaves out; Markdown
	Binary bool   // not for a terminal
	Render func(w io.Writer, v T, o Options) error
}

// A Renderer prints reports.
type Renderer = Output[*report.Report]

// Catalogue gives all renderers of reports; the first is the default.
func Catalogue() []*Renderer {
	return []*Renderer{textReport, jsonReport, htmlReport, markdownReport, sarifReport, csvReport, csvPatterns, csvChecklist, prometheusReport, arrowReport, arrowPanes, parquetReport, parquetPanes}
}

// A KeysRenderer prints tables of keys.
type KeysRenderer = Output[*report.KeyTable]

// KeysCatalogue gives all renderers of tables of keys; the first is the default.
func KeysCatalogue() []*KeysRenderer {
	return []*KeysRenderer{keysText, keysCSV, keysJSON}
}

// A KeyRenderer prints what is known of one key.
type KeyRenderer = Output[*report.KeyReport]

// KeyCatalogue gives all renderers of one key; the first is the default.
func KeyCatalogue() []*KeyRenderer {
	return []*KeyRenderer{keyText, keyJSON}
}

// A PatternsRenderer prints the access-pattern table.
type PatternsRenderer = Output[*report.PatternTable]

// PatternsCatalogue gives all renderers of the access-pattern table; the first is the default.
func PatternsCatalogue() []*PatternsRenderer {
	return []*PatternsRenderer{patternsText, patternsJSON, patternsCSV, patternsMarkdown}
}

// A ChecklistRenderer prints the modelling checklist of a report alone.
type ChecklistRenderer = Output[*report.Report]

// ChecklistCatalogue gives all renderers of the modelling checklist; the first is the default.
func ChecklistCatalogue() []*ChecklistRenderer {
	return []*ChecklistRenderer{checklistText, checklistJSON, checklistMarkdown}
}

// A CompareRenderer prints what two reports tell apart.
type CompareRenderer = Output[*report.Comparison]

// CompareCatalogue gives all renderers of comparisons; the first is the default.
func CompareCatalogue() []*CompareRenderer {
	return []*CompareRenderer{compareText, compareJSON}
}

// A SimulationRenderer prints what other partition keys would do.
type SimulationRenderer = Output[*detect.Simulation]

// SimulationCatalogue gives all renderers of simulations; the first is the default.
func SimulationCatalogue() []*SimulationRenderer {
	return []*SimulationRenderer{simulationText, simulationJSON}
}

func (o Options) width() int {
	if o.Width == 0 {
		return 100
	}
	return max(o.Width, MinWidth)
}
