package render

import (
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// eachScript calls do with the proposals that have a text to paste.
func (p *page) eachScript(do func(f *report.Finding, s *detect.Proposal)) {
	for i := range p.r.Findings {
		f := &p.r.Findings[i]
		if f.Severity < p.leastShown() {
			continue
		}
		for j := range f.Proposals {
			if f.Proposals[j].Script != "" {
				do(f, &f.Proposals[j])
			}
		}
	}
}

// scripts writes what can be pasted, each line whole.
func (p *page) scripts() {
	first := true
	p.eachScript(func(f *report.Finding, s *detect.Proposal) {
		if first {
			p.section("TO PASTE", "read it first")
			first = false
		}
		p.hanging("── ", bold, orNoTable(tableName(f.Subject.Target))+": "+visible(s.Title))
		for _, line := range scriptLines(s.Script) {
			p.line(line)
		}
	})
}

// scriptLines gives the lines of a script as visible text.
func scriptLines(script string) []string {
	lines := strings.Split(strings.TrimRight(script, "\n"), "\n")
	return each(lines, func(l *string) string { return visible(*l) })
}

// mdScripts writes what can be pasted as code.
func (p *page) mdScripts() {
	first := true
	p.eachScript(func(f *report.Finding, s *detect.Proposal) {
		if first {
			p.mdf("\n## To paste")
			first = false
		}
		p.mdf("\n%s: %s\n", mdCode(orNoTable(tableName(f.Subject.Target))), mdText(s.Title))
		fence := "```"
		for strings.Contains(s.Script, fence) {
			fence += "`"
		}
		p.mdf("%s\n%s\n%s", fence, strings.Join(scriptLines(s.Script), "\n"), fence)
	})
}
