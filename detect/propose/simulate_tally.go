package propose

import (
	"fmt"
	"math/bits"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A tallied is one of the sums that a replay makes beside the profile of a key. They are of the requests
// as they were recorded: a read that asks eight partitions is one read.
type tallied int

const (
	requests   tallied = iota // of traffic, replayed or not
	allReads                  // of them
	replayed                  // requests
	reads                     // replayed ones
	singles                   // reads that ask one partition for certain
	looseReads                // reads of which the bucket is not known
	looseRest                 // updates and deletes likewise
	opUnknown                 // requests of unknown operation, taken for writes
	refused                   // requests that the store refused, replayed as if it had not

	unitReads  // reads with known read units
	looseUnits // of them: those of which the bucket is not known
	units      // thousandths
	unitsLow
	unitsHigh
	rowReads // reads with known live rows
	rows
	rowsHigh
	tombReads // reads with known tombstones
	tombs
	tombsLoose // of reads of which the bucket is not known
	talliedAll
)

// A tally is what a replay counts beside the profile of a key.
type tally struct {
	sums    [talliedAll]uint64
	most    struct{ read, write uint64 } // units of the largest request, thousandths
	fanout  *sketch.Histogram            // partitions of a read, within one bucket
	skipped map[skipped]uint64
}

// A skipped is why a request was not replayed; name is a column.
type skipped struct{ why, name string }

// String gives the reason as one clause.
func (s skipped) String() string {
	if s.name == "" {
		return s.why
	}
	return fmt.Sprintf(s.why, s.name)
}

func newTally() *tally {
	return &tally{fanout: &sketch.Histogram{}, skipped: map[skipped]uint64{}}
}

// leastRead is what an eventually consistent read of a partition costs at least, in thousandths of a read
// unit: up to 4 KiB. A strongly consistent one costs twice that.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
const leastRead = 500

// request counts a request that was replayed.
func (y *tally) request(e *ingest.Event, p *placement) {
	n := e.Count()
	y.add(replayed, n)
	if e.Throttle != ingest.NotThrottled {
		y.add(refused, n)
	}
	y.largest(detect.UnitsOfOne(e))
	switch {
	case e.Op.Reads():
		y.read(e, p)
	case e.Op == ingest.OpUnknown:
		y.add(opUnknown, n)
	case p.loose:
		y.add(looseRest, n)
	}
}

func (y *tally) read(e *ingest.Event, p *placement) {
	n := e.Count()
	y.add(reads, n)
	y.fanout.Add(p.all, n)
	switch {
	case p.loose:
		y.add(looseReads, n)
	case p.all == 1:
		y.add(singles, n)
	}
	if u, ok := e.ReadUnits(); ok {
		c := costOfRead(e, u, p.all)
		y.add(unitReads, n)
		y.add(units, c.sum(p.all))
		y.add(unitsLow, min(c.low, c.sum(p.all)))
		y.add(unitsHigh, max(c.high, c.sum(p.all)))
		if p.loose {
			y.add(looseUnits, n)
		}
	}
	if r, ok := e.Rows(); ok {
		y.add(rowReads, n)
		y.add(rows, r)
		y.add(rowsHigh, r)
		if !isPoint(e) { // with a LIMIT, each partition gives as many
			y.add(rowsHigh, mulDiv(r, p.all-1, 1))
		}
	}
	if t, ok := e.Tombstones(); ok {
		y.add(tombReads, n)
		y.add(tombs, t)
		if p.loose {
			y.add(tombsLoose, t)
		}
	}
}

// A readCost is what a read costs that is spread over partitions, in thousandths of a read unit.
type readCost struct {
	hit, each uint64 // of the partition that holds the item, and of each of the others
	low, high uint64 // of all of them
}

func (c readCost) sum(all uint64) uint64 { return c.hit + (all-1)*c.each }

// costOfRead divides the cost of a read of one partition. A read of one item finds it in one of them and
// asks the others in vain; of another read each partition has its part, rounded up.
func costOfRead(e *ingest.Event, units, all uint64) readCost {
	unit := uint64(leastRead)
	if e.Consistency == ingest.Strong {
		unit *= 2
	}
	least := unit * e.Count()
	if all == 1 {
		return readCost{hit: units, low: units, high: units}
	}
	if isPoint(e) {
		sum := units + (all-1)*least
		return readCost{hit: units, each: least, low: sum, high: sum}
	}
	each := max(ceilDiv(units, all*unit)*unit, least)
	return readCost{hit: each, each: each, low: max(units, all*least), high: units + (all-1)*least}
}

// isPoint reports whether a request is about one item.
func isPoint(e *ingest.Event) bool { return len(e.SortKey) > 0 }

// add adds to a sum, which saturates: amounts come from outside.
func (y *tally) add(to tallied, n uint64) {
	sum, over := bits.Add64(y.sums[to], n, 0)
	y.sums[to] = sum | -over
}

func (y *tally) skip(why, name string, n uint64) { y.skipped[skipped{why, name}] += n }

// largest keeps the units of the largest request.
func (y *tally) largest(read, write uint64) {
	y.most.read, y.most.write = max(y.most.read, read), max(y.most.write, write)
}

// merge adds what another goroutine counted.
func (y *tally) merge(o *tally) {
	for i := range o.sums {
		y.add(tallied(i), o.sums[i])
	}
	y.largest(o.most.read, o.most.write)
	y.fanout.Merge(o.fanout)
	for why, n := range o.skipped {
		y.skipped[why] += n
	}
}

func (y *tally) reset() {
	y.sums, y.most = [talliedAll]uint64{}, struct{ read, write uint64 }{}
	y.fanout.Reset()
	clear(y.skipped)
}

// tallies are what a replay counts by who tells of the requests, since several may tell of the same ones; the last is
// of records that are no traffic.
type tallies [ingest.Witnesses + 1]*tally

func newTallies() *tallies {
	t := &tallies{}
	for i := range t {
		t[i] = newTally()
	}
	return t
}

func (t *tallies) merge(o *tallies) {
	for i := range t {
		t[i].merge(o[i])
	}
}

func (t *tallies) reset() {
	for i := range t {
		t[i].reset()
	}
}

// of gives what was counted of those who tell of a table's traffic, and of records that are none.
func (t *tallies) of(told detect.Told) *tally {
	out := newTally()
	out.merge(t[ingest.Witnesses])
	for _, w := range told.Witnesses() {
		out.merge(t[w])
	}
	return out
}
