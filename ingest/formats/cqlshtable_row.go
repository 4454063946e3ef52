package formats

import "slices"

// A cqlRow is one row: names of columns and their values. from is the table that a SELECT before it
// names, empty when there is none.
type cqlRow struct {
	from   string
	names  []string
	values [][]byte
	at     mark
}

// of gives the value of a column; null and what is not there are empty.
func (r *cqlRow) of(name string) []byte {
	i := slices.Index(r.names, name)
	if i < 0 || i >= len(r.values) || string(r.values[i]) == "null" {
		return nil
	}
	return r.values[i]
}

func (r *cqlRow) has(names ...string) bool {
	for _, n := range names {
		if !slices.Contains(r.names, n) {
			return false
		}
	}
	return true
}
