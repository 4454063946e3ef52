package formats

import (
	"bytes"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// guardrail reads a message of a guardrail (db/guardrails/Guardrail.java), by its text: names differ
// between versions and types.
//
//	Guardrail partition_size violated: Partition ks.t:key on sstable /path has size 1, this exceeds the warning threshold of 2.
//	Guardrail collection_size violated: Detected collection c in row ('k', 7) in table ks.t of size 1, this exceeds …
//	Guardrail column_value_size violated: Value of column 'c' has size 1, this exceeds the failure threshold of 2.
//	Guardrail partition_keys_in_select violated: Query with partition keys in IN clause on table t, with number of …
func (d *cassandra) guardrail(s clText) bool {
	if _, ok := s.until(" violated: "); !ok {
		return false
	}
	switch {
	case s.skip("Partition "):
		return d.guardedPartition(s)
	case s.skip("Detected collection "):
		return d.guardedCollection(s)
	case s.skip("Value of column '"):
		return d.guardedValue(s)
	case s.skip("Query with partition keys in IN clause on table "):
		return d.guardedKeys(s, false)
	case s.skip("Aborting query with partition keys in IN clause on table "):
		return d.guardedKeys(s, true)
	case len(bytes.TrimSpace(s.rest)) == 0 || s.rest[0] == '\n':
		return false
	case bytes.HasPrefix([]byte("Partition"), bytes.TrimSpace(clFirstWord(s.rest))):
		return false // wrapped right behind it
	}
	return d.skip(clSkipSize)
}

func (d *cassandra) guardedPartition(s clText) bool {
	subject, ok := s.untilLast(" on sstable ")
	if !ok {
		return false
	}
	path, ok := s.until(" has ")
	measure := ingest.PartitionTombstones
	if s.skip("size ") {
		measure = ingest.PartitionBytes
	}
	value, isNumber := s.number()
	if !ok || !isNumber {
		return false
	}
	st := d.condition(measure, value)
	st.AtLeast = true
	return d.written(st, subject, '.', path) && d.limit(st, s)
}

// limit reads `… threshold of 2`, and hands the state over.
func (d *cassandra) limit(st *ingest.State, s clText) bool {
	if _, ok := s.until("threshold of "); !ok {
		return false
	}
	limit, ok := s.number()
	st.Limit = limit
	return ok && d.emitState(st)
}

// guardedCollection reads `c in row ('k', 7) in table ks.t of size 1`, or at query time `c of size 1`.
// The row is a whole primary key, so that only a bare one is surely the partition key.
func (d *cassandra) guardedCollection(s clText) bool {
	end := clLastIndex(s.rest, ", this exceeds the ")
	if end < 0 {
		return false
	}
	rest := clText{s.rest[end:]}
	measure, word := ingest.CollectionBytes, " of size "
	what := clText{s.rest[:end]}
	subject, ok := what.untilLast(word)
	if !ok {
		measure = ingest.CollectionItems
		subject, ok = what.untilLast(" with ")
	}
	value, isNumber := what.number()
	if !ok || !isNumber {
		return false
	}
	st := d.condition(measure, value)
	d.part = append(d.part[:0], subject...)
	if i := clLastIndex(subject, " in table "); i >= 0 {
		st.AtLeast = true // of one write
		d.table = appendUnquotedTable(d.table[:0], subject[i+10:])
		st.Table = d.table
		column, row, _ := bytes.Cut(subject[:i], []byte(" in row "))
		if st.Key, st.KeyKnown = d.keyOfRow(row, st.Table); st.KeyKnown && row[0] != '(' {
			d.part = append(d.part[:0], column...)
		} else {
			d.part = append(d.part[:0], subject[:i]...)
		}
	}
	st.Part = d.part
	return d.limit(st, rest)
}

// keyOfRow gives the partition key of a row whose primary key is printed as CQL. Of one in brackets the
// schema tells which columns they are.
func (d *cassandra) keyOfRow(row, table []byte) (key []byte, known bool) {
	if len(row) == 0 {
		return nil, false
	}
	if row[0] != '(' {
		d.key = ingest.AppendKey(d.key[:0], clLiteral(row))
		return d.key, true
	}
	t := d.tableOf(table)
	if t == nil {
		return nil, false
	}
	d.plain = append(d.plain[:0], "SELECT * FROM t WHERE ("...)
	for i, c := range slices.Concat(t.PartitionKey, t.Clustering) {
		if i > 0 {
			d.plain = append(d.plain, ", "...)
		}
		d.plain = append(append(append(d.plain, '"'), c.Name...), '"')
	}
	st, err := d.parser.Parse(append(append(d.plain, ") = "...), row...))
	if err != nil {
		return nil, false
	}
	parts, known := st.Key(t, nil)
	if !known {
		return nil, false
	}
	d.key = ingest.AppendKey(d.key[:0], parts...)
	return d.key, true
}

// appendUnquotedTable appends a table as CQL prints it, `"Telemetry".blobs`, without quotes.
func appendUnquotedTable(dst, text []byte) []byte {
	for _, c := range text {
		if c != '"' {
			dst = append(dst, c)
		}
	}
	return dst
}

func (d *cassandra) guardedValue(s clText) bool {
	column, ok := s.until("' has size ")
	value, isNumber := s.number()
	if !ok || !isNumber {
		return false
	}
	st := d.condition(ingest.CellBytes, value)
	d.part = append(d.part[:0], column...)
	st.Part = d.part
	return d.limit(st, s)
}

// guardedKeys reads `t, with number of partition keys 1 exceeds …`: a read of many partitions.
func (d *cassandra) guardedKeys(s clText, failed bool) bool {
	table, ok := s.until(",")
	if !ok {
		return false
	}
	_, ok = s.until("number of partition keys ")
	n, isNumber := s.number()
	if !ok || !isNumber {
		return false
	}
	e := d.request(ingest.OpRead)
	d.table = appendUnquotedTable(d.table[:0], table)
	if t := d.tableOf(d.table); t != nil { // the message names no keyspace
		d.named(t.Keyspace, t.Name)
	}
	e.Table, e.Partitions, e.Failed = d.table, n, failed
	return d.emit(e)
}

// unloggedBatch reads `Unlogged batch covering 30 partitions detected against table [ks.t]. …`. Of a
// batch over several tables none is named: how its partitions are spread is not told.
func (d *cassandra) unloggedBatch(s clText) bool {
	s.skip("Unlogged batch covering ")
	n, ok := s.number()
	if _, named := s.until(" detected against table"); !ok || !named {
		return false
	}
	s.skip("s")
	s.skip(" ")
	if !s.skip("[") {
		return false
	}
	tables, ok := s.until("]")
	if !ok {
		return false
	}
	e := d.request(ingest.OpWrite)
	e.Partitions = n
	if !bytes.Contains(tables, []byte(",")) {
		d.table = append(d.table[:0], tables...)
		e.Table = d.table
	}
	d.shape = append(d.shape[:0], "BEGIN UNLOGGED BATCH"...)
	e.Shape = d.shape
	return d.emit(e)
}

// aggregation reads `Aggregation query used without partition key on table ks.t, aggregation type: …`.
// The line that names no table repeats it.
func (d *cassandra) aggregation(s clText) bool {
	s.skip("Aggregation query used without partition key")
	if !s.skip(" on table ") {
		return d.skip(clSkipContext)
	}
	n := bytes.IndexAny(s.rest, ", \n")
	if n < 0 {
		n = len(s.rest)
	}
	e := d.request(ingest.OpScan)
	d.table = append(d.table[:0], s.rest[:n]...)
	e.Table = d.table
	return d.emit(e)
}
