package render

import "strings"

// sparkline draws amounts as blocks of eight heights, at most w of them; amounts that share a block show
// their largest. A dot is nothing, so that it does not look like little.
func sparkline(values []uint64, w int) string {
	values = squeeze(values, w)
	top := uint64(0)
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(block(v, top))
	}
	return b.String()
}

func block(v, top uint64) rune {
	if v == 0 {
		return '·'
	}
	return []rune("▁▂▃▄▅▆▇█")[min(7, int(8*float64(v)/float64(top)-1e-9))]
}

// squeeze gives at most w values; each is the largest of its run.
func squeeze(values []uint64, w int) []uint64 {
	if len(values) <= w {
		return values
	}
	out := make([]uint64, w)
	for i, v := range values {
		at := i * w / len(values)
		out[at] = max(out[at], v)
	}
	return out
}
