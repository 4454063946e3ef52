package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

var simulationText = &SimulationRenderer{
	Name:   "text",
	Title:  "keys side by side, for people",
	Doc:    "A row a measure, a column a key, today's first; what no key tells is left out, `?` is what one does not tell. Two numbers are the bounds of one. Then what each key does to the findings of the traffic, the best first, and what the figures rest on.",
	Render: renderSimulationText,
}

// A simRow is one measure of all keys.
type simRow struct {
	label string
	of    func(*detect.Simulated) detect.Bounds
	unit  string
}

var simRows = []simRow{
	{"partitions", func(s *detect.Simulated) detect.Bounds { return s.Distinct }, ""},
	{"as even as so many partitions", func(s *detect.Simulated) detect.Bounds { return whenKnown(s.Effective) }, ""},
	{"busiest partition's share", func(s *detect.Simulated) detect.Bounds { return s.TopShare }, "share"},
	{"share of the busiest ten", func(s *detect.Simulated) detect.Bounds { return s.TopTen }, "share"},
	{"its busiest second, requests", func(s *detect.Simulated) detect.Bounds { return s.Peak }, ""},
	{writeUnits, func(s *detect.Simulated) detect.Bounds { return s.PeakWrite }, ""},
	{readUnits, func(s *detect.Simulated) detect.Bounds { return s.PeakRead }, ""},
	{"seconds over a partition's limit", func(s *detect.Simulated) detect.Bounds { return s.SecondsOver }, ""},
	{"largest partition, as stored", func(s *detect.Simulated) detect.Bounds { return largestIf(s, s.Stored) }, "bytes"},
	{"largest partition, written here", func(s *detect.Simulated) detect.Bounds { return largestIf(s, !s.Stored) }, "bytes"},
	{"its growth a day", func(s *detect.Simulated) detect.Bounds { return s.Growth }, "bytes"},
	{fmt.Sprintf("after %d days, or its bucket", detect.ProjectedDays), func(s *detect.Simulated) detect.Bounds { return s.Projected }, "bytes"},
	{"reads that ask one partition", func(s *detect.Simulated) detect.Bounds { return s.SingleReads }, "share"},
	{"partitions a read asks, mean", func(s *detect.Simulated) detect.Bounds { return s.FanoutMean }, ""},
	{"partitions a read asks, p99", func(s *detect.Simulated) detect.Bounds { return s.FanoutP99 }, ""},
	{"read units a read", func(s *detect.Simulated) detect.Bounds { return s.ReadUnits }, ""},
	{"live rows a read", func(s *detect.Simulated) detect.Bounds { return s.Rows }, ""},
	{"tombstones a read", func(s *detect.Simulated) detect.Bounds { return s.Tombstones }, ""},
	{"requests not replayed", func(s *detect.Simulated) detect.Bounds { return detect.Exactly(detect.Whole(s.SumNotReplayed())) }, ""},
}

const (
	writeUnits = "its write units a second"
	readUnits  = "its read units a second"
)

// limited adds the limit that a measure is held against.
func limited(label string, s *detect.Simulation) string {
	limit := map[string]detect.Milli{writeUnits: s.WriteLimit, readUnits: s.ReadLimit}[label]
	if limit == 0 {
		return label
	}
	return label + " (limit " + amount(limit) + ")"
}

func whenKnown(m detect.Milli) detect.Bounds {
	if m == 0 {
		return detect.Bounds{}
	}
	return detect.Exactly(m)
}

func largestIf(s *detect.Simulated, holds bool) detect.Bounds {
	if !holds {
		return detect.Bounds{}
	}
	return s.Largest
}

func renderSimulationText(w io.Writer, s *detect.Simulation, o Options) error {
	p := &pen{width: o.width(), color: o.Color}
	facts := []string{orNoTable(tableName(s.Target)), plural(s.Requests, "request")}
	if s.Span != (detect.Span{}) {
		facts = append(facts, duration(s.Span.End-s.Span.Start))
	}
	if s.Requests > 0 {
		facts = append(facts, percent(detect.Ratio(s.Reads, s.Requests))+" reads")
	}
	p.dotted("", bold, facts)
	for from := 1; from < max(len(s.Keys), 2); {
		from += writeSimGrid(p, s, from)
	}
	p.line()
	writeSimVerdicts(p, s)
	writeSimNotes(p, s)
	_, err := w.Write(p.Bytes())
	return err
}

// simLabel and simCell are the widths of the first column and the least of the others.
const (
	simLabel = 39
	simCell  = 12
	simTitle = 20 // of a title's line
)

// A simColumn is one key: the lines of its title, then its figures.
type simColumn struct {
	title, cells []string
	width        int
}

// writeSimGrid writes today's key beside as many of the others, from a number on, as fit, and gives how many.
func writeSimGrid(p *pen, s *detect.Simulation, from int) int {
	all := pointers(s.Keys)
	columns := []simColumn{simColumnOf(all, 0)}
	for room := p.width - simLabel - len(gap) - columns[0].width; from+len(columns)-1 < len(all); {
		next := simColumnOf(all, from+len(columns)-1)
		if room -= len(gap) + next.width; room < 0 && len(columns) > 1 {
			break
		}
		columns = append(columns, next)
	}
	height := 0
	for _, c := range columns {
		height = max(height, len(c.title))
	}
	p.line()
	for row := range height {
		p.simLine("", bold, columns, func(c *simColumn) string {
			if i := row - height + len(c.title); i >= 0 {
				return c.title[i]
			}
			return ""
		})
	}
	for row, label := range simLabels(all, s) {
		p.simLine(label, "", columns, func(c *simColumn) string { return c.cells[row] })
	}
	return max(len(columns)-1, 1)
}

func (p *pen) simLine(label, code string, columns []simColumn, cell func(*simColumn) string) {
	parts := []string{padRight(label, simLabel)}
	for i := range columns {
		parts = append(parts, gap, p.paint(code, padLeft(cell(&columns[i]), columns[i].width)))
	}
	p.line(parts...)
}

// simLabels gives the names of the measures that some key tells.
func simLabels(all []*detect.Simulated, s *detect.Simulation) []string {
	labels := []string{}
	for _, r := range simRows {
		if anyKnown(all, r.of) {
			labels = append(labels, limited(r.label, s))
		}
	}
	return labels
}

// simColumnOf gives the column of key i, with a row for each measure that some key tells.
func simColumnOf(all []*detect.Simulated, i int) simColumn {
	c := simColumn{title: wrap(visible(all[i].Key), simTitle), width: simCell}
	if i == 0 {
		c.title = append([]string{"today"}, c.title...)
	}
	for _, r := range simRows {
		if anyKnown(all, r.of) {
			c.cells = append(c.cells, simText(r.of(all[i]), r.unit))
		}
	}
	for _, text := range append(c.title, c.cells...) {
		c.width = max(c.width, widthOf(text))
	}
	return c
}

func pointers(keys []detect.Simulated) []*detect.Simulated {
	out := make([]*detect.Simulated, len(keys))
	for i := range keys {
		out[i] = &keys[i]
	}
	return out
}

func anyKnown(keys []*detect.Simulated, of func(*detect.Simulated) detect.Bounds) bool {
	for _, k := range keys {
		if of(k).Known {
			return true
		}
	}
	return false
}

// simText gives an amount and its bounds, unless they meet.
func simText(b detect.Bounds, unit string) string {
	value := inUnit(b.Value, unit)
	off := max(b.High-b.Value, b.Value-b.Low)
	switch {
	case !b.Known:
		return "?"
	case b.Open:
		return "≥ " + inUnit(b.Low, unit)
	case bare(b.Low, unit) == bare(b.High, unit):
		return value
	case unit != "share" && off < b.Value/10:
		return fmt.Sprintf("%s ±%d %%", value, (100*off+b.Value-1)/b.Value)
	}
	low, high := bare(b.Low, unit), bare(b.High, unit)
	if cut := strings.LastIndexByte(value, ' '); unit == "bytes" && cut > 0 && strings.HasSuffix(high, value[cut:]) {
		low, high = strings.TrimSuffix(low, value[cut:]), strings.TrimSuffix(high, value[cut:])
	}
	return fmt.Sprintf("%s (%s–%s)", value, low, high)
}

// writeSimVerdicts says what each key does, the best first.
func writeSimVerdicts(p *pen, s *detect.Simulation) {
	if len(s.Keys) == 1 {
		p.hanging("→ ", "", "no finding of this traffic would go with another key: none is proposed")
		return
	}
	if today := s.Keys[0].Keeps; len(today) > 0 {
		p.hanging("  ", "", "today: "+strings.Join(today, ", "))
	}
	if s.Best > 0 {
		p.hanging("→ ", green, visible(s.Keys[s.Best].Key)+": "+simVerdict(&s.Keys[s.Best]))
	}
	for i := 1; i < len(s.Keys); i++ {
		if i != s.Best {
			p.hanging("  ", "", visible(s.Keys[i].Key)+": "+simVerdict(&s.Keys[i]))
		}
	}
}

func simVerdict(s *detect.Simulated) string {
	said := []string{}
	for _, part := range []struct {
		verb  string
		rules []string
	}{{"removes ", s.Removes}, {"lowers ", s.Lowers}, {"keeps ", s.Keeps}, {"adds ", s.Adds}} {
		if len(part.rules) > 0 {
			said = append(said, part.verb+strings.Join(part.rules, ", "))
		}
	}
	if len(said) == 0 {
		said = append(said, "there is no finding that it would remove or add")
	}
	if s.FanoutMean.Known {
		said = append(said, fanoutText(s))
	}
	return strings.Join(said, "; ")
}

func fanoutText(s *detect.Simulated) string {
	mean, p99 := simText(s.FanoutMean, ""), simText(s.FanoutP99, "")
	switch {
	case mean == "1" && p99 == "1":
		return "a read asks 1 partition"
	case mean == p99:
		return "a read asks " + mean + " partitions"
	}
	return "a read asks " + mean + " partitions on average, " + p99 + " at p99"
}

// writeSimNotes says what was not replayed, and what the figures rest on: each once, with the keys that it is
// about.
func writeSimNotes(p *pen, s *detect.Simulation) {
	texts, about := []string{}, map[string][]string{}
	say := func(text, key string) {
		if about[text] == nil {
			texts = append(texts, text)
		}
		about[text] = append(about[text], visible(key))
	}
	for i := range s.Keys {
		k := &s.Keys[i]
		for _, n := range k.NotReplayed {
			say(fmt.Sprintf("not replayed: %s, %s", plural(n.Requests, "request"), visible(n.Why)), k.Key)
		}
		for _, a := range k.Assumed {
			say(visible(a), k.Key)
		}
	}
	if len(texts)+len(s.Notes) > 0 {
		p.line()
	}
	for _, t := range texts {
		p.hanging("  ", dim, t+" ["+strings.Join(about[t], "] [")+"]")
	}
	for _, n := range s.Notes {
		p.hanging("  ", dim, visible(n))
	}
}
