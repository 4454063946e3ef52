package sketch

// A Quota says how many entries a Top keeps: of all the first Top[w] by weight w, and of every group
// its first PerGroup[w]. The zero Quota keeps everything.
type Quota struct {
	Top      [Weights]int
	PerGroup [Weights]int
}

// A Peak is the amount seen in the span of time that starts at At, in Unix seconds. N is 0 when unknown.
type Peak struct {
	At uint32
	N  uint64
}

// An Entry is one key of a Top.
type Entry struct {
	Group      uint32
	Key        []byte
	Count, Err Vector
	Second     Peak   // weight 0 in its busiest second, a lower bound
	CostSecond Peak   // weight 1 in its busiest second, a lower bound
	Interval   Peak   // weight 0 in its busiest finest interval, a lower bound
	Mark       uint64 // of the first update
}

// High gives the upper bounds, Count+Err.
func (e *Entry) High() Vector { return e.Count.Add(e.Err) }

// A Top is the sealed form of a heavy-hitter summary, sorted by group and key. The zero Top is empty.
type Top struct{}

// Len gives the number of entries.
func (t *Top) Len() int { return 0 }

// At gives entry i. Its key must not be changed.
func (t *Top) At(i int) Entry { return Entry{} }

// Find gives the entry of a key.
func (t *Top) Find(group uint32, key []byte) (Entry, bool) { return Entry{}, false }

// Group gives the range of a group's entries.
func (t *Top) Group(group uint32) (first, end int) { return }

// Groups gives 1 + the highest group known.
func (t *Top) Groups() int { return 0 }

// Off gives the upper bound of every key of the group that has no entry.
func (t *Top) Off(group uint32) Vector { return Vector{} }

// Total gives the exact total of the group.
func (t *Top) Total(group uint32) Vector { return Vector{} }

// Exact reports whether all counts of the group are exact.
func (t *Top) Exact(group uint32) bool { return false }

// MergeTops gives the sum of a and b, cut to the quota. It changes neither.
func MergeTops(a, b *Top, q Quota) *Top { return &Top{} }

// Regroup gives a copy with group g renamed to ids[g], which must rise strictly, and marks mapped by
// shift (nil keeps them).
func (t *Top) Regroup(ids []uint32, shift func(mark uint64) uint64) *Top { return t }

// Trim gives a copy cut to the quota.
func (t *Top) Trim(q Quota) *Top { return t }

// AppendBinary appends the canonical form of t to dst.
func (t *Top) AppendBinary(dst []byte) []byte { return dst }

// ReadTop reads what AppendBinary wrote from the start of b and gives the rest of b.
func ReadTop(b []byte) (*Top, []byte, error) { return &Top{}, b, nil }
