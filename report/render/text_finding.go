package render

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// What a card shows at most; the rest is in the JSON report.
const (
	cardEvidence  = 5
	cardProposals = 3
	cardSteps     = 4
	cardPositions = 3
	sparkWidth    = 32
)

// findings writes the cards, worst first, and folds those that are too small for now to a line.
func (p *page) findings() {
	if len(p.r.Findings) == 0 {
		p.quiet()
		return
	}
	least := p.o.MinSeverity
	if least == 0 && p.r.Findings[0].Severity > detect.Low {
		least = detect.Medium
	}
	folded, cards := 0, 0
	for i := range p.r.Findings {
		switch f := &p.r.Findings[i]; {
		case f.Severity < least:
			folded++
		case cards < p.o.Limit:
			cards++
			p.card(f)
		}
	}
	left := len(p.r.Findings) - folded - cards
	if left > 0 || folded > 0 {
		p.line()
	}
	p.more(left, "finding")
	if folded > 0 {
		p.line(p.paint(blue, padRight("LOW", labelWidth)), foldedLine(folded, least, cards))
	}
}

func foldedLine(folded int, least detect.Severity, cards int) string {
	more := "more"
	if cards == 0 {
		more = "below --min-severity " + least.String()
	}
	return fmt.Sprintf("%d %s · run with --min-severity low, or --format json", folded, more)
}

// quiet says calmly what was looked at when nothing was found.
func (p *page) quiet() {
	requests, reported := uint64(0), uint64(0)
	for i := range p.r.Tables {
		requests, reported = requests+p.r.Tables[i].Requests.High, reported+p.r.Tables[i].Reported
	}
	p.line()
	if requests+reported == 0 {
		p.hanging(0, p.paint(bold, "NOTHING SEEN")+"  ", "", "No request was found in the input, so nothing could be judged.")
		return
	}
	what := plural(requests, "request")
	if requests == 0 {
		what = plural(reported, "reported request")
	}
	said := fmt.Sprintf("%s to %s were looked at", what, plural(uint64(len(p.r.Tables)), "table"))
	if s := p.r.Span; s != (detect.Span{}) {
		said = fmt.Sprintf("%s over %s were looked at", strings.TrimSuffix(said, " were looked at"), duration(s.End-s.Start))
	}
	said += "; nothing reached the floor of a rule."
	if n := p.unassessedRules(); n > 0 {
		said += fmt.Sprintf(" %s could not be assessed: see below.", plural(uint64(n), "rule"))
	}
	p.hanging(0, p.paint(green, "NO FINDINGS")+"  ", "", said)
}

// card writes one finding: how bad and what, since when, which key, how sure, why, what to do, where to look.
func (p *page) card(f *report.Finding) {
	p.line()
	p.headline(f)
	p.when(f)
	p.subject(f)
	p.labelled("seen", "", p.seen(f))
	if why := mechanism(f); why != "" {
		p.labelled("why", "", why)
	}
	p.proposals(f)
	p.see(f)
}

func (p *page) headline(f *report.Finding) {
	name := tableName(f.Subject.Target)
	if name == "" {
		name = "(no table)"
	}
	room := p.width - labelWidth
	name = fit(name, room)
	level := strings.ToUpper(f.Severity.String())
	head := p.paint(severityColor(f.Severity), level) + strings.Repeat(" ", max(1, labelWidth-len(level)))
	column := max(22, widthOf(name)) + 2
	if lines := wrap(visible(f.Message), room-column); room-column >= 40 && len(lines) <= 2 {
		p.line(head, p.paint(bold, padRight(name, column)), lines[0])
		for _, l := range lines[1:] {
			p.line(strings.Repeat(" ", labelWidth+column), l)
		}
		return
	}
	p.line(head, p.paint(bold, name))
	for _, l := range wrap(visible(f.Message), room) {
		p.line(strings.Repeat(" ", labelWidth), l)
	}
}

// when writes since when, and how it went in the panes.
func (p *page) when(f *report.Finding) {
	said := p.since(f.Span)
	spark := ""
	if len(f.Series) > 0 {
		top := uint64(0)
		for _, v := range f.Series {
			top = max(top, v)
		}
		spark = sparkline(f.Series, sparkWidth) + "  " + visible(f.SeriesOf) + ", at most " + count(top)
	}
	room := p.width - labelWidth
	if said == "" || spark == "" || widthOf(said)+3+widthOf(spark) <= room {
		if said != "" && spark != "" {
			said += "   "
		}
		if said+spark != "" {
			p.line(strings.Repeat(" ", labelWidth), said, spark)
		}
		return
	}
	p.line(strings.Repeat(" ", labelWidth), said)
	p.line(strings.Repeat(" ", labelWidth), fit(spark, room))
}

// since tells the span of a finding within that of the report.
func (p *page) since(s detect.Span) string {
	if s == (detect.Span{}) {
		return ""
	}
	all, pane := p.r.Span, int64(max(p.r.PaneSeconds, 1))
	fromStart, toEnd := s.Start <= all.Start+pane, s.End >= all.End-pane
	switch {
	case fromStart && toEnd:
		return "the whole time, " + p.at(s.Start) + " → " + p.at(s.End)
	case toEnd:
		return "since " + p.at(s.Start) + ", still on at the end"
	}
	return fmt.Sprintf("%s → %s (%s), over before the end", p.at(s.Start), p.at(s.End), duration(s.End-s.Start))
}

func (p *page) subject(f *report.Finding) {
	room := p.width - labelWidth
	s := &f.Subject
	if s.HasKey {
		p.line(p.paint(dim, padRight("  key", labelWidth)), p.paint(bold, fit(visibleKey(s.Key), room)))
		if n := nameKey(s.Key); n.cut {
			p.labelled("", dim, fmt.Sprintf("the first 1 KiB of %s bytes; hash %s", grouped(n.length), n.hash))
		}
	}
	if s.Shape != "" {
		p.line(p.paint(dim, padRight("  query", labelWidth)), fit(visible(s.Shape), room))
	}
	if s.Node != "" {
		p.line(p.paint(dim, padRight("  node", labelWidth)), p.paint(bold, fit(visible(s.Node), room)))
	}
}

// seen gives the evidence in one run of text, with bounds and limits, beginning with how sure it is.
func (p *page) seen(f *report.Finding) string {
	var said []string
	for i := range f.Evidence[:min(len(f.Evidence), cardEvidence)] {
		said = append(said, evidenceText(&f.Evidence[i]))
	}
	if n := len(f.Evidence) - cardEvidence; n > 0 {
		said = append(said, fmt.Sprintf("%d more in --format json", n))
	}
	if len(said) == 0 {
		return f.Confidence.String()
	}
	return f.Confidence.String() + ": " + strings.Join(said, "; ")
}

func evidenceText(e *detect.Evidence) string {
	b := bounded{e.Value, e.Low, e.High, e.Open, e.Unit}
	said := measureWords(e.Measure, e.Unit) + " " + b.String()
	var notes []string
	if e.Limit > 0 {
		notes = append(notes, "limit "+bare(e.Limit, e.Unit)+shareSign(e.Unit))
	}
	switch {
	case e.How == detect.Stored:
		notes = append(notes, "the store said so")
	case e.How == detect.Inferred:
		notes = append(notes, "inferred")
	case e.How == detect.Counted && e.Low == e.High && !e.Open:
		notes = append(notes, "exact")
	}
	if len(notes) > 0 {
		said += " [" + strings.Join(notes, ", ") + "]"
	}
	return said
}

func shareSign(unit string) string {
	if unit == "share" {
		return " %"
	}
	return ""
}

// measureWords gives a measure as words, without what its unit says.
func measureWords(measure, unit string) string {
	if strings.HasSuffix(unit, "/s") {
		measure = strings.TrimSuffix(measure, "_per_second")
	}
	return visible(strings.ReplaceAll(measure, "_", " "))
}

// mechanism tells the cause, and from what it was concluded.
func mechanism(f *report.Finding) string {
	about, known := mechanisms[f.Mechanism]
	switch {
	case f.Mechanism == "":
		return ""
	case f.Mechanism == "unknown":
		return "the cause cannot be told from this input"
	case !known:
		about = visible(f.Mechanism)
	}
	switch f.MechanismConfidence {
	case "shape":
		about += " (the statements look like it)"
	case "schema":
		about += " (the schema allows it)"
	case "measured":
		about += " (measured)"
	}
	return about
}

// mechanisms says in words what the mechanisms of docs/rules.md are.
var mechanisms = map[string]string{
	"queue":                "queue pattern: rows are deleted at the head of the partition, and reads start at the head",
	"null-insert":          "null-insert: null is written to columns, each leaving a tombstone",
	"ttl":                  "ttl: rows expire, and reads pass over what expired",
	"range-delete":         "range-delete: ranges of rows are deleted, and reads pass over the markers",
	"collection-overwrite": "collection-overwrite: whole collections are written anew, each leaving a tombstone",
	"scan":                 "scan: the read names no partition, so it passes over the tombstones of all of them",
}

// proposals writes what to do, with its numbers, and what that costs and risks.
func (p *page) proposals(f *report.Finding) {
	shown := f.Proposals[:min(len(f.Proposals), cardProposals)]
	label := "do"
	for i := range shown {
		p.proposal(label, mark(i, len(shown)), &shown[i])
		label = ""
	}
	if n := len(f.Proposals) - len(shown); n > 0 {
		p.labelled("", dim, plural(uint64(n), "more proposal")+" in --format json")
	}
	label = "risk"
	for i := range shown {
		price := append(append([]string(nil), shown[i].Costs...), shown[i].Risks...)
		if len(price) > 0 {
			p.item(label, mark(i, len(shown)), visible(strings.Join(price, "; ")))
			label = ""
		}
	}
	label = "check"
	for i := range shown {
		if shown[i].Verify != "" {
			p.item(label, mark(i, len(shown)), visible(shown[i].Verify))
			label = ""
		}
	}
}

// mark numbers the proposals when there are several.
func mark(i, n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("%d. ", i+1)
}

// item writes a text beside its label and mark; later lines stand under the first.
func (p *page) item(label, mark, text string) {
	head := p.paint(dim, padRight("  "+label, labelWidth)) + mark
	indent := strings.Repeat(" ", labelWidth+len(mark))
	for _, s := range wrap(text, p.width-len(indent)) {
		p.line(head, s)
		head = indent
	}
}

func (p *page) proposal(label, mark string, do *detect.Proposal) {
	p.item(label, mark, visible(do.Title))
	under := strings.Repeat(" ", len(mark))
	if do.Change != "" {
		p.line(strings.Repeat(" ", labelWidth), under, p.paint(bold, fit(visible(do.Change), p.width-labelWidth-len(under))))
	}
	if effects := effectsText(do.Effects); effects != "" {
		p.item("", under+"→ ", effects)
	}
	for _, s := range do.Steps[:min(len(do.Steps), cardSteps)] {
		p.item("", under+"- ", visible(s))
	}
	if n := len(do.Steps) - cardSteps; n > 0 {
		p.item("", under, plural(uint64(n), "more step")+" in --format json")
	}
}

func effectsText(effects []detect.Effect) string {
	said := make([]string, len(effects))
	for i, e := range effects {
		said[i] = fmt.Sprintf("%s %s → %s", measureWords(e.Measure, e.Unit), bare(e.Before, e.Unit), inUnit(e.After, e.Unit))
	}
	return strings.Join(said, ", ")
}

// see writes where the first records stand, and where to read more of the rule.
func (p *page) see(f *report.Finding) {
	seen := map[ingest.Position]bool{}
	var places []string
	for i := range f.Evidence {
		for _, at := range f.Evidence[i].Positions {
			if !seen[at] && len(places) < cardPositions {
				places = append(places, p.place(at))
			}
			seen[at] = true
		}
	}
	if n := len(seen) - len(places); n > 0 {
		places = append(places, fmt.Sprintf("… %d more", n))
	}
	if len(places) > 0 {
		p.item("see", "", strings.Join(places, ", "))
	}
	p.labelled("more", dim, "keyheat explain "+visible(f.Rule))
}

// place names a position: name:line, or name@byte where the line is not known.
func (p *page) place(at ingest.Position) string { return placeIn(p.r.Inputs, at) }

func placeIn(inputs []report.Input, at ingest.Position) string {
	name := fmt.Sprintf("input %d", at.Input)
	if int(at.Input) < len(inputs) {
		name = fit(visible(inputs[at.Input].Name), 48)
	}
	if at.Line > 0 {
		return fmt.Sprintf("%s:%d", name, at.Line)
	}
	return fmt.Sprintf("%s@%d", name, at.Byte)
}

// tableName gives a table, or an index of it, for people; empty when there is neither.
func tableName(t detect.Target) string {
	if t.Index == "" {
		return visible(t.Table)
	}
	return visible(t.Table) + "/" + visible(t.Index)
}
