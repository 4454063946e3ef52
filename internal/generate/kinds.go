package generate

import (
	"slices"
	"time"
)

// A Kind names a shape of traffic.
type Kind struct {
	Name  string
	About string // one clause: what is planted
}

// Kinds lists every kind, in the order in which help names them.
func Kinds() []Kind {
	all := []Kind{}
	for _, k := range kinds() {
		all = append(all, k.Kind)
	}
	return all
}

// A kind changes the records of the first table into the incident it is named for.
type kind struct {
	Kind
	store   string // what it is about, unless Options say otherwise
	table   string // of the first table
	minutes uint64 // it takes at least
	plant   func(s *source, e *event)
	expect  func(s *source, t *Truth)
}

func kinds() []kind {
	return []kind{
		{Kind{"zipf", "ordinary skewed traffic, nothing planted"}, "dynamodb", "carts", 1, keep, expectZipf},
		{Kind{"hot-key", "one key takes its share all the time"}, "dynamodb", "carts", 1, plantHot, expectHot},
		{Kind{"moving-key", "the key of the hour (of the day in inputs of three days or more) is hot"}, "dynamodb", "orders_by_time", 120, plantMoving, expectMoving},
		{Kind{"late-burst", "a key unseen until the last tenth then takes most of the traffic"}, "dynamodb", "carts", 60, plantBurst, expectBurst},
		{Kind{"queue", "reads at the head of a queue scan its tombstones"}, "cassandra", "outbox", 1, plantQueue, expectQueue},
		{Kind{"growing-partition", "one key takes a twentieth of the traffic, all inserts"}, "cassandra", "readings", 60, plantGrowing, expectGrowing},
		{Kind{"quiet", "even traffic, nothing planted"}, "dynamodb", "sessions", 1, plantEven, expectNothing},
		{Kind{"skewed", "ten keys share the load of thousands"}, "dynamodb", "carts", 1, plantSkewed, expectSkewed},
		{Kind{"low-cardinality", "eight keys in all"}, "cassandra", "by_status", 10, plantFew, expectFew},
		{Kind{"hot-node", "flat keys, and one node with three times the traffic of the others"}, "cassandra", "carts", 10, plantNode, expectNode},
	}
}

func kindNamed(name string) (kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.Name == name })
	if i < 0 {
		return kind{}, false
	}
	return all[i], true
}

func kindNames() []string {
	names := []string{}
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

const (
	hotKey     = 136 // number of the background key that is made hot: neither first nor unseen
	burstKey   = "user-late"
	queueKey   = "mail-out"
	growingKey = "sensor-4242"

	burstShare   = 600 // thousandths of the table's requests during the burst
	queueShare   = 40
	growingShare = 50
	skewedShare  = 600
	skewedKeys   = 10
	fewKeys      = 8

	queueRows       = 10   // live rows a read at the head
	queueTombstones = 200  // scanned by its first read
	queueGrowth     = 1000 // more by its last
)

func keep(*source, *event) {}

func plantHot(s *source, e *event) {
	if e.table == 0 && s.chance(s.o.Share) {
		e.key = min(hotKey, s.o.Keys-1)
	}
}

func plantMoving(s *source, e *event) {
	if e.table == 0 && s.chance(s.o.Share) {
		layout := "2006-01-02T15"
		if s.o.Minutes >= 3*24*60 {
			layout = time.DateOnly
		}
		s.plantKey(e, time.UnixMilli(int64(e.at)).UTC().Format(layout))
	}
}

// burstFrom is the number of the record with which a late burst begins: a tenth before the end, six
// minutes at least.
func (s *source) burstFrom() uint64 {
	return s.events - max(s.events/10, mulDiv(s.events, 6, s.o.Minutes))
}

func plantBurst(s *source, e *event) {
	if e.table == 0 && e.i >= s.burstFrom() && s.chance(burstShare) {
		s.plantKey(e, burstKey)
	}
}

func plantQueue(s *source, e *event) {
	if e.table != 0 || !s.chance(queueShare) {
		return
	}
	s.plantKey(e, queueKey)
	if e.op = op(s.below(3)); e.op == read {
		e.rows, e.tombstones = queueRows, queueTombstones+mulDiv(e.i, queueGrowth, s.events)
	}
}

func plantGrowing(s *source, e *event) {
	if e.table == 0 && s.chance(growingShare) {
		s.plantKey(e, growingKey)
		e.op, e.sort = write, e.i
	}
}

func plantEven(s *source, e *event) { e.key = s.below(s.o.Keys) }

func plantSkewed(s *source, e *event) {
	if plantEven(s, e); e.table == 0 && s.chance(skewedShare) {
		e.key = s.below(skewedKeys)
	}
}

func plantFew(s *source, e *event) {
	if e.table == 0 {
		e.key = s.below(fewKeys)
	}
}

// plantNode gives the first node two shares of n+2 beside its even one: three times the others'.
func plantNode(s *source, e *event) {
	plantEven(s, e)
	if e.node = s.below(s.o.Nodes + 2); e.node >= s.o.Nodes {
		e.node = 0
	}
}
