// Package generate writes seeded key traffic with planted incidents and says exactly what was planted,
// so that anything that reads traffic can be tried against a known truth at any size. It knows the
// generic key-event fields and nothing of how traffic is read, summed or judged.
package generate

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Options say what to generate. The same options give the same bytes. The zero value is not usable;
// begin with Defaults.
type Options struct {
	Kind   string // one of Kinds
	Format string // ndjson or csv
	Store  string // dynamodb: records carry units; cassandra: rows, tombstones and a node; "": what the kind is about

	Seed      uint64
	Start     time.Time // of the first record
	Minutes   uint64    // from the first record to the last
	Events    uint64    // records in all, evenly spread over the minutes
	Rate      uint64    // records a second; 0: Events decides, else it takes the place of Events
	Keys      uint64    // distinct keys that a table's background traffic draws from
	Tables    uint64    // the first takes half of the traffic and the incident, the rest share the other half
	Nodes     uint64    // nodes that records of cassandra name
	Skew      float64   // Zipf exponent of the background traffic; 0: even
	Share     uint64    // of the hot key, in thousandths of its table's requests
	ItemBytes uint64    // mean size of an item
}

// Limits of Options, so that memory stays bounded and arithmetic exact.
const (
	maxEvents  = 1 << 40
	maxKeys    = 1 << 40
	maxTables  = 4096
	maxNodes   = 1024
	maxMinutes = 366 * 24 * 60
	maxSkew    = 4
	maxItem    = 1 << 20
)

// Defaults gives options that show each kind at work in a second.
func Defaults() Options {
	return Options{
		Kind: "zipf", Format: "ndjson",
		Start: time.Date(2026, time.June, 4, 8, 30, 0, 0, time.UTC), Minutes: 120, Events: 100_000,
		Keys: 10_000, Tables: 1, Nodes: 6, Skew: 0.9, Share: 400, ItemBytes: 800,
	}
}

// Validate reports every fault of o, each with what was given and what would do.
func (o *Options) Validate() error {
	k, known := kindNamed(o.Kind)
	faults := []error{}
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	refuse(!known, "kind %q: must be one of %s", o.Kind, strings.Join(kindNames(), ", "))
	refuse(o.Format != "ndjson" && o.Format != "csv", "format %q: must be ndjson or csv", o.Format)
	refuse(!slices.Contains([]string{"", "dynamodb", "cassandra"}, o.Store), "store %q: must be dynamodb or cassandra", o.Store)
	refuse(known && k.store == "cassandra" && o.Store == "dynamodb", "kind %s: its records need a store of cassandra", o.Kind)
	between := func(name string, n, low, high uint64) {
		refuse(n < low || n > high, "%s %d: must be between %d and %d", name, n, low, high)
	}
	between("minutes", o.Minutes, max(k.minutes, 1), maxMinutes)
	between("events", o.events(), 1, maxEvents)
	between("keys", o.Keys, 100, maxKeys)
	between("tables", o.Tables, 1, maxTables)
	between("nodes", o.Nodes, 3, maxNodes)
	refuse(o.Share < 1 || o.Share > 999, "share %g: must be between 0.001 and 0.999", float64(o.Share)/1000)
	between("item-bytes", o.ItemBytes, 16, maxItem)
	refuse(!(o.Skew >= 0 && o.Skew <= maxSkew), "skew %g: must be between 0 and %d", o.Skew, maxSkew)
	refuse(o.Start.Unix() < 0 || o.Start.Year() > 2200, "start %s: must be between 1970 and 2200", o.Start.Format(time.RFC3339))
	return errors.Join(faults...)
}

func (o *Options) events() uint64 {
	if o.Rate == 0 {
		return o.Events
	}
	hi, lo := bits.Mul64(o.Rate, 60*o.Minutes)
	if hi != 0 {
		return maxEvents + 1
	}
	return lo
}

// An event is one record to be written.
type event struct {
	i          uint64 // its number, from 0
	at         uint64 // Unix milliseconds
	table      int
	key        uint64 // number of a background key, or of a planted one when planted
	planted    bool
	op         op
	sort       uint64
	bytes      uint64
	rows       uint64
	tombstones uint64
	micros     uint64
	node       uint64
}

type op int

const (
	read op = iota
	write
	remove
)

func (o op) String() string { return [...]string{"read", "write", "delete"}[o] }

// A source draws events and counts what it drew.
type source struct {
	o       Options
	kind    kind
	store   string
	events  uint64
	random  *rand.PCG
	zipf    zipf
	planted []planted  // keys that are no background keys, in order of appearance
	counts  [][]uint64 // by table and number of key, the first of them
	tables  []tableCount
	reads   tombstoneCount
}

type planted struct {
	name     string
	requests uint64
}

type tableCount struct{ requests, reads uint64 }

type tombstoneCount struct{ reads, total, largest, rows uint64 }

// counted is the number of background keys whose requests are counted exactly, of all tables together.
const counted = 1 << 20

// flushAt is the number of bytes after which records are handed to the writer.
const flushAt = 64 << 10

// Write writes the records that o describes to w and gives the truth about them. Its memory does not
// depend on the number of records. Errors are those of Validate and of w.
func Write(w io.Writer, o Options) (*Truth, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := newSource(o)
	enc := newEncoder(s)
	for i := range s.events {
		e := s.draw(i)
		enc.append(&e)
		if len(enc.buf) >= flushAt {
			if err := enc.flush(w); err != nil {
				return nil, err
			}
		}
	}
	if err := enc.flush(w); err != nil {
		return nil, err
	}
	return s.truth(), nil
}

func newSource(o Options) *source {
	k, _ := kindNamed(o.Kind)
	s := &source{o: o, kind: k, store: o.Store, events: o.events(), random: rand.NewPCG(o.Seed, 0x6b65796865617400)}
	if s.store == "" {
		s.store = k.store
	}
	s.zipf = newZipf(o.Keys, o.Skew)
	s.tables = make([]tableCount, o.Tables)
	s.counts = make([][]uint64, o.Tables)
	for i := range s.counts {
		s.counts[i] = make([]uint64, min(o.Keys, counted/o.Tables))
	}
	return s
}

// draw gives the record of number i: background traffic that the kind then changes.
func (s *source) draw(i uint64) event {
	e := s.background(i)
	s.kind.plant(s, &e)
	s.count(&e)
	return e
}

func (s *source) background(i uint64) event {
	e := event{i: i, at: uint64(s.o.Start.UnixMilli()) + mulDiv(i, s.o.Minutes*60_000, s.events)}
	if s.o.Tables > 1 && s.below(2) == 1 {
		e.table = 1 + int(s.below(s.o.Tables-1))
	}
	e.key = s.zipf.draw(s)
	e.bytes = s.o.ItemBytes/2 + s.below(s.o.ItemBytes)
	e.micros = 300 + s.below(2700)
	e.node = s.below(s.o.Nodes)
	e.rows = 1
	e.sort = s.below(i + 1)
	if s.below(10) < 3 {
		e.op, e.rows, e.sort = write, 0, i
	}
	return e
}

func (s *source) count(e *event) {
	t := &s.tables[e.table]
	t.requests++
	if e.op == read {
		t.reads++
	}
	if e.tombstones > 0 {
		s.reads.reads++
		s.reads.rows += e.rows
		s.reads.total += e.tombstones
		s.reads.largest = max(s.reads.largest, e.tombstones)
	}
	if e.planted {
		s.planted[e.key].requests++
	} else if counts := s.counts[e.table]; e.key < uint64(len(counts)) {
		counts[e.key]++
	}
}

// plantKey makes name the key of e. A name of which other records follow must not come back.
func (s *source) plantKey(e *event, name string) {
	if n := len(s.planted); n == 0 || s.planted[n-1].name != name {
		s.planted = append(s.planted, planted{name: name})
	}
	e.key, e.planted = uint64(len(s.planted)-1), true
}

// below draws evenly from [0, n): the high word of a product, which favours no number by more than
// n in 2^64 (Lemire, Fast Random Integer Generation in an Interval, 2019, without its rejection).
func (s *source) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.random.Uint64(), n)
	return hi
}

// chance is true in so many of a thousand cases.
func (s *source) chance(thousandths uint64) bool { return s.below(1000) < thousandths }

// mulDiv gives a*b/c, rounded down; the quotient must fit.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}
