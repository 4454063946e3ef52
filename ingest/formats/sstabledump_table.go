package formats

import (
	"slices"

	"github.com/keyheat/keyheat/ingest/cql"
)

// dumpLooks is how the rows of a dump look, by which its table is found in a schema: the dump itself does not name it.
type dumpLooks struct {
	table      []byte // ks.table; empty: not found
	decided    bool
	columns    []string
	clustering int
	counted    int // of the current row
}

// maxLooks bounds the columns that are looked at.
const maxLooks = 64

// value takes what tells the columns of a row.
func (l *dumpLooks) value(d *dump, text []byte) {
	switch {
	case l.decided || d.schema == nil:
	case d.in("rows", "clustering"):
		l.counted++
		l.clustering = max(l.clustering, l.counted)
	case d.name == "type" && d.in("rows"):
		l.counted = 0
	case d.name == "name" && d.in("cells") && len(l.columns) < maxLooks && !slices.Contains(l.columns, string(text)):
		l.columns = append(l.columns, string(unquotedText(text)))
	}
}

// find decides for a table after the first partition that has cells.
func (l *dumpLooks) find(schema *cql.Schema, keyParts int) {
	if l.decided || schema == nil || len(l.columns) == 0 {
		return
	}
	l.decided = true
	found := (*cql.Table)(nil)
	for _, t := range schema.Tables() {
		if len(t.PartitionKey) != keyParts || len(t.Clustering) != l.clustering || !l.fit(t) {
			continue
		}
		if found != nil {
			return
		}
		found = t
	}
	if found != nil && found.Keyspace != "" {
		l.table = []byte(found.Keyspace + "." + found.Name)
	}
}

// fit reports whether the table has all columns that were seen.
func (l *dumpLooks) fit(t *cql.Table) bool {
	return !slices.ContainsFunc(l.columns, func(name string) bool {
		return !slices.ContainsFunc(t.Columns, func(c cql.Column) bool { return c.Name == name })
	})
}
