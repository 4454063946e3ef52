package render

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

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
		for _, l := range wrap(visible(do.Change), p.width-labelWidth-len(under)) {
			p.line(strings.Repeat(" ", labelWidth), under, p.paint(bold, l))
		}
	}
	if effects := effectsText(do.Effects); effects != "" {
		p.item("", under, effects)
	}
	if do.Basis != "" {
		p.item("", under, visible(do.Basis))
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
		said[i] = measured(e.Measure, e.Unit, bare(e.Before, e.Unit)+" → "+inUnit(e.After, e.Unit)) + effectBounds(&effects[i])
	}
	return strings.Join(said, ", ")
}

// effectBounds says how sure an effect is: that it was counted, or between what it lies.
func effectBounds(e *detect.Effect) string {
	low, high := bare(e.Low, e.Unit), inUnit2(e.High, e.Unit)
	switch {
	case e.Open:
		return " (at least " + low + shareSign(e.Unit) + ")"
	case e.How == detect.Counted:
		return " (counted)"
	case low == high || low+shareSign(e.Unit) == high:
		return ""
	}
	return " (" + low + "–" + high + ")"
}
