package nightly

import (
	"math"
	"slices"
	"time"
)

// A Growth is how a partition has grown over the nights.
type Growth struct {
	Size
	Was      uint64 // at the night before that tells it
	Nights   int    // that tell it, of those that were looked at
	PerNight float64
	// Percent is true when it grows by a share of itself: then PerNight is a factor less one, else an amount.
	Percent bool
	// Passes is the day on which it passes Limit, between Early and Late; zero when there is none within a
	// year, or when the growth is not certain.
	Passes, Early, Late time.Time
}

const (
	growthNights = 14  // that a growth is computed from
	growthLeast  = 3   // points
	growthDays   = 365 // a date beyond says nothing
)

// student holds the 97.5 % quantiles of Student's t by degrees of freedom from 1 on: NIST/SEMATECH
// e-Handbook of Statistical Methods, section 1.3.6.7.2.
var student = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179}

// growths gives the partitions of the last night that have grown, those that pass a limit first in front.
func growths(nights []*Night) []Growth {
	nights = nights[max(0, len(nights)-growthNights):]
	last := nights[len(nights)-1]
	all := seriesOf(nights)
	out := []Growth{}
	for i := range last.Sizes {
		if g, ok := growth(&last.Sizes[i], all[last.Sizes[i].series()]); ok {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b Growth) int {
		if a.Passes.IsZero() != b.Passes.IsZero() {
			if a.Passes.IsZero() {
				return 1
			}
			return -1
		}
		return a.Passes.Compare(b.Passes)
	})
	return out
}

// A series is one size over the nights that tell it: days since 1970-01-01, and values.
type series struct{ xs, ys []float64 }

// seriesOf gives the sizes of the nights by Size.series.
func seriesOf(nights []*Night) map[string]series {
	out := map[string]series{}
	for _, n := range nights {
		for i := range n.Sizes {
			if s := &n.Sizes[i]; s.Value > 0 {
				of := out[s.series()]
				out[s.series()] = series{append(of.xs, days(n.Date)), append(of.ys, float64(s.Value))}
			}
		}
	}
	return out
}

// growth gives the growth of a size of the last night, which ends its series.
func growth(of *Size, over series) (Growth, bool) {
	xs, ys := over.xs, over.ys
	g := Growth{Size: *of}
	if len(ys) > 1 {
		g.Was = uint64(ys[len(ys)-2])
	}
	g.Nights = len(xs)
	if g.Nights < growthLeast || g.Was >= of.Value && ys[0] >= float64(of.Value) {
		return g, false
	}
	straight, curved := fit(xs, ys), fit(xs, logs(ys))
	line := straight
	if g.Percent = curved.errorOf(xs, ys, math.Exp) < straight.errorOf(xs, ys, same); g.Percent {
		line = curved
	}
	if line.slope-line.off <= 0 {
		return g, false
	}
	g.PerNight = line.slope
	if g.Percent {
		g.PerNight = math.Expm1(line.slope)
	}
	g.passes(&line, xs[len(xs)-1])
	return g, true
}

// passes sets the days on which the line, and its steepest and flattest, reach the limit.
func (g *Growth) passes(l *line, last float64) {
	if g.Limit == 0 {
		return
	}
	to := float64(g.Limit)
	if g.Percent {
		to = math.Log(to)
	}
	missing := to - l.at(last)
	day := func(slope float64) time.Time {
		return time.Unix(86400*int64(math.Ceil(last+max(missing, 0)/slope-1e-6)), 0).UTC()
	}
	if missing/l.slope > growthDays {
		return
	}
	g.Passes, g.Early, g.Late = day(l.slope), day(l.slope+l.off), day(max(l.slope-l.off, missing/(10*growthDays)))
}

func same(y float64) float64 { return y }

func logs(ys []float64) []float64 {
	out := []float64{}
	for _, y := range ys {
		out = append(out, math.Log(y))
	}
	return out
}

// days gives a date as days since 1970-01-01.
func days(date string) float64 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0 // the store reads no such night
	}
	return float64(t.Unix() / 86400)
}

// A line is a least-squares fit; off is the half width of the 95 % interval of its slope.
type line struct{ x, y, slope, off float64 }

func (l *line) at(x float64) float64 { return l.y + l.slope*(x-l.x) }

func (l *line) errorOf(xs, ys []float64, unit func(float64) float64) float64 {
	sum := 0.0
	for i := range xs {
		d := ys[i] - unit(l.at(xs[i]))
		sum += d * d
	}
	return sum
}

// fit needs three points or more, on different days.
func fit(xs, ys []float64) line {
	n := float64(len(xs))
	l := line{}
	for i := range xs {
		l.x, l.y = l.x+xs[i]/n, l.y+ys[i]/n
	}
	xx, xy := 0.0, 0.0
	for i := range xs {
		xx, xy = xx+(xs[i]-l.x)*(xs[i]-l.x), xy+(xs[i]-l.x)*(ys[i]-l.y)
	}
	l.slope = xy / xx
	free := len(xs) - 2
	l.off = student[min(free, len(student))-1] * math.Sqrt(l.errorOf(xs, ys, same)/float64(free)/xx)
	return l
}
