package render

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// What a page shows at most, so that it stays under a megabyte.
const (
	htmlFindings = 300
	htmlOpen     = 20 // cards that are open
	htmlTables   = 60
	htmlKeys     = 20 // of a table
	htmlPatterns = 60
	htmlLists    = 100 // inputs, gaps, causes
	htmlKey      = 400 // columns of a key or a query
	htmlSpark    = 48  // bars of a sparkline
	htmlMaps     = 3   // maps of tables without findings that are open
)

// An htmlPage is everything that the page shows. All text of it is visible text; the template escapes it.
type htmlPage struct {
	Policy      string
	Style       template.CSS
	Script      template.JS
	Data        template.JS
	Version     string
	Verdict     string
	Quiet       string
	Span        string
	Pane        string
	Partial     string
	Facts       []string
	Notes       []string
	Findings    []htmlFinding
	LeftOut     string
	Maps        []htmlMap
	MoreMaps    []htmlMap // of tables without findings
	MapsLeftOut string

	Tables        []htmlTable
	TablesLeftOut string
	Patterns      []htmlPattern
	Spread        [][]string // as spreadTitles
	Collections   [][]string // as storedTitles
	PatternsCost  string
	Gaps          []htmlGap
	Inputs        []htmlInput
	InputsLeftOut string
	Unread        []report.Unread
	Problems      []htmlProblem
	Settings      []report.Setting
}

// A htmlSparkline is a small picture of amounts.
type htmlSparkline struct {
	Path  string
	Width int
	Of    string
	Most  string
}

// Label says in words what the picture shows.
func (s *htmlSparkline) Label() string { return "course, at most " + s.Most }

type htmlTable struct {
	Name, Requests, Keys, Skew string
	Open                       bool
	Rows                       []htmlTopKey
	Checklist                  []htmlAnswer
}

type htmlTopKey struct{ Key, Requests, Share, Peak, Tombstones string }

type htmlAnswer struct{ Mark, Question, Answer, Because, GetIt string }

type htmlPattern struct {
	Table, Shape, Entity string
	Cells                []string // as patternTitles from the key parts on
}

type htmlGap struct{ Rule, Why, GetIt string }

type htmlInput struct{ Name, Format, Coverage, Size, Records, Problems string }

type htmlProblem struct {
	Count, Cause string
	Examples     []htmlExample
}

type htmlExample struct{ Place, Text string }

func newHTMLPage(r *report.Report, o Options) *htmlPage {
	o.Width, o.Limit = 400, htmlTables
	p := newPage(r, o)
	h := &htmlPage{
		Policy: htmlPolicy(htmlStyle, htmlScript), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript),
		Version: visible(orUnknown(p.r.Version)), Verdict: p.verdict(), Span: p.whole(p.r.Span), Partial: visible(p.r.Partial),
		Pane: paneName(p.r.PaneSeconds), Facts: p.htmlFacts(),
		Notes: each(p.r.Notes, func(n *string) string { return visible(*n) }),
	}
	kept, left := shown(p.r, o)
	if len(kept) == 0 {
		h.Quiet = p.quietText()
	}
	h.fillMaps(p, kept[:min(len(kept), htmlFindings)])
	h.LeftOut = leftOut(max(0, len(kept)-htmlFindings), "finding", "--format json")
	if left > 0 {
		h.LeftOut = strings.TrimSpace(h.LeftOut + " " + leftOut(left, "finding", "--min-severity low"))
	}
	h.fillTables(p)
	h.fillEnd(p)
	return h
}

func leftOut(n int, what, how string) string {
	if n == 0 {
		return ""
	}
	return plural(uint64(n), "more "+what) + " left out: see " + how + "."
}

func (p *page) htmlFacts() []string {
	facts := []string{plural(uint64(len(p.r.Inputs)), "input")}
	if bytes := bytesOf(p.r.Inputs); bytes > 0 || len(p.r.Inputs) == 0 { // live sources have none
		facts[0] += ", " + size(bytes)
	}
	if p.r.Nodes > 0 {
		facts = append(facts, plural(uint64(p.r.Nodes), "node"))
	}
	return append(facts, p.understood()...)
}

func (h *htmlPage) fillTables(p *page) {
	busiest := p.busiest()
	for i, t := range busiest {
		h.Tables = append(h.Tables, p.htmlTable(t, i < 6))
	}
	h.TablesLeftOut = leftOut(len(p.r.Tables)-len(busiest), "table", "--format json")
	for _, t := range p.storedTables() {
		h.Spread = append(h.Spread, spreadCells(t))
		for _, c := range collectionsOf(t, htmlKeys) {
			cells := storedCells(t, &c)
			cells[1] = fit(cells[1], htmlKey)
			h.Collections = append(h.Collections, cells)
		}
	}
	h.PatternsCost = costWords(p.r.Patterns)
	for i := range p.r.Patterns[:min(len(p.r.Patterns), htmlPatterns)] {
		h.Patterns = append(h.Patterns, htmlPatternOf(&p.r.Patterns[i]))
	}
}

func (p *page) htmlTable(t *report.Table, open bool) htmlTable {
	cells := p.tableCells(t)
	out := htmlTable{Name: cells[0], Requests: cells[1] + " requests", Open: open}
	if t.Distinct.High > 0 {
		out.Keys = cells[2] + " keys"
	}
	if t.Skew.Known {
		out.Skew = fmt.Sprintf("first ten keys %s, as even as %s keys", shareBounds(t.Skew.Top10), amount(t.Skew.Effective))
	}
	for i := range t.TopKeys[:min(len(t.TopKeys), htmlKeys)] {
		k := &t.TopKeys[i]
		row := htmlTopKey{Key: fit(visibleKey(k.Key), htmlKey), Requests: countBounds(k.Requests).String(), Peak: peakText(k.PeakPerSecond, p.r.Second && k.Requests.Exact())}
		if t.Requests.High > 0 {
			row.Share = shareBounds(k.Share).String()
		}
		if k.Tombstones.High > 0 {
			row.Tombstones = countBounds(k.Tombstones).String()
		}
		out.Rows = append(out.Rows, row)
	}
	for _, a := range t.Checklist {
		out.Checklist = append(out.Checklist, htmlAnswer{answerMark(a.Answer), strings.ReplaceAll(a.Question, "-", " "), a.Answer, visible(a.Because), visible(a.GetIt)})
	}
	return out
}

func htmlPatternOf(p *report.Pattern) htmlPattern {
	cells := patternCells(p, "?")
	cells[1] = fit(cells[1], htmlKey)
	return htmlPattern{Table: cells[0], Shape: cells[1], Entity: cells[2], Cells: cells[3:]}
}

// fillEnd writes what was not assessed, what was read and how.
func (h *htmlPage) fillEnd(p *page) {
	gaps := p.gaps()
	for _, g := range gaps[:min(len(gaps), htmlLists)] {
		h.Gaps = append(h.Gaps, htmlGap{visible(g.first.Rule), g.why(), visible(g.first.GetIt)})
	}
	for i := range p.r.Inputs[:min(len(p.r.Inputs), htmlLists)] {
		in := &p.r.Inputs[i]
		h.Inputs = append(h.Inputs, htmlInput{fit(visible(in.Name), htmlKey), in.Format, in.Coverage.String(), size(in.Bytes), grouped(in.Records), grouped(in.Problems)})
	}
	h.InputsLeftOut = leftOut(max(0, len(p.r.Inputs)-htmlLists), "input", "--format json")
	for _, u := range p.r.Unread[:min(len(p.r.Unread), htmlLists)] {
		h.Unread = append(h.Unread, report.Unread{Name: fit(visible(u.Name), htmlKey), Why: visible(u.Why)})
	}
	for i := range p.r.Problems.Causes[:min(len(p.r.Problems.Causes), htmlLists)] {
		c := &p.r.Problems.Causes[i]
		out := htmlProblem{Count: plural(c.Count, "record"), Cause: visible(c.Cause)}
		for j := range c.Examples[:min(len(c.Examples), 3)] {
			out.Examples = append(out.Examples, htmlExample{p.place(c.Examples[j].At), fit(visible(c.Examples[j].Text), htmlKey)})
		}
		h.Problems = append(h.Problems, out)
	}
	h.Settings = p.settings()
}

// settings gives the flags of the run, and what it made of them.
func (p *page) settings() []report.Setting {
	var out []report.Setting
	for _, s := range p.r.Settings {
		out = append(out, report.Setting{Name: "--" + visible(s.Name), Value: visible(s.Value)})
	}
	second := "no: top keys have bounds"
	if p.r.Second {
		second = "yes: top keys are counted exactly"
	}
	out = append(out, report.Setting{Name: "second reading", Value: second})
	if p.r.PaneSeconds > 0 {
		out = append(out, report.Setting{Name: "time pane", Value: fmt.Sprintf("%s, %d with traffic", paneName(p.r.PaneSeconds), len(p.r.Panes))})
	}
	if p.o.MinSeverity > 0 {
		out = append(out, report.Setting{Name: "least severity", Value: p.o.MinSeverity.String()})
	}
	return out
}

// sparkOf draws amounts as bars; nothing is drawn of nothing.
func sparkOf(values []uint64, of string) *htmlSparkline {
	values = squeeze(values, htmlSpark)
	most := uint64(0)
	for _, v := range values {
		most = max(most, v)
	}
	if most == 0 {
		return nil
	}
	var path strings.Builder
	for i, v := range values {
		if height := 24 * float64(v) / float64(most); v > 0 {
			fmt.Fprintf(&path, "M%d 24v-%dh3v%dz", 4*i, max(1, int(height+0.5)), max(1, int(height+0.5)))
		}
	}
	return &htmlSparkline{Path: path.String(), Width: 4 * len(values), Of: of, Most: count(most)}
}

// paneTime names a pane by its beginning and end.
func (t times) paneTime(s detect.PaneSpan) string {
	return t.at(s.Start) + " → " + time.Unix(s.End, 0).UTC().Format("15:04")
}
