package detect

import (
	"math"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
)

// All reports whether the input holds every request.
func (r Rate) All() bool { return r.Num == r.Den }

// SamplingOf gives the share of a table's requests that the input holds: what the user said, else, where traces alone
// tell of them, the share that the nodes trace. Nodes of unlike shares make it unknown. 0 says that tracing is off by
// now, and nothing of then.
func (v *View) SamplingOf(t *TargetView) Rate {
	if !v.Sampling.All() || t.Told != 1<<ingest.Traces {
		return v.Sampling
	}
	rate := v.Sampling
	for i := range v.Facts {
		f := &v.Facts[i]
		if f.Name != ingest.FactTraceProbability || !sameStore(f.Target.Store, t.Target.Store) {
			continue
		}
		switch r, ok := shareOf(f.Value); {
		case !ok:
		case f.Other != "", !rate.All() && rate != r:
			return Rate{Den: 1}
		default:
			rate = r
		}
	}
	return rate
}

// shareOf reads a share of requests as a decimal number over 0 and up to 1: 0.001, 1.0E-3.
func shareOf(text string) (Rate, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0 && f <= 1) { // NaN is neither
		return Rate{}, false
	}
	const parts = 1_000_000_000
	num := uint64(math.Round(f * parts))
	if num == 0 {
		return Rate{}, false
	}
	den := uint64(parts)
	for num%10 == 0 && den%10 == 0 {
		num, den = num/10, den/10
	}
	return Rate{Num: num, Den: den}, true
}

// Unknown reports that the input is a sample of unknown rate, which Num 0 with Den not 0 stands for:
// shares can be judged then, rates cannot.
func (r Rate) Unknown() bool { return r.Num == 0 && r.Den != 0 }

// Scale gives the estimate for all requests of an amount that was seen. Of an unknown rate it is the amount.
func (r Rate) Scale(amount uint64) uint64 {
	if r.All() || r.Unknown() {
		return amount
	}
	return mulDiv(amount, r.Den, r.Num)
}

// Low gives the lower bound, at 95 % (Poisson), for all requests of an amount that was seen in so many
// records: amount - 1.96 amount/sqrt(records), scaled. The normal form is below the exact bound for
// every count, so it never overstates. Amounts of unlike records vary more; that is left out.
func (r Rate) Low(amount, records uint64) uint64 {
	if r.All() {
		return amount
	}
	return r.Scale(subFloor(amount, poissonMargin(amount, records)))
}

// High is the counterpart of Low.
func (r Rate) High(amount, records uint64) uint64 {
	if r.All() {
		return amount
	}
	return r.Scale(AddSat(amount, poissonMargin(amount, records)))
}

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

func poissonMargin(amount, records uint64) uint64 {
	if records == 0 {
		return amount
	}
	return uint64(math.Ceil(z95 * float64(amount) / math.Sqrt(float64(records))))
}

// Ratio gives part/whole in thousandths, rounded down; 0 when whole is 0.
func Ratio(part, whole uint64) Milli { return Milli(mulDiv(part, 1000, whole)) }

// ShareOf gives the share that a part has of a whole that is known, at most 1.
func ShareOf(part Range, whole uint64) ShareRange {
	share := func(n uint64) Milli { return min(Ratio(n, whole), 1000) }
	return ShareRange{share(part.Middle()), share(part.Low), share(part.High)}
}

// WilsonLow gives the lower end, in thousandths, of Wilson's 95 % interval of a share of which part of
// whole were seen.
func WilsonLow(part, whole uint64) Milli {
	if whole == 0 {
		return 0
	}
	low, _ := wilson(part, whole)
	return Milli(low * 1000)
}

// wilson gives Wilson's 95 % interval of a share of which part of whole, over 0, were seen (E. B. Wilson, JASA 22, 1927).
// Conversions keep the result the same on every machine: they forbid fused multiplication.
func wilson(part, whole uint64) (low, high float64) {
	n, k := float64(whole), float64(min(part, whole))
	const z2 = z95 * z95
	spread := float64(z95 * math.Sqrt(z2+float64(float64(4*k)*float64(float64(n-k)/n))))
	middle := float64(2*k) + z2
	return max(0, (middle-spread)/float64(2*float64(n+z2))), min(1, (middle+spread)/float64(2*float64(n+z2)))
}

// Scaled gives thousandths of an amount, rounded down: a share of a limit, a multiple of a mean.
func (m Milli) Scaled(factor Milli) Milli { return Milli(mulDiv(uint64(m), uint64(factor), 1000)) }

// Timed reports whether any request of the target has a time.
func (t *TargetView) Timed() bool { return t.Totals[Untimed] < t.Totals[Requests] }

// Throttled gives the requests refused for rate in one pane, whatever the reason.
func (p *TargetPane) Throttled() uint64 {
	sum := uint64(0)
	for _, n := range p.Totals[PaneThrottle+1:] {
		sum = AddSat(sum, n)
	}
	return sum
}
