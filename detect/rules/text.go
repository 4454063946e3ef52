package rules

import (
	"fmt"
	"strconv"

	"github.com/keyheat/keyheat/detect"
)

// grouped writes a count with thousands separators: 1,234,567.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent writes a share: 0.412 as 41.2 %.
func percent(m detect.Milli) string { return fmt.Sprintf("%d.%d %%", m/10, m%10) }

// whole writes an amount without its thousandths, and one under a hundred with a tenth: 1,840 or 2.3.
func whole(m detect.Milli) string {
	if m < 100_000 && m%1000 >= 100 {
		return fmt.Sprintf("%d.%d", m/1000, m%1000/100)
	}
	return grouped(uint64(m / 1000))
}

// plural writes a count with its noun: 1 node, 2 nodes.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}
