package formats

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// ScyllaDump is the contents of an SSTable of ScyllaDB as JSON.
var ScyllaDump = ingest.Format{
	Name:     "scylla-dump",
	Title:    "scylla sstable dump-data, JSON of any length",
	Coverage: ingest.StateOnly,
	Carries:  []string{"key", "rows", "tombstones by kind"},
	Doc: `JSON of scylla sstable dump-data --output-format json, of one or several SSTables, on one line or as jq prints it
(https://docs.scylladb.com/manual/stable/operating-scylla/admin-tools/scylla-sstable.html):

    {"sstables":{"/var/lib/scylla/data/shop/inbox-97ec…/me-3-big-Data.db":[
      {"key":{"token":"-3485513579396041028","raw":"000400000007","value":"7"},
       "clustering_elements":[{"type":"clustering-row","key":{"raw":"…","value":"1"},"tombstone":{"timestamp":1,"deletion_time":"…"}}]}]}}

Of each partition rows and tombstones are counted by kind, "at least", as it may have more in other SSTables. Whether a
cell with a TTL has expired is not in a dump: such cells are no tombstones here. The table is told by the path; with --merge
there is none. What is held depends neither on the length of the dump nor of its lines.`,
	Sequential: true,
	Pieces:     true,
	Sniff:      sniffScyllaDump,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &scyllaDump{schema: o.Schema, begun: -1}, nil
	},
}

// A scyllaDump counts what the partitions hold.
type scyllaDump struct {
	jsonWalk
	out          printout
	schema       *cql.Schema
	table, index []byte
	told         bool // of something in the current line

	begun      int // depth of the partition that is open; -1: none
	at         mark
	raw, value []byte // of its key
	key        []byte
	kinds      ingest.TombstoneKinds
	element    string // the kind of the element of it that is open
	deleted    bool   // that one
}

// Decode reads a line, or a piece of one.
func (d *scyllaDump) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	d.told = false
	for i := 0; i < len(rec.Data); {
		step, text, next := d.next(rec.Data, i, rec.Cut)
		i = next
		switch step {
		case walkEnter:
			d.entered(rec.At)
		case walkLeave:
			d.left(to)
		case walkValue:
			d.scalar(text)
		case walkDeep:
			complain(to, causeDumpDeep, nil, rec.At)
			d.begun, d.told = -1, true
		}
	}
	if !d.told {
		to.Skip(skipDump)
	}
}

// entered takes an object or array that was opened: the members of "sstables", and what they hold.
func (d *scyllaDump) entered(at ingest.Position) {
	last := d.depth - 1
	switch {
	case d.begun >= 0:
		if d.under("clustering_elements", "clustering_elements") {
			d.element, d.deleted = "", false
		}
	case d.array[last]:
		d.table, d.index = pathTable([]byte(d.names[last]))
	case last > 0 && d.array[last-1]:
		d.begun, d.at = last, d.out.mark(at)
		d.raw, d.value, d.kinds = d.raw[:0], d.value[:0], ingest.TombstoneKinds{}
	}
}

// under reports whether these are the members of the open partition around.
func (d *scyllaDump) under(names ...string) bool {
	return slices.Equal(d.names[d.begun+1:d.depth], names)
}

// scalar takes a value that is no object and no array.
func (d *scyllaDump) scalar(text []byte) {
	if d.begun < 0 {
		return
	}
	inside := d.names[d.begun+1 : d.depth]
	row := len(inside) > 1 && inside[0] == "clustering_elements"
	switch {
	case d.name == "raw" && d.under("key"):
		d.raw = append(d.raw, text...)
	case d.name == "value" && d.under("key"):
		d.value = ingest.AppendUnquoted(d.value, text)
	case d.name == "type" && row && len(inside) == 2:
		d.element = string(text)
	case d.name == "timestamp" && d.under("tombstone"):
		d.kinds.Partition++
	case d.name == "timestamp" && row && len(inside) == 3 && (inside[2] == "tombstone" || inside[2] == "shadowable_tombstone"):
		d.deleted = true
	case row && len(inside) > 2 && inside[2] == "columns":
		d.cell(inside[3:], text)
	case len(inside) > 1 && inside[0] == "static_row":
		d.cell(inside[1:], text)
	}
	d.name = ""
}

// cell takes a value of a column: of a cell, of the marker that a collection was overwritten, or of an element of one.
func (d *scyllaDump) cell(inside []string, text []byte) {
	dead := d.name == "is_live" && string(text) == "false"
	switch {
	case dead && (len(inside) == 1 || len(inside) == 4 && inside[1] == "cells" && inside[3] == "value"):
		d.kinds.Cells++
	case d.name == "timestamp" && len(inside) == 2 && inside[1] == "tombstone":
		d.kinds.Complex++
	}
}

// left takes an object or array that was closed.
func (d *scyllaDump) left(to ingest.Sink) {
	switch {
	case d.begun < 0:
	case d.depth == d.begun:
		d.finish(to)
	case !d.array[d.depth] && d.depth == d.begun+2 && d.names[d.depth] == "clustering_elements":
		d.closeElement()
	}
}

func (d *scyllaDump) closeElement() {
	switch d.element {
	case "clustering-row":
		d.kinds.Rows++
		if d.deleted {
			d.kinds.RowDeletes++
		}
	case "range-tombstone-change":
		d.kinds.Ranges++
	}
}

// finish tells of a partition.
func (d *scyllaDump) finish(to ingest.Sink) {
	d.begun = -1
	at := d.out.place(d.at)
	if len(d.raw) == 0 && len(d.value) == 0 {
		d.told = true
		complain(to, causeDumpKey, nil, at)
		return
	}
	d.key = d.appendKey(d.key)
	k := d.kinds
	if k.Rows > 0 {
		d.state(to, ingest.PartitionRows, k.Rows, at)
	}
	if n := k.RowDeletes + k.Ranges + k.Cells + k.Complex + k.Partition; n > 0 {
		d.state(to, ingest.PartitionTombstones, n, at)
	}
	d.told = d.told || k.Rows > 0
}

// appendKey gives the form of the key. Its text joins components by colons without escapes; how many there are, its
// stored form tells. Where a component holds colons, the stored ones are taken.
func (d *scyllaDump) appendKey(dst []byte) []byte {
	raw, err := hex.DecodeString(string(d.raw))
	parts, whole := cql.AppendHexComponents(nil, raw)
	printed := bytes.Split(d.value, []byte{':'})
	switch {
	case err != nil || !whole || len(parts) < 2 && len(d.value) > 0:
		return ingest.AppendKey(dst[:0], d.value)
	case len(printed) == len(parts):
		return ingest.AppendKey(dst[:0], printed...)
	}
	return systable.LargeKey(dst, fmt.Appendf(nil, "pk{%s}", d.raw), d.table, d.schema)
}

func (d *scyllaDump) state(to ingest.Sink, m ingest.Measure, n uint64, at ingest.Position) {
	d.told = true
	dumped(to, &ingest.State{Store: ingest.Scylla, Table: d.table, Index: d.index, Key: d.key, Measure: m, Value: n, At: at}, d.kinds)
}

// Close tells of a partition that is cut off.
func (d *scyllaDump) Close(to ingest.Sink) {
	if d.begun >= 0 {
		complain(to, causeDumpCut, nil, d.out.place(d.at))
	}
}

var scyllaDumpKey = pattern(`"key"\s*:\s*\{\s*"token"\s*:\s*"-?\d+"\s*,\s*"raw"\s*:\s*"[0-9a-f]*"`)

func sniffScyllaDump(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	yes := scyllaDumpKey().Match(head) && !bytes.Contains(head, []byte(`"position"`)) && !bytes.Contains(head, []byte(`"first_key"`))
	return certainOr(yes, "partitions with their token", `no member "key" with a token`)
}
