package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/keyheat/keyheat/report"
)

var markdownReport = &Renderer{
	Name:  "markdown",
	Title: "for a ticket or a chat",
	Doc: "Findings with evidence and proposals, the tables, and what could not be assessed. Lists are cut as in text (`--limit` lengthens them), and outside text can be no markup, link or mention. " +
		"Low findings are left to a line when there are worse ones.",
	Render: renderMarkdown,
}

func renderMarkdown(w io.Writer, r *report.Report, o Options) error {
	o.Width, o.Color = 400, false
	p := newPage(r, o)
	p.mdHeader()
	p.mdFindings()
	p.mdScripts()
	p.mdTables()
	p.mdStored()
	p.mdPartitions()
	p.mdPatterns()
	p.mdChecklist()
	p.mdGaps()
	p.mdUnread()
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) mdf(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) mdHeader() {
	p.mdf("# keyheat: %s", p.verdict())
	p.mdf("\n%s · %s  \n%s", mdText(p.whole(p.r.Span)), plural(uint64(len(p.r.Inputs)), "input"), strings.Join(p.understood(), " · "))
	if p.r.Partial != "" {
		p.mdf("\n**Partial:** %s", mdText(p.r.Partial))
	}
	for _, n := range p.r.Notes {
		p.mdf("\n> %s", mdText(n))
	}
}

func (p *page) mdFindings() {
	folded, left := 0, 0
	least := p.leastShown()
	n := 0
	for i := range p.r.Findings {
		switch f := &p.r.Findings[i]; {
		case f.Severity < least:
			folded++
		case n >= p.o.Limit:
			left++
		default:
			n++
			p.mdFinding(f)
		}
	}
	if left > 0 {
		p.mdf("\n… %s: run with a higher `--limit`, or `--format json`.", plural(uint64(left), "more finding"))
	}
	if folded > 0 {
		p.mdf("\n%s of less severity: run with `--min-severity low`, or `--format json`.", plural(uint64(folded), "finding"))
	}
}

func (p *page) mdFinding(f *report.Finding) {
	s := &f.Subject
	p.mdf("\n## %s: %s %s\n", strings.ToUpper(f.Severity.String()), mdCode(orNoTable(tableName(s.Target))), mdText(f.Message))
	if since := p.since(f.Span); since != "" {
		p.mdf("- **when** %s", mdText(since))
	}
	if len(f.Series) > 0 {
		p.mdf("- **course** `%s` %s%s", sparkline(f.Series, sparkWidth), mdText(f.SeriesOf), p.aPane())
	}
	if s.HasKey {
		p.mdf("- **key** %s", mdCode(fit(visibleKey(s.Key), mdKey)))
	}
	if s.Shape != "" {
		p.mdf("- **query** %s", mdCode(fit(visible(s.Shape), mdKey)))
	}
	if s.Node != "" {
		p.mdf("- **node** %s", mdCode(fit(visible(s.Node), mdKey)))
	}
	p.mdf("- **seen** %s", mdText(strings.Join(p.seen(f), " · ")))
	if why := p.mechanism(f); why != "" {
		p.mdf("- **why** %s", mdText(why))
	}
	p.mdProposals(f)
	if at := positions(f); len(at) > 0 {
		places := []string{}
		for _, at := range at[:min(len(at), cardPositions)] {
			places = append(places, mdCode(p.place(at)))
		}
		p.mdf("- **see** %s", strings.Join(places, ", "))
	}
	p.mdf("- **more** `keyheat explain %s`, finding `%s`", f.Rule, f.ID)
}

func (p *page) mdProposals(f *report.Finding) {
	if len(f.Proposals) == 0 {
		return
	}
	p.mdf("- **do**")
	for i := range f.Proposals[:min(len(f.Proposals), cardProposals)] {
		do := &f.Proposals[i]
		p.mdf("    %d. %s", i+1, mdText(do.Title))
		if do.Change != "" {
			p.mdf("        - change: %s", mdCode(do.Change))
		}
		for _, line := range []struct{ label, text string }{{"effect", effectsText(do.Effects)}, {"basis", do.Basis}, {"costs", strings.Join(do.Costs, "; ")},
			{"risks", strings.Join(do.Risks, "; ")}, {"steps", strings.Join(do.Steps, "; ")}, {"check", do.Verify}} {
			if line.text != "" {
				p.mdf("        - %s: %s", line.label, mdText(line.text))
			}
		}
	}
}

func (p *page) mdTables() {
	if len(p.r.Tables) == 0 {
		return
	}
	p.mdf("\n## Tables\n\n| table | requests | keys | top key | share | peak/s | checklist |\n|---|--:|--:|---|--:|--:|---|")
	shown := p.busiest()
	for _, t := range shown {
		cells := p.tableCells(t)
		cells[0] = mdCode(cells[0])
		if cells[3] != "?" {
			cells[3] = mdCode(fit(cells[3], 60))
		}
		p.mdf("| %s |", strings.Join(cells, " | "))
	}
	if n := len(p.r.Tables) - len(shown); n > 0 {
		p.mdf("\n… %s.", plural(uint64(n), "more table"))
	}
}

func (p *page) mdGaps() {
	gaps := p.gaps()
	if len(gaps) == 0 {
		return
	}
	p.mdf("\n## Not assessed\n\nNot assessed is not clean.\n")
	for _, g := range gaps[:min(len(gaps), p.o.Limit)] {
		p.mdf("- `%s`: %s%s", g.first.Rule, mdText(g.why()), arrowTo(mdText(g.first.GetIt)))
	}
	if n := len(gaps) - p.o.Limit; n > 0 {
		p.mdf("- … %s", plural(uint64(n), "more rule"))
	}
}

func (p *page) mdUnread() {
	if p.r.Problems.Total+uint64(len(p.r.Unread)) == 0 {
		return
	}
	p.mdf("\n## Not read\n")
	for _, c := range p.r.Problems.Causes[:min(len(p.r.Problems.Causes), p.o.Limit)] {
		p.mdf("- %s: %s", plural(c.Count, "record"), mdText(c.Cause))
	}
	for _, u := range p.r.Unread[:min(len(p.r.Unread), p.o.Limit)] {
		p.mdf("- %s: %s", mdCode(fit(visible(u.Name), mdKey)), mdText(u.Why))
	}
}
