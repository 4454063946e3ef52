package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// grouped gives digits in groups of three.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count gives a number as people read it: all digits below a million, then one decimal.
func count(n uint64) string {
	if n < 1e6 {
		return grouped(n)
	}
	return scaled(float64(n), 1000, []string{"", " k", " M", " G", " T", " P", " E"})
}

// size gives bytes in binary units.
func size(n uint64) string {
	if n < 1024 {
		return grouped(n) + " B"
	}
	return scaled(float64(n), 1024, []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"})
}

func scaled(x, base float64, units []string) string {
	i := 0
	for ; x >= base-base/20000 && i < len(units)-1; i++ { // 999.95 would print as 1000.0
		x /= base
	}
	return fmt.Sprintf("%.1f%s", x, units[i])
}

// amount gives thousandths as a count; small ones keep two decimals.
func amount(m detect.Milli) string {
	if m >= 100_000 || m%1000 == 0 {
		return count(uint64(m+500) / 1000)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", float64(m)/1000), "0"), ".")
}

// percent gives a share in thousandths, with a decimal unless it is 0.
func percent(m detect.Milli) string { return tenths(m) + " %" }

func tenths(m detect.Milli) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", m/10, m%10), ".0")
}

// inUnit gives an amount with its unit.
func inUnit(m detect.Milli, unit string) string {
	switch unit {
	case "share":
		return percent(m)
	case "bytes":
		return size(uint64(m) / 1000)
	case "":
		return amount(m)
	}
	return amount(m) + " " + visible(unit)
}

// bare gives an amount without its unit, where the unit stands beside it.
func bare(m detect.Milli, unit string) string {
	switch unit {
	case "share":
		return tenths(m)
	case "bytes":
		return size(uint64(m) / 1000)
	}
	return amount(m)
}

// A measured amount and its bounds, in thousandths of unit.
type bounded struct {
	value, low, high detect.Milli
	open             bool // no upper bound
	unit             string
}

// String says no more than is known: bounds unless they meet, "at least" where there is no upper one.
func (b bounded) String() string {
	switch {
	case b.open:
		return "at least " + inUnit(b.low, b.unit)
	case b.unit == "share" && b.value == 0 && b.high == 1:
		return "≤ 0.1 %"
	case b.low == b.high, b.unit == "share" && b.high-b.low <= 1: // bounds of an exact share are rounded outwards
		return inUnit(b.value, b.unit)
	case b.low == 0:
		return "at most " + inUnit(b.high, b.unit)
	}
	if off := max(b.high-b.value, b.value-b.low); b.unit != "share" && float64(off) < 0.0095*float64(b.value) {
		return fmt.Sprintf("%s ±%.1f %%", inUnit(b.value, b.unit), math.Ceil(1000*float64(off)/float64(b.value))/10)
	}
	return fmt.Sprintf("%s (%s–%s)", inUnit(b.value, b.unit), bare(b.low, b.unit), inUnit2(b.high, b.unit))
}

// inUnit2 gives the upper bound of a range: the unit of a share is repeated, that of a count is not.
func inUnit2(m detect.Milli, unit string) string {
	if unit == "share" {
		return percent(m)
	}
	return bare(m, unit)
}

func countBounds(r detect.Range) bounded {
	return bounded{value: detect.Whole(r.Middle()), low: detect.Whole(r.Low), high: detect.Whole(r.High)}
}

func shareBounds(s detect.ShareRange) bounded {
	return bounded{value: s.Value, low: s.Low, high: s.High, unit: "share"}
}

// plural gives a count and the noun in its number.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// emptyZero gives the digits of a number, none for 0: not known.
func emptyZero(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}
