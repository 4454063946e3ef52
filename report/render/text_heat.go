package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

const (
	heatLabelMost  = 28
	heatLabelLeast = 14
	heatTotal      = 10 // columns of the totals at the right edge
	heatTextRows   = 12 // keys of a map; the others are added to the other keys
	heatTextMaps   = 3  // maps of tables without findings
)

// heatMaps draws the heat maps of the tables that have something of the measure.
func (p *page) heatMaps() {
	if p.o.HeatMap == "" {
		return
	}
	measure := report.HeatRequests
	for m := range report.Measure(report.Measures) {
		if m.String() == p.o.HeatMap {
			measure = m
		}
	}
	var maps []*report.Table
	quiet := 0
	for _, t := range p.mapped() {
		if t.Heat.Total[measure] == nil {
			continue
		}
		if !p.found(t.Target) {
			quiet++
		}
		if quiet <= heatTextMaps || p.found(t.Target) {
			maps = append(maps, t)
		}
	}
	if len(maps) == 0 {
		p.section("HEAT MAP", "no table has "+measure.String()+" with times")
		return
	}
	p.section("HEAT MAP", measure.String()+" by key and time: ░▒▓█ from little to most, · nothing, ? not sure or not known; all keys and other keys as heights of their own")
	for _, t := range maps[:min(len(maps), p.o.Limit)] {
		h := &heatText{page: p, heat: t.Heat, measure: measure}
		h.choose(t.Target)
		h.draw(orNoTable(tableName(t.Target)))
	}
	if n := max(0, quiet-heatTextMaps) + max(0, len(maps)-p.o.Limit); n > 0 {
		p.line()
		p.hanging("  … ", dim, plural(uint64(n), "more table")+": run with --table, or --format html")
	}
}

// A heatText is one heat map being drawn.
type heatText struct {
	*page
	heat    *report.HeatMap
	measure report.Measure
	rows    []*report.HeatRow
	rest    []detect.Range // of all keys that are not in rows
	label   int            // columns of the keys
	columns int            // of time
	most    uint64         // what is drawn as hottest
}

// choose takes the keys of findings and the first ones; the others are added to the rest.
func (h *heatText) choose(t detect.Target) {
	found := map[string]bool{}
	for i := range h.r.Findings {
		if s := &h.r.Findings[i].Subject; s.Target == t && s.HasKey {
			found[string(s.Key)] = true
		}
	}
	room := heatTextRows
	for i := range h.heat.Rows {
		if found[string(h.heat.Rows[i].Key)] {
			room--
		}
	}
	h.rest = slices.Clone(h.heat.Rest.Series[h.measure])
	for i := range h.heat.Rows {
		row := &h.heat.Rows[i]
		if !found[string(row.Key)] {
			if room--; room < 0 {
				for at, r := range row.Series[h.measure] {
					h.rest[at] = h.rest[at].Plus(r)
				}
				continue
			}
		}
		h.rows = append(h.rows, row)
	}
}

func (h *heatText) draw(table string) {
	for _, row := range h.rows {
		h.label = max(h.label, widthOf(visibleKey(row.Key)))
		for _, r := range row.Series[h.measure] {
			h.most = max(h.most, r.Low)
		}
	}
	h.most = max(h.most, slices.Max(h.heat.Total[h.measure])/10, 1) // equal keys are not all hot
	h.label = min(max(h.label, heatLabelLeast), min(heatLabelMost, h.width/3))
	h.columns = min(h.width-2-h.label-2-2-heatTotal, len(h.r.Panes))
	h.line()
	h.hanging("  ", "", fmt.Sprintf("%s: █ is %s in %s%s", table, h.amount(h.most), paneName(h.r.PaneSeconds), h.merged()))
	h.bars("all keys", exactly(h.heat.Total[h.measure]))
	for _, row := range h.rows {
		h.row(row)
	}
	h.bars("other keys", h.rest)
	from, to := h.at(h.r.Panes[0].Start), h.at(h.r.Panes[len(h.r.Panes)-1].End)
	if room := h.columns - len(from) - len(to); room > 0 {
		h.text("", dim, from+strings.Repeat(" ", room)+to, "")
	}
}

// merged says what a column is when there are more panes than columns.
func (h *heatText) merged() string {
	if n := len(h.r.Panes); n > h.columns {
		return fmt.Sprintf("; a column is the busiest of up to %d panes", (n+h.columns-1)/h.columns)
	}
	return ""
}

func (h *heatText) amount(n uint64) string {
	if h.heat.Milli(h.measure) {
		return amount(detect.Milli(n)) + " " + measureUnit(h.heat, h.measure)
	}
	return count(n) + " " + measureUnit(h.heat, h.measure)
}

// text writes a line of the map: label, cells and total in their columns.
func (h *heatText) text(label, code, cells, total string) {
	h.line("  ", padLeft(fit(label, h.label), h.label), "  ", h.paint(code, cells), strings.Repeat(" ", max(0, h.columns-widthOf(cells))), "  ", padLeft(total, heatTotal))
}

// bars draws amounts as heights: what is sure of them.
func (h *heatText) bars(label string, series []detect.Range) {
	h.text(label, dim, sparkline(each(series, func(r *detect.Range) uint64 { return r.Low }), h.columns), h.total(series))
}

func (h *heatText) row(row *report.HeatRow) {
	series := row.Series[h.measure]
	name := visibleKey(row.Key)
	if series == nil {
		h.text(name, dim, strings.Repeat("?", h.columns), "?")
		return
	}
	cells := make([]rune, h.columns)
	for i := range cells {
		cells[i] = '·'
	}
	order := []rune("·?░▒▓█")
	for i, r := range series {
		at, shade := i*h.columns/len(series), h.shade(r)
		if slices.Index(order, shade) > slices.Index(order, cells[at]) {
			cells[at] = shade
		}
	}
	h.line("  ", padLeft(fit(name, h.label), h.label), "  ", h.painted(cells), "  ", padLeft(h.total(series), heatTotal))
}

// shade gives the block of an amount: each stands for four times the one before.
func (h *heatText) shade(r detect.Range) rune {
	switch share := float64(r.Low) / float64(h.most); {
	case share > 0.5:
		return '█'
	case share > 0.125:
		return '▓'
	case share > 0.03125:
		return '▒'
	case r.Low > 0:
		return '░'
	case float64(r.High) > 0.03125*float64(h.most):
		return '?'
	}
	return '·'
}

// painted gives the cells with colours: what is hot stands out, nothing is dim.
func (h *heatText) painted(cells []rune) string {
	codes := map[rune]string{'█': red, '▓': yellow, '▒': blue, '·': dim, '?': dim}
	var b strings.Builder
	for i := 0; i < len(cells); {
		j := i
		for j < len(cells) && cells[j] == cells[i] {
			j++
		}
		b.WriteString(h.paint(codes[cells[i]], string(cells[i:j])))
		i = j
	}
	return b.String()
}

// total gives the sum of a series, "≥" where it is not exact.
func (h *heatText) total(series []detect.Range) string {
	var sum detect.Range
	for _, r := range series {
		sum = sum.Plus(r)
	}
	text := count(sum.Low)
	if h.heat.Milli(h.measure) {
		text = amount(detect.Milli(sum.Low))
	}
	if !sum.Exact() {
		text = "≥ " + text
	}
	return text
}

func exactly(totals []uint64) []detect.Range {
	return each(totals, func(n *uint64) detect.Range { return detect.Range{Low: *n, High: *n} })
}
