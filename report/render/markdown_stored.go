package render

import (
	"strings"
)

// mdStored writes the same in Markdown.
func (p *page) mdStored() {
	tables := p.storedTables()
	if len(tables) == 0 {
		return
	}
	p.mdf("\n## Stored\n\nOf keys 50 %%, 90 %% and 99 %% have at most so much, of items 50 %% and 99 %%; then the largest.\n")
	p.mdf("| %s |\n|---%s|", strings.Join(spreadTitles, " | "), strings.Repeat("|--:", len(spreadTitles)-1))
	for _, t := range tables {
		cells := spreadCells(t)
		cells[0] = mdCode(cells[0])
		p.mdf("| %s |", strings.Join(cells, " | "))
	}
	p.mdf("\n| %s |\n|---|---%s|", strings.Join(storedTitles, " | "), strings.Repeat("|--:", len(storedTitles)-2))
	for _, t := range tables {
		for _, c := range collectionsOf(t, textCollections) {
			cells := storedCells(t, &c)
			cells[0], cells[1] = mdCode(cells[0]), mdCode(fit(cells[1], mdKey))
			p.mdf("| %s |", strings.Join(cells, " | "))
		}
	}
}
