package sketch

// SetBudget changes the bound on memory, at least 16 KiB. A smaller one takes effect at once: slots
// are evicted down to 3/4 of the new limit and the filter is folded. The result depends on the content and on the
// budgets set alone. A larger one lets the table grow again.
func (t *Table) SetBudget(bytes int) {
	bytes = clampBudget(bytes)
	if bytes == t.budget {
		return
	}
	t.budget = bytes
	if len(t.cells) > 0 {
		t.cells = resample(t.cells, cellLimit(bytes))
	}
	for len(t.slots) > 0 && t.over() {
		t.purge(min(len(t.slots), slotLimit(bytes)) * 3 / 4)
	}
	if limit := slotLimit(bytes); cap(t.slots) > limit {
		t.resize(max(limit, len(t.slots)))
		t.work = purgeWork{}
	}
	if n := cellLimit(bytes); len(t.cells) == 0 && cap(t.cells) > n {
		t.cells = nil
	}
}

// over reports whether the table holds more than its budget allows.
func (t *Table) over() bool {
	return len(t.slots)*slotSize+len(t.arena) > slotLimit(t.budget)*slotSize
}

// resample gives a filter of n cells: each takes the largest amounts of the old cells whose hashes it shares.
func resample(old []Vector, n int) []Vector {
	cells := make([]Vector, n)
	for i := range cells {
		first, end := i*len(old)/n, ((i+1)*len(old)+n-1)/n
		for _, cell := range old[first:end] {
			cells[i] = cells[i].Max(cell)
		}
	}
	return cells
}
