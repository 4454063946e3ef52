package render

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/report"
)

func TestPatternTables(t *testing.T) {
	table := &report.PatternTable{Span: incident().Span, Patterns: incident().Patterns}
	golden(t, "patterns.txt", rendered(t, patternsText, table, Options{}))
	golden(t, "patterns.60.txt", rendered(t, patternsText, table, Options{Width: 60}))
	golden(t, "patterns.csv", rendered(t, patternsCSV, table, Options{}))
	golden(t, "patterns.json", rendered(t, patternsJSON, table, Options{}))
	golden(t, "patterns.md", rendered(t, patternsMarkdown, table, Options{}))
	golden(t, "patterns.empty.txt", rendered(t, patternsText, &report.PatternTable{}, Options{}))
	fromReport := rendered(t, csvPatterns, incident(), Options{})
	if alone := rendered(t, patternsCSV, table, Options{}); !bytes.Equal(fromReport, alone) {
		t.Errorf("of the report\n%s\nalone\n%s", fromReport, alone)
	}
}

func TestChecklists(t *testing.T) {
	golden(t, "checklist.txt", rendered(t, checklistText, incident(), Options{}))
	golden(t, "checklist.json", rendered(t, checklistJSON, incident(), Options{}))
	golden(t, "checklist.md", rendered(t, checklistMarkdown, incident(), Options{}))
	golden(t, "checklist.csv", rendered(t, csvChecklist, incident(), Options{}))
	golden(t, "checklist.empty.txt", rendered(t, checklistText, &report.Report{}, Options{}))
}

// Statements and entities come from outside.
func TestHostilePatternsAreEscaped(t *testing.T) {
	evil := "=cmd|' \x1b[31m<script>\n| `x` "
	table := &report.PatternTable{Patterns: []report.Pattern{{Shape: evil, Entity: evil, KeyParts: []string{evil}}}}
	table.Patterns[0].Target.Table = evil
	for _, o := range PatternsCatalogue() {
		out := rendered(t, o, table, Options{})
		if bytes.ContainsAny(out, "\x1b") || o.Name != "json" && strings.Count(string(out), "\n") > 6 {
			t.Errorf("%s: %q", o.Name, out)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(rendered(t, patternsCSV, table, Options{}))).ReadAll()
	if err != nil || len(rows) != 2 || slices.ContainsFunc(rows[1], func(cell string) bool { return strings.HasPrefix(cell, "=") }) {
		t.Errorf("rows %q, error %v", rows, err)
	}
}
