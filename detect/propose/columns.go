package propose

import (
	"fmt"
	"math"

	"github.com/keyheat/keyheat/detect"
)

// A split is a hot key divided by the values of a further column: as the second reading counted it, each recorded request
// was put under its value.
type split struct {
	*sharding
	name   string
	column *detect.ExactColumn
	values load // of the column, as far as the key has them
	top    load // share of the busiest value, of the requests that have one
}

// leastColumn is how many of a key's writes must have a column, in a hundred, for it to be proposed.
const leastColumn = 90

// splitOf gives the column that divides a key best, false where none was counted that leaves its busiest value less than
// half, and that nearly all writes have.
func splitOf(v *detect.View, f *detect.Finding) (split, bool) {
	k, best := keyOf(v, f), split{top: load{high: 0.5}}
	if k == nil || k.Exact == nil {
		return best, false
	}
	for i, c := range k.Exact.Columns {
		loose := c.Shards.Loose(c.Shards.Totals).Requests
		writes := k.Exact.Totals[detect.Requests] - k.Exact.Totals.Reads()
		if i >= len(v.Columns) || c.Values == nil || c.Known < leastSpread || 100*loose > (100-leastColumn)*writes {
			continue
		}
		middle, low, high := c.Values.Estimate()
		known := float64(c.Known)
		s := split{
			sharding: newSharding(v, f, 1, spread{}), name: v.Columns[i], column: c, values: load{float64(low), float64(middle), float64(high)},
			top: load{float64(c.Top.Low) / known, float64(c.Top.Middle()) / known, float64(c.Top.High) / known},
		}
		if s.top.high < best.top.high {
			best = s
		}
	}
	return best, best.column != nil
}

// requests gives those to the busiest value and of how many, of the whole input or of the finding's time. A read that
// does not tell its value asks each of them.
func (s *split) requests() (own, of load, ok bool) {
	all, whole := s.wholeInput()
	counts := [][]detect.ShardCount{s.column.Shards.Totals}
	if !whole {
		all, counts = s.requestsIn(s.f.Span), nil
		for i := range s.column.Shards.Panes {
			if p := &s.column.Shards.Panes[i]; in(s.f.Span, p.Second) {
				counts = append(counts, p.Counts)
			}
		}
	}
	sum := make([]detect.ShardCount, s.column.Shards.Of+2)
	for _, c := range counts {
		for i := range c {
			sum[i].Requests += c[i].Requests
		}
	}
	unnamed := float64(s.column.Shards.Unnamed(sum).Requests)
	own = s.busiest(sum, func(c detect.ShardCount) uint64 { return c.Requests }, parts{}, 1)
	own = load{own.low + unnamed, own.value + unnamed, own.high + unnamed}
	more := func(values float64) float64 { return float64(all) + max(values-1, 0)*unnamed }
	return own, load{more(s.values.low), more(s.values.value), more(s.values.high)}, all > 0
}

// busiest gives what the busiest value has of an amount of all shards, in one of so many windows: no more than its shard,
// no less than the mean of all values, and about what is drawn if each value is drawn as often as the busiest one.
func (s *split) busiest(counts []detect.ShardCount, amount func(c detect.ShardCount) uint64, of parts, windows int) load {
	named, most := 0.0, 0.0
	for _, c := range counts[:s.column.Shards.Of] {
		named, most = named+float64(amount(c)), max(most, float64(amount(c)))
	}
	low := min(math.Ceil(named/max(s.values.high, 1)), most)
	about := of.drawn(named, 1/max(s.top.value, 0.001), float64(windows), 1).value
	return load{low, min(max(about, low), most), most}
}

// effects gives what becomes of the measures of the finding.
func (s *split) effects() []detect.Effect {
	out := []detect.Effect{}
	if e, ok := measured(s.f, "share"); ok && s.t != nil {
		if own, of, ok := s.requests(); ok {
			out = append(out, between(e.Measure, e.Unit, e.Value, permille(own.low/of.high, math.Floor), permille(own.value/of.value, math.Round), permille(own.high/of.low, math.Ceil)))
		}
	}
	for _, r := range rates {
		if e, ok := rateOf(s.f, r.measure); ok {
			mean := e.Measure != r.measure
			out = append(out, s.rated(e, s.rateOf(r.reads, mean), r.reads, mean))
		}
	}
	if reads := s.k.Exact.Totals.Reads(); reads > 0 {
		unnamed := float64(min(s.column.Shards.Unnamed(s.column.Shards.Totals).Requests, reads))
		mean := func(values float64) detect.Milli {
			return detect.Milli(math.Round(1000 * (1 + max(values-1, 0)*unnamed/float64(reads))))
		}
		out = append(out, between("partitions_per_read", "partitions", detect.Whole(1), mean(s.values.low), mean(s.values.value), mean(s.values.high)))
	}
	return out
}

// rateOf gives the most units that a value has in a second, or in a pane.
func (s *split) rateOf(reads, panes bool) load {
	list := s.column.Shards.Seconds
	if panes {
		list = s.column.Shards.Panes
	}
	most := load{}
	for i := range list {
		if !reads {
			l := s.busiest(list[i].Counts, func(c detect.ShardCount) uint64 { return c.WriteMilli }, s.largestWrite(), len(list))
			most.most(l)
			continue
		}
		l := s.busiest(list[i].Counts, func(c detect.ShardCount) uint64 { return c.ReadMilli }, s.largestRead(), len(list))
		unnamed := s.column.Shards.Unnamed(list[i].Counts)
		each := partOfRead(float64(unnamed.ReadMilli), float64(unnamed.Requests), max(s.values.value, 1))
		most.most(load{l.low + each.low, l.value + each.value, l.high + each.high})
	}
	return most
}

// said tells the column and how its values divide the key.
func (s *split) said() string {
	share := permille(s.top.value, math.Round)
	return fmt.Sprintf("%s: about %d values, the busiest with %d.%d %% of the key's requests", columnWord(s.name), uint64(s.values.value), share/10, share%10)
}

func (s *split) basis() string {
	return fmt.Sprintf("simulated: each recorded request of the key was put under its %s, and the values counted by %d shards of them: a value has no more than its shard", columnWord(s.name), s.column.Shards.Of)
}

// columnWord writes the name of a column, which comes from outside.
func columnWord(name string) string { return word(name, "the column of that name") }
