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
	width := uint32(1)
	if mean {
		width = max(x.v.Width, 60)
	}
	if x.counts != nil {
		return x.effect(e, x.countedRate(reads, width).over(float64(width)))
	}
	return x.effect(e, x.drawnRate(reads, width).over(float64(width)))
}

// guessed bounds what becomes of a measure of a key of which nothing more is known: the busiest shard has at least the
// mean, and at most all.
func (x *sharding) guessed(e detect.Evidence) detect.Effect {
	out := between(e.Measure, e.Unit, e.Value, over(x.n)(e.Low), x.spread.after(e.Value, x.n), max(e.High, e.Value))
	out.Open = e.Open
	return out
}

// countedRate gives the most units that a shard has in so many seconds. A read that names no item asks each shard, for
// its part of the units and half a unit at least; a write that names none may be in any.
func (x *sharding) countedRate(reads bool, width uint32) load {
	most := load{}
	seconds := x.counts.Seconds
	for i := 0; i < len(seconds); {
		sum := make([]detect.ShardCount, x.counts.Of+2)
		for at := seconds[i].Second / width; i < len(seconds) && seconds[i].Second/width == at; i++ {
			for j, c := range seconds[i].Counts {
				sum[j].Requests += c.Requests
				sum[j].ReadMilli += c.ReadMilli
				sum[j].WriteMilli += c.WriteMilli
			}
		}
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

// drawnRate gives what the busiest of shards drawn at random has of the units. A read asks each of them.
func (x *sharding) drawnRate(reads bool, width uint32) load {
	type window struct{ reads, read, write float64 }
	var all []window
	seconds := x.k.Exact.Seconds
	for i := 0; i < len(seconds); {
		w := window{}
		for at := seconds[i].Second / width; i < len(seconds) && seconds[i].Second/width == at; i++ {
			s := &seconds[i]
			w.reads, w.read, w.write = w.reads+float64(s.Reads), w.read+float64(s.ReadMilli), w.write+float64(s.WriteMilli)
		}
		all = append(all, w)
	}
	most, peak, busy := load{}, 0.0, 0.0
	for _, w := range all {
		peak = max(peak, w.write)
		most.most(partOfRead(w.read, w.reads, float64(x.n)))
	}
	if reads {
		return most
	}
	for _, w := range all {
		if w.write >= 0.9*peak {
			busy++
		}
	}
	t := &x.k.Exact.Totals
	of := parts{usual: float64(t[detect.WriteMilli]) / float64(max(t.Writes(), 1)), most: float64(x.k.Exact.MostWrite)}
	return of.drawn(peak, float64(x.n), busy, float64(len(all)))
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
