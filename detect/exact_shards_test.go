package detect

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// What is counted by shard is compared with maps over the same events.
func TestCountsByShardAreExact(t *testing.T) {
	for _, l := range []load{
		{name: "in order", events: 20_000, tables: 1, keys: 200, minutes: 20, sorted: true, hot: 30, sortKey: true},
		{name: "out of order", events: 20_000, tables: 3, keys: 200, minutes: 30, hot: 50, sortKey: true},
		{name: "no item is named", events: 5_000, tables: 1, keys: 20, minutes: 5, hot: 50},
	} {
		t.Run(l.name, func(t *testing.T) {
			s := smallSettings()
			c := NewCollector(s)
			l.feed(3, 700, 3, c)
			p := c.Profile()
			n := Nominate(p)
			counter := NewCounter(p, n)
			l.feed(3, 700, 3, counter)
			x := counter.Exact()
			sharded := 0
			for i, k := range n.Keys {
				if k.Shards == 0 {
					continue
				}
				sharded++
				want, seconds, panes := map[uint32]uint64{}, map[uint32]map[uint32]uint64{}, map[uint32]map[uint32]uint64{}
				l.each(3, func(e *ingest.Event) {
					if string(e.Key) != string(k.Key) || string(e.Table) != n.Targets[k.Target].Table {
						return
					}
					at := k.Shards // a read that names no item
					if len(e.SortKey) > 0 {
						at = crc32.ChecksumIEEE(e.SortKey) % k.Shards
					}
					nanos, _ := e.UnixNano()
					sec := uint32(nanos / second)
					want[at] += e.Count()
					note := func(in map[uint32]map[uint32]uint64, time uint32) {
						if in[time] == nil {
							in[time] = map[uint32]uint64{}
						}
						in[time][at] += e.Count()
					}
					note(panes, sec-sec%n.Width)
					if slices.Contains(k.Minutes, sec-sec%minute) {
						note(seconds, sec)
					}
				})
				requests := func(counts []ShardCount) map[uint32]uint64 {
					out := map[uint32]uint64{}
					for i, c := range counts {
						if c.Requests > 0 {
							out[uint32(i)] = c.Requests
						}
					}
					return out
				}
				if d := cmp.Diff(requests(x.Keys[i].Shards.Totals), want); d != "" {
					t.Errorf("key %s of the run (-got +want):\n%s", k.Key, d)
				}
				for _, c := range []struct {
					name string
					list []ShardSecond
					want map[uint32]map[uint32]uint64
				}{{"second", x.Keys[i].Shards.Seconds, seconds}, {"pane", x.Keys[i].Shards.Panes, panes}} {
					got := map[uint32]map[uint32]uint64{}
					for _, s := range c.list {
						got[s.Second] = requests(s.Counts)
					}
					if d := cmp.Diff(got, c.want); d != "" {
						t.Errorf("key %s by the %s (-got +want):\n%s", k.Key, c.name, d)
					}
				}
			}
			if sharded == 0 {
				t.Error("no key was counted by shard")
			}
		})
	}
}

func TestFewerShardsAreSums(t *testing.T) {
	x := newExactShards(64)
	for i := range 1000 {
		key := fmt.Appendf(nil, "item-%d", i)
		x.Totals[ShardOf(key, 64)].add(ShardCount{Requests: 1})
	}
	for _, n := range []uint32{2, 4, 8, 16, 32, 64} {
		want := make([]ShardCount, n)
		for i := range 1000 {
			want[ShardOf(fmt.Appendf(nil, "item-%d", i), n)].Requests++
		}
		if d := cmp.Diff(x.Fold(x.Totals, n), want); d != "" {
			t.Errorf("%d shards (-got +want):\n%s", n, d)
		}
	}
}

func TestOnlyBusyKeysAreCountedByShardAndNotTooMany(t *testing.T) {
	b := NewBuilder(smallSettings())
	for i := range 20 {
		for range 100 {
			e := &ingest.Event{Store: ingest.DynamoDB, Table: fmt.Appendf(nil, "t%02d", i), Op: ingest.OpWrite, KeyKnown: true, Key: []byte("hot"), Requests: uint64(20 - i)}
			e.SetTime(testStart * second)
			e.SetWriteUnits(1000)
			b.Event(e)
		}
	}
	keys := Nominate(b.seal(nil)).Keys
	sum := uint32(0)
	for _, k := range keys {
		sum += k.Shards
	}
	if want := uint32(maxSharded); sum != want || keys[0].Shards != LeastShards || keys[19].Shards != 0 {
		t.Errorf("%d shards in all, %d of the busiest key and %d of the least busy, want %d, %d and 0", sum, keys[0].Shards, keys[19].Shards, want, LeastShards)
	}
	for milli, want := range map[uint64]uint32{0: 1, 499_999: 1, 500_000: 2, 1_840_000: 4, 8_000_000: 32, 99_000_000: 128, math.MaxUint64: 128} {
		if got := shardsFor(milli); got != want {
			t.Errorf("%d thousandths of units a second: %d shards, want %d", milli, got, want)
		}
	}
}
