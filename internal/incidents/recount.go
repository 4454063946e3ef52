package incidents

import (
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// A part is what was counted of one partition.
type part struct {
	requests, bytes, deletes uint64
	seconds                  map[int64]*[3]float64 // requests, write units, read units
	minutes                  map[int64]uint64
}

// A Recount is traffic under a key, counted by maps alone.
type Recount struct {
	parts               map[string]*part
	total, reads, scans uint64
	fanouts             map[int]uint64
	scanned, tombReads  uint64 // rows deleted before in the partition that a read asks
	readUnits           float64
	minutes             map[int64]uint64
	first, last         time.Time
	bucket              time.Duration // 0: no bucket
}

// Count puts the requests of a table under a key as keyheat simulate takes it, with shards drawn by random.
func Count(all []Request, key string, random *rand.Rand) *Recount {
	c := &Recount{parts: map[string]*part{}, fanouts: map[int]uint64{}, minutes: map[int64]uint64{}}
	for i := range all {
		r := &all[i]
		if c.first.IsZero() {
			c.first = r.at
		}
		c.last = r.at
		asked, ok := c.placesOf(r, splitTerms(key), random)
		switch {
		case !ok && r.reads():
			c.scans += r.count()
			c.reads += r.count()
		case ok && r.reads():
			c.reads += r.count()
			c.fanouts[len(asked)] += r.count()
			hit := random.IntN(len(asked))
			for j, p := range asked {
				c.add(p, r, r.count(), 0, readUnits(r, len(asked), j == hit))
			}
		case ok:
			c.write(r, asked, random)
		}
	}
	return c
}

// readUnits is DynamoDB's price of one of the partitions that a read asks.
func readUnits(r *Request, asked int, hit bool) float64 {
	switch {
	case r.rcu == 0:
		return 0
	case asked == 1 || r.sk != "" && hit:
		return r.rcu
	case r.sk != "":
		return 0.5 * float64(r.count())
	}
	halves := float64(int(r.rcu/float64(asked)*2 + 0.999999))
	return max(halves/2, 0.5*float64(r.count()))
}

// write gives a write to one of the partitions that it may go to; of a record that stands for several,
// each on its own.
func (c *Recount) write(r *Request, may []string, random *rand.Rand) {
	if len(may) == 1 {
		c.add(may[0], r, r.count(), r.bytes, 0)
		return
	}
	got := make([]uint64, len(may))
	for range r.count() {
		got[random.IntN(len(may))]++
	}
	for j, n := range got {
		if n > 0 {
			c.add(may[j], r, n, r.bytes*n/r.count(), 0)
		}
	}
}

func (c *Recount) add(name string, r *Request, n, bytes uint64, rcu float64) {
	p := c.parts[name]
	if p == nil {
		p = &part{seconds: map[int64]*[3]float64{}, minutes: map[int64]uint64{}}
		c.parts[name] = p
	}
	c.total += n
	p.requests += n
	at := r.at.Unix()
	c.minutes[at/60] += n
	p.minutes[at/60] += n
	s := p.seconds[at]
	if s == nil {
		s = &[3]float64{}
		p.seconds[at] = s
	}
	s[0] += float64(n)
	if !r.reads() {
		s[1] += float64(r.wcu) * float64(n) / float64(r.count())
		p.bytes += bytes
	}
	s[2] += rcu
	c.readUnits += rcu
	switch {
	case r.op == "delete":
		p.deletes += n
	case r.op == "read":
		c.scanned += p.deletes
		c.tombReads++
	}
}

func splitTerms(key string) []string {
	terms, depth, from := []string{}, 0, 0
	for i, ch := range key + "," {
		switch {
		case ch == '(':
			depth++
		case ch == ')':
			depth--
		case ch == ',' && depth == 0:
			terms = append(terms, strings.TrimSpace(key[from:i]))
			from = i + 1
		}
	}
	return terms
}

// placesOf gives the partitions that a Request asks, or may go to.
func (c *Recount) placesOf(r *Request, terms []string, random *rand.Rand) (names []string, ok bool) {
	names = []string{""}
	for _, term := range terms {
		values := []string{}
		call, inside, called := strings.Cut(strings.TrimSuffix(term, ")"), "(")
		args := strings.Split(inside, ", ")
		switch {
		case !called:
			v, known := valueOf(r, term)
			if !known {
				return nil, false
			}
			values = append(values, v)
		case call == "shard":
			values = shardNames(args[0])
			if !r.reads() && r.count() == 1 {
				values = values[random.IntN(len(values)):][:1]
			}
		case call == "shard_by":
			values = shardNames(args[1])
			if v, known := valueOf(r, args[0]); known {
				values = values[crc32.ChecksumIEEE([]byte(v))%uint32(len(values)):][:1]
			}
		case call == "bucket":
			layout := map[string]string{"hour": "2006010215", "day": "20060102", "month": "200601", "week": "20060102"}[args[0]]
			c.bucket = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 168 * time.Hour, "month": 720 * time.Hour}[args[0]]
			at := r.born
			if args[0] == "week" {
				at = at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
			}
			values = append(values, at.Format(layout))
		}
		longer := []string{}
		for _, n := range names {
			for _, v := range values {
				longer = append(longer, n+"\x00"+v)
			}
		}
		names = longer
	}
	return names, true
}

func shardNames(count string) []string {
	n, _ := strconv.Atoi(count)
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

func valueOf(r *Request, name string) (string, bool) {
	switch name {
	case "key":
		return strings.Join(append(r.composite, r.key), "/"), !r.noKey
	case "sk":
		return r.sk, r.sk != ""
	}
	v, ok := r.columns[name]
	return v, ok
}

// TopShare gives the share of the busiest partition.
func (c *Recount) TopShare() float64 {
	most := uint64(0)
	for _, p := range c.parts {
		most = max(most, p.requests)
	}
	return float64(most) / float64(max(c.total, 1))
}

// BusiestRun gives the largest share that a partition has of so many minutes in a row.
func (c *Recount) BusiestRun(minutes int64) float64 {
	best := 0.0
	for _, p := range c.parts {
		for from := range p.minutes {
			of, all := uint64(0), uint64(0)
			for m := from; m < from+minutes; m++ {
				of, all = of+p.minutes[m], all+c.minutes[m]
			}
			if of >= 30 && all >= 100 {
				best = max(best, float64(of)/float64(all))
			}
		}
	}
	return best
}

// Peak gives the largest load of a second: 0 requests, 1 write units, 2 read units.
func (c *Recount) Peak(of int) float64 {
	most := 0.0
	for _, p := range c.parts {
		for _, s := range p.seconds {
			most = max(most, s[of])
		}
	}
	return most
}

// SecondsOver gives the seconds in which a partition is over 1,000 write or 3,000 read units.
func (c *Recount) SecondsOver() int {
	over := map[int64]bool{}
	for _, p := range c.parts {
		for at, s := range p.seconds {
			if s[1] >= 1000 || s[2] >= 3000 {
				over[at] = true
			}
		}
	}
	return len(over)
}

// OverInAMinute gives the most seconds of one minute in which one partition is over.
func (c *Recount) OverInAMinute() int {
	most := 0
	for _, p := range c.parts {
		minutes := map[int64]int{}
		for at, s := range p.seconds {
			if s[1] >= 1000 || s[2] >= 3000 {
				minutes[at/60]++
				most = max(most, minutes[at/60])
			}
		}
	}
	return most
}

// Largest gives the bytes that are written to the partition with most of them.
func (c *Recount) Largest() (bytes uint64) {
	for _, p := range c.parts {
		bytes = max(bytes, p.bytes)
	}
	return bytes
}

// Projected gives the bytes of the partition that is written most after 90 days, or in its bucket.
func (c *Recount) Projected() float64 {
	span, lasts := c.last.Sub(c.first), 90*24*time.Hour
	if c.bucket > 0 {
		span, lasts = min(span, c.bucket), c.bucket
	}
	return float64(c.Largest()) * lasts.Seconds() / span.Seconds()
}

// MeanFanout gives how many partitions a read asks, scans left out.
func (c *Recount) MeanFanout() float64 {
	sum, n := 0.0, 0.0
	for asked, reads := range c.fanouts {
		sum, n = sum+float64(asked)*float64(reads), n+float64(reads)
	}
	return sum / max(n, 1)
}

// Partitions gives the number of partitions.
func (c *Recount) Partitions() int { return len(c.parts) }

// Reads gives the reads as they were recorded, scans left out.
func (c *Recount) Reads() uint64 { return c.reads - c.scans }

// UnitsOfReads gives the read units of all reads.
func (c *Recount) UnitsOfReads() float64 { return c.readUnits }

// Writes gives the partition of each write, in order; a record that stands for several is one.
func Writes(all []Request, key string, random *rand.Rand) []string {
	c, out := &Recount{}, []string{}
	for i := range all {
		r := &all[i]
		if may, ok := c.placesOf(r, splitTerms(key), random); ok && !r.reads() {
			out = append(out, may[random.IntN(len(may))])
		}
	}
	return out
}

// Of gives the requests of one key of today; of several components, joined by a slash.
func Of(all []Request, key string) []Request {
	out := []Request{}
	for i := range all {
		if name, ok := valueOf(&all[i], "key"); ok && strings.TrimSuffix(name, "/") == key {
			out = append(out, all[i])
		}
	}
	return out
}

// Within gives what was counted of the partitions of one key of today, as shares of all.
func (c *Recount) Within(key string) *Recount {
	w := *c
	w.parts = map[string]*part{}
	for name, p := range c.parts {
		if first, _, _ := strings.Cut(name[1:], "\x00"); strings.TrimSuffix(first, "/") == key {
			w.parts[name] = p
		}
	}
	return &w
}

// PeakOfPanes gives the most units that a partition has in a pane of so many seconds, a second: 1 write units, 2 read units.
func (c *Recount) PeakOfPanes(of int, width int64) float64 {
	most := 0.0
	for _, p := range c.parts {
		panes := map[int64]float64{}
		for at, s := range p.seconds {
			panes[at/width] += s[of]
			most = max(most, panes[at/width]/float64(width))
		}
	}
	return most
}

// ShareIn gives the largest share that a partition has in a time, in whole minutes.
func (c *Recount) ShareIn(from, to time.Time) float64 {
	best, total := uint64(0), uint64(0)
	in := func(minute int64) bool { return minute >= from.Unix()/60 && minute < (to.Unix()+59)/60 }
	for m, n := range c.minutes {
		if in(m) {
			total += n
		}
	}
	for _, p := range c.parts {
		sum := uint64(0)
		for m, n := range p.minutes {
			if in(m) {
				sum += n
			}
		}
		best = max(best, sum)
	}
	return float64(best) / float64(max(total, 1))
}
