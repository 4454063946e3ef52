package formats

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// The generic key events: records that people make themselves, from an application's own log, a query
// of a warehouse or a proxy, as NDJSON and as a table with a header. This file holds what both share:
// which names stand for which field. What a value means is in keyevents_row.go.

// field is what a value of a record is used for.
type field uint8

const (
	fieldNone field = iota
	fieldKey
	fieldTime
	fieldTable
	fieldKeyspace
	fieldIndex
	fieldSortKey
	fieldOp
	fieldBytes
	fieldReadUnits
	fieldWriteUnits
	fieldRows
	fieldTombstones
	fieldLatency      // microseconds
	fieldLatencyMilli // milliseconds
	fieldNode
	fieldRequests
	fieldThrottled
	fieldShape
	fieldStore
	fieldFailed
	fieldConsistency
	fieldAttempt
	fieldWindow
	fieldColumn // one of DecodeOptions.Columns: part is its place there
	fields
)

// fieldNames are the accepted names; case does not matter. --map takes any of them on its left.
var fieldNames = [fields][]string{
	fieldKey:          {"pk", "key", "partition_key"},
	fieldTime:         {"ts", "time", "timestamp", "@timestamp"},
	fieldTable:        {"table"},
	fieldKeyspace:     {"keyspace"},
	fieldIndex:        {"index"},
	fieldSortKey:      {"sk", "sort_key"},
	fieldOp:           {"op", "operation"},
	fieldBytes:        {"bytes", "size"},
	fieldReadUnits:    {"rcu", "read_units"},
	fieldWriteUnits:   {"wcu", "write_units"},
	fieldRows:         {"rows", "live_rows"},
	fieldTombstones:   {"tombstones"},
	fieldLatency:      {"latency_us"},
	fieldLatencyMilli: {"latency_ms"},
	fieldNode:         {"node"},
	fieldRequests:     {"requests", "count"},
	fieldThrottled:    {"throttled"},
	fieldShape:        {"shape", "statement"},
	fieldStore:        {"store"},
	fieldFailed:       {"failed", "error"},
	fieldConsistency:  {"consistency", "consistency_level", "consistent_read"},
	fieldAttempt:      {"attempt"},
	fieldWindow:       {"window_seconds"},
}

const keyEventNames = `
| field | names | value |
|---|---|---|
| partition key | pk, key, partition_key | text, number or boolean; a JSON array is a composite key |
| time | ts, time, timestamp, @timestamp | 2026-03-01T10:00:00.123Z, 2026-03-01 10:00:00,123 (zone from --timezone), or seconds, ms, µs or ns since 1970 (told apart by size) |
| table | table, and keyspace where there is one | |
| index, sort key, node | index; sk, sort_key; node | |
| operation | op, operation | read, get, query, select, scan, write, put, insert, upsert, update, delete, remove, or DynamoDB's names; others count as unknown |
| amounts of all requests of the record | bytes, size; rows, live_rows; tombstones | whole numbers |
| capacity units of all requests of the record | rcu, read_units; wcu, write_units | decimals, kept in thousandths; they imply DynamoDB |
| latency of one request | latency_us, latency_ms | decimals |
| how many requests the record stands for | requests, count | whole number; 0 is skipped |
| refused for rate | throttled | boolean, how many of the requests, or the reason: key-range, table, index, account, or DynamoDB's ThrottlingReasons |
| timed out or aborted | failed, error | boolean, or the text of the error |
| statement | shape, statement | CQL, PartiQL or a name of your own; the values in it are left out |
| consistency of a read | consistency, consistency_level, consistent_read | a level of CQL, eventual, strong, or a boolean; others count as unknown |
| which attempt at its request it was | attempt | whole number; from 2 on the record is a retry, and no load of its own where refusals are judged |
| time that a read asks for | window_seconds | whole number |
| database | store | dynamodb, cassandra, scylla |

Case does not matter, and other fields are left alone. --map pk=user.id takes the partition key from another
field: dots lead into nested JSON objects, numbers into arrays; --map pk=tenant+day makes a composite key.
`

// slot makes the two fields that hold a latency one.
func (f field) slot() field {
	if f == fieldLatencyMilli {
		return fieldLatency
	}
	return f
}

// target says where a value goes. part is the place of a component in a composite key.
type target struct {
	field field
	part  uint8
}

// named is an input's name for a target, or the way to it: sub holds the names inside its value.
type named struct {
	name   string // in lower case
	word   uint64 // wordOf(name)
	index  int    // of an array's element; -1: no number
	target target
	sub    *names
}

// names finds fields by name, whatever its case: a hash table of a fixed size that is never full.
type names struct {
	slots   [nameSlots]uint8 // 1 + place in entries; 0: free
	entries []named
}

const (
	nameSlots   = 256
	maxNames    = 128 // of one table
	hashFactor  = 0x9E3779B97F4A7C15
	lowerCase   = 0x2020202020202020
	hashedBytes = 8
)

// wordOf gives the first 8 bytes of text with the bit set that tells lower case letters. It is fastest
// where 8 bytes may be read, as in all parts of an ingest.Record.
func wordOf(text []byte) uint64 {
	if cap(text) >= hashedBytes {
		w := load(text[:hashedBytes]) | lowerCase
		if len(text) >= hashedBytes {
			return w
		}
		return w & (1<<(8*len(text)) - 1)
	}
	var w uint64
	for i, c := range text {
		w |= uint64(c|0x20) << (8 * i)
	}
	return w
}

func nameSlot(word uint64, size int) uint64 {
	return (word ^ uint64(size)) * hashFactor >> 56
}

// find gives the entry of name, or nil.
func (t *names) find(name []byte) *named {
	w := wordOf(name)
	for s := nameSlot(w, len(name)); t.slots[s] != 0; s = (s + 1) % nameSlots {
		e := &t.entries[t.slots[s]-1]
		if e.word == w && len(e.name) == len(name) && sameName(name, e.name) {
			return e
		}
	}
	return nil
}

// sameName compares with a name in lower case of the same length.
func sameName(name []byte, lower string) bool {
	for i, c := range name {
		if c != lower[i] && (c < 'A' || c > 'Z' || c|0x20 != lower[i]) {
			return false
		}
	}
	return true
}

// add gives the entry of name, made if need be; nil when the table is full.
func (t *names) add(name string) *named {
	name = strings.ToLower(name)
	if e := t.find([]byte(name)); e != nil {
		return e
	}
	if len(t.entries) == maxNames {
		return nil
	}
	index, err := strconv.Atoi(name)
	if err != nil {
		index = -1
	}
	w := wordOf([]byte(name))
	t.entries = append(t.entries, named{name: name, word: w, index: index})
	s := nameSlot(w, len(name))
	for t.slots[s] != 0 {
		s = (s + 1) % nameSlots
	}
	t.slots[s] = uint8(len(t.entries))
	return &t.entries[len(t.entries)-1]
}

// plan says which fields of an input are used.
type plan struct {
	names   names
	columns int          // of DecodeOptions.Columns
	parts   int          // components of a key that --map composes; 0: the key is one field
	mapped  [fields]bool // by slot: --map says where it comes from
}

// newPlan reads --map; fields that it does not name are known by their usual names.
func newPlan(o ingest.DecodeOptions) (*plan, error) {
	if len(o.Map)+len(o.Columns) == 0 {
		return unmapped, nil
	}
	return makePlan(o)
}

// CheckMap reports what is wrong with the mapping of --map: a field that key events do not have, or a path
// that is none.
func CheckMap(fields map[string]string) error {
	_, err := newPlan(ingest.DecodeOptions{Map: fields})
	return err
}

// unmapped is the plan without --map: one for all inputs, as nothing changes it.
var unmapped, _ = makePlan(ingest.DecodeOptions{})

func makePlan(o ingest.DecodeOptions) (*plan, error) {
	p := &plan{}
	for _, generic := range slices.Sorted(maps.Keys(o.Map)) {
		f := fieldNamed(generic)
		if f == fieldNone {
			return nil, fmt.Errorf("--map %s=%s: %s is none of the fields that a key event has", generic, o.Map[generic], generic)
		}
		if p.mapped[f.slot()] {
			return nil, fmt.Errorf("--map %s=%s: this field is mapped twice", generic, o.Map[generic])
		}
		p.mapped[f.slot()] = true
		if err := p.mapField(f, o.Map[generic]); err != nil {
			return nil, fmt.Errorf("--map %s=%s: %w", generic, o.Map[generic], err)
		}
	}
	for f := fieldKey; f < fields; f++ {
		for _, name := range fieldNames[f] {
			if e := p.names.add(name); !p.mapped[f.slot()] && e.target.field == fieldNone {
				e.target = target{field: f}
			}
		}
	}
	return p, p.takeColumns(o.Columns)
}

// takeColumns makes the columns that are asked for known.
func (p *plan) takeColumns(columns []string) error {
	if p.columns = len(columns); p.columns > maxNames/4 {
		return fmt.Errorf("at most %d columns", maxNames/4)
	}
	p.mapped[fieldColumn] = true
	for i, path := range columns {
		if err := p.names.lead(path, target{field: fieldColumn, part: uint8(i)}); err != nil {
			return fmt.Errorf("column %s: %w", path, err)
		}
	}
	return nil
}

func fieldNamed(name string) field {
	for f := fieldKey; f < fields; f++ {
		if slices.Contains(fieldNames[f], strings.ToLower(name)) {
			return f
		}
	}
	return fieldNone
}

func (p *plan) mapField(f field, from string) error {
	paths := []string{from}
	if f == fieldKey && strings.Contains(from, "+") {
		paths = strings.Split(from, "+")
		p.parts = len(paths)
	}
	if len(paths) > maxNames/4 {
		return fmt.Errorf("at most %d components", maxNames/4)
	}
	for i, path := range paths {
		if err := p.names.lead(path, target{field: f, part: uint8(i)}); err != nil {
			return err
		}
	}
	return nil
}

// lead makes to the target of a path, and of a name that is spelt like it.
func (t *names) lead(path string, to target) error {
	if path == "" {
		return fmt.Errorf("a field's name is empty")
	}
	if err := t.point(path, to); err != nil {
		return err
	}
	if head, rest, dotted := strings.Cut(path, "."); dotted {
		return t.enter(head, rest, to)
	}
	return nil
}

// point makes t the target of a name.
func (t *names) point(name string, to target) error {
	e := t.add(name)
	switch {
	case e == nil:
		return fmt.Errorf("too many names")
	case e.target.field != fieldNone:
		return fmt.Errorf("%s is used twice", name)
	}
	e.target = to
	return nil
}

// enter makes to the target of the path rest inside head.
func (t *names) enter(head, rest string, to target) error {
	e := t.add(head)
	if e == nil {
		return fmt.Errorf("too many names")
	}
	if e.sub == nil {
		e.sub = &names{}
	}
	if next, rest, dotted := strings.Cut(rest, "."); dotted {
		return e.sub.enter(next, rest, to)
	}
	return e.sub.point(rest, to)
}

var keyEventsCarry = []string{"time", "table", "index", "key", "sort key", "operation", "bytes", "units", "rows",
	"tombstones", "latency", "node", "requests", "throttles", "failures", "statement"}

// onlyEvents hides problems and skips: objects with a bad value are objects all the same.
type onlyEvents struct{ *survey }

func (onlyEvents) Problem(ingest.Problem) {}

func (onlyEvents) Skip(string) {}
