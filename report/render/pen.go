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
	if !p.color || code == "" || s == "" {
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

// labelled writes a block of text beside its label. The text is wrapped; the first line of its own ends
// are kept.
func (p *pen) labelled(label, code string, lines ...string) {
	head := p.paint(dim, padRight("  "+label, labelWidth))
	for _, l := range lines {
		for _, s := range wrap(l, p.width-labelWidth) {
			p.line(head, p.paint(code, s))
			head = strings.Repeat(" ", labelWidth)
		}
	}
}

// hanging writes text whose later lines stand under its first.
func (p *pen) hanging(indent int, mark, code, text string) {
	head := strings.Repeat(" ", indent) + mark
	for _, s := range wrap(text, p.width-widthOf(head)) {
		p.line(head, p.paint(code, s))
		head = strings.Repeat(" ", widthOf(head))
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
