package render

// stored writes what is stored, and the largest item collections, of a text report.
func (p *page) stored() {
	tables := p.storedTables()
	if len(tables) == 0 {
		return
	}
	spread := []column{
		{title: "STORED", least: 8}, {title: "ITEMS", right: true}, {title: "BYTES", right: true}, {title: "KEYS", right: true},
		{title: "ITEMS/KEY 50·90·99 %", right: true, drop: 2}, {title: "BYTES/KEY", right: true, drop: 3},
		{title: "AN ITEM 50·99·100 %", right: true, drop: 4}, {title: "AS OF", drop: 1},
	}
	cols := []column{
		{title: "COLLECTION OF", least: 13}, {title: "KEY", least: 14}, {title: "ITEMS", right: true, drop: 1}, {title: "BYTES", right: true, drop: 4},
		{title: "LOCAL INDEXES", right: true, drop: 5}, {title: "STORED", right: true}, {title: "OF 10 GiB", right: true, drop: 3}, {title: "SHARE", right: true}, {title: "FILES", right: true, drop: 2},
	}
	most := p.o.Limit
	if most == defaultLimit {
		most = textCollections
	}
	left := 0
	for _, t := range tables {
		addRow(spread, spreadCells(t))
		shown := collectionsOf(t, most)
		left += len(collectionsOf(t, p.o.Limit)) - len(shown)
		for i := range shown {
			addRow(cols, storedCells(t, &shown[i]))
		}
	}
	p.line()
	p.grid(spread)
	if len(cols[0].cells) > 0 {
		p.line()
		p.grid(told(cols))
		p.more(left, "collection")
	}
}

func addRow(cols []column, cells []string) {
	for i, cell := range cells {
		cols[i].cells = append(cols[i].cells, cell)
	}
}
