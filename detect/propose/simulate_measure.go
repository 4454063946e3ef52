package propose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// A measured lane is what is known of the traffic under one key.
type measuredLane struct {
	*lane
	tally *tally // of those who tell of the table's traffic
	view  *detect.View
	of    *detect.TargetView // nil: no request of the table
	sizes sizes
	found map[string]verdict // by rule
}

// sizes are what partitions hold and are written, in bytes, and how many of their rows are deleted.
type sizes struct {
	stored, written, deleted detect.Range // of the largest partition; High 0: none
}

// measure gives the figures of one key.
func (l *measuredLane) measure() detect.Simulated {
	s := detect.Simulated{Key: l.key.String(), Replayed: l.tally.sums[replayed], NotReplayed: l.notReplayed(), Assumed: l.assumed()}
	if l.of == nil {
		return s
	}
	d := l.of.Distinct
	s.Distinct = l.noisy(detect.Within(detect.Whole(d.Value), detect.Whole(d.Low), detect.Whole(d.High)), one)
	s.TopShare = l.topShare()
	if sk := l.of.Skew; sk.Known {
		s.TopTen, s.Effective, s.Gini = detect.Within(sk.Top10.Value, sk.Top10.Low, sk.Top10.High), sk.Effective, sk.Gini
	}
	l.rates(&s)
	l.growth(&s)
	l.readings(&s)
	return s
}

const one detect.Milli = 1000

// noisy widens an amount that random shards draw by four standard deviations of a Poisson count: another
// drawing differs by more about once in 15,000 times. each is what one request adds to it.
func (l *measuredLane) noisy(b detect.Bounds, each detect.Milli) detect.Bounds {
	if !l.key.has(randomTerm) || !b.Known {
		return b
	}
	off := func(m detect.Milli) detect.Milli {
		return detect.Milli(4 * math.Ceil(math.Sqrt(float64(m)*float64(each))))
	}
	b.Low, b.High = b.Low-min(b.Low, off(b.Low)), b.High+off(b.High)
	if each == one {
		b.Low, b.High = b.Low/one*one, (b.High+one-1)/one*one
	}
	return b
}

// loose gives the requests whose bucket is a guess.
func (l *measuredLane) loose() uint64 { return l.tally.sums[looseReads] + l.tally.sums[looseRest] }

// topShare gives the share of the busiest partition. Requests whose bucket is a guess may all be its own.
func (l *measuredLane) topShare() detect.Bounds {
	known := l.of.Totals[detect.Requests] - l.of.Totals[detect.KeyUnknown]
	if known == 0 {
		return detect.Bounds{}
	}
	top := detect.Range{High: l.of.Untold.Requests}
	middle := uint64(0)
	for _, k := range l.of.Keys {
		top.Low, top.High = max(top.Low, k.Requests.Low), max(top.High, k.Requests.High)
		middle = max(middle, k.Requests.Middle())
	}
	n := l.noisy(detect.Within(detect.Whole(middle), detect.Whole(top.Low), detect.Whole(top.High)), one)
	share := func(m detect.Milli) detect.Milli {
		return min(detect.Milli(math.Round(float64(m)/float64(known))), 1000)
	}
	if n.Low == n.High && l.loose() == 0 {
		return detect.Exactly(share(n.Value))
	}
	return detect.Within(share(n.Value), detect.Milli(uint64(n.Low)/known), min(1+detect.Milli((uint64(n.High)+1000*l.loose())/known), 1000))
}

// notReplayed gives why requests were not replayed, those of most first.
func (l *measuredLane) notReplayed() []detect.NotReplayed {
	out := []detect.NotReplayed{}
	for why, n := range l.tally.skipped {
		out = append(out, detect.NotReplayed{Why: why.String(), Requests: n})
	}
	slices.SortFunc(out, func(a, b detect.NotReplayed) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Why, b.Why))
	})
	return out
}

// assumed says what the figures of a key rest on.
func (l *measuredLane) assumed() []string {
	out := []string{}
	say := func(holds bool, format string, args ...any) {
		if holds {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	y := &l.tally.sums
	changed := !l.key.isToday()
	t, hashed := l.key.first(hashedTerm)
	say(y[looseReads] > 0, "%d reads do not tell their bucket: they are counted in that of their own time; the traffic spans %d, older ones are not seen", y[looseReads], l.buckets())
	say(y[looseRest] > 0, "%d updates and deletes do not tell their bucket: they are counted in that of their own time", y[looseRest])
	say(hashed, "shard_by is CRC-32 (IEEE) of %s modulo %d", t.name, t.shards)
	say(l.key.has(randomTerm), "random shards follow from the places of records; bounds hold for another drawing")
	say(y[opUnknown] > 0 && changed, "%d requests of unknown operation are taken for writes", y[opUnknown])
	say(y[refused] > 0 && changed, "%d refused requests are taken for served, at the least cost of a request", y[refused])
	return out
}

// buckets gives how many buckets the traffic spans; 1 without.
func (l *measuredLane) buckets() uint64 {
	t, ok := l.key.first(bucketTerm)
	if !ok || l.of == nil || l.of.Span == (detect.Span{}) {
		return 1
	}
	step := unitSeconds(t.unit)
	return uint64(l.of.Span.End-1)/step - uint64(l.of.Span.Start)/step + 1
}

// readings gives what a read asks and costs.
func (l *measuredLane) readings(s *detect.Simulated) {
	y, many := &l.tally.sums, l.buckets()
	n := y[reads]
	if n == 0 {
		return
	}
	fan := l.tally.fanout
	most := fan.Max()
	loose := mulDiv(y[looseReads], (many-1)*most, 1)
	s.SingleReads = detect.Within(0, detect.Ratio(y[singles], n), detect.Ratio(fan.Count()-fan.Above(2), n))
	s.SingleReads.Value, s.SingleReads.Low = s.SingleReads.High, detect.Ratio(y[singles], n)
	mean := perThousand(fan.Sum(), n)
	s.FanoutMean = detect.Within(mean, mean, perThousand(fan.Sum()+loose, n))
	_, p99 := fan.Quantile(99, 100)
	s.FanoutP99 = detect.Exactly(detect.Whole(p99))
	if y[looseReads] > 0 {
		s.FanoutP99.High = detect.Whole(p99 * many)
	}
	if m := y[unitReads]; m > 0 {
		s.ReadUnits = detect.Within(detect.Milli(y[units]/m), detect.Milli(y[unitsLow]/m), detect.Milli((y[unitsHigh]+y[looseUnits]*(many-1)*leastRead*most)/m))
	}
	if m := y[rowReads]; m > 0 {
		s.Rows = detect.Within(perThousand(y[rows], m), perThousand(y[rows], m), perThousand(y[rowsHigh], m))
	}
	if m := y[tombReads]; m > 0 {
		s.Tombstones = detect.Within(perThousand(y[tombs], m), perThousand(y[tombs]-y[tombsLoose], m), perThousand(y[tombs], m))
	}
}

// perThousand gives sum/n in thousandths.
func perThousand(sum, n uint64) detect.Milli {
	return detect.Milli(math.Round(float64(sum) * 1000 / float64(n)))
}

// sizesOf gives the largest partitions of a lane's profiles.
func (l *lane) sizesOf(views [3]*detect.View) sizes {
	s := sizes{}
	for i, to := range []*detect.Range{&s.stored, &s.written, &s.deleted} {
		for _, t := range views[i].Targets {
			if i == 0 && t.Stored.Items == 0 {
				continue
			}
			for _, c := range t.Stored.Collections {
				to.Low, to.High = max(to.Low, c.Bytes.Low), max(to.High, c.Bytes.High)
			}
			to.High = max(to.High, t.Stored.Untold)
		}
	}
	return s
}

const daySeconds = 86400

// growth gives the size of the largest partition and how it grows. In a bucket it grows as long as the
// bucket lasts. A rate needs an hour of traffic.
func (l *measuredLane) growth(s *detect.Simulated) {
	of := l.sizes.written
	if l.sizes.stored.High > 0 {
		of, s.Stored = l.sizes.stored, true
	}
	if of.High > 0 {
		s.Largest = l.scaled(of)
	}
	span := uint64(max(l.of.Span.End-l.of.Span.Start, 0))
	if l.sizes.written.High == 0 || span < 3600 {
		return
	}
	lasts := uint64(detect.ProjectedDays * daySeconds)
	if t, ok := l.key.first(bucketTerm); ok {
		lasts = unitSeconds(t.unit)
		span = min(span, lasts)
	}
	w := l.scaled(l.sizes.written)
	s.Growth, s.Projected = times(w, daySeconds, span), times(w, lasts, span)
}

// scaled gives an amount of the input as one of all traffic.
func (l *measuredLane) scaled(r detect.Range) detect.Bounds {
	of := l.view.Sampling.Scale
	return l.noisy(detect.Within(detect.Whole(of(r.Middle())), detect.Whole(of(r.Low)), detect.Whole(of(r.High))), max(detect.Whole(l.of.Bytes.Max()), one))
}

func times(b detect.Bounds, by, per uint64) detect.Bounds {
	of := func(m detect.Milli) detect.Milli { return detect.Milli(float64(m) * float64(by) / float64(per)) }
	return detect.Within(of(b.Value), of(b.Low), of(b.High))
}
