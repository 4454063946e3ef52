package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// condition begins a state of the current record.
func (d *cassandra) condition(m ingest.Measure, value uint64) *ingest.State {
	d.state = ingest.State{
		Store: ingest.Cassandra, Measure: m, Value: value, Said: true, Source: d.writer(),
		UnixNano: d.nano, At: d.rec.At, Node: d.rec.Node,
	}
	return &d.state
}

func (d *cassandra) emitState(s *ingest.State) bool {
	d.said = true
	d.to.State(s)
	return true
}

// writer tells what wrote the SSTable, by the thread: what a flush writes is no growth over what a
// compaction wrote.
func (d *cassandra) writer() string {
	for _, w := range clWriters {
		if bytes.Contains(d.head.thread, w.thread) {
			return w.source
		}
	}
	return clUnknownWriter
}

const clUnknownWriter = "sstable"

var clWriters = []struct {
	thread []byte
	source string
}{
	{[]byte("Compaction"), "compaction"},
	{[]byte("MemtableFlush"), "flush"},
	{[]byte("STREAM"), "stream"},
	{[]byte("Stream"), "stream"},
	{[]byte("Validation"), "validation"},
	{[]byte("Native-Transport"), "query"},
}

// large reads what is said of a large partition that is written to an SSTable:
//
//	Compacting large row ks/t:key (1 bytes) incrementally                 up to 2.0
//	Compacting large partition ks/t:key (1 bytes)                         2.1.8 on
//	Writing large partition ks/t:key (1 bytes to sstable /path)           3.0.10 on
//	Writing large partition ks/t:key (1.234MiB) to sstable /path          3.10 to 4.1
func (d *cassandra) large(s clText) bool {
	compacting := s.at("Compacting")
	if !s.skip("Compacting large partition ") && !s.skip("Compacting large row ") && !s.skip("Writing large partition ") {
		return false
	}
	subject, size, path, ok := clSizeClause(s.rest)
	if !ok {
		return false
	}
	st := d.condition(ingest.PartitionBytes, size)
	st.AtLeast = true
	if compacting && st.Source == clUnknownWriter {
		st.Source = "compaction"
	}
	return d.written(st, subject, '/', path) && d.emitState(st)
}

// clSizeClause cuts `subject (size)` and what may follow it. The last clause that reads as a size and ends
// the line counts, since keys hold brackets; else, of a line that someone quotes in a sentence, the first.
func clSizeClause(text []byte) (subject []byte, size uint64, path []byte, ok bool) {
	for end := len(text); ; {
		i := clLastIndex(text[:end], " (")
		if i < 0 {
			return subject, size, nil, ok
		}
		end = i
		s := clText{text[i+2:]}
		n, isSize := clSizeOf(&s)
		switch {
		case !isSize:
		case s.skip(" to sstable "), s.skip(") to sstable "):
			return text[:i], n, clFirstWord(s.rest), true
		case !s.skip(")"):
		case len(s.rest) == 0, s.at(" incrementally"), s.rest[0] == '\n', s.rest[0] == '\r':
			return text[:i], n, nil, true
		case !s.at(" to "): // as ScyllaDB goes on
			subject, size, ok = text[:i], n, true
		}
	}
}

// clFirstWord gives the text up to a blank or the end of its line.
func clFirstWord(text []byte) []byte {
	if i := bytes.IndexAny(text, " \n\r"); i >= 0 {
		return text[:i]
	}
	return text
}

// clSizeOf reads `1 bytes` or, as FBUtilities.prettyPrintMemory prints it, `1.234MiB`, with the comma of
// some locales.
func clSizeOf(s *clText) (uint64, bool) {
	n, ok := s.number()
	switch {
	case !ok:
		return 0, false
	case s.skip(" bytes"), s.skip("B"):
		return n, true
	case len(s.rest) < 7 || s.rest[0] != '.' && s.rest[0] != ',':
		return 0, false
	}
	fraction := clText{s.rest[1:4]}
	thousandths, ok := fraction.number()
	power := bytes.IndexByte([]byte("KMGTPE"), s.rest[4])
	if !ok || len(fraction.rest) > 0 || power < 0 || string(s.rest[5:7]) != "iB" || n >= 1<<14 {
		return 0, false
	}
	s.rest = s.rest[7:]
	unit := uint64(1) << (10 * (power + 1))
	if power == 5 {
		return n * unit, n < 16
	}
	return n*unit + thousandths*(unit/1000) + thousandths*(unit%1000)/1000, true
}

// written sets the partition of a state: `ks/t:key` or `ks.t:key`, where the table of an index is
// t.index, or lies in a hidden folder. An empty key is that of an index, and names nothing.
func (d *cassandra) written(st *ingest.State, subject []byte, separator byte, path []byte) bool {
	dot := bytes.IndexByte(subject, separator)
	if dot <= 0 {
		return false
	}
	colon := bytes.IndexByte(subject[dot:], ':')
	if colon <= 1 {
		return false
	}
	colon += dot
	table, index, _ := bytes.Cut(subject[dot+1:colon], []byte("."))
	if bytes.ContainsAny(subject[:colon], " \n\t") {
		return false
	}
	d.table = append(append(append(d.table[:0], subject[:dot]...), '.'), table...)
	st.Table, st.Index = d.table, index
	if len(index) == 0 {
		st.Index = clIndexFolder(path)
	}
	if key := subject[colon+1:]; len(key) > 0 {
		var t *cql.Table
		if len(st.Index) == 0 {
			t = d.tableOf(st.Table)
		}
		st.Key, st.KeyKnown = d.printedKey(key, t), true
	}
	return true
}

// clIndexFolder gives the index whose SSTable lies at path: /data/ks/t-id/.index/nb-1-big-Data.db.
func clIndexFolder(path []byte) []byte {
	i := clLastIndex(path, "/.")
	if i < 0 {
		return nil
	}
	folder, _, ok := bytes.Cut(path[i+2:], []byte("/"))
	if !ok {
		return nil
	}
	return folder
}

// writtenTombstones reads `Writing 1 tombstones to ks/t:key in sstable /path` (4.1).
func (d *cassandra) writtenTombstones(s clText) bool {
	s.skip("Writing ")
	n, _ := s.number()
	s.skip(" tombstones to ")
	subject, ok := s.untilLast(" in sstable ")
	if !ok {
		return false
	}
	st := d.condition(ingest.PartitionTombstones, n)
	st.AtLeast = true
	return d.written(st, subject, '/', clFirstWord(s.rest)) && d.emitState(st)
}

// writeThreshold reads what 6.0 says of writes to partitions that are known as large, on replicas and
// on coordinators:
//
//	Write to ks.t partition 'k' triggered size warning; estimated size is 1 bytes, threshold is 2 bytes (see …)
//	Write to ks.t partition 'k' triggered tombstone warning; estimated tombstone count is 1, threshold is 2 (see …)
//	Write to ks.t partition 'k': Write to large partition; estimated size is 1 bytes (see write_size_warn_threshold)
//	Write to ks.t partition 'k': Write to partition with many tombstones; estimated count is 1 (see …)
func (d *cassandra) writeThreshold(s clText) bool {
	s.skip("Write to ")
	table, ok := s.until(" partition ")
	if !ok || bytes.ContainsAny(table, " \n") {
		return false
	}
	measure := ingest.PartitionBytes
	key, ok := s.untilLast("; estimated size is ")
	if !ok {
		measure = ingest.PartitionTombstones
		if key, ok = s.untilLast("; estimated tombstone count is "); !ok {
			key, ok = s.untilLast("; estimated count is ")
		}
	}
	value, isNumber := s.number()
	end := max(clLastIndex(key, " triggered "), clLastIndex(key, ": Write to "))
	if !ok || !isNumber || end < 0 {
		return false
	}
	st := d.condition(measure, value)
	st.Source = "write-threshold"
	if _, ok := s.until("threshold is "); ok {
		st.Limit, _ = s.number()
	}
	d.table = append(d.table[:0], table...)
	d.key = ingest.AppendKey(d.key[:0], clLiteral(key[:end]))
	st.Table, st.Key, st.KeyKnown = d.table, d.key, true
	return d.emitState(st)
}

// clLiteral undoes the quotes of a CQL literal.
func clLiteral(text []byte) []byte {
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		return bytes.ReplaceAll(text[1:n-1], []byte("''"), []byte("'"))
	}
	return bytes.TrimPrefix(text, []byte("0x"))
}
