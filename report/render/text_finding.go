package render

import (
	"fmt"
	"slices"
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
	cardAlike     = 5 // findings that say the same of other keys
	cardLines     = 3 // of a key or a query
	sparkWidth    = 32
	sparkLeast    = 16
)

// findings writes the cards, worst first, and folds those that are too small for now to a line.
func (p *page) findings() {
	if len(p.r.Findings) == 0 {
		p.quiet()
		return
	}
	least := p.leastShown()
	folded, cards, told := 0, 0, make([]bool, len(p.r.Findings))
	for i := range p.r.Findings {
		f := &p.r.Findings[i]
		switch {
		case told[i]:
		case f.Severity < least:
			folded++
			told[i] = true
		case cards < p.o.Limit:
			cards++
			told[i] = true
			p.card(f, p.alike(i, told))
		}
	}
	left := 0
	for _, t := range told {
		if !t {
			left++
		}
	}
	if left > 0 || folded > 0 {
		p.line()
	}
	p.more(left, "finding")
	if folded > 0 {
		p.folded(folded, least, cards)
	}
}

// leastShown gives the severity from which findings are shown: low ones are not beside worse ones unless asked for.
func (p *page) leastShown() detect.Severity {
	if p.o.MinSeverity == 0 && len(p.r.Findings) > 0 && p.r.Findings[0].Severity > detect.Low {
		return detect.Medium
	}
	return p.o.MinSeverity
}

// folded says how many findings are not shown because they are small.
func (p *page) folded(n int, least detect.Severity, cards int) {
	label, more := "LOW", "more"
	if least > detect.Medium {
		label = "LESSER"
	}
	if cards == 0 {
		more = "below --min-severity " + least.String()
	}
	p.hanging(padRight(label, labelWidth), blue, fmt.Sprintf("%d %s · run with --min-severity low, or --format json", n, more))
}

// quiet says calmly what was looked at when nothing was found.
func (p *page) quiet() {
	p.line()
	if len(p.looked()) == 0 {
		p.hanging("NOTHING SEEN"+gap, bold, p.quietText())
		return
	}
	p.hanging("NO FINDINGS"+gap, green, p.quietText())
}

// quietText says what was looked at when nothing was found.
func (p *page) quietText() string {
	looked := p.looked()
	if len(looked) == 0 {
		return "Nothing that was read tells of requests or of partitions, so nothing could be judged."
	}
	said := strings.Join(looked, ", ") + " of " + plural(uint64(len(p.r.Tables)), "table")
	if s := p.r.Span; s != (detect.Span{}) {
		said += " over " + duration(s.End-s.Start)
	}
	said += " were looked at; nothing reached the floor of a rule."
	if n := p.unassessedRules(); n > 0 {
		said += fmt.Sprintf(" %s could not be assessed: see below.", plural(uint64(n), "rule"))
	}
	return said
}

// looked gives what a report without findings was made from.
func (p *page) looked() []string {
	requests, reported, states, items := uint64(0), uint64(0), uint64(0), uint64(0)
	for i := range p.r.Tables {
		if s := p.r.Tables[i].Stored; s != nil && p.r.Tables[i].Target.Index == "" {
			items += s.Items
		}
		requests, reported = requests+p.r.Tables[i].Requests.High, reported+p.r.Tables[i].Reported
	}
	for i := range p.r.Inputs {
		states += p.r.Inputs[i].States
	}
	var out []string
	if requests > 0 {
		out = append(out, plural(requests, "request"))
	}
	if reported > 0 {
		out = append(out, plural(reported, "reported request"))
	}
	if items > 0 {
		out = append(out, plural(items, "stored item"))
	}
	if states > 0 {
		out = append(out, plural(states, "measured condition"))
	}
	return out
}

// alike gives the findings after the i-th that say the same of other keys of its table, just as severe,
// and marks them as told: they stand under its card.
func (p *page) alike(i int, told []bool) []*report.Finding {
	f := &p.r.Findings[i]
	var out []*report.Finding
	for j := i + 1; j < len(p.r.Findings) && f.Subject.HasKey; j++ {
		g := &p.r.Findings[j]
		same := g.Rule == f.Rule && g.Severity == f.Severity && g.Subject.Target == f.Subject.Target && g.Subject.HasKey && g.Mechanism == f.Mechanism
		if same && !told[j] {
			told[j] = true
			out = append(out, g)
		}
	}
	return out
}

// others names the keys of findings like the one above, each with its message.
func (p *page) others(alike []*report.Finding) {
	for i, g := range alike[:min(len(alike), cardAlike)] {
		label := ""
		if i == 0 {
			label = "also"
		}
		p.labelled(label, "", fit(visibleKey(g.Subject.Key), (p.width-labelWidth)/2)+": "+visible(g.Message))
	}
	if more := len(alike) - cardAlike; more > 0 {
		p.labelled("", dim, plural(uint64(more), "more key")+" likewise: --format json")
	}
}

// card writes one finding: how bad and what, since when, which key, how sure, why, what to do, where to
// look; and under it those that say the same of other keys.
func (p *page) card(f *report.Finding, alike []*report.Finding) {
	p.line()
	p.headline(f)
	p.when(f)
	p.subject(f)
	p.dotted(padRight("  seen", labelWidth), "", p.seen(f))
	if why := p.mechanism(f); why != "" {
		p.labelled("why", "", why)
	}
	p.proposals(f)
	p.see(f)
	p.others(alike)
}

func (p *page) headline(f *report.Finding) {
	name := orNoTable(tableName(f.Subject.Target))
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
	said, room := p.since(f.Span), p.width-labelWidth
	if len(f.Series) == 0 {
		if said != "" {
			p.line(strings.Repeat(" ", labelWidth), said)
		}
		return
	}
	of := gap + visible(f.SeriesOf) + ", at most " + count(slices.Max(f.Series)) + p.aPane()
	left := room - widthOf(of)
	if said != "" && left-widthOf(said)-3 >= sparkLeast {
		said += "   "
		left -= widthOf(said)
	} else if said != "" {
		p.line(strings.Repeat(" ", labelWidth), said)
		said = ""
	}
	spark := sparkline(f.Series, max(sparkLeast, min(left, sparkWidth)))
	p.line(strings.Repeat(" ", labelWidth), said, spark, fit(of, room-widthOf(said)-widthOf(spark)))
}

// aPane says what the width of a block is: " in 4m".
func (p *page) aPane() string {
	if p.r.PaneSeconds == 0 {
		return ""
	}
	return " in " + paneName(p.r.PaneSeconds)
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
	return fmt.Sprintf("%s → %s (%s), then over", p.at(s.Start), p.at(s.End), duration(s.End-s.Start))
}

func (p *page) subject(f *report.Finding) {
	room := p.width - labelWidth
	s := &f.Subject
	if s.HasKey {
		p.lines("key", bold, chop(fit(visibleKey(s.Key), cardLines*room), room))
		if n := nameKey(s.Key); n.cut {
			p.labelled("", dim, fmt.Sprintf("the first 1 KiB of %s bytes; hash %s", grouped(n.length), n.hash))
		}
	}
	if s.Shape != "" {
		p.lines("query", "", wrap(fit(visible(s.Shape), cardLines*room), room))
	}
	if s.Node != "" {
		p.lines("node", bold, []string{fit(visible(s.Node), room)})
	}
}

// seen gives the evidence with bounds and limits; the first item begins with how sure it is.
func (p *page) seen(f *report.Finding) []string {
	var said []string
	for i := range f.Evidence[:min(len(f.Evidence), cardEvidence)] {
		said = append(said, evidenceText(&f.Evidence[i]))
	}
	if n := len(f.Evidence) - cardEvidence; n > 0 {
		said = append(said, fmt.Sprintf("%d more in --format json", n))
	}
	if len(said) == 0 {
		return []string{f.Confidence.String()}
	}
	said[0] = f.Confidence.String() + ": " + said[0]
	return said
}

func evidenceText(e *detect.Evidence) string {
	said := measured(e.Measure, e.Unit, bounded{e.Value, e.Low, e.High, e.Open, e.Unit}.String())
	if e.Limit > 0 {
		said += ", limit " + bare(e.Limit, e.Unit) + shareSign(e.Unit)
	}
	switch {
	case e.How == detect.Stored:
		said += ", the store said so"
	case e.How == detect.Inferred:
		said += ", inferred"
	case e.How == detect.Counted && e.Low == e.High && !e.Open:
		said += ", exact"
	}
	return said
}

// measured joins a measure and its amount without saying the unit twice: "share 63 %", "214 aborted reads".
func measured(measure, unit, amount string) string {
	words, noun := measureWords(measure, unit), strings.TrimSuffix(unit, "/s")
	switch {
	case noun == "" || noun == "share" || noun == "bytes" || !strings.Contains(words, noun):
		return words + " " + amount
	case words == noun:
		return amount
	}
	return strings.TrimSuffix(amount, " "+visible(unit)) + " " + words + strings.TrimPrefix(unit, noun)
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

// mechanism tells the cause, from what it was concluded, and where that stands.
func (p *page) mechanism(f *report.Finding) string {
	about, known := mechanisms[f.Mechanism]
	switch {
	case f.Mechanism == "":
		return ""
	case f.Mechanism == "unknown":
		return "the cause cannot be told from this input"
	case !known:
		about = visible(f.Mechanism)
	}
	from := map[string]string{"shape": "the statements look like it", "schema": "the schema allows it", "measured": "measured"}[f.MechanismConfidence]
	if from == "" {
		return about
	}
	if len(f.MechanismAt) > 0 {
		from += ": " + p.place(f.MechanismAt[0])
	}
	return about + " (" + from + ")"
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

// see writes where the first records stand, and where to read more of the rule.
func (p *page) see(f *report.Finding) {
	all := positions(f)
	var places []string
	for _, at := range all[:min(len(all), cardPositions)] {
		places = append(places, p.place(at))
	}
	if n := len(all) - len(places); n > 0 {
		places = append(places, fmt.Sprintf("… %d more", n))
	}
	p.dotted(padRight("  see", labelWidth), "", places)
	p.labelled("more", dim, "keyheat explain "+visible(f.Rule))
}

// place names a position: name:line, or name@byte where the line is not known.
func (p *page) place(at ingest.Position) string {
	name := fmt.Sprintf("input %d", at.Input)
	if int(at.Input) < len(p.r.Inputs) {
		name = fit(visible(p.r.Inputs[at.Input].Name), min(48, p.width-labelWidth-21)) // 21: the longest number and its mark
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

func orNoTable(name string) string {
	if name == "" {
		return "(no table)"
	}
	return name
}
