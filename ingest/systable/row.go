// Package systable knows what rows of the tables mean that Cassandra and ScyllaDB keep about themselves:
// system_views, system_schema, system.top_partitions, system.large_*, settings. Values are texts as cqlsh
// prints them. It must not know where rows come from.
package systable

import "slices"

// A Row is one row: names of columns and their values as cqlsh prints them.
type Row struct {
	From   string // ks.table of the SELECT, in lower case; empty: unknown
	Names  []string
	Values [][]byte
}

// Of gives the value of a column; null and what is not there are empty.
func (r *Row) Of(name string) []byte {
	i := slices.Index(r.Names, name)
	if i < 0 || i >= len(r.Values) || string(r.Values[i]) == "null" {
		return nil
	}
	return r.Values[i]
}

// Has reports whether the row has all of these columns.
func (r *Row) Has(names ...string) bool {
	for _, n := range names {
		if !slices.Contains(r.Names, n) {
			return false
		}
	}
	return true
}
