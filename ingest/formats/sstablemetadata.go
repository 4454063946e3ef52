package formats

import (
	"bytes"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// SSTableMetadata is what Cassandra's and ScyllaDB's tool prints of SSTables.
var SSTableMetadata = ingest.Format{
	Name:     "sstablemetadata",
	Title:    "sstablemetadata of Cassandra and ScyllaDB",
	Coverage: ingest.StateOnly,
	Carries:  []string{"droppable tombstones", "partition sizes", "with -s keys of the largest partitions"},
	Doc: `Output of sstablemetadata, of one SSTable or several, with or without -s
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/sstable/sstablemetadata.html):

    SSTable: /var/lib/cassandra/data/shop/jobs-97ec2e40ec9b11f184405958fce208e7/nb-2-big
    Maximum timestamp: 11/30/2026 08:54:36 (1796028876539097)
    SSTable min local deletion time: 11/30/2026 08:54:35 (1796028875)
    Estimated droppable tombstones: 0.798

The table is told by the path. Sizes are of one SSTable, "at least"; without -s the size of the SSTable is
estimated from its histogram of partition sizes and its compression ratio, from below.`,
	Sequential: true,
	Sniff:      sniffMetadata,
	New:        newMetadata,
}

const (
	skipMetadata     = "property of an SSTable"
	causeLeaderEntry = "entry of a list of largest partitions not understood"
)

func newMetadata(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
	return &metadata{schema: o.Schema}, nil
}

// metadata gathers what is said of an SSTable and tells of it when the next one begins.
type metadata struct {
	schema       *cql.Schema
	out          printout
	table, index []byte
	at           mark
	begun        bool
	section      string // of 4.0 on: a histogram or list that is being read
	leaders      ingest.Measure
	listing      bool

	droppable    []byte
	compression  float64
	oldest, last int64 // seconds: oldest tombstone, last write
	size         uint64
	uncompressed uint64 // from below
	largest      uint64 // top of a bucket
	key          []byte
}

var (
	epochNumber  = pattern(`\d{9,19}`)
	leaderEntry  = pattern(`^\s*\[(.*)\] (\d+)(?: \([^)]*\))?\s*$`)
	sizeBucket   = pattern(`^\s*(\d+)(?: \([^)]*\))?\s*\|\s*(\d+) \(`)
	oldSizeTable = pattern(`^(\d+)\s+(\d+)\s+(\d+)\s*$`)
	dropTime     = pattern(`^\s*\d{9,10}\s*(?:\(.*\) \||:)\s*\d+`)
)

var leaderLists = map[string]ingest.Measure{
	"widest partitions": ingest.PartitionRows, "largest partitions": ingest.PartitionBytes, "tombstone leaders": ingest.PartitionTombstones,
}

// Decode reads a line.
func (d *metadata) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	line := uncoloured(rec.Data)
	if d.listing {
		if m := leaderEntry().FindSubmatch(line); m != nil {
			d.leader(m[1], m[2], rec.At, to)
			return
		}
		d.listing = false
	}
	name, value, ok := label(line)
	switch {
	case ok && name == "sstable":
		d.finish(to)
		d.table, d.index = pathTable(value)
		d.at, d.begun = d.out.mark(rec.At), true
		to.Skip(skipMetadata)
		return
	case ok && len(value) == 0:
		d.section = name
		d.leaders, d.listing = leaderLists[name]
	case ok:
		d.property(name, value)
	default:
		d.histogram(line)
	}
	to.Skip(skipMetadata)
}

// property takes one of the properties that are looked at.
func (d *metadata) property(name string, value []byte) {
	switch name {
	case "estimated droppable tombstones":
		d.droppable = bytes.Clone(value)
	case "compression ratio":
		d.compression, _ = strconv.ParseFloat(string(value), 64)
	case "maximum timestamp":
		d.last = epochSeconds(value)
	case "sstable min local deletion time", "minimum local deletion time":
		d.oldest = epochSeconds(value)
	case "size":
		d.size, _ = systable.Count(value)
	}
	if i := bytes.LastIndex(value, []byte("Size: ")); i >= 0 { // behind the progress of -s
		d.size, _ = systable.Count(value[i+len("Size: "):])
	}
}

// epochSeconds reads a time that stands in seconds, milliseconds or microseconds, before or behind its
// date. "No tombstones" is a number after the year 2100 and gives 0.
func epochSeconds(value []byte) int64 {
	for _, digits := range epochNumber().FindAll(value, -1) {
		if nanos, cause := ingest.ParseTime(digits, nil); cause == "" {
			if nanos/1e9 < 1<<31-1 {
				return nanos / 1e9
			}
		}
	}
	return 0
}

// histogram adds a line of the histogram of partition sizes, of 4.0 on or of the versions before.
func (d *metadata) histogram(line []byte) {
	var bucket, count uint64
	if m := sizeBucket().FindSubmatch(line); m != nil && d.section == "partition size" {
		bucket, _ = systable.Count(m[1])
		count, _ = systable.Count(m[2])
	} else if m := oldSizeTable().FindSubmatch(line); m != nil {
		bucket, _ = systable.Count(m[1])
		count, _ = systable.Count(m[2])
	}
	if count > 0 {
		d.uncompressed += count * ingest.BucketFloor(bucket)
		d.largest = max(d.largest, bucket)
	}
}

// leader reads "  [key] 157286400 (150.0 MB)".
func (d *metadata) leader(key, value []byte, at ingest.Position, to ingest.Sink) {
	n, ok := systable.Count(value)
	if !ok {
		complain(to, causeLeaderEntry, key, at)
		return
	}
	d.key = systable.PrintedKey(d.key, key, d.table, d.schema)
	to.State(&ingest.State{
		Store: ingest.Cassandra, Table: d.table, Index: d.index, Key: d.key, KeyKnown: true, Source: ingest.SourceMetadata,
		Measure: d.leaders, Value: n, AtLeast: true, At: at,
	})
}

// finish tells of the SSTable whose lines are read.
func (d *metadata) finish(to ingest.Sink) {
	at := d.out.place(d.at)
	if d.table != nil && d.largest > 0 {
		to.State(&ingest.State{
			Table: d.table, Index: d.index, Source: ingest.SourceMetadata, Measure: ingest.PartitionBytes,
			Value: ingest.BucketFloor(d.largest), AtLeast: true, At: at,
		})
	}
	if d.table != nil && d.oldest > 0 && len(d.droppable) > 0 {
		p := ingest.Point{Table: d.table, Index: d.index, UnixNano: d.oldest * 1e9, Seconds: uint32(max(d.last-d.oldest, 0)), At: at}
		systable.Tell(to, p, ingest.PointSSTableDroppable, "reading", d.droppable)
		p.Name, p.Stat = []byte(ingest.PointSSTableBytes), "reading"
		if p.Milli = d.bytes() * 1000; p.Milli > 0 {
			to.Point(&p)
		}
	}
	*d = metadata{schema: d.schema, out: d.out, key: d.key}
}

// bytes gives the size of the SSTable, from below.
func (d *metadata) bytes() uint64 {
	if d.size > 0 {
		return d.size
	}
	if d.compression <= 0 || d.compression > 1 {
		return d.uncompressed
	}
	return uint64(float64(d.uncompressed) * d.compression)
}

// Close tells of the last SSTable.
func (d *metadata) Close(to ingest.Sink) { d.finish(to) }

func sniffMetadata(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	known, drops := 0, 0
	log := sniffLines(head, func(line []byte) bool {
		switch name, _, _ := label(line); name {
		case "sstable", "partitioner", "bloom filter fp chance", "minimum timestamp", "maximum timestamp", "compressor",
			"sstable max local deletion time", "sstable min local deletion time", "estimated droppable tombstones", "sstable level":
			known++
		case "estimated tombstone drop times":
			drops++
		}
		if drops > 0 && dropTime().Match(line) {
			known += 2
		}
		return known > 2
	})
	return certainOr(!log && known > 2, "properties of SSTables", "no lines such as \"Estimated droppable tombstones: 0.1\"")
}
