package screen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/keyheat/keyheat/detect"
)

// columns measures text as terminals show it. It does not depend on the locale, unlike the package's default.
func columns() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

func widthOf(s string) int { return columns().StringWidth(s) }

// fit cuts s in the middle to at most w columns: keys differ at both ends.
func fit(s string, w int) string {
	c := columns()
	all := c.StringWidth(s)
	if all <= w {
		return s
	}
	if w < 5 {
		return c.Truncate(s, max(w, 0), "")
	}
	tail := (w - 1) / 3
	return c.Truncate(s, w-1-tail, "") + "…" + c.TruncateLeft(s, all-tail, "")
}

// cut cuts s at its end to at most w columns.
func cut(s string, w int) string {
	if widthOf(s) <= w {
		return s
	}
	return columns().Truncate(s, max(w, 0), "…")
}

// wrapOnce breaks s after at most w columns, between words where it can.
func wrapOnce(s string, w int) (first, rest string) {
	first = columns().Truncate(s, w, "")
	if len(first) == len(s) {
		return s, ""
	}
	if i := strings.LastIndexByte(first, ' '); i > len(first)/2 && s[len(first)] != ' ' {
		first = first[:i]
	}
	return first, strings.TrimLeft(s[len(first):], " ")
}

func padRight(s string, w int) string { return s + strings.Repeat(" ", max(0, w-widthOf(s))) }
func padLeft(s string, w int) string  { return strings.Repeat(" ", max(0, w-widthOf(s))) + s }

// sparkline draws amounts as blocks of eight heights in w columns, the highest for top; a dot is nothing, so
// that it does not look like little. A column shows the largest of its run.
func sparkline(values []uint64, top uint64, w int) string {
	var b strings.Builder
	for i := range w {
		v := uint64(0)
		for j := i * len(values) / w; j < (i+1)*len(values)/w; j++ {
			v = max(v, values[j])
		}
		switch {
		case v == 0:
			b.WriteRune('·')
		default:
			b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(7, int(8*float64(v)/float64(max(top, 1))-1e-9))])
		}
	}
	return b.String()
}

// number gives thousandths as people read them, in at most six columns below a quadrillion.
func number(milli uint64) string {
	whole := (milli + 500) / 1000
	switch {
	case milli == 0:
		return "0"
	case milli < 10:
		return "<0.01"
	case milli < 995:
		return strings.TrimSuffix(fmt.Sprintf("%.2f", float64(milli)/1000), "0")
	case milli < 9950:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(milli)/1000), ".0")
	case whole < 1000:
		return strconv.FormatUint(whole, 10)
	case whole < 10_000:
		return fmt.Sprintf("%d,%03d", whole/1000, whole%1000)
	}
	return scaled(float64(whole), 1000, "kMGTPE")
}

// size gives thousandths of bytes in binary units.
func size(milli uint64) string {
	if whole := milli / 1000; whole >= 1000 {
		return scaled(float64(whole), 1024, "KMGTPE")
	}
	return number(milli)
}

func scaled(x, base float64, units string) string {
	unit := -1
	for ; x >= 999.5 && unit < len(units)-1; unit++ {
		x /= base
	}
	digits := 1
	if x >= 99.95 {
		digits = 0
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + units[unit:unit+1]
}

// estimate gives the middle of bounds, marked where it is not known to some percent.
func estimate(r detect.Range, show func(milli uint64) string) string {
	switch {
	case r.High-r.Low <= r.High/50:
		return show(r.Middle())
	case r.Low == 0:
		return "≤" + show(r.High)
	}
	return "~" + show(r.Middle())
}

// bounds gives an amount with its bounds, unless they meet.
func bounds(r detect.Range, show func(milli uint64) string) string {
	switch {
	case show(r.Low) == show(r.High):
		return show(r.Low)
	case r.Low == 0:
		return "at most " + show(r.High)
	}
	return show(r.Middle()) + " (" + show(r.Low) + "–" + show(r.High) + ")"
}

// percent gives a share in thousandths.
func percent(m detect.Milli) string {
	if m < 100 && m%10 != 0 {
		return fmt.Sprintf("%d.%d %%", m/10, m%10)
	}
	return fmt.Sprintf("%d %%", (m+5)/10)
}
