package propose

import (
	"math/bits"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// The cost of a cure is told in units a month, at the rate of the input: none of less than an hour, which
// would say nothing of a month.
const (
	secondsOfMonth = 30 * 86400
	leastSpan      = 3600
)

// mulDiv gives a*b/c, rounded down; it saturates, and is 0 when c is.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	switch {
	case c == 0:
		return 0
	case hi >= c:
		return 1<<64 - 1
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// monthly gives what an amount of the input comes to in 30 days; false when the input is too short.
func monthly(v *detect.View, amount uint64) (detect.Milli, bool) {
	span := uint64(max(v.Span.End-v.Span.Start, 0))
	if span < leastSpan {
		return 0, false
	}
	return detect.Milli(mulDiv(v.Sampling.Scale(amount), secondsOfMonth, span)), true
}

// unitsAMonth gives the effect of an amount of units becoming another, as units a month; none when the
// input is too short, or not of DynamoDB.
func unitsAMonth(v *detect.View, f *detect.Finding, measure string, before, after uint64) []detect.Effect {
	if f.Subject.Target.Store != ingest.DynamoDB || before == 0 {
		return nil
	}
	b, ok := monthly(v, before)
	a, _ := monthly(v, after)
	if !ok {
		return nil
	}
	return []detect.Effect{settled(measure, "units/month", b, a)}
}

// deletesOf gives how many of a target's writes delete.
func deletesOf(t *detect.TargetView) (gone, writes uint64) {
	return t.Totals[detect.ByOp+detect.Counter(ingest.OpDelete)], t.Totals.Writes()
}

// strongOf gives how many of a target's reads, of those that tell, are strongly consistent or wait for a
// majority.
func strongOf(t *detect.TargetView) (strong, known uint64) {
	for i := range t.Patterns {
		strong, known = strong+t.Patterns[i].Strong, known+t.Patterns[i].ConsistencyKnown
	}
	return strong, known
}

// stillOn reports whether a finding lasts to the end of the input, as far as its last twentieth tells.
func stillOn(v *detect.View, f *detect.Finding) bool {
	return f.Span.End > 0 && v.Span.End-f.Span.End <= (v.Span.End-v.Span.Start)/20
}
