package render

import (
	"slices"
	"strings"
)

// A column of a grid. Its cells are visible text.
type column struct {
	title string
	cells []string
	right bool // numbers
	least int  // may be cut to this width; 0: not cut
	drop  int  // left out when the grid is too wide, highest first; 0: never
	code  string
}

const gap = "  "

// grid writes columns side by side, within the pen's width if it can: columns are left out, then cut.
func (p *pen) grid(cols []column) {
	cols = fitColumns(cols, p.width)
	widths := make([]int, len(cols))
	for i := range cols {
		widths[i] = cols[i].width()
	}
	p.line(p.paint(dim, gridRow(cols, widths, func(c *column) string { return c.title }, nil)))
	for row := range cols[0].cells {
		p.line(gridRow(cols, widths, func(c *column) string { return c.cells[row] }, p))
	}
}

func (c *column) width() int {
	w := widthOf(c.title)
	for _, s := range c.cells {
		w = max(w, widthOf(s))
	}
	return w
}

func gridRow(cols []column, widths []int, cell func(*column) string, p *pen) string {
	parts := make([]string, len(cols))
	for i := range cols {
		text := cell(&cols[i])
		switch {
		case cols[i].right:
			text = padLeft(text, widths[i])
		case i < len(cols)-1:
			text = padRight(text, widths[i])
		}
		if p != nil {
			text = p.paint(cols[i].code, text)
		}
		parts[i] = text
	}
	return strings.TrimRight(strings.Join(parts, gap), " ")
}

// fitColumns gives the columns that fit into width, the cuttable ones cut. Columns of the same drop go together.
func fitColumns(cols []column, width int) []column {
	kept := slices.Clone(cols)
	for {
		over, slack, drop := len(gap)*(len(kept)-1)-width, 0, 0
		for i := range kept {
			w := kept[i].width()
			over += w
			if kept[i].least > 0 {
				slack += max(0, w-kept[i].least)
			}
			drop = max(drop, kept[i].drop)
		}
		if over <= slack || drop == 0 {
			cutColumns(kept, over)
			return kept
		}
		kept = slices.DeleteFunc(kept, func(c column) bool { return c.drop == drop })
	}
}

// cutColumns takes over columns of width off the cuttable columns, always off the widest.
func cutColumns(cols []column, over int) {
	target := make([]int, len(cols))
	for i := range cols {
		target[i] = cols[i].width()
	}
	for ; over > 0; over-- {
		widest := -1
		for i := range cols {
			if cols[i].least > 0 && target[i] > cols[i].least && (widest < 0 || target[i] > target[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		target[widest]--
	}
	for i := range cols {
		if cols[i].least == 0 {
			continue
		}
		cut := make([]string, len(cols[i].cells))
		for j, s := range cols[i].cells {
			cut[j] = fit(s, target[i])
		}
		cols[i].cells = cut
	}
}
