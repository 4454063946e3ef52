package screen

import (
	"strings"

	"github.com/keyheat/keyheat/internal/watch"
)

// Plain gives one refresh as text for terminals that cannot do more, and for pipes: the tables, and the
// keys of the busiest of them, at most limit rows each.
func Plain(src Source, o Options, findings Findings, status string, width, limit int) string {
	o.findings, o.Color = findings, false
	p := &pen{width: width}
	q := watch.Query{Limit: limit, Order: byLoad.order(&o, nil)}
	b := src.Look(q)
	p.head(o.Title, "", b, status)
	p.sums(&o, b)
	p.table(&table{o: &o, b: b, by: byLoad, title: "TABLE", cursor: -1, rows: limit})
	for i := range b.Rows[:min(len(b.Rows), plainTables)] {
		q.Target = &b.Rows[i].Target
		if keys := src.Look(q); len(keys.Rows) > 0 {
			p.line("", "")
			p.table(&table{o: &o, b: keys, by: byLoad, title: "KEY of " + o.Table(*q.Target), cursor: -1, rows: limit})
		}
	}
	for i := range p.lines {
		p.lines[i] = strings.TrimRight(p.lines[i], " ")
	}
	return strings.Join(p.lines, "\n") + "\n"
}

// plainTables is how many tables a plain refresh lists the keys of.
const plainTables = 3
