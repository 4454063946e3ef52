package render

// partitions writes how many partitions tables may have, with each source, of a text report.
func (p *page) partitions() {
	tables := p.estimated()
	if len(tables) == 0 {
		return
	}
	p.section("PARTITIONS", partitionsAbout)
	for _, t := range tables {
		p.hanging(orNoTable(tableName(t.Target))+gap, "", partitionsText(t.Partitions))
		for i := range t.Partitions.Sources {
			p.hanging("  ", dim, sourceText(&t.Partitions.Sources[i]))
		}
	}
}
