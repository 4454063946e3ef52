package formats

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// SSTablePartitions is the partitions of SSTables as Cassandra's tool lists them.
var SSTablePartitions = ingest.Format{
	Name:     "sstablepartitions",
	Title:    "sstablepartitions, text or CSV",
	Coverage: ingest.StateOnly,
	Carries:  []string{"key", "partition sizes", "rows", "tombstones by kind"},
	Doc: `Output of sstablepartitions (5.0 on), as text or with --csv
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/sstable/sstablepartitions.html):

    Processing shop.jobs-97ec2e40ec9b11f184405958fce208e7 #2 (big-nb) (53.6 KiB uncompressed, 32.4 KiB on disk)
      Partition: 'mail-out' (6d61696c2d6f7574) live, size: 15.510 KiB, rows: 1200, cells: 50, tombstones: 1150 (row:1150, range:0, complex:0, cell:0, row-TTLd:0, cell-TTLd:0)

Sizes, rows and tombstones of a partition are added up over the SSTables of one input; one that is listed
twice counts once, and those of a snapshot or backup count apart. The sum is what reads may have to merge:
rows that stand in several SSTables count in each, and memtables and partitions under the tool's own
thresholds are missing, so it is shown as "at least". Beyond 16,384 partitions those smaller than the mean are forgotten.
The tool's CSV puts keys with blanks in two pairs of quotes and breaks lines in keys; the hex form of the key
settles what it is.`,
	Sequential: true,
	Sniff:      sniffPartitions,
	New:        func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return newPartitions(), nil },
}

const (
	maxSummed       = 1 << 14
	maxSummedTables = 64      // SSTables of a partition that are told apart
	maxPendingKey   = 1 << 16 // bytes of a key that goes over lines

	skipPartitions     = "summary of an SSTable"
	skipKeyLine        = "first line of a key of several"
	causePartitionLine = "partition of an SSTable not understood"
)

// A partitionSum is what the SSTables of an input hold of a partition.
type partitionSum struct {
	bytes, rows, tombstones uint64
	kinds                   ingest.TombstoneKinds
	sstables                []uint64 // hashes of their names
}

// partitions decodes one line at a time.
type partitions struct {
	table, index []byte
	place        string // SSTable of the lines that follow
	pending      []byte // beginning of a key that goes over lines
	begun        uint64 // where that is
	sums         map[string]*partitionSum
	key          []byte
}

func newPartitions() *partitions {
	return &partitions{sums: map[string]*partitionSum{}}
}

var (
	processing    = pattern(`^\s*Processing ([^\s.]+)\.([^\s.]+?)(?:-[0-9a-f]{32})?(?:\.(\S+))? #?(.*)$`)
	partitionText = pattern(`(?s)^\s*Partition: '(.*)' \(([0-9a-f]*)\) (live|not live), size: ([\d.,]+ ?\w+)` +
		`(?:, rows: (\d+), cells: \d+, tombstones: (\d+) \(row:(\d+), range:(\d+), complex:(\d+), cell:(\d+), row-TTLd:(\d+), cell-TTLd:(\d+)\))?\s*$`)
	partitionCSV = pattern(`(?s)^(".*"),([0-9a-f]*),(true|false),\d+,(\d+),(\d+),\d+,(\d+),(\d+),(\d+),(\d+),(\d+),(\d+),(\d+),` +
		`(.*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),[^,]*,[^,]*$`)
)

const partitionsHeader = "key,keyBinary,live,offset,size,rowCount"

// Decode reads a line.
func (d *partitions) Decode(rec *ingest.Record, to ingest.Sink) {
	line := rec.Data
	if d.pending != nil {
		line = slices.Concat(d.pending, []byte("\n"), line)
	}
	text, csv := partitionText().FindSubmatch(line), partitionCSV().FindSubmatch(line)
	switch {
	case text != nil:
		d.pending = nil
		size, _ := systable.Bytes(text[4])
		d.tell(partitionRow{text: text[1], hex: text[2], live: string(text[3]) == "live", size: size, counts: counts(text[5:])}, rec.At, to)
	case csv != nil:
		d.pending = nil
		d.row(csv, rec.At, to)
	case len(line) > maxPendingKey:
		complain(to, causePartitionLine, line, rec.At)
		d.pending = nil
	case d.pending != nil:
		d.pending = line
		to.Skip(skipKeyLine)
	default:
		d.other(rec, to)
	}
}

// other reads a line that is none of a whole partition.
func (d *partitions) other(rec *ingest.Record, to ingest.Sink) {
	line := rec.Data
	text := bytes.TrimSpace(line)
	m := processing().FindSubmatch(line)
	switch {
	case m != nil:
		d.table, d.index = bytes.Join(m[1:3], []byte{'.'}), bytes.Clone(m[3])
		d.place = string(m[0])
		to.Skip(skipPartitions)
	case bytes.HasPrefix(text, []byte("Partition: '")) || bytes.HasPrefix(line, []byte(`"`)):
		d.pending, d.begun = bytes.Clone(line), rec.At.Byte
		to.Skip(skipKeyLine)
	default:
		to.Skip(skipPartitions)
	}
}

// A partitionRow is what both forms tell of a partition of an SSTable. counts are rows, tombstones, and
// of those rows, ranges, complex, cells, expired rows and expired cells; nil: not told.
type partitionRow struct {
	text, hex []byte
	live      bool
	size      uint64
	counts    []uint64
}

func counts(texts [][]byte) (n []uint64) {
	if texts[0] == nil {
		return nil
	}
	for _, t := range texts {
		v, _ := systable.Count(t)
		n = append(n, v)
	}
	return n
}

// row reads a line of CSV.
func (d *partitions) row(m [][]byte, at ingest.Position, to ingest.Sink) {
	d.table, d.index = bytes.Join(m[14:16], []byte{'.'}), bytes.Clone(m[16])
	d.place = string(m[13]) + "\x00" + string(m[17]) + "\x00" + string(m[18])
	size, _ := systable.Count(m[4])
	d.tell(partitionRow{text: unquotedCSV(m[1], m[2]), hex: m[2], live: string(m[3]) == "true", size: size, counts: counts(m[5:13])}, at, to)
}

// unquotedCSV undoes the tool's quoting of a key: always a pair of quotes, inside of which a key that
// the tool finds special stands in quotes again, its own doubled. What the hex form holds as text wins.
func unquotedCSV(quoted, digits []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	raw, err := hex.DecodeString(string(digits))
	if err == nil && bytes.Equal(inner, raw) {
		return inner
	}
	if n := len(inner); n >= 2 && inner[0] == '"' && inner[n-1] == '"' {
		return bytes.ReplaceAll(inner[1:n-1], []byte(`""`), []byte(`"`))
	}
	return bytes.ReplaceAll(inner, []byte(`""`), []byte(`"`))
}

// tell adds an SSTable's part of a partition, and tells of the sums so far; the last ones are the largest.
func (d *partitions) tell(p partitionRow, at ingest.Position, to ingest.Sink) {
	d.key = ingest.AppendKey(d.key[:0], componentsOf(p.text, p.hex)...)
	s := d.sum(at, to)
	if s == nil {
		return
	}
	s.bytes += p.size
	st := ingest.State{
		Store: ingest.Cassandra, Table: d.table, Index: d.index, Key: d.key, KeyKnown: true,
		Source: ingest.SourcePartitions, AtLeast: true, At: at, Measure: ingest.PartitionBytes, Value: s.bytes,
	}
	to.State(&st)
	if p.counts == nil {
		return
	}
	s.add(p)
	st.Measure, st.Value = ingest.PartitionRows, s.rows
	to.State(&st)
	if s.tombstones == 0 {
		return
	}
	st.Measure, st.Value, st.Kinds = ingest.PartitionTombstones, s.tombstones, s.kinds
	to.State(&st)
}

func (s *partitionSum) add(p partitionRow) {
	n := p.counts
	s.rows, s.tombstones = s.rows+n[0], s.tombstones+n[1]
	s.kinds.Rows += n[0]
	s.kinds.RowDeletes += n[2]
	s.kinds.Ranges += n[3]
	s.kinds.Complex += n[4]
	s.kinds.Cells += n[5]
	s.kinds.Expired += n[6] + n[7]
	if !p.live {
		s.kinds.Partition++
	}
}

// sum gives the sum of the current key; nil when its SSTable was counted already.
func (d *partitions) sum(at ingest.Position, to ingest.Sink) *partitionSum {
	group := ""
	if i := strings.IndexByte(d.place, 0); i >= 0 {
		group = d.place[i:]
	}
	id := string(d.table) + "\x00" + string(d.index) + "\x00" + group + "\x00" + string(d.key)
	if len(d.sums) >= maxSummed {
		d.forget()
	}
	s := d.sums[id]
	if s == nil {
		s = &partitionSum{}
		d.sums[id] = s
	}
	h := fnv.New64a()
	h.Write([]byte(d.place))
	place := h.Sum64()
	if slices.Contains(s.sstables, place) {
		to.Skip("SSTable listed twice")
		return nil
	}
	if len(s.sstables) < maxSummedTables {
		s.sstables = append(s.sstables, place)
	}
	return s
}

// forget drops the sums that are smaller than their mean, and all where that frees too little.
func (d *partitions) forget() {
	var total uint64
	for _, s := range d.sums {
		total += s.bytes
	}
	mean := total / uint64(len(d.sums))
	maps.DeleteFunc(d.sums, func(_ string, s *partitionSum) bool { return s.bytes < mean })
	if len(d.sums) > maxSummed/2 {
		clear(d.sums)
	}
}

// componentsOf splits the printed key of a partition; how many components it has, its serialised form
// tells.
func componentsOf(text, digits []byte) [][]byte {
	raw, err := hex.DecodeString(string(digits))
	if err != nil || bytes.Equal(raw, text) {
		return [][]byte{text}
	}
	n := compositeParts(raw)
	if n < 2 {
		return [][]byte{text}
	}
	return cql.SplitKeyString(text, &cql.Table{PartitionKey: make([]cql.Column, n)})
}

// compositeParts gives the number of components of a serialised key that has the form of several, else 0.
func compositeParts(raw []byte) (n int) {
	for len(raw) >= 3 {
		size := int(raw[0])<<8 | int(raw[1])
		if len(raw) < size+3 || raw[size+2] != 0 {
			return 0
		}
		raw, n = raw[size+3:], n+1
	}
	if len(raw) > 0 {
		return 0
	}
	return n
}

// Close tells of a last key that is cut off.
func (d *partitions) Close(to ingest.Sink) {
	if d.pending != nil {
		complain(to, causePartitionLine, d.pending, ingest.Position{Byte: d.begun})
	}
}

func sniffPartitions(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	found, seen := false, 0
	log := sniffLines(head, func(line []byte) bool {
		seen++
		found = partitionText().Match(line) || partitionCSV().Match(line) || strings.HasPrefix(string(line), partitionsHeader) ||
			processing().Match(line) && bytes.Contains(line, []byte(" uncompressed, "))
		return found || seen > 200
	})
	return certainOr(!log && found, "partitions of SSTables", "no line Partition: '…' and no header key,keyBinary,live")
}
