package formats

import "strings"

// exportedTable reports whether these are columns of an export that has a format of its own, although
// some of their names may be those of generic key events.
func exportedTable(names []string) bool {
	has := func(want string) bool {
		for _, n := range names {
			if strings.EqualFold(strings.TrimSpace(n), want) {
				return true
			}
		}
		return false
	}
	return has("keyBinary") && has("tombstoneCount") || has("keyspace_name") && (has("table_name") || has("columnfamily_name")) ||
		has("session_id") && (has("activity") || has("parameters"))
}
