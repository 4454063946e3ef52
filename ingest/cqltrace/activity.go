package cqltrace

import (
	"bytes"
)

// activities are what is known by its begin; the first that fits is read. The texts are those of
// Cassandra 1.2 to 6.0 and ScyllaDB 4.6 to 2026.1 (tracing/trace_state.cc and the places that trace).
var activities = []struct {
	begin string
	read  func(d *Decoder, s *session, rest, source []byte)
}{
	{"Parsing ", (*Decoder).parsing},
	{"Executing single-partition query on ", (*Decoder).single},
	{"Executing seq scan across ", (*Decoder).scan},
	{"Executing indexed scan for ", (*Decoder).scan},
	{"Executing read on ", (*Decoder).indexed},
	{"Submitting range requests on ", (*Decoder).scan},
	{"Read ", (*Decoder).counted},
	{"Scanned over ", (*Decoder).scannedOver},
	{"Page stats: ", (*Decoder).pageStats},
	{"Adding to ", (*Decoder).written},
	{"Determining replicas for mutation", func(_ *Decoder, s *session, _, _ []byte) { s.writes++ }},
	{"Creating write handler for token", func(_ *Decoder, s *session, _, _ []byte) { s.writes++ }},
	{"Creating read executor for token ", func(_ *Decoder, s *session, _, _ []byte) { s.reads++ }},
	{"Start querying singular range ", (*Decoder).singular},
	{"Start querying token range ", func(_ *Decoder, s *session, _, _ []byte) { s.scans++ }},
	{"Querying cache for range ", (*Decoder).singular},
	{"Execute CQL3 ", nil},
	{"Execute batch", func(_ *Decoder, s *session, _, _ []byte) { s.batch = true }},
	{"execute_cql3_query", nil},
	{"execute_prepared_cql_query", nil},
	{"Preparing CQL3 query", func(_ *Decoder, s *session, _, _ []byte) { s.prepare = true }},
	{"Timed out", func(_ *Decoder, s *session, _, _ []byte) { s.timedOut = true }},
	{"Mutation failed: rate limit exceeded", func(_ *Decoder, s *session, _, _ []byte) { s.limited = true }},
	{"Per-partition rate limiting: coordinator rejected", func(_ *Decoder, s *session, _, _ []byte) { s.limited = true }},
	{"Request complete", (*Decoder).complete},
	{"Continuing paged query, previous page's trace session is ", nil},
	{"Acquiring sstable references", nil},
	{"Merging memtable contents", nil},
	{"Merged data from memtables and ", nil},
	{"Merging data from memtables and ", nil},
	{"Skipped ", nil},
	{"Key cache hit for sstable ", nil},
	{"Partition index ", nil},
	{"Bloom filter allows skipping sstable ", nil},
	{"Preparing statement", nil},
	{"Enqueuing response to ", nil},
	{"Processing response from ", nil},
	{"Computing ranges to query", nil},
	{"Submitted ", nil},
	{"Appending to commitlog", nil},
	{"Querying is done", nil},
	{"Done processing - preparing a result", nil},
	{"[reader concurrency semaphore", nil},
	{"read_data: ", nil},
}

// isActivity reports whether a text of its own is an activity of a trace.
func isActivity(text []byte) bool {
	for i := range activities {
		if bytes.HasPrefix(text, []byte(activities[i].begin)) {
			return activities[i].begin != "Read " || bytes.Contains(text, []byte(" tombstone"))
		}
	}
	return bytes.Contains(text, []byte(" message received from /")) ||
		bytes.HasPrefix(text, []byte("Sending ")) && bytes.Contains(text, []byte(" message to "))
}

// activity reads what one event of a session says.
func (d *Decoder) activity(s *session, text, source []byte) {
	for i := range activities {
		a := &activities[i]
		if rest, ok := bytes.CutPrefix(text, []byte(a.begin)); ok {
			if a.read != nil {
				a.read(d, s, rest, source)
			}
			return
		}
	}
}

// single reads the table that a replica reads one partition of.
func (d *Decoder) single(s *session, rest, source []byte) {
	s.reads++
	s.readsFrom(source, bytes.TrimSpace(rest))
	d.onTable(s, rest)
}

func (d *Decoder) onTable(s *session, name []byte) {
	if len(s.table) > 0 {
		return
	}
	s.table = clone(bytes.TrimSpace(name))
	if len(s.statements) == 0 && len(s.server) == 0 {
		s.named = d.rec.At
	}
}

func (d *Decoder) parsing(s *session, rest, _ []byte) {
	rest = bytes.TrimSpace(rest)
	if st := s.statement(0); len(st.text) == 0 && !bytes.EqualFold(rest, []byte("statement")) {
		st.set(rest)
		s.named = d.rec.At
	}
}

// scan is a read of a range, whose table is not told.
func (d *Decoder) scan(s *session, _, source []byte) {
	s.scans++
	s.readsFrom(source, nil)
}

// indexed reads `ks.t using index by_mail`, and since 5.0 `ks.t using indexes a, b`.
func (d *Decoder) indexed(s *session, rest, source []byte) {
	if table, _, ok := bytes.Cut(rest, []byte(" using index")); ok {
		s.scans++
		s.readsFrom(source, nil)
		d.onTable(s, table)
	}
}

// counted reads what one read of a replica found:
//
//	Read 1 live and 19998 tombstoned cells                            up to 2.1.5
//	Read 17 live and 32 tombstone cells                               2.1.6 on
//	Read 3 live rows and 1150 tombstone cells (see tombstone_warn_threshold)
func (d *Decoder) counted(s *session, rest, source []byte) {
	rows, rest, ok := number(rest)
	if !ok {
		return
	}
	between, rest, ok := bytes.Cut(rest, []byte(" and "))
	if !ok || !bytes.HasPrefix(between, []byte(" live")) {
		return
	}
	tombs, rest, ok := number(rest)
	if !ok || !bytes.HasPrefix(rest, []byte(" tombstone")) {
		return
	}
	c := s.source(source)
	c.rows, c.tombs = c.rows+rows, c.tombs+tombs
	if bytes.Contains(rest, []byte("(see tombstone_warn")) {
		s.warned = true
	}
}

// scannedOver reads the end of a read for its tombstones:
//
//	Scanned over 100001 tombstones; query aborted (see tombstone_failure_threshold)
//	Scanned over 100001 tombstones for query SELECT …; query aborted (see tombstone_failure_threshold)
func (d *Decoder) scannedOver(s *session, rest, source []byte) {
	n, rest, ok := number(rest)
	if !ok || !bytes.HasPrefix(rest, []byte(" tombstones")) {
		return
	}
	c := s.source(source)
	c.aborted = max(c.aborted, n)
	s.aborted = true
	text, ok := bytes.CutPrefix(rest, []byte(" tombstones for query "))
	if end := bytes.LastIndex(text, []byte("; query aborted")); ok && end > 0 {
		s.server = clone(text[:min(end, maxText)])
		if len(s.statements) == 0 {
			s.named = d.rec.At
		}
	}
}

// pageStats reads what ScyllaDB says of one page of a replica:
//
//	Page stats: 1 partition(s), 0 static row(s) (0 live, 0 dead), 100 clustering row(s) (96 live, 4 dead) and 0 range tombstone(s)
//
// From 6.2 on cells follow, which are not rows; from 2026.1 on partitions have counts too.
func (d *Decoder) pageStats(s *session, rest, source []byte) {
	_, static, ok := bytes.Cut(rest, []byte(" static row(s) ("))
	if !ok {
		return
	}
	_, clustering, ok := bytes.Cut(static, []byte(" clustering row(s) ("))
	if !ok {
		return
	}
	c := s.source(source)
	for _, part := range [][]byte{static, clustering} {
		live, more, _ := number(part)
		dead, _, _ := number(bytes.TrimPrefix(more, []byte(" live, ")))
		c.rows, c.tombs = c.rows+live, c.tombs+dead
	}
	if end := bytes.Index(clustering, []byte(" range tombstone")); end > 0 {
		ranges, _, _ := number(clustering[bytes.LastIndexByte(clustering[:end], ' ')+1:])
		c.tombs += ranges
	}
}

// written reads `Adding to cart memtable`.
func (d *Decoder) written(s *session, rest, _ []byte) {
	if table, ok := bytes.CutSuffix(bytes.TrimSpace(rest), []byte(" memtable")); ok {
		s.writes++
		d.onTable(s, table)
	}
}

// singular reads the key of a read of one partition: {{token, pk{hex}}} or {{token, hex}}.
func (d *Decoder) singular(s *session, rest, _ []byte) {
	inner, ok := bytes.CutPrefix(rest, []byte("{{"))
	if !ok {
		return
	}
	s.reads++
	_, inner, ok = bytes.Cut(inner, []byte(", "))
	digits, _, closed := bytes.Cut(bytes.TrimPrefix(inner, []byte("pk{")), []byte("}"))
	if ok && closed && len(s.keyHex) == 0 && len(digits) < maxText {
		s.keyHex = clone(digits)
	}
}

// complete ends the request of a print-out.
func (d *Decoder) complete(s *session, _, _ []byte) {
	if s == d.current && !s.titled {
		d.closing = true
	}
}

// number takes a whole number off the front.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for i < len(text) && text[i]-'0' <= 9 && i < 18 {
		n = n*10 + uint64(text[i]-'0')
		i++
	}
	return n, text[i:], i > 0
}
