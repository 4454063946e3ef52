package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const growthHead = `# How cost grows

What one thing costs that grows over three orders of magnitude while all else stays: 1,000,000 events, Zipf 1.1 over 100,000 keys of 8
tables, 30 minutes, 6 nodes, as CSV. CPU time of the whole process, the least of two runs, by event; memory is the peak of the process.
Written by

    KEYHEAT_LONG=1 go test ./cmd/keyheat -run TestLongGrowth -timeout 60m -update

which fails where ten times as much costs more than twelve times as much, or where memory passes the budget of 256 MiB.

![CPU time by event against events, keys, tables, minutes and nodes](growth.svg)
`

// growthTables writes docs/growth.md.
func growthTables(all [][]grown) string {
	var b strings.Builder
	b.WriteString(growthHead)
	for i, d := range dimensions {
		fmt.Fprintf(&b, "\n| %s | `keys`, ns an event | `analyze --no-exact` | `analyze` | memory of `keys` | of `analyze` | Profile |\n|---|---|---|---|---|---|---|\n", d.name)
		for _, g := range all[i] {
			fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %d MiB | %d MiB | %s |\n", digits(g.at),
				g.each(g.keys.cpu), g.each(g.once), g.each(g.analyze.cpu), g.keys.rss>>20, g.analyze.rss>>20, kibibytes(g.profile))
		}
	}
	return b.String()
}

func kibibytes(n int) string { return digits((n+1023)>>10) + " KiB" }

// digits writes a number with its thousands apart.
func digits(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes a power of ten for an axis.
func short(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprint(n/1_000_000, " M")
	case n >= 10_000:
		return fmt.Sprint(n/1000, " k")
	}
	return digits(n)
}

// A curve is one command of a picture.
type curve struct {
	name, colour string
	cost         func(g grown) time.Duration
}

var curves = []curve{
	{"keys", "#0072b2", func(g grown) time.Duration { return g.keys.cpu }},
	{"analyze --no-exact", "#e69f00", func(g grown) time.Duration { return g.once }},
	{"analyze", "#d55e00", func(g grown) time.Duration { return g.analyze.cpu }},
}

// Sizes of the picture, in pixels: a panel for each dimension beside the last, both axes in powers of ten.
const (
	panelWide, panelHigh = 190, 200
	marginLeft, marginUp = 70, 34
)

// growthSVG draws docs/growth.svg.
func growthSVG(all [][]grown) string {
	low, high := growthRange(all)
	var b strings.Builder
	wide := marginLeft + len(all)*panelWide + 10
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", wide, marginUp+panelHigh+44)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", wide, marginUp+panelHigh+44)
	for i, c := range curves {
		fmt.Fprintf(&b, `<text x="%d" y="16" fill="%s">%s</text>`+"\n", marginLeft+160*i, c.colour, c.name)
	}
	y := func(ns float64) float64 {
		return marginUp + panelHigh*(1-(math.Log10(ns)-low)/(high-low))
	}
	for p := low; p <= high; p++ {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s ns</text>`+"\n",
			marginLeft, y(math.Pow(10, p)), wide-10, marginLeft-4, y(math.Pow(10, p))+4, digits(int(math.Pow(10, p))))
	}
	for i, steps := range all {
		drawPanel(&b, marginLeft+i*panelWide, dimensions[i].name, steps, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawPanel draws the curves of one dimension.
func drawPanel(b *strings.Builder, left int, name string, steps []grown, y func(ns float64) float64) {
	x := func(i int) int { return left + 20 + i*(panelWide-50)/(len(steps)-1) }
	for i, g := range steps {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", x(i), marginUp+panelHigh+16, short(g.at))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-weight="bold">%s</text>`+"\n", left+panelWide/2, marginUp+panelHigh+34, name)
	for _, c := range curves {
		points := []string{}
		for i, g := range steps {
			points = append(points, fmt.Sprintf("%d,%.1f", x(i), y(g.each(c.cost(g)))))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), c.colour)
	}
}

// growthRange gives the powers of ten between which all costs of an event lie, in nanoseconds.
func growthRange(all [][]grown) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, steps := range all {
		for _, g := range steps {
			for _, c := range curves {
				power := math.Log10(max(g.each(c.cost(g)), 1))
				low, high = min(low, math.Floor(power)), max(high, math.Ceil(power))
			}
		}
	}
	return low, high
}
