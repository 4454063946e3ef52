package cql

// SplitKeyString takes apart a partition key as servers print it: one component bare, several joined
// by `:` with `\:` inside. t may be nil: then only an escape proves several components, and the text
// is returned whole otherwise.
func SplitKeyString(text []byte, t *Table) [][]byte { return [][]byte{text} }

// SplitLastRow takes apart what an aborted read says of its last scanned row: `(a, b), c1, c2`, or
// `a, b` when there is no clustering. The parts are the components of the partition key; t may be nil.
func SplitLastRow(text []byte, t *Table) (parts [][]byte, known bool) { return nil, false }
