package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/internal/watch"
)

// Styles, as SGR parameters of ECMA-48: the sixteen colours and what every terminal has, so that they are
// legible on light and on dark.
const (
	bold    = "1"
	dim     = "2"
	reverse = "7"
	red     = "1;31"
	yellow  = "1;33"
)

// A pen writes lines of at most width columns.
type pen struct {
	width int
	color bool
	lines []string
}

func (p *pen) paint(style, text string) string {
	if !p.color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// line writes text, which is cut to the width before it is painted.
func (p *pen) line(style, text string) { p.lines = append(p.lines, p.paint(style, cut(text, p.width))) }

// head writes what is watched, where in it one is, and the time.
func (p *pen) head(title, where string, b *watch.Board, state string) {
	const name, leastTitle = "keyheat top  ", 8
	right := moment(b)
	if state != "" {
		right = state + "  " + right
	}
	room := p.width - widthOf(right) - len(name) - 2
	if where != "" {
		where = " › " + fit(where, max(leastTitle, room-leastTitle-3))
	}
	left := name + fit(title, max(leastTitle, room-widthOf(where))) + where
	p.line(bold, padRight(left, p.width-widthOf(right))+right)
}

// moment tells which time a board shows.
func moment(b *watch.Board) string {
	switch {
	case b.Now.IsZero():
		return "no record has a time yet"
	case !b.Live:
		return "as of " + b.Now.Format("2006-01-02 15:04:05") + " UTC"
	}
	text := b.Now.Format("15:04:05 UTC")
	if lag := b.Clock.Sub(b.Latest); lag > 0 {
		text += "  lag " + short(lag)
	}
	return text
}

// short gives a duration in its largest unit.
func short(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// sums writes what all rows come to a second, with its course; figures of low rank first when there is no
// room for all.
func (p *pen) sums(o *Options, b *watch.Board) {
	const label, course = "a second: ", 8
	type part struct {
		of   *column
		text string
	}
	var parts []part
	for i := range figures {
		c := &figures[i]
		n := c.of(o, b, &b.Total)
		if c.series == nil || c.letter == "L" || n.High == 0 {
			continue
		}
		series := c.series(&b.Total)
		parts = append(parts, part{c, c.name + " " + c.show(n.Middle()) + " " + sparkline(series, largest(series), course)})
	}
	shown, room := map[*column]bool{}, p.width-len(label)
	ranked := slices.Clone(parts)
	slices.SortStableFunc(ranked, func(x, y part) int { return cmp.Compare(x.of.rank, y.of.rank) })
	for _, x := range ranked {
		if widthOf(x.text)+2 <= room {
			shown[x.of], room = true, room-widthOf(x.text)-2
		}
	}
	line := label
	for _, x := range parts {
		if shown[x.of] {
			line += x.text + "  "
		}
	}
	if len(parts) == 0 {
		line = ""
	}
	p.line("", strings.TrimRight(line, " "))
}

func largest(of []uint64) (top uint64) {
	for _, v := range of {
		top = max(top, v)
	}
	return top
}

// A table is rows as they are laid out.
type table struct {
	o      *Options
	b      *watch.Board
	by     sortOrder
	title  string
	cursor int // row that is marked; -1: none
	from   int // first row that is shown
	rows   int // that fit
}

// Widths of a table: least and most of the name and of the course, and the least of a note.
const (
	leastName   = 14
	mostName    = 44
	leastCourse = 8
	mostCourse  = 24
	leastNote   = 24
	gap         = 1
)

// layout says what fits: columns, and the widths of the name, the course and the note.
type layout struct {
	figures            []*column
	name, course, note int
}

func (t *table) layout(width int) layout {
	l := layout{name: leastName}
	room := width - 2 - leastName - leastCourse - 2
	l.figures = fitting(present(t.o, t.b, t.by), t.by, room)
	room -= len(l.figures) * (figureWidth + gap)
	want := widthOf(t.title) + 2
	for i := range t.b.Rows {
		want = max(want, widthOf(t.o.rowName(&t.b.Rows[i])))
	}
	grow := max(0, min(room, min(want, mostName)-leastName))
	l.name, room = l.name+grow, room-grow
	grow = max(0, min(room, mostCourse-leastCourse))
	l.course, room = leastCourse+grow, room-grow
	if room > leastNote {
		l.note = room - 2
	}
	return l
}

// table draws a table.
func (p *pen) table(t *table) {
	l := t.layout(p.width)
	p.line(dim, t.header(l))
	by := t.by.column()
	top := uint64(0)
	for i := range t.b.Rows {
		top = max(top, largest(by.course(&t.b.Rows[i])))
	}
	for i := t.from; i < len(t.b.Rows) && i < t.from+t.rows; i++ {
		p.row(t, l, i, top)
	}
}

func (t *table) header(l layout) string {
	name := t.title
	if t.by == byName {
		name += " ▼"
	}
	line := "  " + padRight(cut(name, l.name), l.name)
	for _, c := range l.figures {
		name := c.name
		if c.letter == string(t.by) {
			name = "▼" + name
		}
		line += padLeft(name, figureWidth+gap)
	}
	last := "last " + short(t.b.Window)
	if widthOf(last) > l.course {
		last = short(t.b.Window)
	}
	line += "  " + padRight(cut(last, l.course), l.course)
	if l.note > 0 {
		line += "  finding"
	}
	return line
}

func (p *pen) row(t *table, l layout, i int, top uint64) {
	r := &t.b.Rows[i]
	mark := "  "
	if i == t.cursor {
		mark = "▸ "
	}
	note := t.o.finding(r)
	line := mark + padRight(fit(t.o.rowName(r), l.name), l.name)
	for _, c := range l.figures {
		line += padLeft(t.figure(c, r), figureWidth+gap)
	}
	line += "  " + sparkline(t.o.courseOf(t.by, r), top, l.course)
	if l.note > 0 && note != nil {
		line += "  " + cut(note.String(), l.note)
	}
	switch {
	case i == t.cursor && p.color:
		p.line(reverse, padRight(line, p.width))
	case note != nil:
		p.line(note.style(), line)
	default:
		p.line("", line)
	}
}

// figure gives a figure of a row; nothing for zero, which is most of them.
func (t *table) figure(c *column, r *watch.Row) string {
	n := c.of(t.o, t.b, r)
	if n.High == 0 {
		return "·"
	}
	return estimate(n, c.show)
}

func (o *Options) courseOf(by sortOrder, r *watch.Row) []uint64 { return by.column().course(r) }
