package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// What is counted by column is compared with maps over the same events, held as events and counted at once.
func TestCountsByColumnAreWithinTheirBounds(t *testing.T) {
	for _, chunk := range []int{50, 5000} {
		l := load{events: 20_000, tables: 2, keys: 100, minutes: 30, hot: 50, sortKey: true, columns: true}
		c := NewCollector(smallSettings())
		l.feed(3, chunk, 3, c)
		p := c.Profile()
		n := Nominate(p)
		n.ByColumns(p, []string{"v", "w"})
		counter := NewCounter(p, n)
		l.feed(3, chunk, 3, counter)
		x := counter.Exact()
		counted := 0
		for i, k := range n.Keys {
			if !k.Columns {
				if x.Keys[i] != nil && x.Keys[i].Columns != nil {
					t.Errorf("key %s was counted by columns and not chosen", k.Key)
				}
				continue
			}
			counted++
			for j, got := range x.Keys[i].Columns {
				want, shards := map[string]uint64{}, map[uint32]uint64{}
				known, most := uint64(0), uint64(0)
				l.each(3, func(e *ingest.Event) {
					if string(e.Key) != string(k.Key) || string(e.Table) != n.Targets[k.Target].Table {
						return
					}
					shard := uint32(LeastShards) // a read without the column
					if v := e.Columns[j]; v != nil {
						shard = ShardOf(v, LeastShards)
						want[string(v)] += e.Count()
						known, most = known+e.Count(), max(most, want[string(v)])
					}
					shards[shard] += e.Count()
				})
				_, low, high := got.Values.Estimate()
				if got.Known != known || most < got.Top.Low || most > got.Top.High || uint64(len(want)) < low || uint64(len(want)) > high {
					t.Errorf("key %s by column %d: %d known, busiest %v, values %d to %d; want %d, %d, %d", k.Key, j, got.Known, got.Top, low, high, known, most, len(want))
				}
				totals := map[uint32]uint64{}
				for s, c := range got.Shards.Totals {
					if c.Requests > 0 {
						totals[uint32(s)] = c.Requests
					}
				}
				if d := cmp.Diff(totals, shards); d != "" {
					t.Errorf("key %s by shards of column %d (-got +want):\n%s", k.Key, j, d)
				}
			}
		}
		if counted == 0 || counted > maxColumnShards/(2*LeastShards) {
			t.Errorf("%d keys were counted by columns", counted)
		}
	}
}

func TestKeysAreCountedByNoColumnsWhereNoneIsNamed(t *testing.T) {
	l := load{events: 2000, tables: 1, keys: 10, minutes: 5, hot: 50}
	p := l.profile(t, 1, smallSettings(), 500)
	n := Nominate(p)
	n.ByColumns(p, nil)
	for i := range n.Keys {
		if n.Keys[i].Columns || n.Columns != nil {
			t.Errorf("key %s is counted by columns", n.Keys[i].Key)
		}
	}
}
