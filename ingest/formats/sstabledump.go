package formats

import (
	"bytes"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// SSTableDump is the contents of an SSTable as JSON.
var SSTableDump = ingest.Format{
	Name:     "sstabledump",
	Title:    "sstabledump or sstable2json, JSON of any length",
	Coverage: ingest.StateOnly,
	Carries:  []string{"key", "rows", "tombstones by kind", "partition sizes"},
	Doc: `JSON of sstabledump (3.0 on), of one or several SSTables, pretty or one partition a line (-l)
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/sstable/sstabledump.html):

    [{"partition":{"key":["cust-42","2024-05"],"position":0},
      "rows":[{"type":"row","clustering":[7],"cells":[{"name":"v","deletion_info":{"local_delete_time":"…"}}]}]}]

sstable2json of 2.2 and before prints {"key":…,"cells":[["name","value",time,"d"],…]}: its deleted cells ("d") and range
markers ("t") are counted, its rows are not told.
Of each partition rows and tombstones are counted by kind, "at least", as it may have more in other SSTables; its
size is the distance to the next one. The table is told by a command line before the JSON that names the path; else it
is the one table of a given schema that has so many key and clustering columns and all the columns of the first cells,
if there is one alone. What is held depends neither on the length of the dump nor of its lines.`,
	Sequential: true,
	Pieces:     true,
	Sniff:      sniffDump,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &dump{schema: o.Schema}, nil
	},
}

// A dump reads JSON by pieces: at each bracket it knows the names of the objects and arrays around.
type dump struct {
	jsonWalk
	out    printout
	schema *cql.Schema
	table  []byte
	index  []byte
	looks  dumpLooks

	line     ingest.Position
	told     bool // of something in the current line
	open     bool // in a partition
	at       mark
	key      []byte
	parts    [][]byte
	position int64 // in the file; -1: unknown
	kinds    ingest.TombstoneKinds
	item     dumpItem
	fields   int // of a cell of 2.2 and before
	previous pastPartition
}

// A dumpItem is what is known of a row or cell that is not yet closed.
type dumpItem struct {
	kind                         string // "row", "range_tombstone_bound", ...
	deleted, expired             bool   // of the row
	cell, cellDeleted, cellValue bool
	cellMarked, cellExpired      bool
}

// A pastPartition waits for the position of the next one.
type pastPartition struct {
	key      []byte
	position int64
	at       mark
	known    bool
}

// Decode reads a line.
func (d *dump) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	d.told, d.line = false, rec.At
	if d.depth == 0 && bytes.IndexByte(rec.Data, '{') < 0 && bytes.IndexByte(rec.Data, '[') != 0 {
		if t, index := pathTable(dumpPath().Find(rec.Data)); t != nil {
			d.table, d.index = t, index
		}
		to.Skip(skipDump)
		return
	}
	for i := 0; i < len(rec.Data); {
		step, text, next := d.next(rec.Data, i, rec.Cut)
		i = next
		switch step {
		case walkEnter:
			d.entered(rec.At)
		case walkLeave:
			d.left(to)
		case walkValue:
			d.value(text)
		case walkDeep:
			complain(to, causeDumpDeep, nil, rec.At)
			d.open, d.told = false, true
		}
	}
	if !d.told {
		to.Skip(skipDump)
	}
}

var dumpPath = pattern(`/\S+-Data\.db`)

// entered takes an object or array that was opened.
func (d *dump) entered(at ingest.Position) {
	name := d.names[d.depth-1]
	switch {
	case d.array[d.depth-1]:
		d.fields = 0
		if d.depth == 1 {
			d.looks = dumpLooks{} // another SSTable, perhaps of another table
		}
	case name == "partition":
		d.begin(at)
	case name == "rows":
		d.item = dumpItem{}
	case name == "cells":
		d.item.cell, d.item.cellDeleted, d.item.cellValue, d.item.cellMarked, d.item.cellExpired = true, false, false, false, false
	case name == "deletion_info":
		d.deletion()
	}
}

// oldCell takes a value of 2.2 and before: ["name","value",time,"d"] in an array of cells.
func (d *dump) oldCell(text []byte) {
	d.fields++
	if d.fields != 4 {
		return
	}
	switch string(text) {
	case "d":
		d.kinds.Cells++
	case "t":
		d.kinds.Ranges++
	}
}

func (d *dump) begin(at ingest.Position) {
	d.open, d.at, d.position = true, d.out.mark(at), -1
	d.parts, d.kinds = d.parts[:0], ingest.TombstoneKinds{}
}

// deletion notes that what is around is deleted.
func (d *dump) deletion() {
	switch {
	case d.in("partition", "deletion_info"):
		d.kinds.Partition++
	case d.in("cells", "deletion_info"):
		d.item.cellDeleted = true
	case d.in("rows", "deletion_info"):
		d.item.deleted = true
	}
}

// value takes a value that is no object and no array.
func (d *dump) value(text []byte) {
	d.looks.value(d, text)
	switch {
	case d.name == "key" && d.depth <= 2 && !d.open:
		d.begin(d.line)
		d.parts = append(d.parts, unquotedText(text))
	case d.in("cells", "cells") && d.array[d.depth-1], d.in("columns", "columns"):
		d.oldCell(text)
	case d.name == "markedForDeleteAt" && text[0] != '-':
		d.kinds.Partition++
	case d.in("partition", "key") && len(d.parts) < ingest.MaxKeyParts:
		d.parts = append(d.parts, unquotedText(text))
	case d.name == "position" && d.in("partition"):
		d.position, _ = strconv.ParseInt(string(text), 10, 64)
	case d.name == "type" && d.in("rows"):
		d.item.kind = string(text)
	case d.name == "marked_deleted" && d.in("cells", "deletion_info"):
		d.item.cellMarked = true
	case d.name == "expired" && string(text) == "true":
		d.item.cellExpired = d.item.cellExpired || d.in("cells")
		d.item.expired = d.item.expired || d.in("liveness_info")
	case d.name == "value" || d.name == "path":
		d.item.cellValue = d.item.cellValue || d.in("cells")
	}
	d.name = ""
}

// left takes an object or array that was closed.
func (d *dump) left(to ingest.Sink) {
	name := d.names[d.depth]
	switch {
	case d.array[d.depth]:
	case name == "cells":
		d.cell()
	case name == "rows":
		d.row()
	case d.open && name != "partition" && (d.depth == 0 || d.depth == 1 && d.array[0]):
		d.finish(to)
	}
}

// cell counts what a cell is: deleted, expired, or the marker of a collection that is deleted whole.
func (d *dump) cell() {
	switch i := &d.item; {
	case i.cellDeleted && i.cellMarked && !i.cellValue:
		d.kinds.Complex++
	case i.cellDeleted:
		d.kinds.Cells++
	case i.cellExpired:
		d.kinds.Expired++
	}
}

func (d *dump) row() {
	switch d.item.kind {
	case "row":
		d.kinds.Rows++
		if d.item.deleted {
			d.kinds.RowDeletes++
		} else if d.item.expired {
			d.kinds.Expired++
		}
	case "range_tombstone_bound", "range_tombstone_boundary":
		d.kinds.Ranges++
	}
}

// finish tells of a partition, and of the size of the one before.
func (d *dump) finish(to ingest.Sink) {
	d.open = false
	at := d.out.place(d.at)
	if len(d.parts) == 0 {
		d.told = true
		complain(to, causeDumpKey, nil, at)
		return
	}
	if p := &d.previous; p.known && d.position > p.position {
		d.state(to, p.key, ingest.PartitionBytes, uint64(d.position-p.position), d.out.place(p.at))
	}
	d.key = ingest.AppendKey(d.key[:0], d.parts...)
	d.looks.find(d.schema, len(d.parts))
	k := d.kinds
	if k.Rows > 0 {
		d.state(to, d.key, ingest.PartitionRows, k.Rows, at)
	}
	if n := k.RowDeletes + k.Ranges + k.Cells + k.Complex + k.Expired + k.Partition; n > 0 {
		d.state(to, d.key, ingest.PartitionTombstones, n, at)
	}
	d.previous = pastPartition{append(d.previous.key[:0], d.key...), d.position, d.at, d.position >= 0}
}

func (d *dump) state(to ingest.Sink, key []byte, m ingest.Measure, n uint64, at ingest.Position) {
	table := d.table
	if len(table) == 0 {
		table = d.looks.table
	}
	d.told = true
	dumped(to, &ingest.State{Store: ingest.Cassandra, Table: table, Index: d.index, Key: key, Measure: m, Value: n, At: at}, d.kinds)
}

// Close tells of a partition that is cut off.
func (d *dump) Close(to ingest.Sink) {
	if d.open {
		complain(to, causeDumpCut, nil, d.out.place(d.at))
	}
}

var (
	dumpPartition = pattern(`"partition"\s*:\s*\{\s*"key"\s*:\s*\[`)
	dumpOld       = pattern(`(?s)\{\s*"key"\s*:\s*"[^"]*"\s*,\s*(?:"metadata".{0,300})?"(?:cells|columns)"\s*:\s*\[`)
	dumpRows      = pattern(`"(?:position|rows|deletion_info)"`)
)

func sniffDump(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	yes := dumpPartition().Match(head) && dumpRows().Match(head) || dumpOld().Match(head)
	return certainOr(yes, "partitions with their rows", "no member partition with a key")
}
