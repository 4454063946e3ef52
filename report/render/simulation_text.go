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
	{"evenly busy partitions that spread alike", func(s *detect.Simulated) detect.Bounds { return whenKnown(s.Effective) }, ""},
	{"busiest partition's share", func(s *detect.Simulated) detect.Bounds { return s.TopShare }, "share"},
	{"share of the busiest ten", func(s *detect.Simulated) detect.Bounds { return s.TopTen }, "share"},
	{"its busiest second, requests", func(s *detect.Simulated) detect.Bounds { return s.Peak }, ""},
	{"its busiest second, write units", func(s *detect.Simulated) detect.Bounds { return s.PeakWrite }, ""},
	{"its busiest second, read units", func(s *detect.Simulated) detect.Bounds { return s.PeakRead }, ""},
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
	simLabel = 40
	simCell  = 17
)

// writeSimGrid writes today's key beside as many of the others, from a number on, as fit, and gives how many.
func writeSimGrid(p *pen, s *detect.Simulation, from int) int {
	n := min(max((p.width-simLabel)/(simCell+len(gap))-1, 1), max(len(s.Keys)-from, 0))
	shown := append([]*detect.Simulated{&s.Keys[0]}, pointers(s.Keys[from:from+n])...)
	cells := make([][]string, len(shown)) // by key: the lines of its title, then its figures
	titles, height := make([][]string, len(shown)), 0
	for i, k := range shown {
		titles[i] = wrap(visible(k.Key), simCell)
		if i == 0 {
			titles[i] = append([]string{"today"}, titles[i]...)
		}
		height = max(height, len(titles[i]))
	}
	labels := make([]string, height)
	for i := range shown {
		cells[i] = append(make([]string, height-len(titles[i])), titles[i]...)
	}
	for _, r := range simRows {
		if !anyKnown(shown, r.of) {
			continue
		}
		labels = append(labels, r.label)
		for i, k := range shown {
			cells[i] = append(cells[i], simText(r.of(k), r.unit))
		}
	}
	p.line()
	for row, label := range labels {
		line, code := padRight(label, simLabel), ""
		if row < height {
			code = bold
		}
		for i := range shown {
			width := simCell
			for _, c := range cells[i] {
				width = max(width, widthOf(c))
			}
			line += gap + p.paint(code, padLeft(cells[i][row], width))
		}
		p.line(line)
	}
	return max(n, 1)
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
	return fmt.Sprintf("%s (%s–%s)", value, bare(b.Low, unit), bare(b.High, unit))
}

// writeSimVerdicts says what each key does, the best first.
func writeSimVerdicts(p *pen, s *detect.Simulation) {
	if len(s.Keys) == 1 {
		p.hanging("→ ", "", "no finding of this traffic would go with another key: none is proposed")
		return
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
