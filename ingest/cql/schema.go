package cql

import (
	"cmp"
	"slices"
	"strings"
)

// A Fault is a part of a DESCRIBE output that could not be read.
type Fault struct {
	Offset int    // bytes from the begin of the text
	Cause  string // one of a few constant texts
}

// A Schema is what DESCRIBE output tells of tables. The zero value is empty.
type Schema struct {
	tables map[tableName]*Table
	byName map[string]*Table // nil value: several keyspaces have a table of this name
}

type tableName struct{ keyspace, name string }

// A Table is one table or materialized view.
type Table struct {
	Keyspace, Name  string   // without quotes; Keyspace is "" when the text names none
	PartitionKey    []Column // in key order
	Clustering      []Column // in clustering order
	Columns         []Column // all, as declared; of a view those that it selects
	DefaultTTL      uint64   // default_time_to_live, seconds; 0 is none
	DefaultTTLKnown bool
	GCGrace         uint64 // gc_grace_seconds
	GCGraceKnown    bool
	Compaction      string // class without its package, "" when not printed
	Replicas        []int  // of a row in a data centre, as its keyspace says, each number once, sorted; empty: not printed
	Base            string // of a materialized view its table in the same keyspace, "" of a table
	Indexes         []Index
	Offset, Length  int // where its CREATE statement stands in the text, bytes
}

// A Column is one column of a table.
type Column struct {
	Name         string // without quotes
	Type         string // as printed, without blanks: frozen<list<int>>
	Desc, Static bool   // Desc: descending clustering order
}

// Collection reports whether the column is a list, set or map that is not frozen, so that overwriting
// it whole leaves a tombstone.
func (c Column) Collection() bool {
	t := strings.ToLower(c.Type)
	return strings.HasPrefix(t, "list<") || strings.HasPrefix(t, "set<") || strings.HasPrefix(t, "map<")
}

// An Index is a secondary index of a table.
type Index struct {
	Name   string // "" when not printed
	Target string // column, or keys(column), full(column), …, without quotes
	Class  string // class of a custom index as printed, "" otherwise
	// Options are those of a custom index as printed, a map in braces; "" without.
	Options string
}

// Table finds a table. keyspace may be empty when one keyspace only has a table of this name; nil when
// there is none, or several.
func (s *Schema) Table(keyspace, name string) *Table {
	if keyspace == "" {
		return s.byName[name]
	}
	if t := s.tables[tableName{keyspace, name}]; t != nil {
		return t
	}
	return s.tables[tableName{"", name}]
}

// Tables are all tables, sorted by keyspace and name.
func (s *Schema) Tables() []*Table {
	list := make([]*Table, 0, len(s.tables))
	for _, t := range s.tables {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Keyspace, b.Keyspace), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// SchemaOf gives the schema of these tables, as Tables gives them.
func SchemaOf(tables []*Table) *Schema {
	s := &Schema{}
	for _, t := range tables {
		s.put(t)
	}
	return s
}

// Add takes the tables of o; of a table in both that of o wins.
func (s *Schema) Add(o *Schema) {
	for _, t := range o.Tables() {
		s.put(t)
	}
}

func (s *Schema) put(t *Table) {
	if s.tables == nil {
		s.tables, s.byName = make(map[tableName]*Table), make(map[string]*Table)
	}
	old, met := s.byName[t.Name]
	if !met || old != nil && old.Keyspace == t.Keyspace {
		s.byName[t.Name] = t
	} else {
		s.byName[t.Name] = nil
	}
	s.tables[tableName{t.Keyspace, t.Name}] = t
}

func (t *Table) column(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{Name: name}, false
	}
	return t.Columns[i], true
}
