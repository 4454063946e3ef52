package cql

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
	Keyspace, Name  string
	PartitionKey    []Column // in key order
	Clustering      []Column // in clustering order
	Columns         []Column // all, as declared
	DefaultTTL      uint64   // default_time_to_live, seconds; 0 is none
	DefaultTTLKnown bool
	GCGrace         uint64 // gc_grace_seconds
	GCGraceKnown    bool
	Compaction      string // class without its package, "" when not printed
	View            bool   // a materialized view
	Base            string // the table of a view, in the same keyspace
	Indexes         []Index
	Offset, Length  int // where its CREATE statement stands in the text, bytes
}

// A Column is one column of a table.
type Column struct {
	Name   string // without quotes
	Type   string // as printed, without blanks: frozen<list<int>>
	Desc   bool   // clustering order is descending
	Static bool
}

// Collection reports whether the column is a list, set or map that is not frozen, so that overwriting
// it whole leaves a tombstone.
func (c Column) Collection() bool { return false }

// An Index is a secondary index of a table.
type Index struct {
	Name   string // "" when not printed
	Target string // column or keys(column), without quotes
	Class  string // class of a custom index, "" otherwise
}

// ParseSchema reads DESCRIBE output of any version, and whatever a shell printed around it.
func ParseSchema(text []byte) (*Schema, []Fault) { return &Schema{}, nil }

// Table finds a table. keyspace may be empty when one keyspace only has a table of this name; nil when
// there is none.
func (s *Schema) Table(keyspace, name string) *Table { return nil }

// Tables are all tables, sorted by keyspace and name.
func (s *Schema) Tables() []*Table { return nil }

// Add takes the tables of o; of a table in both that of o wins.
func (s *Schema) Add(o *Schema) {}
