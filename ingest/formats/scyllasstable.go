package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// ScyllaSSTable is what ScyllaDB's tool says of SSTables as JSON.
var ScyllaSSTable = ingest.Format{
	Name:     "scylla-sstable",
	Title:    "scylla sstable dump-scylla-metadata and dump-statistics, JSON",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition, row, cell and collection sizes, from 2026.2 on with key", "droppable tombstones"},
	Doc: `JSON of scylla sstable dump-scylla-metadata: the largest of each kind in an SSTable, with the node's limit, and from
2026.2 on the largest with their keys; of dump-statistics the largest partition, and what part of the cells was dead
when the SSTable was written
(https://opensource.docs.scylladb.com/stable/operating-scylla/admin-tools/scylla-sstable.html):

    {"sstables":{"/var/lib/scylla/data/shop/inbox-97ec…/me-3-big-Data.db":{"large_data_stats":
      {"partition_size":{"max_value":1188716932,"threshold":1048576000,"above_threshold":1}}}}}

The table is told by the path. Sizes are of one SSTable, "at least".`,
	Document: true,
	Sniff:    sniffScyllaSSTable,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &scyllaSSTable{schema: o.Schema}, nil
	},
}

const causeScyllaSSTable = "description of SSTables that is cut off or no JSON"

type scyllaSSTable struct {
	schema       *cql.Schema
	rec          *ingest.Record
	to           ingest.Sink
	table, index []byte
	at           ingest.Position
	limits       map[ingest.Measure]uint64 // of the current SSTable
	key          []byte
	told         bool
}

// Decode reads the whole document.
func (d *scyllaSSTable) Decode(rec *ingest.Record, to ingest.Sink) {
	d.rec, d.to, d.told = rec, to, false
	place := places{rec: rec}
	brace := max(bytes.IndexByte(rec.Data, '{'), 0)
	if kind, _, _ := ingest.ScanJSON(rec.Data, brace); kind != ingest.JSONObject {
		complain(to, causeScyllaSSTable, firstLine(rec.Data), rec.At)
		return
	}
	eachObject(jsonMember(rec.Data[brace:], "sstables"), func(path, text []byte) {
		d.table, d.index = pathTable(unquotedText(path))
		d.at, d.limits = place.of(path), map[ingest.Measure]uint64{}
		eachObject(jsonMember(text, "large_data_stats"), d.largest)
		d.records(text)
		if stats := jsonMember(text, "stats"); stats != nil {
			d.statistics(stats)
		}
	})
	if !d.told {
		to.Skip("description of an SSTable without large data")
	}
}

// eachObject calls do for each member of an object that is an object itself.
func eachObject(text []byte, do func(name, value []byte)) {
	m := ingest.ReadJSON(text, 0)
	for {
		name, kind, value, ok := m.Next()
		if !ok {
			return
		}
		if kind == ingest.JSONObject {
			do(name, value)
		}
	}
}

var scyllaLargeKinds = map[string]ingest.Measure{
	"partition_size": ingest.PartitionBytes, "rows_in_partition": ingest.PartitionRows, "row_size": ingest.RowBytes,
	"cell_size": ingest.CellBytes, "elements_in_collection": ingest.CollectionItems,
}

// largest reads what is the largest of a kind.
func (d *scyllaSSTable) largest(kind, text []byte) {
	measure, known := scyllaLargeKinds[string(kind)]
	s := d.state(measure)
	m := ingest.ReadJSON(text, 0)
	for {
		name, _, value, ok := m.Next()
		if !ok {
			break
		}
		switch string(name) {
		case "max_value":
			s.Value, _ = systable.Count(value)
		case "threshold":
			s.Limit, _ = systable.Count(value)
		}
	}
	if !known || s.Value == 0 {
		return
	}
	d.limits[measure] = s.Limit
	s.Said = s.Limit > 0 && s.Value > s.Limit
	d.tell(s)
}

func (d *scyllaSSTable) state(m ingest.Measure) *ingest.State {
	return &ingest.State{
		Store: ingest.Scylla, Table: d.table, Index: d.index, Source: ingest.SourceLargeTable, Measure: m, AtLeast: true, At: d.at,
	}
}

func (d *scyllaSSTable) tell(s *ingest.State) {
	d.told = true
	d.to.State(s)
}

// records reads the list of the largest with their keys.
func (d *scyllaSSTable) records(text []byte) {
	m := ingest.ReadJSON(text, 0)
	for {
		name, kind, list, ok := m.Next()
		if !ok {
			return
		}
		if string(name) != "large_data_records" || kind != ingest.JSONArray {
			continue
		}
		for i := bytes.IndexByte(list, '{'); i >= 0; {
			_, object, next := ingest.ScanJSON(list, i)
			if object == nil {
				return
			}
			d.record(object)
			more := bytes.IndexByte(list[next:], '{')
			if i = next + more; more < 0 {
				return
			}
		}
	}
}

// A largeRecord is one of the largest: what it is, its place, its size, and of a partition its tombstones.
type largeRecord struct {
	measure                 ingest.Measure
	known                   bool
	key, clustering, column []byte
	value                   uint64
	kinds                   ingest.TombstoneKinds
}

func (r *largeRecord) read(text []byte) {
	m := ingest.ReadJSON(text, 0)
	for {
		name, _, value, ok := m.Next()
		if !ok {
			return
		}
		n, _ := systable.Count(value)
		switch string(name) {
		case "type":
			r.measure, r.known = scyllaLargeKinds[string(value)]
		case "partition_key":
			r.key = unquotedText(value)
		case "clustering_key":
			r.clustering = unquotedText(value)
		case "column_name":
			r.column = unquotedText(value)
		case "value":
			r.value = n
		case "dead_rows":
			r.kinds.RowDeletes = n
		case "range_tombstones":
			r.kinds.Ranges = n
		}
	}
}

func (d *scyllaSSTable) record(text []byte) {
	var r largeRecord
	if r.read(text); !r.known || r.value == 0 || len(r.key) == 0 {
		return
	}
	d.key = systable.LargeKey(d.key, r.key, d.table, d.schema)
	s := d.state(r.measure)
	s.Key, s.KeyKnown, s.Value, s.Limit = d.key, true, r.value, d.limits[r.measure]
	s.Said = s.Limit > 0 && s.Value > s.Limit
	s.Part = bytes.Join(slicesWithText(r.clustering, r.column), []byte{'/'})
	d.tell(s)
	if n := r.kinds.RowDeletes + r.kinds.Ranges; n > 0 && r.measure == ingest.PartitionBytes {
		s = d.state(ingest.PartitionTombstones)
		s.Key, s.KeyKnown, s.Value, s.Kinds = d.key, true, n, r.kinds
		d.tell(s)
	}
}

// slicesWithText gives those that are not empty.
func slicesWithText(all ...[]byte) (some [][]byte) {
	for _, s := range all {
		if len(s) > 0 {
			some = append(some, s)
		}
	}
	return some
}

func sniffScyllaSSTable(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	yes := bytes.Contains(head, []byte(`"sstables"`)) &&
		(bytes.Contains(head, []byte(`"large_data_stats"`)) || bytes.Contains(head, []byte(`"large_data_records"`)) ||
			bytes.Contains(head, []byte(`"estimated_tombstone_drop_time"`)))
	return certainOr(yes, "SSTables with their large data", "no members sstables and large_data_stats")
}
