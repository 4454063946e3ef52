package incidents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// An Incident is made-up traffic with one thing wrong that another key would mend.
type Incident struct {
	Name    string
	Rule    string // of keyheat, whose finding another key removes; empty: no key removes any
	Table   string // or TABLE/INDEX; empty: orders
	Dynamo  bool
	CSV     bool
	Beside  string // a file to be read beside the traffic
	minutes int
	every   time.Duration // between two records
	draw    func(g *source) Request
	stands  func(c *Recount) bool
}

// Stands reports whether what is wrong shows in the traffic under a key.
func (in *Incident) Stands(c *Recount) bool { return in.stands(c) }

// A source draws the requests of an incident.
type source struct {
	*rand.Rand
	i    int
	at   time.Time
	from time.Time
}

// id gives one of n names.
func (g *source) id(prefix string, n int) string {
	return fmt.Sprintf("%s-%d", prefix, g.IntN(n))
}

func (g *source) chance(share float64) bool { return g.Float64() < share }

// next gives a name that no other request has.
func (g *source) next() string { return fmt.Sprintf("%08d", g.i) }

// minute gives how far the traffic has come.
func (g *source) minute() int { return int(g.at.Sub(g.from) / time.Minute) }

// Requests makes the traffic; a seed always makes the same.
func (in *Incident) Requests(seed uint64) []Request {
	from := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC) // a Monday
	g := &source{Rand: rand.New(rand.NewPCG(seed, 7)), from: from}
	all := []Request{}
	for at := from; at.Before(from.Add(time.Duration(in.minutes) * time.Minute)); at = at.Add(in.every) {
		g.at = at
		r := in.draw(g)
		r.at, r.table = at, "orders"
		if r.born.IsZero() {
			r.born = at
		}
		if !in.Dynamo {
			r.store, r.wcu, r.rcu = "cassandra", 0, 0
		}
		all = append(all, r)
		g.i++
	}
	return all
}

// heated reports whether a partition takes a fifth of the traffic, over all of it or for five minutes.
func heated(c *Recount) bool { return c.TopShare() >= 0.2 || c.BusiestRun(5) >= 0.2 }

// overLimit reports whether a partition is over what DynamoDB's can serve in three seconds of a minute.
func overLimit(c *Recount) bool { return c.OverInAMinute() >= 3 }

// moved reports whether the busiest partition of an hour takes a fifth of it.
func moved(c *Recount) bool { return c.BusiestRun(60) >= 0.2 }

func few(c *Recount) bool { return len(c.parts) <= 20 }

func growsPast(limit float64) func(c *Recount) bool {
	return func(c *Recount) bool { return c.Projected() >= limit }
}

// dense reports whether a read of a partition from its head meets 100 deleted rows on average.
func dense(c *Recount) bool { return c.scanned >= 100*c.tombReads }

func scanned(c *Recount) bool { return float64(c.scans) >= 0.05*float64(c.reads) }

// put and get are a write and a read of an item.
func put(key, sk string, columns map[string]string) Request {
	return Request{op: "write", key: key, sk: sk, bytes: 900, wcu: 1, columns: columns}
}

func get(key, sk string, columns map[string]string) Request {
	return Request{op: "read", key: key, sk: sk, bytes: 900, rcu: 0.5, rows: 1, columns: columns}
}

// times makes a record stand for n requests.
func (r Request) times(n uint64) Request {
	r.n, r.bytes, r.wcu, r.rcu, r.rows = n, r.bytes*n, r.wcu*n, r.rcu*float64(n), r.rows*n
	return r
}

// hotOr gives the hot name in a share of the requests, else another.
func hotOr(g *source, share float64, hot, other string) string {
	if g.chance(share) {
		return hot
	}
	return other
}

// either is a read in a share of the requests, else a write.
func either(g *source, reads float64, key, sk string, columns map[string]string) Request {
	if g.chance(reads) {
		return get(key, sk, columns)
	}
	return put(key, sk, columns)
}

const second = time.Second

// All gives every incident.
func All() []Incident { return slices.Concat(ofTenants(), ofFewKeys(), ofMoments(), ofSizes()) }

// Unmendable gives traffic whose tombstones no key removes: they come from nulls, from rows that expire, and
// from more deletes in an hour than a read may meet.
func Unmendable() []Incident {
	dead := func(g *source, rows, tombs uint64) Request {
		r := get(g.id("cart", 200), "", nil)
		r.rows, r.tombs = rows, tombs
		return r
	}
	return []Incident{
		{Name: "nulls that are inserted", minutes: 60, every: second / 2, draw: func(g *source) Request {
			if g.chance(0.5) {
				return put(g.id("cart", 200), g.next(), nil)
			}
			return dead(g, 40, 800)
		}},
		{Name: "rows that expire beside rows that stay", minutes: 180, every: second, draw: func(g *source) Request {
			if g.chance(0.7) {
				return put(g.id("cart", 200), g.next(), nil)
			}
			return dead(g, 50, 1500)
		}},
		{Name: "a queue that turns over in minutes", minutes: 90, every: second / 4, draw: func(g *source) Request {
			if g.chance(0.4) {
				r := put(g.id("cart", 4), g.next(), nil)
				r.op = "delete"
				return r
			}
			return dead(g, 10, 900)
		}},
	}
}

// ofTenants are those in which a tenant is too busy.
func ofTenants() []Incident {
	return []Incident{
		{Name: "a hot tenant", Rule: "hot-partition", minutes: 60, every: second / 2, Dynamo: true, stands: heated, draw: func(g *source) Request {
			return either(g, 0.3, hotOr(g, 0.4, "tenant-7", g.id("tenant", 300)), g.next(), nil)
		}},
		{Name: "a tenant that writes half of a partition's limit all day", Rule: "hot-partition", minutes: 200, every: second, Dynamo: true, stands: heated, draw: func(g *source) Request {
			if g.chance(0.3) {
				return Request{op: "write", key: g.id("tenant", 400), sk: g.next(), wcu: 1}
			}
			return Request{op: "write", key: "tenant-big", sk: g.next(), wcu: 800}
		}},
		{Name: "a hot tenant in a table of cells", Rule: "hot-partition", minutes: 60, every: second / 2, CSV: true, stands: heated, draw: func(g *source) Request {
			return put(hotOr(g, 0.4, "tenant-7", g.id("tenant", 300)), g.next(), nil)
		}},
		{Name: "a tenant that is read by queries too", Rule: "hot-partition", minutes: 60, every: second / 2, Dynamo: true, stands: heated, draw: func(g *source) Request {
			r := either(g, 0.1, hotOr(g, 0.5, "tenant-7", g.id("tenant", 300)), g.next(), nil)
			if r.op == "read" {
				r.sk, r.rcu, r.bytes = "", 6, 40_000
			}
			return r
		}},
	}
}

// ofFewKeys are those in which the key is a time, a sequence or one of few.
func ofFewKeys() []Incident {
	return []Incident{
		{Name: "the date as the key", Rule: "moving-hot-key", minutes: 360, every: second, stands: moved, draw: func(g *source) Request {
			return put(g.at.Format("2006-01-02T15"), g.next(), map[string]string{"device_id": g.id("device", 500)})
		}},
		{Name: "the hour as the key, over a partition's limit", Rule: "hot-partition", minutes: 130, every: second / 4, Dynamo: true, stands: overLimit, draw: func(g *source) Request {
			return put(g.at.Format("2006-01-02T15"), g.next(), map[string]string{"device_id": g.id("device", 5000)}).times(300)
		}},
		{Name: "the weekday as the key", Rule: "moving-hot-key", minutes: 6 * 24 * 60, every: 30 * second, stands: moved, draw: func(g *source) Request {
			return put(g.at.Weekday().String(), g.next(), map[string]string{"user_id": g.id("user", 3000)})
		}},
		{Name: "a block of a sequence as the key", Rule: "moving-hot-key", minutes: 200, every: second, stands: moved, draw: func(g *source) Request {
			return put(fmt.Sprintf("block-%d", g.i/2000), g.next(), nil)
		}},
		{Name: "the status as the key", Rule: "low-cardinality-key", minutes: 60, every: second / 2, Dynamo: true, stands: few, draw: func(g *source) Request {
			return either(g, 0.2, g.id("status", 6), g.next(), map[string]string{"order_id": g.next()}).times(900)
		}},
		{Name: "three games", Rule: "hot-partition", minutes: 60, every: second / 2, stands: heated, draw: func(g *source) Request {
			return put(hotOr(g, 0.7, "chess", g.id("game", 20)), g.next(), map[string]string{"player_id": g.id("player", 4000)})
		}},
		{Name: "a celebrity whose posts are read one by one", Rule: "hot-partition", minutes: 60, every: second / 2, stands: heated, draw: func(g *source) Request {
			return either(g, 0.95, hotOr(g, 0.5, "user-1", g.id("user", 2000)), g.id("post", 400), nil)
		}},
		{Name: "reads over a partition's limit", Rule: "hot-partition", minutes: 10, every: second / 10, Dynamo: true, stands: overLimit, draw: func(g *source) Request {
			return get(hotOr(g, 0.8, "user-1", g.id("user", 2000)), g.id("post", 4000), nil).times(900)
		}},
	}
}

// ofMoments are those in which one item, site or moment has the load.
func ofMoments() []Incident {
	return []Incident{
		{Name: "a counter in one item", Rule: "hot-partition", minutes: 60, every: second / 2, Dynamo: true, stands: heated, draw: func(g *source) Request {
			r := put(hotOr(g, 0.5, "views", g.id("page", 500)), "total", nil)
			r.op = "update"
			return r
		}},
		{Name: "a site with many devices", Rule: "hot-partition", minutes: 60, every: second / 2, stands: heated, draw: func(g *source) Request {
			return put(hotOr(g, 0.5, "site-1", g.id("site", 100)), "", map[string]string{"device_id": g.id("device", 800)})
		}},
		{Name: "a burst at the end", Rule: "hot-partition", minutes: 90, every: second / 4, Dynamo: true, stands: heated, draw: func(g *source) Request {
			share := 0.0
			if g.minute() >= 80 {
				share = 0.8
			}
			return put(hotOr(g, share, "flash-sale", g.id("item", 500)), g.next(), nil)
		}},
		{Name: "a backfill of one tenant over a partition's limit", Rule: "hot-partition", minutes: 60, every: second, Dynamo: true, stands: overLimit, draw: func(g *source) Request {
			if g.minute() >= 30 && g.minute() < 40 {
				return put("tenant-3", g.next(), nil).times(1500)
			}
			return put(g.id("tenant", 300), g.next(), nil)
		}},
		{Name: "ten keys over a partition's limit", Rule: "hot-partition", minutes: 20, every: second / 10, Dynamo: true, stands: overLimit, draw: func(g *source) Request {
			return put(hotOr(g, 0.7, g.id("tenant", 10), g.id("tenant", 5000)), g.next(), nil).times(1100)
		}},
		{Name: "requests that are refused for a key range", Rule: "throttling", minutes: 60, every: second / 2, Dynamo: true, stands: heated, draw: func(g *source) Request {
			r := put(hotOr(g, 0.6, "tenant-7", g.id("tenant", 300)), g.next(), nil)
			if r.key == "tenant-7" && g.chance(0.3) {
				r.throttled, r.wcu, r.bytes = "key-range", 0, 0
			}
			return r
		}},
	}
}

// ofSizes are those in which the key of an index, sizes, tombstones and scans are wrong.
func ofSizes() []Incident {
	return []Incident{
		{Name: "a key of two components", Rule: "hot-partition", minutes: 60, every: second / 2, stands: heated, draw: func(g *source) Request {
			r := put("", g.next(), nil)
			r.composite = []string{"eu", hotOr(g, 0.4, "shop-9", g.id("shop", 300))}
			return r
		}},
		{Name: "an index on the status", Rule: "hot-partition", Table: "orders/by_status", minutes: 60, every: second / 2, Dynamo: true, stands: heated, draw: func(g *source) Request {
			r := put(hotOr(g, 0.6, "open", g.id("status", 40)), g.next(), map[string]string{"customer_id": g.id("customer", 3000)})
			r.index = "by_status"
			return r
		}},
		{Name: "an index on the status, over a partition's limit", Rule: "hot-partition", Table: "orders/by_status", minutes: 20, every: second / 4, Dynamo: true, stands: overLimit, draw: func(g *source) Request {
			columns := map[string]string{"customer_id": g.id("customer", 60)}
			r := put(hotOr(g, 0.6, "open", g.id("status", 40)), g.next(), columns)
			if r.wcu = 500; g.chance(0.2) {
				r = get(r.key, "", columns)
			}
			r.index = "by_status"
			return r
		}},
		{Name: "a channel that grows", Rule: "growing-partition", minutes: 180, every: second, stands: growsPast(100 << 20), draw: func(g *source) Request {
			r := put(hotOr(g, 0.1, "general", g.id("channel", 300)), g.next(), nil)
			r.bytes = 50_000
			return r
		}},
		{Name: "a tenant that grows towards the wall of a local index", Rule: "growing-partition", minutes: 120, every: second, Dynamo: true, stands: growsPast(10 << 30), Beside: localIndex,
			draw: func(g *source) Request {
				r := put(hotOr(g, 0.1, "tenant-7", g.id("tenant", 300)), g.next(), nil)
				r.bytes, r.wcu = 300_000, 293
				return r
			}},
		{Name: "a queue", Rule: "tombstone-dense-read", minutes: 2 * 24 * 60, every: 30 * second, stands: dense, draw: drawQueue},
		{Name: "scans by another column", Rule: "full-scan", minutes: 60, every: second / 2, stands: scanned, draw: func(g *source) Request {
			columns := map[string]string{"customer_id": g.id("customer", 2000)}
			if g.chance(0.3) {
				return Request{op: "scan", noKey: true, bytes: 10_000, columns: columns}
			}
			return either(g, 0.5, "order-"+g.next(), "", columns)
		}},
	}
}

// localIndex is a table with a local secondary index, as aws dynamodb describe-table prints it.
const localIndex = `{"Table":{"TableName":"orders","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"tenant","KeyType":"HASH"},{"AttributeName":"id","KeyType":"RANGE"}],
"AttributeDefinitions":[{"AttributeName":"tenant","AttributeType":"S"},{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"at","AttributeType":"S"}],
"LocalSecondaryIndexes":[{"IndexName":"by_time","KeySchema":[{"AttributeName":"tenant","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}]}]}}
`

// drawQueue gives inserts, reads at the head and deletes of 32 queues in turn: each read meets the rows that
// were deleted before it.
func drawQueue(g *source) Request {
	queue := g.i / 3 % 32
	key, deleted := fmt.Sprintf("queue-%d", queue), uint64(g.i/3/32)
	switch g.i % 3 {
	case 0:
		return put(key, g.next(), nil)
	case 1:
		r := get(key, "", nil)
		r.rows, r.tombs = 1, deleted*10
		return r
	}
	r := put(key, fmt.Sprintf("%08d", g.i-2), nil)
	r.op = "delete"
	return r.times(10)
}
