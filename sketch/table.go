package sketch

// A Table is the open form of a heavy-hitter summary. It is not safe for concurrent use.
type Table struct{}

// NewTable makes a table that holds at most budget bytes.
func NewTable(budget int) *Table { return &Table{} }

// Add counts w for a key of a group. hash is Hash(key), or Combine of it with the group's; second is
// a Unix second, 0 when the time is not known; mark is kept of the first Add of a slot.
func (t *Table) Add(group uint32, hash uint64, key []byte, w Vector, second uint32, mark uint64) {}

// SetBudget changes the bound on memory.
func (t *Table) SetBudget(bytes int) {}

// Bytes gives the memory held.
func (t *Table) Bytes() int { return 0 }

// Len gives the number of tracked keys.
func (t *Table) Len() int { return 0 }

// Reset empties the table and keeps its memory.
func (t *Table) Reset() {}

// Clone gives an independent copy.
func (t *Table) Clone() *Table { return &Table{} }

// Exact reports whether all counts of the group are exact.
func (t *Table) Exact(group uint32) bool { return false }

// Off gives the upper bound of every key of the group that is not tracked.
func (t *Table) Off(group uint32) Vector { return Vector{} }

// Total gives the exact total of the group.
func (t *Table) Total(group uint32) Vector { return Vector{} }

// Bounds gives the bounds of a key, tracked or not.
func (t *Table) Bounds(group uint32, hash uint64, key []byte) (low, high Vector) { return }

// Seal gives the sorted form, cut to the quota. It does not change t.
func (t *Table) Seal(q Quota, interval uint32) *Top { return &Top{} }

// AppendBinary appends the canonical form of t to dst.
func (t *Table) AppendBinary(dst []byte) []byte { return dst }

// ReadTable reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadTable(b []byte) (*Table, []byte, error) { return &Table{}, b, nil }
