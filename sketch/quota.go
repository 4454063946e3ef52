package sketch

// A Quota says which entries a Top keeps: of all entries the first Top[w] by weight w, and of every
// group its first PerGroup[w] by weight w. Entries are ranked by the middle of their bounds, ties by
// group and key. The zero Quota keeps everything; negative numbers count as 0.
type Quota struct {
	Top      [Weights]int
	PerGroup [Weights]int
}

// keepsAll reports whether n entries are surely within the quota.
func (q Quota) keepsAll(n int) bool {
	return q == Quota{} || n <= max(q.Top[0], q.Top[1], q.Top[2], q.PerGroup[0], q.PerGroup[1], q.PerGroup[2])
}

// choose marks the rows that the quota keeps.
func (q Quota) choose(t *Top) []bool {
	keep := make([]bool, len(t.rows))
	middles := make([]uint64, len(t.rows))
	for w := range Weights {
		for i := range t.rows {
			middles[i] = t.rows[i].middle(w)
		}
		keepFirst(middles, keep, q.Top[w])
		start := uint32(0)
		for _, g := range t.groups {
			keepFirst(middles[start:g.end], keep[start:g.end], q.PerGroup[w])
			start = g.end
		}
	}
	return keep
}

// keepFirst marks the n largest values that are not 0; of equals the first.
func keepFirst(values []uint64, keep []bool, n int) {
	if n <= 0 || len(values) == 0 {
		return
	}
	limit := uint64(0)
	if n < len(values) {
		limit = selectLargest(values, n)
	}
	for i, v := range values {
		if v > limit {
			keep[i] = true
			n--
		}
	}
	for i, v := range values {
		if n > 0 && v == limit && v > 0 {
			keep[i] = true
			n--
		}
	}
}
