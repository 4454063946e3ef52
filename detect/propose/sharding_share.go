package propose

import (
	"fmt"
	"math"

	"github.com/keyheat/keyheat/detect"
)

// share gives the effect on the share of its table's requests. Each partition that a read asks counts as a request.
func (x *sharding) share(e detect.Evidence) detect.Effect {
	if x.known() && x.t != nil {
		if own, of, ok := x.requests(); ok {
			out := between(e.Measure, e.Unit, e.Value, permille(own.low/of.high, math.Floor), permille(own.value/of.value, math.Round), permille(own.high/of.low, math.Ceil))
			if x.counts != nil && own.low == own.high && of.low == of.high {
				out = settled(e.Measure, e.Unit, e.Value, permille(own.value/of.value, math.Round))
				out.How = detect.Counted
			}
			return out
		}
	}
	out := x.guessed(e)
	if x.t != nil { // reads that ask each shard make the whole larger
		reads := float64(x.t.Totals.Reads()) / float64(max(x.t.Totals[detect.Requests], 1))
		out.Low = detect.Milli(float64(out.Low) / (1 + float64(x.n-1)*reads))
	}
	return out
}

func permille(share float64, round func(float64) float64) detect.Milli {
	return detect.Milli(round(min(share, 1) * 1000))
}

// requests gives those to the busiest shard, and of what number: all requests of the input, or of the minutes that
// the finding is about. ok is false when their seconds were not counted.
func (x *sharding) requests() (own, of load, ok bool) {
	totals := &x.k.Exact.Totals
	part, _ := measured(x.f, "requests")
	all, whole := x.wholeInput()
	if !whole {
		all = x.requestsIn(x.f.Span)
	}
	counted, reads, unnamed := totals[detect.Requests], totals.Reads(), uint64(0)
	only := part.Value == detect.Whole(counted) // the key has no requests but those of the finding's time
	if !whole && !only {
		counted, reads = x.keyRequestsIn(x.f.Span)
		if detect.Whole(counted) != part.Value {
			return load{}, load{}, false
		}
	}
	if x.counts == nil {
		own = alike.drawn(float64(counted-reads), float64(x.n), 1, 1)
		own = load{own.low + float64(reads), own.value + float64(reads), own.high + float64(reads)}
		unnamed = reads
	} else {
		own, unnamed = x.countedRequests(whole || only)
	}
	if all == 0 {
		return load{}, load{}, false
	}
	least := float64(all) + float64(x.n-1)*float64(unnamed)
	others := float64(all) * float64(x.unnamedOfTable()) / float64(max(x.t.Totals[detect.Requests], 1))
	most := max(least, float64(all)+float64(x.n-1)*math.Ceil(others))
	of = load{least, least, most}
	if isCQL(x.f.Subject.Target.Store) {
		of.value = most // its key is that of all rows
	}
	return own, of, true
}

// wholeInput gives the requests of the table with known keys, and whether the share is one of them all: it may be of
// some minutes alone.
func (x *sharding) wholeInput() (all uint64, whole bool) {
	all = x.t.Totals[detect.Requests] - min(x.t.Totals[detect.Requests], x.t.Totals[detect.KeyUnknown])
	part, told := measured(x.f, "requests")
	share, _ := measured(x.f, "share")
	own := x.k.Exact.Totals[detect.Requests]
	return all, !told || part.Value == detect.Whole(own) && detect.Ratio(own, all)+1 >= share.Value
}

// unnamedOfTable gives the reads of the table that would ask each shard, if all of its keys had shards.
func (x *sharding) unnamedOfTable() uint64 {
	reads := x.t.Totals.Reads()
	if x.counts == nil {
		return reads
	}
	return mulDiv(reads, 1000-min(uint64(ofItems(x.t)), 1000), 1000)
}

// countedRequests gives the requests to the busiest shard, and the reads that ask each, of the whole input or of the
// finding's time.
func (x *sharding) countedRequests(whole bool) (own load, unnamed uint64) {
	counts := x.counts.Totals
	if !whole {
		counts = make([]detect.ShardCount, len(counts))
		for i := range x.counts.Panes {
			s := &x.counts.Panes[i]
			for j := range s.Counts {
				if in(x.f.Span, s.Second) {
					counts[j].Requests += s.Counts[j].Requests
				}
			}
		}
	}
	most := uint64(0)
	for _, c := range x.counts.Fold(counts, uint32(x.n)) {
		most = max(most, c.Requests)
	}
	unnamed = x.counts.Unnamed(counts).Requests
	low := float64(most + unnamed)
	return load{low, low, low + float64(x.counts.Loose(counts).Requests)}, unnamed
}

func in(s detect.Span, second uint32) bool {
	return int64(second) >= s.Start && int64(second) < s.End
}

// requestsIn gives the table's requests in a span of whole panes.
func (x *sharding) requestsIn(s detect.Span) (n uint64) {
	for i := range x.t.Panes {
		if p := x.v.Panes[i]; p.Start >= s.Start && p.End <= s.End {
			n += x.t.Panes[i].Totals[detect.PaneRequests]
		}
	}
	return n
}

func (x *sharding) keyRequestsIn(s detect.Span) (n, reads uint64) {
	for i := range x.k.Exact.Panes {
		if c := &x.k.Exact.Panes[i]; in(s, c.Start) {
			n, reads = n+c.Requests, reads+c.Reads
		}
	}
	return n, reads
}

// fanout gives how many partitions a read of the key asks, on average; without reads, how many one of the whole key
// asks.
func (x *sharding) fanout() detect.Effect {
	n, one := detect.Whole(x.n), detect.Whole(1)
	if x.k == nil || x.k.Exact == nil {
		return between("partitions_per_read", "partitions", one, one, n, n)
	}
	reads := x.k.Exact.Totals.Reads()
	if x.counts == nil || reads == 0 {
		return settled("partitions_per_read", "partitions", one, n)
	}
	unnamed := min(x.counts.Unnamed(x.counts.Totals).Requests, reads)
	mean := detect.Milli(mulDiv(reads+(x.n-1)*unnamed, 1000, reads))
	out := settled("partitions_per_read", "partitions", one, mean)
	out.How = detect.Counted
	return out
}

// readUnits gives the read units a month of the key. A read that finds its item in one of several shards pays half a
// unit at least, one if it is strongly consistent, for each of the others; of other reads each shard has its part.
func (x *sharding) readUnits() []detect.Effect {
	if x.k == nil || x.k.Exact == nil || x.k.Exact.Totals[detect.ReadMilli] == 0 {
		return nil
	}
	before, fanned := x.k.Exact.Totals[detect.ReadMilli], x.k.Exact.Totals.Reads()
	if x.counts != nil {
		fanned = min(x.counts.Unnamed(x.counts.Totals).Requests, fanned)
	}
	more := func(each uint64) uint64 { return detect.AddSat(before, mulDiv(fanned, each*(x.n-1), 1)) }
	out := unitsAMonth(x.v, x.f, "read_units_per_month", before, more(leastRead))
	for i := range out {
		low, _ := monthly(x.v, max(before, mulDiv(fanned, leastRead*x.n, 1)))
		high, _ := monthly(x.v, more(2*leastRead))
		out[i] = between(out[i].Measure, out[i].Unit, out[i].Before, low, out[i].After, high)
		if fanned == 0 {
			out[i] = settled(out[i].Measure, out[i].Unit, out[i].Before, out[i].Before)
		}
	}
	return out
}

// keys gives the number of keys that a table of few has then: each has all of its shards if enough items or requests
// are spread over them, and one at least.
func (x *sharding) keys(e detect.Evidence) detect.Effect {
	low := uint64(0)
	if x.t != nil && uint64(len(x.t.Keys)) >= uint64(e.Low/1000) {
		for _, k := range x.t.Keys {
			low += x.filled(k)
		}
	}
	low = min(max(low, uint64(e.Low/1000)), uint64(e.Low/1000)*x.n)
	return between(e.Measure, e.Unit, e.Value, detect.Whole(low), e.Value*detect.Milli(x.n), e.High*detect.Milli(x.n))
}

// filled gives how many shards of a key have something for certain. Of n shards one is left out once in 20,000 times
// where n (ln n + 10) things are spread over them.
func (x *sharding) filled(k *detect.KeyView) uint64 {
	if k.Exact == nil {
		return 1
	}
	things := k.Exact.Totals.Writes()
	if k.Exact.SortKeys != nil {
		_, things, _ = k.Exact.SortKeys.Estimate()
	}
	if n := float64(x.n); float64(things) >= n*(math.Log(n)+10) {
		return x.n
	}
	return 1
}

// exceptions says what it saves to give shards to this key alone, in a table of many; empty where it saves nothing.
func (x *sharding) exceptions() (cost, step string) {
	if !x.known() || x.t == nil || x.f.Subject.Target.Index != "" || x.t.Distinct.Low < x.v.Limits.Count(detect.OwnTableKeys) {
		return "", ""
	}
	own, reads := x.k.Exact.Totals.Reads(), x.t.Totals.Reads()
	if x.counts != nil {
		own = min(x.counts.Unnamed(x.counts.Totals).Requests, own)
	}
	mean := func(fanned uint64) detect.Milli {
		return detect.Whole(1) + detect.Milli(mulDiv(fanned, 1000*(x.n-1), max(reads, 1)))
	}
	one, all := mean(own), mean(x.unnamedOfTable())
	if reads == 0 || one >= all {
		return "", ""
	}
	return fmt.Sprintf("a read of the table asks %s partitions on average if all keys have shards, %s if this key alone has", amount(all), amount(one)),
		"or give shards to this key alone: a small table of exceptions, which writers and readers keep in memory, names it and its number of shards; all other keys have shard 0"
}
