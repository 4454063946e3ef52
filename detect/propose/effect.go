package propose

import "github.com/keyheat/keyheat/detect"

// settled gives the effect of a change that says itself what comes of it: a limit, a number of partitions.
func settled(measure, unit string, before, after detect.Milli) detect.Effect {
	return detect.Effect{Measure: measure, Unit: unit, Before: before, After: after, Low: after, High: after, How: detect.Inferred}
}

// gone gives the effect on a measure that falls to nothing.
func gone(e detect.Evidence) detect.Effect { return settled(e.Measure, e.Unit, e.Value, 0) }

// becomes gives the effect on a measure of evidence, with the bounds of the evidence. to must not fall where its
// argument rises.
func becomes(e detect.Evidence, to func(m detect.Milli) detect.Milli) detect.Effect {
	x := settled(e.Measure, e.Unit, e.Value, to(e.Value))
	x.Low, x.High, x.Open = min(to(e.Low), x.After), max(to(e.High), x.After), e.Open
	if x.Low < x.High || x.Open {
		x.How = detect.Estimated
	}
	return x
}

// between gives an effect that lies within bounds.
func between(measure, unit string, before, low, after, high detect.Milli) detect.Effect {
	low, high = min(low, after), max(high, after)
	return detect.Effect{Measure: measure, Unit: unit, Before: before, After: after, Low: low, High: high, How: detect.Estimated}
}

// over gives m divided by n, rounded up.
func over(n uint64) func(m detect.Milli) detect.Milli {
	return func(m detect.Milli) detect.Milli { return detect.Milli(ceilDiv(uint64(m), n)) }
}
