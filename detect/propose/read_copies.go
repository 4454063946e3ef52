package propose

import (
	"fmt"
	"math"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// ReadCopies keeps an item that is read all the time under several keys.
var ReadCopies = detect.Remedy{
	Kind:  "read-copies",
	Title: "Keep copies of one item, and read any of them",
	Rules: []string{"hot-partition"},
	Doc: `Shards divide writes, and a reader of one item would have to ask them all. An item that is read far more than it is
written is kept under N keys: a write goes to each of them, a read to one that is drawn at random.

**Gate.** A certain finding of at least *medium* on a key that the second pass counted, of whose requests nine in ten read; where
items have sort keys, one of them has at least half of the load.

**Formula.** N as of shard-suffix, from the read rate and the share. Reads of a copy: the mean, reads / N, to the largest of so many
drawings (see shard-suffix); writes: x N. Source: AWS, "Designing partition keys to distribute your workload"; "Using write sharding",
turned round.

**Caveats.** Copies differ for as long as a write takes to reach them all. A reader of its own write must ask the copy that was written first.`,
	Propose: proposeCopies,
}

func proposeCopies(v *detect.View, f *detect.Finding) []detect.Proposal {
	k := keyOf(v, f)
	s := spreadOf(v, f)
	if !worthIt(f) || f.Subject.Target.Index != "" || k == nil || !s.readOnly(k) {
		return nil
	}
	want := max(shardsForRate(v, f), shardsForShare(v, f))
	if want < 2 {
		return nil
	}
	n := min(powerOfTwo(want), max(v.Limits.Count(detect.ShardMax), 2))
	x := newSharding(v, f, n, s)
	effects := x.copyEffects()
	t := &k.Exact.Totals
	p := detect.Proposal{
		Kind:    "read-copies",
		Title:   fmt.Sprintf("keep %d copies of the item, and read one of them at random", n),
		Shards:  n,
		Change:  strings.ReplaceAll(changeOf(f.Subject.Target, n), "shard", "copy"),
		Effects: append(effects, settled("partitions_per_write", "partitions", detect.Whole(1), detect.Whole(n))),
		Basis:   fmt.Sprintf("simulated: from each of %d counted seconds follows what copies drawn at random get; the bounds hold for 9,999 of 10,000 drawings%s", x.seconds, x.largest()),
		Costs:   []string{fmt.Sprintf("a write goes to %d keys: %d of %d requests of the key write", n, t.Writes(), t[detect.Requests])},
		Risks:   []string{"copies differ until a write has reached them all: a reader of its own write asks the first one", "a condition holds for one copy only"},
		Steps: []string{
			"write the copies, the old item first, from the application or from the table's stream",
			"let readers draw a copy for each read; undo: let them ask the old item, which is still written",
		},
	}
	p.Effects = append(p.Effects, unitsAMonth(v, f, "write_units_per_month", t[detect.WriteMilli], detect.MulSat(t[detect.WriteMilli], n))...)
	p.Verify = "run keyheat analyze on traffic after the change: " + verifyOf(p.Effects, n)
	return []detect.Proposal{p}
}

// copyEffects gives what becomes of the rates and the share where reads draw one of n copies and writes go to all.
func (x *sharding) copyEffects() []detect.Effect {
	out := []detect.Effect{}
	t := &x.k.Exact.Totals
	if e, ok := rateOf(x.f, "read_units_per_second"); ok && x.seconds > 0 {
		mean := e.Measure != "read_units_per_second"
		out = append(out, x.rated(e, x.drawnOf(x.windows(mean), window.reads, x.largestRead()), true, mean))
	}
	if e, ok := measured(x.f, "share"); ok && x.t != nil {
		known, whole := x.wholeInput()
		if !whole {
			return append(out, x.guessed(e))
		}
		all := float64(max(known, 1))
		reads, writes := float64(t.Reads()), float64(t.Writes())
		most := all + float64(x.n-1)*writes
		own := alike.drawn(reads, float64(x.n), 1, 1)
		out = append(out, between(e.Measure, e.Unit, e.Value, permille((own.low+writes)/most, math.Floor), permille((own.value+writes)/most, math.Round), permille((own.high+writes)/most, math.Ceil)))
	}
	return out
}
