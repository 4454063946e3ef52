package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// condition begins a state of the current record, of a table that two names tell.
func (d *scylla) condition(m ingest.Measure, value uint64, keyspace, table []byte) *ingest.State {
	d.setTable(keyspace, table)
	d.state = ingest.State{
		Store: ingest.Scylla, Table: d.table, Node: d.rec.Node, Source: d.writer(), Measure: m, Value: value,
		Said: true, UnixNano: d.nano, At: d.rec.At,
	}
	return &d.state
}

func (d *scylla) setTable(keyspace, table []byte) {
	d.table = append(append(append(d.table[:0], keyspace...), '.'), table...)
}

// writer tells what wrote the SSTable, by the scheduling group (main.cc; before 6.0 names were cut).
func (d *scylla) writer() string {
	group := d.head.group
	switch {
	case bytes.HasPrefix(group, []byte("comp")):
		return "compaction"
	case bytes.HasPrefix(group, []byte("mt")), bytes.HasPrefix(group, []byte("memt")):
		return "flush"
	case bytes.HasPrefix(group, []byte("str")), bytes.HasPrefix(group, []byte("man")):
		return "stream"
	}
	return "sstable"
}

// slKinds are what is called large, longest first.
var slKinds = []struct {
	name    string
	measure ingest.Measure
}{
	{"partition ", ingest.PartitionBytes}, {"static row ", ingest.RowBytes}, {"static cell ", ingest.CellBytes},
	{"static collection ", ingest.CollectionBytes}, {"row ", ingest.RowBytes}, {"cell ", ingest.CellBytes},
	{"collection ", ingest.CollectionBytes},
}

// large reads what is said of data written to an SSTable; db/large_data_handler.cc of each version:
//
//	Writing large row ks/t:key (1 bytes)                          2.3, 3.0: of a partition
//	Writing large cell ks/t: keyck column (1 bytes) to /path      3.1 to 5.1
//	Writing large cell ks/t: key/ck/column (1 bytes) to me-…      5.2.0 to 5.4.5
//	Writing large partition ks/t:  (1 bytes/2 rows) to me-…       later: no key, of cells the column
func (d *scylla) large(s slText) bool {
	s.skip("Writing large ")
	measure, ok := slKind(&s)
	keyspace, named := s.until("/")
	table, ended := s.until(":")
	if !ok || !named || !ended || len(table) == 0 {
		return false
	}
	modern := s.skip(" ") || s.skip("\n")
	path, sstable, ok := slSize(&s)
	if !ok {
		return false
	}
	size, _ := s.number()
	if !modern {
		measure = ingest.PartitionBytes
	}
	st := d.condition(measure, size, keyspace, table)
	st.AtLeast = true
	d.subject(st, bytes.TrimSpace(path), sstable)
	d.to.State(st)
	if s.skip(" bytes/") {
		if rows, ok := s.number(); ok {
			st.Measure, st.Value = ingest.PartitionRows, rows
			d.to.State(st)
		}
	}
	return true
}

func slKind(s *slText) (m ingest.Measure, ok bool) {
	for _, k := range slKinds {
		if s.skip(k.name) {
			return k.measure, true
		}
	}
	return 0, false
}

// slSize moves s to the number of the size clause, the last one of the text, and gives what stands
// before and the SSTable behind.
func slSize(s *slText) (path, sstable []byte, ok bool) {
	for end := len(*s); ; {
		end = bytes.LastIndexByte((*s)[:end], '(')
		if end < 0 {
			return nil, nil, false
		}
		rest := (*s)[end+1:]
		if _, isNumber := rest.number(); !isNumber || !bytes.HasPrefix(rest, []byte(" bytes")) {
			continue
		}
		_, behind, closed := bytes.Cut(rest, []byte(")"))
		if sstable, ok = bytes.CutPrefix(behind, []byte(" to ")); closed && (ok || len(behind) == 0) {
			path, *s = (*s)[:end], (*s)[end+1:]
			return path, sstable, true
		}
	}
}

// subject tells the key and the part that a path names. Before 5.2 nothing stood between the key and
// the clustering key, so that of rows and cells only the whole path is told.
func (d *scylla) subject(st *ingest.State, path, sstable []byte) {
	switch old := len(sstable) == 0 || bytes.IndexByte(sstable, '/') >= 0; {
	case len(path) == 0:
	case st.Measure == ingest.PartitionBytes:
		d.stateKey(st, slOldKey(path))
	case old:
		st.Part = path
	default:
		d.cellOf(st, path)
	}
}

// cellOf reads key/ck, key/ck/column and key//column; keys and clustering keys with a slash in them
// make it ambiguous, and a path without one is a column.
func (d *scylla) cellOf(st *ingest.State, path []byte) {
	want := 2
	if st.Measure == ingest.RowBytes {
		want = 1
	}
	key, part, _ := bytes.Cut(path, []byte("/"))
	if bytes.Count(path, []byte("/")) != want {
		st.Part = path
		return
	}
	d.stateKey(st, key)
	st.Part = bytes.TrimPrefix(part, []byte("/"))
}

// slOldKey undoes `{key: pk{0003616263}, token:-123}` of 2.3.
func slOldKey(path []byte) []byte {
	rest, ok := bytes.CutPrefix(path, []byte("{key: "))
	if !ok {
		return path
	}
	key, _, _ := bytes.Cut(rest, []byte(", token:"))
	return key
}

// stateKey sets the key that stands in text or hex.
func (d *scylla) stateKey(st *ingest.State, text []byte) {
	if len(text) > 0 {
		st.Key, st.KeyKnown = d.keyOf(st.Table, text, nil), true
	}
}

// manyRows reads `Writing a partition with too many rows [ks/t:key] (1 rows) to me-…` of 3.2 to 4.6.
func (d *scylla) manyRows(s slText) bool {
	s.skip("Writing a partition with too many rows [")
	keyspace, named := s.until("/")
	table, ended := s.until(":")
	end := bytes.LastIndex(s, []byte("] ("))
	if !named || !ended || end < 0 {
		return false
	}
	key := s[:end]
	s = s[end+len("] ("):]
	rows, ok := s.number()
	if !ok || !s.skip(" rows)") {
		return false
	}
	st := d.condition(ingest.PartitionRows, rows, keyspace, table)
	st.AtLeast = true
	d.stateKey(st, bytes.TrimSpace(key))
	d.to.State(st)
	return true
}

// slMetrics are what guardrails measure.
var slMetrics = []struct {
	name    string
	measure ingest.Measure
}{
	{"partition size ", ingest.PartitionBytes}, {"partition row count ", ingest.PartitionRows}, {"row size ", ingest.RowBytes},
	{"static row size ", ingest.RowBytes}, {"cell value size ", ingest.CellBytes}, {"collection element count ", ingest.CollectionItems},
}

// guardrail reads, of 2026.3 on,
//
//	Large data guardrail: row size 12 exceeds soft limit 10 (keyspace=ks, table=t, clustering_key=…)
func (d *scylla) guardrail(s slText) bool {
	if !s.skip("Large data guardrail: ") {
		return false
	}
	i := 0
	for i < len(slMetrics) && !s.skip(slMetrics[i].name) {
		i++
	}
	value, ok := s.number()
	if i == len(slMetrics) || !ok || !s.skip(" exceeds ") {
		return false
	}
	_, known := s.until(" limit ")
	limit, ok := s.number()
	if !known || !ok || !s.skip(" (keyspace=") {
		return false
	}
	keyspace, named := s.until(", table=")
	end := bytes.LastIndexByte(s, ')')
	if !named || end < 0 {
		return false
	}
	table, context, _ := bytes.Cut(s[:end], []byte(", "))
	st := d.condition(slMetrics[i].measure, value, keyspace, table)
	st.Source, st.Limit, st.AtLeast = "guardrail", limit, true
	d.context(st, slText(context))
	d.to.State(st)
	return true
}

// context reads what a guardrail says of the place.
func (d *scylla) context(st *ingest.State, s slText) {
	switch {
	case s.skip("partition_key="), s.skip("pk="):
		d.stateKey(st, s)
	case s.skip("clustering_key="), s.skip("column="):
		st.Part = s
	}
}

// rejected reads `Write rejected for ks.t: Large data guardrail: …`.
func (d *scylla) rejected(s slText) bool {
	_, ok := s.until(": ")
	return ok && d.guardrail(s)
}

// detected reads, of 2026.2 on at level TRACE,
//
//	Detected large partition: sstable=…, partition_key=…, record_type=…, partition_size=1, rows=2, range_tombstones=3, dead_rows=4
//
// The table is in the path of the SSTable.
func (d *scylla) detected(s slText) bool {
	s.skip("Detected large partition: sstable=")
	path, ok := s.until(", partition_key=")
	end := bytes.LastIndex(s, []byte(", record_type="))
	if !ok || end < 0 {
		return false
	}
	key := s[:end]
	s = s[end:]
	size := slField(s, ", partition_size=")
	rows := slField(s, ", rows=")
	ranges, dead := slField(s, ", range_tombstones="), slField(s, ", dead_rows=")
	keyspace, table := slTableOfPath(path)
	st := d.condition(ingest.PartitionBytes, size, keyspace, table)
	if len(table) == 0 {
		st.Table = nil
	}
	st.AtLeast = true
	d.stateKey(st, key)
	d.to.State(st)
	st.Measure, st.Value = ingest.PartitionRows, rows
	d.to.State(st)
	st.Measure, st.Value, st.Said = ingest.PartitionTombstones, ranges+dead, false
	st.Kinds = ingest.TombstoneKinds{Rows: rows, RowDeletes: dead, Ranges: ranges}
	d.to.State(st)
	return true
}

// slField gives the number behind name, 0 when there is none.
func slField(s slText, name string) uint64 {
	s.until(name)
	n, _ := s.number()
	return n
}

// slTableOfPath finds keyspace and table in …/keyspace/table-uuid/sstable.
func slTableOfPath(path []byte) (keyspace, table []byte) {
	end := bytes.LastIndexByte(path, '/')
	if end < 0 {
		return nil, nil
	}
	begin := bytes.LastIndexByte(path[:end], '/')
	if begin < 0 {
		return nil, nil
	}
	table, _, _ = bytes.Cut(path[begin+1:end], []byte("-"))
	return path[bytes.LastIndexByte(path[:begin], '/')+1 : begin], table
}
