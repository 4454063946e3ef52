package render

// mdPartitions writes how many partitions tables may have, with each source, in Markdown.
func (p *page) mdPartitions() {
	tables := p.estimated()
	if len(tables) == 0 {
		return
	}
	p.mdf("\n## Partitions\n\n%s.\n", partitionsAbout)
	for _, t := range tables {
		p.mdf("- %s: %s", mdCode(orNoTable(tableName(t.Target))), partitionsText(t.Partitions))
		for i := range t.Partitions.Sources {
			p.mdf("    - %s", mdText(sourceText(&t.Partitions.Sources[i])))
		}
	}
}
