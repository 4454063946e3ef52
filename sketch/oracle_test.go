package sketch

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// An event is one update, for every kind of summary.
type event struct {
	group  uint32
	key    string
	hash   uint64 // of the key within the group
	w      Vector
	second uint32
	mark   uint64
}

func (e *event) addTo(t *Table) { t.Add(e.group, e.hash, []byte(e.key), &e.w, e.second, e.mark) }

// eventOf makes an update of a ranked key; some keys are long, some short, one is empty.
func eventOf(group, rank int, w Vector) event {
	key := string(keyNamed(rank))
	switch {
	case rank == 5:
		key = ""
	case rank%7 == 3:
		key += "/a long tail that does not fit a slot/" + strconv.Itoa(rank)
	case rank%11 == 4:
		key = strconv.Itoa(rank)
	}
	hash := Combine(Hash([]byte(key)), Hash([]byte{byte(group), byte(group >> 8)}))
	return event{group: uint32(group), key: key, hash: hash, w: w}
}

// A stream makes n updates of one shape, spread over groups of very unequal size.
type stream struct {
	name string
	make func(r *rand.Rand, n, groups int) []event
}

func streams() []stream {
	all := []stream{
		ranked("uniform", func(r *rand.Rand, i, n int) int { return r.IntN(n / 4) }),
		ranked("sorted", func(r *rand.Rand, i, n int) int { return i / 5 }),
		ranked("round robin", func(r *rand.Rand, i, n int) int { return i % (n / 12) }),
		ranked("all distinct", func(r *rand.Rand, i, n int) int { return i }),
		ranked("late burst", func(r *rand.Rand, i, n int) int {
			if i > n*9/10 && i%2 == 0 {
				return n + 1
			}
			return r.IntN(n)
		}),
		{"one huge weight", func(r *rand.Rand, n, groups int) []event {
			all := ranked("", func(r *rand.Rand, i, n int) int { return r.IntN(n) }).make(r, n, groups)
			all[r.IntN(n)].w = Vector{1 << 50, 1 << 60, 1 << 40}
			return all
		}},
		{"weights 0 to 2^40", func(r *rand.Rand, n, groups int) []event {
			all := ranked("", func(r *rand.Rand, i, n int) int { return r.IntN(n / 3) }).make(r, n, groups)
			for i := range all {
				for w := range Weights {
					all[i].w[w] = r.Uint64N(1<<r.IntN(41)) * uint64(r.IntN(2))
				}
			}
			return all
		}},
	}
	for _, s := range []float64{0.8, 1.1, 1.5} {
		all = append(all, stream{fmt.Sprintf("zipf %.1f", s), func(r *rand.Rand, n, groups int) []event {
			z := newZipf(s, n)
			return ranked("", func(r *rand.Rand, i, n int) int { return z.draw(r) }).make(r, n, groups)
		}})
	}
	return all
}

// ranked makes a stream from a choice of key ranks.
func ranked(name string, rank func(r *rand.Rand, i, n int) int) stream {
	return stream{name, func(r *rand.Rand, n, groups int) []event {
		z := newZipf(1.2, groups)
		all := make([]event, n)
		for i := range all {
			k := rank(r, i, n)
			w := Vector{1, uint64(10 + k%500)}
			if k%10 == 0 {
				w[2] = uint64(r.IntN(3))
			}
			all[i] = eventOf(z.draw(r), k, w)
			all[i].second, all[i].mark = 1+uint32(i>>7), uint64(i)
		}
		return all
	}}
}

type groupKey struct {
	group uint32
	key   string
}

type atTime struct {
	groupKey
	at uint32
}

// An oracle holds the exact truth of a stream.
type oracle struct {
	keys      map[groupKey]Vector
	hashes    map[groupKey]uint64
	totals    map[uint32]Vector
	seconds   map[atTime]Vector
	intervals map[atTime]uint64
	values    []uint64 // weight 1 of each update
	perHash   map[uint64]Vector
}

func newOracle() *oracle {
	return &oracle{
		keys: map[groupKey]Vector{}, hashes: map[groupKey]uint64{}, totals: map[uint32]Vector{},
		seconds: map[atTime]Vector{}, intervals: map[atTime]uint64{}, perHash: map[uint64]Vector{},
	}
}

func (o *oracle) add(e *event, interval uint32) {
	k := groupKey{e.group, e.key}
	o.keys[k] = o.keys[k].Add(e.w)
	o.hashes[k] = e.hash
	o.totals[e.group] = o.totals[e.group].Add(e.w)
	second := atTime{k, e.second}
	o.seconds[second] = o.seconds[second].Add(e.w)
	o.intervals[atTime{k, interval}] += e.w[0]
	o.values = append(o.values, e.w[1])
	o.perHash[e.hash] = o.perHash[e.hash].Add(e.w)
}
