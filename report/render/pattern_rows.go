package render

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/report"
)

// notKnown stands in tables for what the input does not tell.
const notKnown = "unknown"

// patternTitles are the columns of the access-pattern table.
var patternTitles = []string{"table", "pattern", "entity", "key parts", "requests", "mean/s", "peak/s", "rows", "bytes", "p50 ms", "p99 ms", "served", "cost"}

// patternCells gives the columns of patternTitles, with a word for what is not known.
func patternCells(p *report.Pattern, unknown string) []string {
	cell := func(known bool, text string) string {
		if !known {
			return unknown
		}
		return text
	}
	requests := countBounds(p.Requests).String()
	if p.Selected {
		requests = "≥ " + count(p.Requests.Low)
	}
	return []string{
		orNoTable(tableName(p.Target)), visible(p.Shape), cell(p.Entity != "", visible(p.Entity)), cell(p.KeyParts != nil, keyParts(p)), requests,
		cell(p.RateKnown && !p.Selected, amount(p.PerSecond)), cell(p.Peak > 0, "≥ "+count(p.Peak)), cell(p.RowsKnown, amount(p.Rows)),
		cell(p.BytesKnown, size(uint64(p.Bytes)/1000)), cell(p.Timed, amount(p.P50)), cell(p.Timed, amount(p.P99)),
		cell(p.Served != "", p.Served), cell(p.CostBy != "", percent(p.CostShare)),
	}
}

func keyParts(p *report.Pattern) string {
	if len(p.KeyParts) == 0 {
		return "none"
	}
	return visible(strings.Join(p.KeyParts, ", "))
}

// costWords says by which measures the shares of cost are, nothing when there are none.
func costWords(patterns []report.Pattern) string {
	by := map[string]bool{}
	for i := range patterns {
		by[patterns[i].CostBy] = true
	}
	var out []string
	for _, m := range [][2]string{{"units", "capacity units"}, {"time", "time"}, {"bytes", "bytes"}} {
		if by[m[0]] {
			out = append(out, m[1])
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "cost is the share of a table's " + strings.Join(out, " or ")
}

func patternColumns(patterns []report.Pattern) []column {
	cols := []column{
		{title: "TABLE", least: 10},
		{title: "PATTERN", least: 20},
		{title: "ENTITY", least: 8, drop: 4},
		{title: "KEY PARTS", least: 10, drop: 3},
		{title: "REQUESTS", right: true},
		{title: "MEAN/s", right: true, drop: 5},
		{title: "PEAK/s", right: true, drop: 2},
		{title: "ROWS", right: true, drop: 6},
		{title: "BYTES", right: true, drop: 8},
		{title: "P50 ms", right: true, drop: 7},
		{title: "P99 ms", right: true, drop: 1},
		{title: "SERVED"},
		{title: "COST", right: true},
	}
	for i := range patterns {
		for j, cell := range patternCells(&patterns[i], "?") {
			cols[j].cells = append(cols[j].cells, cell)
		}
	}
	return told(cols)
}

// told gives the columns in which anything is known.
func told(cols []column) []column {
	kept := []column{}
	for _, c := range cols {
		if strings.Trim(strings.Join(c.cells, ""), "?") != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

func renderPatternsCSV(w io.Writer, t *report.PatternTable, o Options) error {
	out := csv.NewWriter(w)
	head := []string{"store", "table", "index", "pattern", "entity", "key_parts", "requests", "at_least", "mean_per_second", "peak_per_second", "rows", "bytes",
		"p50_ms", "p99_ms", "served", "share_of_cost", "cost_by"}
	if err := out.Write(head); err != nil {
		return err
	}
	t = t.Masked(o.Mask)
	for i := range t.Patterns {
		if err := out.Write(patternRow(&t.Patterns[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func patternRow(p *report.Pattern) []string {
	cell := func(known bool, text string) string {
		if !known {
			return notKnown
		}
		return text
	}
	row := []string{
		p.Target.Store.String(), visible(p.Target.Table), visible(p.Target.Index), visible(p.Shape), cell(p.Entity != "", visible(p.Entity)), cell(p.KeyParts != nil, keyParts(p)),
		strconv.FormatUint(p.Requests.Low, 10), strconv.FormatBool(p.Selected), cell(p.RateKnown && !p.Selected, decimal(p.PerSecond)),
		cell(p.Peak > 0, strconv.FormatUint(p.Peak, 10)), cell(p.RowsKnown, decimal(p.Rows)), cell(p.BytesKnown, decimal(p.Bytes)),
		cell(p.Timed, decimal(p.P50)), cell(p.Timed, decimal(p.P99)), cell(p.Served != "", p.Served), cell(p.CostBy != "", decimal(p.CostShare)), cell(p.CostBy != "", p.CostBy),
	}
	for i := range row {
		row[i] = csvText(row[i])
	}
	return row
}

// mdPatternRows writes the table of patterns.
func (p *page) mdPatternRows(patterns []report.Pattern) {
	p.mdf("| %s |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|--:|", strings.Join(patternTitles, " | "))
	for i := range patterns {
		cells := patternCells(&patterns[i], notKnown)
		for j := range cells {
			if j < 4 && cells[j] != notKnown {
				cells[j] = mdCode(fit(cells[j], mdKey))
			}
		}
		p.mdf("| %s |", strings.Join(cells, " | "))
	}
	if words := costWords(patterns); words != "" {
		p.mdf("\n%s.", strings.ToUpper(words[:1])+words[1:])
	}
}

// patterns writes the access patterns of a text report.
func (p *page) patterns() {
	if len(p.r.Patterns) == 0 {
		return
	}
	shown := p.r.Patterns[:min(len(p.r.Patterns), p.patternLimit())]
	p.section("ACCESS PATTERNS", costWords(shown))
	p.grid(patternColumns(shown))
	p.more(len(p.r.Patterns)-len(shown), "pattern")
}

// textPatterns is how many patterns a text report shows unless told otherwise.
const textPatterns = 10

func (p *page) patternLimit() int {
	if p.o.Limit == defaultLimit {
		return textPatterns
	}
	return p.o.Limit
}

func (p *page) mdPatterns() {
	if len(p.r.Patterns) == 0 {
		return
	}
	shown := p.r.Patterns[:min(len(p.r.Patterns), p.o.Limit)]
	p.mdf("\n## Access patterns\n")
	p.mdPatternRows(shown)
	if n := len(p.r.Patterns) - len(shown); n > 0 {
		p.mdf("\n… %s.", plural(uint64(n), "more pattern"))
	}
}
