package render

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// The palette: SGR codes that read on dark and on light ground. What they say is said in words too.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	yellow = "1;33"
	blue   = "1;34"
	green  = "32"
	alarm  = "1;97;41" // bold white on red
)

// A pen writes lines of visible text. Text is escaped, cut and padded before it is painted.
type pen struct {
	bytes.Buffer
	width int
	color bool
}

func (p *pen) paint(code, s string) string {
	if !p.color || code == "" || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// line writes one line without spaces at its end.
func (p *pen) line(parts ...string) {
	p.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.WriteByte('\n')
}

// labelWidth is the width of the first column of a card.
const labelWidth = 10

// lines writes lines that fit beside their label.
func (p *pen) lines(label, code string, lines []string) {
	head := p.paint(dim, padRight("  "+label, labelWidth))
	for _, s := range lines {
		p.line(head, p.paint(code, s))
		head = strings.Repeat(" ", labelWidth)
	}
}

// labelled writes text beside its label.
func (p *pen) labelled(label, code, text string) {
	p.lines(label, code, wrap(text, p.width-labelWidth))
}

// dotted writes facts with dots between them beside a label, broken at the dots where it can.
func (p *pen) dotted(label, code string, facts []string) {
	indent := len(label)
	room := p.width - indent
	head, line := p.paint(dim, label), ""
	flush := func() {
		for _, s := range wrap(line, room) {
			p.line(head, p.paint(code, s))
			head = strings.Repeat(" ", indent)
		}
	}
	for _, f := range facts {
		joined := line + " · " + f
		if line == "" {
			joined = f
		}
		if line != "" && widthOf(joined) > room {
			flush()
			joined = f
		}
		line = joined
	}
	flush()
}

// hanging writes text whose later lines stand under its first, after a painted mark.
func (p *pen) hanging(mark, code, text string) {
	indent := widthOf(mark)
	head := p.paint(code, mark)
	for _, s := range wrap(text, p.width-indent) {
		p.line(head, s)
		head = strings.Repeat(" ", indent)
	}
}

func severityColor(s detect.Severity) string {
	switch s {
	case detect.Critical:
		return alarm
	case detect.High:
		return red
	case detect.Medium:
		return yellow
	}
	return blue
}
