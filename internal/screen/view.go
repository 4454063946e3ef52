package screen

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/internal/watch"
)

// Lines around the rows: two of the head, the header of the table; two of the marked row's finding and one
// of keys.
const (
	headLines = 3
	footLines = 3
)

// bodyRows gives how many rows fit.
func (m *model) bodyRows() int { return max(1, m.height-headLines-footLines) }

// frame gives the lines of the screen, at most its height.
func (m *model) frame() []string {
	p := &pen{width: m.width, color: m.o.Color}
	state := m.status
	if m.paused {
		state = strings.TrimSuffix("PAUSED  "+state, "  ")
	}
	where := ""
	if m.at.level != atTables {
		where = m.o.Table(m.at.table)
	}
	p.head(m.o.Title, where, m.board, state)
	switch {
	case m.help:
		p.help()
	case m.at.level == atKey:
		m.keyPage(p)
	default:
		m.list(p)
	}
	for len(p.lines) < m.height-footLines {
		p.line("", "")
	}
	p.lines = p.lines[:max(1, min(len(p.lines), m.height-footLines))]
	m.foot(p)
	return p.lines[:min(len(p.lines), m.height)]
}

// list draws the tables, or the keys of one.
func (m *model) list(p *pen) {
	p.sums(&m.o, m.board)
	m.at.from = max(min(m.at.from, m.at.index), m.at.index-m.bodyRows()+1, 0)
	t := &table{o: &m.o, b: m.board, by: m.at.by, title: "TABLE", cursor: m.at.index, from: m.at.from, rows: m.bodyRows()}
	if m.at.level == atKeys {
		t.title = "KEY"
	}
	p.table(t)
	if len(m.board.Rows) == 0 {
		p.line(dim, "  "+m.nothing())
	}
}

// nothing says why there are no rows.
func (m *model) nothing() string {
	switch {
	case m.at.filter != "":
		return "nothing matches the filter"
	case m.board.Now.IsZero():
		return "no request with a time was seen yet"
	case m.at.level == atKeys:
		return "no key was told in the last " + short(m.board.Window) + ": records may not tell keys"
	}
	return "nothing was seen in the last " + short(m.board.Window)
}

// foot draws the lines on the marked row and the line of keys.
func (m *model) foot(p *pen) {
	first, rest := wrapOnce(m.footText(), p.width)
	p.line("", first)
	p.line("", rest)
	switch {
	case m.typing:
		p.line(bold, "/"+m.at.filter+"▏  Enter: done   Esc: no filter")
	case m.message != "":
		p.line(bold, m.message)
	case m.at.level == atKey:
		p.line(dim, "Esc back  ↑↓ scroll  w save report  p pause  ? help  q quit")
	default:
		p.line(dim, "Enter open  Esc back  < > sort  / filter  w save report  p pause  ? help  q quit")
	}
}

// footText tells the finding of the marked row, the filter and what is not shown.
func (m *model) footText() string {
	var parts []string
	if m.at.level == atKey {
		return ""
	}
	if m.at.filter != "" && !m.typing {
		parts = append(parts, "filter /"+m.at.filter)
	}
	if m.at.index < len(m.board.Rows) {
		if f := m.o.finding(&m.board.Rows[m.at.index]); f != nil {
			parts = append(parts, f.String())
		}
	}
	if m.board.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more rows", m.board.More))
	}
	if n := m.board.Strays; n > 0 {
		parts = append(parts, fmt.Sprintf("%d records of a time far ahead are left out", n))
	}
	return strings.Join(parts, " · ")
}

// keyPage draws one key: its last minutes, and the page of all that is known of it.
func (m *model) keyPage(p *pen) {
	block := &pen{width: p.width, color: p.color}
	block.line(bold, fit(m.o.Key([]byte(m.at.key)), p.width))
	block.line(dim, "of "+m.o.Table(m.at.table)+", the last "+short(m.board.Window)+"; rates over "+short(m.board.Rate))
	if len(m.board.Rows) > 0 {
		block.measures(&m.o, m.board, &m.board.Rows[0])
	}
	if len(m.lines) > 0 {
		block.line("", "")
		block.line(dim, "SINCE THE START")
		for _, line := range m.lines {
			block.line("", line)
		}
	}
	lines := block.lines
	most := max(0, len(lines)-(m.height-footLines-1))
	m.at.from = min(m.at.from, most)
	p.lines = append(p.lines, lines[m.at.from:]...)
}

// measures writes each figure of a key with its bounds and course.
func (p *pen) measures(o *Options, b *watch.Board, r *watch.Row) {
	const label, amount = 8, 26
	for i := range figures {
		c := &figures[i]
		n := c.of(o, b, r)
		if n.High == 0 {
			continue
		}
		text := bounds(n, c.show)
		if c.letter == "L" {
			text += " of what a partition serves"
		}
		if c.letter != "L" && c.letter != "S" {
			text += "/s"
		}
		line := padRight(c.name, label) + padRight(text, amount)
		if c.series != nil && c.letter != "L" {
			series := c.series(r)
			line += " " + sparkline(series, largest(series), max(8, min(len(series), p.width-widthOf(line)-1)))
		}
		p.line("", line)
	}
}

// help lists the keys, for 80 columns and 24 lines.
func (p *pen) help() {
	for _, line := range []string{
		"Enter →  open a table, a key     ↑ ↓ PgUp PgDn  move     /  find names by a text",
		"Esc ←    back                    < >            sort     p  pause the picture",
		"w        save a report of all    Ctrl-Z      suspend     q  quit",
		"",
		"Letters sort, as in top(1). Amounts are a second, over a tenth of the time:",
		"  K  name",
	} {
		p.line("", line)
	}
	for i := range figures {
		p.line("", fmt.Sprintf("  %s  %-7s %s", figures[i].letter, figures[i].name, figures[i].about))
	}
	p.line("", "~ middle of bounds   ≤ at most   · nothing   Any key closes this.")
}
