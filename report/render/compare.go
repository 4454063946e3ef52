package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var compareText = &CompareRenderer{
	Name:   "text",
	Title:  "what is new, worse, better and gone, for people",
	Doc:    "One finding a line or two, the worst kind of change first. What is unchanged is counted only.",
	Render: renderCompareText,
}

func renderCompareText(w io.Writer, c *report.Comparison, o Options) error {
	p := &pen{width: o.width(), color: o.Color}
	p.dotted("", bold, append([]string{"keyheat compare"}, changeCounts(c)...))
	p.dotted(padRight("before", labelWidth), "", sideFacts(&c.Before))
	p.dotted(padRight("after", labelWidth), "", sideFacts(&c.After))
	for _, n := range c.Notes {
		p.hanging("note  ", dim, visible(n))
	}
	shown := 0
	for i := range c.Changes {
		f := &c.Changes[i]
		if f.Change == report.Unchanged || f.Finding.Severity < o.MinSeverity {
			continue
		}
		if shown++; o.Limit == 0 || shown <= o.Limit {
			writeChanged(p, f, o.Mask)
		}
	}
	if o.Limit > 0 && shown > o.Limit {
		p.line()
		p.hanging("… ", dim, plural(uint64(shown-o.Limit), "more finding")+": run with a higher --limit")
	}
	_, err := w.Write(p.Bytes())
	return err
}

// changeCounts gives "2 new", "1 worse" and so on; kinds of change without findings are left out.
func changeCounts(c *report.Comparison) []string {
	var said []string
	for of := report.New; of < report.Changes; of++ {
		if n := c.Count(of); n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, of))
		}
	}
	if said == nil {
		return []string{"no findings in either"}
	}
	return said
}

func sideFacts(s *report.Side) []string {
	facts := []string{visible(s.Name), timesOf(detect.Span{}).whole(detect.Span{})}
	if s.Span != (detect.Span{}) {
		facts[1] = timesOf(s.Span).whole(s.Span)
	}
	if s.Partial != "" {
		facts = append(facts, "partial: "+visible(s.Partial))
	}
	return facts
}

// writeChanged writes one finding: what became of it, where, what it says, and the measure that shows it.
func writeChanged(p *pen, c *report.Changed, mask report.Masker) {
	f := &c.Finding
	p.line()
	word := strings.ToUpper(c.Change.String())
	level := f.Severity.String()
	if c.Was != nil && c.Was.Severity != f.Severity {
		level = c.Was.Severity.String() + " → " + level
	}
	head := p.paint(changeColor(c.Change), padRight(word, labelWidth))
	facts := []string{subjectName(&f.Subject, mask), f.Rule, level}
	for _, l := range wrap(strings.Join(facts, " · "), p.width-labelWidth) {
		p.line(head, p.paint(bold, l))
		head = strings.Repeat(" ", labelWidth)
	}
	p.labelled("", "", visible(f.Message))
	if m := c.Measure; m != nil && c.Change != report.Gone && c.Change != report.Unseen {
		p.labelled("", "", shiftText(m))
	}
	if c.Because != "" {
		p.labelled("", dim, visible(c.Because))
	}
}

func changeColor(c report.Change) string {
	switch c {
	case report.New, report.Worse:
		return red
	case report.Better, report.Gone:
		return green
	}
	return yellow
}

// subjectName names what a finding is about in one line: table, key, statement, node.
func subjectName(s *detect.Subject, mask report.Masker) string {
	name := tableName(s.Target)
	if name == "" {
		name = "(no table)"
	}
	if s.HasKey {
		name += " " + visibleKey(masked(s.Key, mask))
	}
	if s.Shape != "" {
		name += " " + visible(s.Shape)
	}
	if s.Node != "" {
		name += " on " + visible(s.Node)
	}
	return name
}

func masked(key []byte, mask report.Masker) []byte {
	if mask == nil {
		return key
	}
	return mask(key)
}

// shiftText gives a measure in both reports: write units 1,200 → 1,840 WCU/s (+53.3 %), limit 1,000.
func shiftText(s *report.Shift) string {
	is := &s.Is
	text := fmt.Sprintf("%s %s → %s", strings.ReplaceAll(visible(is.Measure), "_", " "), inUnit(s.Was.Value, is.Unit), inUnit(is.Value, is.Unit))
	if was := s.Was.Value; was > 0 && is.Unit != "share" {
		text += fmt.Sprintf(" (%+.1f %%)", 100*(float64(is.Value)-float64(was))/float64(was))
	}
	if is.Limit > 0 {
		text += ", limit " + inUnit(is.Limit, is.Unit)
	}
	return text
}
