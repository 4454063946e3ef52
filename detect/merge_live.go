package detect

// mergeTogether joins b to a, both of inputs of one Live, whose numbers among its inputs are given, ascending;
// b continues those that a has as well. It gives the numbers of all.
func mergeTogether(a, b *Profile, numbersA, numbersB []int) (*Profile, []int) {
	numbers, shiftA, shiftB := together(numbersA, numbersB, func(i int) uint64 { return a.Inputs[i].Lines })
	a.shift(shiftA)
	b.shift(shiftB)
	inputs, known := make([]InputStats, len(numbers)), make([]bool, len(numbers))
	for i, to := range shiftA.of {
		inputs[to.number], known[to.number] = a.Inputs[i], true
	}
	for i, to := range shiftB.of {
		if known[to.number] {
			inputs[to.number].add(&b.Inputs[i])
		} else {
			inputs[to.number] = b.Inputs[i]
		}
	}
	a.Inputs, b.Inputs = inputs, nil
	return join(a, b), numbers
}

// together joins two ascending lists of inputs of a Live, and gives where those of each go. lines are those
// of the i-th input of a, which stand before what b tells of the same input.
func together(a, b []int, lines func(i int) uint64) (all []int, shiftA, shiftB inputShift) {
	shiftA.of, shiftB.of = make([]shiftedInput, len(a)), make([]shiftedInput, len(b))
	for i, j := 0, 0; i < len(a) || j < len(b); {
		next := uint32(len(all))
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			shiftA.of[i].number = next
			all, i = append(all, a[i]), i+1
		case i == len(a) || b[j] < a[i]:
			shiftB.of[j].number = next
			all, j = append(all, b[j]), j+1
		default:
			shiftA.of[i].number, shiftB.of[j] = next, shiftedInput{next, lines(i)}
			all, i, j = append(all, a[i]), i+1, j+1
		}
	}
	return all, shiftA, shiftB
}
