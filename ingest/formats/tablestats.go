package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// TableStats is the text form of nodetool's statistics of tables.
var TableStats = ingest.Format{
	Name:     "nodetool-tablestats",
	Title:    "nodetool tablestats or cfstats, text",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition sizes", "tombstones and live rows a read", "top partitions with key"},
	Doc: `Text of nodetool cfstats (1.2 to 2.1) and tablestats (2.2 on) of Cassandra, DSE and ScyllaDB, of all tables
or some, with -H, with -s and -t
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/tablestats.html):

    Keyspace : shop
            Table: orders
            Compacted partition maximum bytes: 464228842
            Average tombstones per slice (last five minutes): 341.4
            Maximum tombstones per slice (last five minutes): 53424

The largest partition is that of one node's SSTables, the top of a histogram's bucket. The statistics of
slices are of the last minutes; NaN, and 1 for none, mean that there is nothing to tell. The lists of top
partitions, with keys, are those of the last full repair (4.1 on).`,
	Sequential: true,
	Sniff:      sniffTableStats,
	New:        func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) { return newTableStats(head, o), nil },
}

const (
	statsLabelsForCertain = 4 // different ones, where no line names the table

	skipStatistic = "statistic of a table"
)

// tableStats decodes one line at a time.
type tableStats struct {
	out      printout
	options  ingest.DecodeOptions
	store    ingest.Store
	keyspace []byte
	table    []byte
	index    []byte
	at       mark // of the line that names the table
	list     topList
	key      []byte
}

// A topList is a list of top partitions that is being read.
type topList struct {
	measure  ingest.Measure
	indent   int // of its title; its lines are indented further
	unixNano int64
	open     bool
}

func newTableStats(head []byte, o ingest.DecodeOptions) *tableStats {
	return &tableStats{options: o, store: printoutStore(head)}
}

// Decode reads a line.
func (d *tableStats) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	if d.list.open && indentOf(rec.Data) > d.list.indent {
		d.entry(rec, to)
		return
	}
	d.list.open = false
	name, value, ok := label(rec.Data)
	switch {
	case !ok:
		to.Skip(skipLine)
	case name == "keyspace":
		d.keyspace, d.table = bytes.Clone(value), nil
		to.Skip(skipLine)
	case tableLabels[name]:
		d.table, d.index = splitName(d.keyspace, value)
		d.at = d.out.mark(rec.At)
		to.Skip(skipLine)
	case d.title(rec.Data):
		to.Skip(skipLine)
	default:
		d.number(name, value, to)
	}
}

var tableLabels = map[string]bool{"table": true, "table (index)": true, "column family": true, "column family (index)": true}

// A statsLabel says what a label of a table's block means.
type statsLabel struct {
	point, stat string
	state       bool // the size of the largest partition
}

var statsLabels = map[string]statsLabel{
	"compacted partition maximum bytes":                {state: true},
	"compacted row maximum size":                       {state: true},
	"compacted partition mean bytes":                   {point: ingest.PointMeanPartition, stat: "average"},
	"compacted row mean size":                          {point: ingest.PointMeanPartition, stat: "average"},
	"number of partitions (estimate)":                  {point: ingest.PointPartitions, stat: "reading"},
	"number of keys (estimate)":                        {point: ingest.PointPartitions, stat: "reading"},
	"local read count":                                 {point: ingest.PointReads, stat: "count"},
	"read count":                                       {point: ingest.PointReads, stat: "count"},
	"local write count":                                {point: ingest.PointWrites, stat: "count"},
	"write count":                                      {point: ingest.PointWrites, stat: "count"},
	"average live cells per slice (last five minutes)": {point: ingest.PointRowsPerRead, stat: "average"},
	"maximum live cells per slice (last five minutes)": {point: ingest.PointRowsPerRead, stat: "maximum"},
	"average tombstones per slice (last five minutes)": {point: ingest.PointTombstonesPerRead, stat: "average"},
	"maximum tombstones per slice (last five minutes)": {point: ingest.PointTombstonesPerRead, stat: "maximum"},
	"droppable tombstone ratio":                        {point: ingest.PointDroppable, stat: "average"},
}

// number reads one statistic of the current table.
func (d *tableStats) number(name string, value []byte, to ingest.Sink) {
	s, known := statsLabels[name]
	switch {
	case !known || d.table == nil:
		to.Skip(skipStatistic)
	case s.state:
		d.largest(value, to)
	case !systable.Tell(to, ingest.Point{Store: d.store, Table: d.table, Index: d.index, At: d.out.place(d.at)}, s.point, s.stat, value):
		to.Skip(skipNotANumber)
	}
}

func (d *tableStats) largest(value []byte, to ingest.Sink) {
	n, ok := systable.Bytes(value)
	if !ok || n == 0 {
		to.Skip(skipNotANumber)
		return
	}
	to.State(&ingest.State{
		Store: d.store, Table: d.table, Index: d.index, Source: ingest.SourceTableStats,
		Measure: ingest.PartitionBytes, Value: n, At: d.out.place(d.at),
	})
}

// title begins a list of top partitions.
func (d *tableStats) title(line []byte) bool {
	var m ingest.Measure
	text := bytes.TrimSpace(line)
	switch {
	case bytes.HasPrefix(text, []byte("Top partitions by size")):
		m = ingest.PartitionBytes
	case bytes.HasPrefix(text, []byte("Top partitions by tombstone count")):
		m = ingest.PartitionTombstones
	default:
		return false
	}
	d.list = topList{measure: m, indent: indentOf(line), open: true}
	if _, at, ok := bytes.Cut(text, []byte("last update: ")); ok {
		at, _, _ = bytes.Cut(at, []byte(")"))
		d.list.unixNano, _ = ingest.ParseTime(at, d.options.Location)
	}
	return true
}

// entry reads "  key   value" of a list of top partitions; the key may hold blanks, the value a unit.
func (d *tableStats) entry(rec *ingest.Record, to ingest.Sink) {
	key, last := lastField(bytes.TrimLeft(rec.Data, " \t"))
	n, ok := systable.Count(last)
	if !ok && d.list.measure == ingest.PartitionBytes {
		if n, ok = systable.Bytes(last); !ok {
			var number []byte
			key, number = lastField(key)
			n, ok = systable.Bytes(append(append(bytes.Clone(number), ' '), last...))
		}
	}
	key = bytes.TrimRight(key, " \t")
	switch {
	case !ok && (string(last) == "Size" || string(last) == "Count"):
		to.Skip(skipLine)
	case !ok || d.table == nil:
		complain(to, causeBadTop, rec.Data, rec.At)
	default:
		d.key = systable.PrintedKey(d.key, key, d.table, d.options.Schema)
		to.State(&ingest.State{
			Store: d.store, Table: d.table, Index: d.index, Key: d.key, KeyKnown: true, Source: ingest.SourceTopPartitions,
			Measure: d.list.measure, Value: n, UnixNano: d.list.unixNano, At: rec.At,
		})
	}
}

func sniffTableStats(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	tables, known := 0, map[string]bool{}
	log := sniffLines(head, func(line []byte) bool {
		name, _, _ := label(line)
		if tableLabels[name] {
			tables++
		}
		if _, ok := statsLabels[name]; ok {
			known[name] = true
		}
		return len(known) >= statsLabelsForCertain
	})
	yes := !log && (len(known) >= statsLabelsForCertain || tables > 0 && len(known) > 0)
	return certainOr(yes, "statistics of tables by name", "no lines such as \"Compacted partition maximum bytes: 1109\"")
}
