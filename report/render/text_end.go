package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// tables writes each table with its traffic, its first key and the checklist.
func (p *page) tables() {
	if len(p.r.Tables) == 0 {
		return
	}
	shown := p.busiest()
	cols := []column{
		{title: "TABLE", least: 12},
		{title: "REQUESTS", right: true},
		{title: "KEYS", right: true, drop: 2},
		{title: "TOP KEY", least: 14},
		{title: "SHARE", right: true},
		{title: "PEAK/s", right: true, drop: 3},
		{title: "CHECKLIST", drop: 4},
	}
	for _, t := range shown {
		for i, cell := range p.tableCells(t) {
			cols[i].cells = append(cols[i].cells, cell)
		}
	}
	p.line()
	p.grid(cols)
	p.more(len(p.r.Tables)-len(shown), "table")
}

// busiest gives the tables with most requests; ties and all else as in the report.
func (p *page) busiest() []*report.Table {
	all := make([]*report.Table, len(p.r.Tables))
	for i := range p.r.Tables {
		all[i] = &p.r.Tables[i]
	}
	slices.SortStableFunc(all, func(a, b *report.Table) int {
		return cmp.Compare(max(b.Requests.High, b.Reported), max(a.Requests.High, a.Reported))
	})
	return all[:min(len(all), p.o.Limit)]
}

func (p *page) tableCells(t *report.Table) []string {
	cells := []string{orNoTable(tableName(t.Target)), countBounds(t.Requests).String(), distinctText(t.Distinct), "?", "?", "?", checks(t.Checklist)}
	if t.Requests.High == 0 {
		cells[1] = "?"
	}
	if t.Requests.High == 0 && t.Reported > 0 {
		cells[1] = "≥ " + count(t.Reported)
	}
	if len(t.TopKeys) == 0 {
		return cells
	}
	k := &t.TopKeys[0]
	cells[3] = visibleKey(k.Key)
	if t.Requests.High > 0 {
		cells[4] = shareBounds(k.Share).String()
	}
	cells[5] = peakText(k.PeakPerSecond, p.r.Second && k.Requests.Exact())
	return cells
}

func distinctText(d detect.Distinct) string {
	switch {
	case d.High == 0:
		return "?"
	case d.Exact:
		return count(d.Value)
	}
	return "~" + count(d.Value)
}

// peakText gives the busiest second of a key: a lower bound unless it was counted.
func peakText(n uint64, exact bool) string {
	switch {
	case n == 0:
		return "?"
	case exact:
		return count(n)
	}
	return "≥ " + count(n)
}

// checkWords are the questions of the checklist that the list of tables has room for.
var checkWords = map[string]string{"cardinality": "keys", "growth": "growth", "deletes": "deletes"}

// checks gives the answers of the checklist as marks.
func checks(answers []report.Answer) string {
	var out []string
	for _, a := range answers {
		if word := checkWords[a.Question]; word != "" {
			out = append(out, word+" "+answerMark(a.Answer))
		}
	}
	return strings.Join(out, " ")
}

func answerMark(answer string) string {
	switch answer {
	case "yes":
		return "✓"
	case "no":
		return "✗"
	}
	return "?"
}

// A gap in what was assessed, and the tables it concerns.
type unassessed struct {
	first  *detect.NotAssessed
	tables []string
}

// unassessed joins what differs in the table alone.
func (p *page) gaps() []*unassessed {
	var out []*unassessed
	at := map[string]*unassessed{}
	for i := range p.r.NotAssessed {
		n := &p.r.NotAssessed[i]
		id := fmt.Sprintf("%q", append([]string{n.Rule, n.GetIt}, n.Missing...))
		if at[id] == nil {
			at[id] = &unassessed{first: n}
			out = append(out, at[id])
		}
		if name := tableName(n.Target); name != "" {
			at[id].tables = append(at[id].tables, name)
		}
	}
	return out
}

func (p *page) unassessedRules() int {
	rules := map[string]bool{}
	for i := range p.r.NotAssessed {
		rules[p.r.NotAssessed[i].Rule] = true
	}
	return len(rules)
}

func (p *page) notAssessed() {
	gaps := p.gaps()
	if len(gaps) == 0 {
		return
	}
	p.section("NOT ASSESSED", "not assessed is not clean")
	column := 0
	for _, g := range gaps {
		column = max(column, min(24, widthOf(visible(g.first.Rule)))+4)
	}
	for _, g := range gaps[:min(len(gaps), p.o.Limit)] {
		p.gap(g, column)
	}
	p.more(len(gaps)-p.o.Limit, "rule")
}

// gap writes what is missing for a rule, and how to get it.
func (p *page) gap(g *unassessed, column int) {
	p.hanging(padRight("  "+fit(visible(g.first.Rule), column-4), column), "", g.why())
	if g.first.GetIt != "" {
		p.hanging(strings.Repeat(" ", column)+"→ ", green, visible(g.first.GetIt))
	}
}

// why says what is missing, and for which tables.
func (g *unassessed) why() string {
	missing := make([]string, len(g.first.Missing))
	for i, m := range g.first.Missing {
		missing[i] = visible(strings.ReplaceAll(m, "_", " "))
	}
	why := "not in the input: " + strings.Join(missing, ", ")
	if len(missing) == 0 {
		why = "not enough in the input"
	}
	switch n := len(g.tables); {
	case n > 2:
		why += fmt.Sprintf(" (%d tables)", n)
	case n > 0:
		why += " (" + strings.Join(g.tables, ", ") + ")"
	}
	return why
}

// problems writes what could not be read, by cause, with examples.
func (p *page) problems() {
	if p.r.Problems.Total == 0 {
		return
	}
	p.section("PROBLEMS", plural(p.r.Problems.Total, "record")+" could not be read and count for nothing above")
	for _, c := range p.r.Problems.Causes[:min(len(p.r.Problems.Causes), p.o.Limit)] {
		p.hanging(padLeft(count(c.Count), 8)+gap, "", visible(c.Cause))
		for _, e := range c.Examples[:min(len(c.Examples), 2)] {
			place := p.place(e.At) + gap
			text := chop(visible(e.Text), max(2, p.width-labelWidth-widthOf(place)))[0]
			p.line(strings.Repeat(" ", labelWidth), p.paint(dim, strings.TrimRight(place+text, " ")))
		}
	}
	p.more(len(p.r.Problems.Causes)-p.o.Limit, "cause")
}

// unread writes the inputs that gave nothing.
func (p *page) unread() {
	if len(p.r.Unread) == 0 {
		return
	}
	p.section("NOT READ", "")
	for _, u := range p.r.Unread[:min(len(p.r.Unread), p.o.Limit)] {
		name := fit(visible(u.Name), p.width/2)
		p.hanging(gap+padRight(name, 18)+gap, "", visible(u.Why))
	}
	p.more(len(p.r.Unread)-p.o.Limit, "input")
}
