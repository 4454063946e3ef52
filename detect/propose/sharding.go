package propose

import (
	"fmt"
	"math"

	"github.com/keyheat/keyheat/detect"
)

// A sharding is a hot key put under a number of shards. Where the second reading counted the key by shard, each of
// its requests is put under the shard of its sort key (counted). Of shards drawn at random what a shard gets follows
// from the counted requests, within bounds that hold for nearly all drawings (drawn). Else nothing is known but that
// the busiest shard has at least the mean.
type sharding struct {
	v       *detect.View
	f       *detect.Finding
	t       *detect.TargetView
	k       *detect.KeyView
	n       uint64
	spread  spread
	counts  *detect.ExactShards // nil: not counted by so many shards
	random  bool
	seconds uint64 // that were counted
}

func newSharding(v *detect.View, f *detect.Finding, n uint64, s spread) *sharding {
	x := &sharding{v: v, f: f, t: targetOf(v, f), k: keyOf(v, f), n: n, spread: s}
	if x.k == nil || x.k.Exact == nil {
		return x
	}
	x.seconds = uint64(len(x.k.Exact.Seconds))
	x.random = !s.calculated()
	if c := x.k.Exact.Shards; !x.random && c != nil && n <= uint64(c.Of) {
		x.counts = c
	}
	return x
}

// known reports whether what becomes of the key follows from what was counted of it.
func (x *sharding) known() bool { return x.counts != nil || x.drawn() }

func (x *sharding) drawn() bool { return x.random && x.k != nil && x.k.Exact != nil }

// basis says what the effects rest on.
func (x *sharding) basis() string {
	switch {
	case x.f.Rule == "large-partition":
		return x.basisOfSize()
	case x.counts != nil:
		return fmt.Sprintf("simulated: each recorded request of the key was put under the shard of its sort key, CRC-32 (IEEE) modulo %d, and counted by the second in %d seconds", x.n, x.seconds)
	case x.drawn() && x.seconds == 0:
		return "simulated: from what was counted in each pane follows what shards drawn at random get; the bounds hold for 9,999 of 10,000 drawings" + x.largest()
	case x.drawn():
		return fmt.Sprintf("simulated: from each of %d counted seconds follows what shards drawn at random get; the bounds hold for 9,999 of 10,000 drawings%s", x.seconds, x.largest())
	case x.k == nil:
		return "not simulated: no recorded request of the key is held"
	case x.k.Exact == nil && !x.v.Second:
		return "not simulated: the input was read once, keyheat analyze FILE without --no-exact reads it twice; the upper bounds hold if one item has all of the load"
	case x.k.Exact == nil:
		return "not simulated: the key was not counted"
	}
	return "not simulated: busier keys were counted by shard; " + simulated(x.v, x.f, fmt.Sprintf("key, shard_by(sk, %d)", x.n))
}

// largest tells the largest requests, on which bounds of drawings rest.
func (x *sharding) largest() string {
	told := ""
	for _, o := range []struct {
		what string
		most uint64
	}{{"write", x.k.Exact.MostWrite}, {"read", x.k.Exact.MostRead}} {
		if o.most > 0 {
			told += fmt.Sprintf(", its largest %s has %s units", o.what, amount(detect.Milli(o.most)))
		}
	}
	return told
}

// A load is an amount of one second, in thousandths of a unit or of a request, with its bounds.
type load struct{ low, value, high float64 }

// most keeps the larger of each.
func (l *load) most(o load) {
	l.low, l.value, l.high = max(l.low, o.low), max(l.value, o.value), max(l.high, o.high)
}

func (l load) over(by float64) load { return load{l.low / by, l.value / by, l.high / by} }

// effect gives the effect on a measure whose amounts were counted in the input, as those of all traffic.
func (x *sharding) effect(e detect.Evidence, l load) detect.Effect {
	of := func(m float64, round func(float64) float64) detect.Milli {
		return detect.Milli(x.v.Sampling.Scale(uint64(round(m))))
	}
	low, after, high := of(l.low, math.Floor), of(l.value, math.Round), of(l.high, math.Ceil)
	out := between(e.Measure, e.Unit, e.Value, low, after, high)
	if x.counts != nil && out.Low == out.High {
		out.How = detect.Counted
	}
	return out
}

// rate gives the effect on the units a second of the busiest shard, of single seconds or as a minute's mean.
func (x *sharding) rate(e detect.Evidence, reads, mean bool) detect.Effect {
	if !x.known() || x.seconds == 0 {
		return x.guessed(e)
	}
	switch {
	case x.counts != nil:
		return x.rated(e, x.countedRate(reads, mean), reads, mean)
	case reads:
		return x.rated(e, x.drawnReads(mean), reads, mean)
	}
	return x.rated(e, x.drawnOf(x.windows(mean), window.writes, x.largestWrite()), reads, mean)
}

// rated gives the effect of a load of a second, or of a pane as a mean. Seconds that were not counted may have all that
// is left of their pane, in one shard.
func (x *sharding) rated(e detect.Evidence, l load, reads, mean bool) detect.Effect {
	if mean {
		return x.effect(e, l.over(float64(max(x.v.Width, 60))))
	}
	rest := x.k.Exact.Uncounted(x.v.Width)
	for i := range rest {
		of := rest[i].WriteMilli
		if reads {
			of = rest[i].ReadMilli
		}
		l.high = max(l.high, float64(of))
	}
	out := x.effect(e, l)
	if out.Open = e.Open; out.Open {
		out.How = detect.Estimated
	}
	return out
}

// guessed bounds what becomes of a measure of a key of which nothing more is known: the busiest shard has at least the
// mean, and at most all.
func (x *sharding) guessed(e detect.Evidence) detect.Effect {
	out := between(e.Measure, e.Unit, e.Value, over(x.n)(e.Low), x.spread.after(e.Value, x.n), max(e.High, e.Value))
	out.Open = e.Open
	return out
}

// countedRate gives the most units that a shard has in a second, or in a pane. A read that names no item asks each
// shard, for its part of the units and half a unit at least; a write that names none may be in any.
func (x *sharding) countedRate(reads, panes bool) load {
	list := x.counts.Seconds
	if panes {
		list = x.counts.Panes
	}
	most := load{}
	for i := range list {
		sum := list[i].Counts
		unnamed, loose := x.counts.Unnamed(sum), x.counts.Loose(sum)
		for _, c := range x.counts.Fold(sum, uint32(x.n)) {
			l := load{float64(c.WriteMilli), float64(c.WriteMilli), float64(c.WriteMilli + loose.WriteMilli)}
			if reads {
				each := partOfRead(float64(unnamed.ReadMilli), float64(unnamed.Requests), float64(x.n))
				named := float64(c.ReadMilli)
				l = load{named + each.low, named + each.value, named + each.high}
			}
			most.most(l)
		}
	}
	return most
}

// partOfRead gives what each of n partitions costs of reads that ask them all: a part of what they cost one, and half
// a unit a read at least.
func partOfRead(milli, reads, n float64) load {
	least := min(leastRead*reads, milli)
	return load{least, max(milli/n, least), milli}
}

// A window is what was counted of the key in a second or in a pane.
type window struct{ asked, read, write uint64 }

func (w window) reads() uint64  { return w.read }
func (w window) writes() uint64 { return w.write }

// windows gives all panes of the key, or the seconds that were counted.
func (x *sharding) windows(panes bool) []window {
	var all []window
	if panes {
		for i := range x.k.Exact.Panes {
			p := &x.k.Exact.Panes[i]
			all = append(all, window{p.Reads, p.ReadMilli, p.WriteMilli})
		}
		return all
	}
	for i := range x.k.Exact.Seconds {
		s := &x.k.Exact.Seconds[i]
		all = append(all, window{s.Reads, s.ReadMilli, s.WriteMilli})
	}
	return all
}

// drawnReads gives what a shard has of reads that ask each of them.
func (x *sharding) drawnReads(panes bool) load {
	most := load{}
	for _, w := range x.windows(panes) {
		most.most(partOfRead(float64(w.read), float64(w.asked), float64(x.n)))
	}
	return most
}

// drawnOf gives what the busiest of shards drawn at random has of an amount in its busiest window.
func (x *sharding) drawnOf(all []window, amount func(w window) uint64, of parts) load {
	peak, busy := 0.0, 0.0
	for _, w := range all {
		peak = max(peak, float64(amount(w)))
	}
	for _, w := range all {
		if float64(amount(w)) >= 0.9*peak {
			busy++
		}
	}
	return of.drawn(peak, float64(x.n), busy, float64(len(all)))
}

// largestWrite gives the units of a usual write and of the largest.
func (x *sharding) largestWrite() parts {
	t := &x.k.Exact.Totals
	return parts{usual: float64(t[detect.WriteMilli]) / float64(max(t.Writes(), 1)), most: float64(x.k.Exact.MostWrite)}
}

// largestRead gives the units of a usual read and of the largest.
func (x *sharding) largestRead() parts {
	t := &x.k.Exact.Totals
	return parts{usual: float64(t[detect.ReadMilli]) / float64(max(t.Reads(), 1)), most: float64(x.k.Exact.MostRead)}
}

// parts are the sizes of what an amount is made of: of a usual one, and of the largest.
type parts struct{ usual, most float64 }

// alike are parts of the same size: requests, each of which counts as one.
var alike = parts{1, 1}

// drawn gives what the busiest of n shards has of an amount that is made of these parts, each of which goes to a shard
// drawn at random: at least the mean; about the mean and sqrt(2 mean usual ln(n tries)), the expected largest of so many
// normal deviates; and at most what Bernstein's inequality leaves to one drawing in 10,000, over all shards and tries:
// the squares of the parts add up to no more than the amount times the largest.
func (p parts) drawn(amount, n, likely, tries float64) load {
	const rare = 1e4
	mean := amount / n
	about := mean + math.Sqrt(2*mean*p.usual*math.Log(n*max(likely, 1)))
	l := math.Log(n * max(tries, 1) * rare)
	most := max(p.most, p.usual)
	high := mean + math.Sqrt(2*mean*most*l) + most*l/3
	return load{math.Ceil(mean), min(math.Ceil(about), amount), min(math.Ceil(high), amount)}
}
