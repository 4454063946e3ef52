package formats

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// message reads the message that text begins with. Text that was wrapped is tried again in one piece.
func (d *cassandra) message(text []byte) {
	text = d.joined(d.pasted(text))
	kind := cassandraMessage(text)
	if kind == clNone || d.read(kind, clText{text}) {
		return
	}
	if bytes.IndexByte(text, '\n') >= 0 {
		d.flat = clFlat(d.flat[:0], text)
		if d.read(cassandraMessage(d.flat), clText{d.flat}) {
			return
		}
	}
	d.problem(clProblemMessage, text)
}

// read reads a message of a kind; false: it is cut, wrapped or of a form not known.
func (d *cassandra) read(kind clMessage, s clText) bool {
	switch kind {
	case clRead:
		return d.warned(s)
	case clAbort:
		return d.scanned(s)
	case clLarge:
		return d.large(s)
	case clWrittenTombstones:
		return d.writtenTombstones(s)
	case clWriteThreshold:
		return d.writeThreshold(s)
	case clGuardrail:
		return d.guardrail(s)
	case clUnloggedBatch:
		return d.unloggedBatch(s)
	case clAggregation:
		return d.aggregation(s)
	case clNodes:
		return d.nodes(s)
	case clOperations:
		return d.operations(s)
	case clSlowJSON:
		return d.slowJSON(s)
	case clAudit:
		return d.audit(s)
	case clThreshold:
		return d.threshold(s)
	case clConfiguration:
		return d.configuration(s)
	case clSize:
		return d.skip(clSkipSize)
	case clContext:
		return d.skip(clSkipContext)
	}
	return d.skip(clSkipOther)
}

func (d *cassandra) skip(kind string) bool {
	d.said = true
	d.to.Skip(kind)
	return true
}

func (d *cassandra) problem(cause string, text []byte) {
	d.said = true
	d.to.Problem(ingest.Problem{Cause: cause, Text: string(text[:min(len(text), ingest.MaxProblemText)]), At: d.rec.At})
}

// request begins an event of the current record.
func (d *cassandra) request(op ingest.Op) *ingest.Event {
	e := &d.event
	e.Reset()
	e.Store, e.Op, e.Role, e.At, e.Node = ingest.Cassandra, op, d.role, d.rec.At, d.rec.Node
	if d.nano != 0 {
		e.SetTime(d.nano)
	}
	return e
}

func (d *cassandra) emit(e *ingest.Event) bool {
	d.said = true
	d.to.Event(e)
	return true
}

// A clQuery is the statement that a record names, and what stands beside it.
type clQuery struct {
	text  []byte
	token *int64
	row   []byte // the last scanned row of an aborted read
	cut   bool   // the record ends within or right behind the statement
}

// statement fills in what a statement tells: table, operation, shape, key, number of partitions. False:
// there is no statement with a table.
func (d *cassandra) statement(e *ingest.Event, q clQuery) bool {
	if !q.cut {
		q.text = bytes.TrimSuffix(bytes.TrimRight(q.text, " "), []byte(" WHERE")) // DSE's scan of all rows
	}
	st, err := d.parser.Parse(q.text)
	if err != nil || st.Table == "" {
		return false
	}
	st.Cut = st.Cut || q.cut
	t := d.schemaOf(st.Keyspace, st.Table)
	if e.Table = d.named(st.Keyspace, st.Table); st.Keyspace == "" && t != nil {
		e.Table = d.named(t.Keyspace, st.Table)
	}
	parts, known := d.keyOf(st, t, q)
	if known {
		d.key = ingest.AppendKey(d.key[:0], parts...)
		e.Key, e.KeyKnown = d.key, true
	}
	if scan, told := st.Scan(t); !known && (told && scan || refutedByRow(st, q)) {
		e.Op = ingest.OpScan
	}
	if n := st.Partitions(t); n > 1 {
		e.Partitions = n
	}
	d.shape = st.AppendShape(d.shape[:0])
	if st.Cut {
		d.shape = append(d.shape, " …"...)
	}
	e.Shape = d.shape
	return true
}

// refutedByRow reports whether a read cannot be of one partition, since it stopped in a partition that
// its statement does not name; values that are printed in two ways prove nothing.
func refutedByRow(st *cql.Statement, q clQuery) bool {
	if len(q.row) == 0 || st.Cut || len(st.Where) == 0 || st.Where[0].List {
		return false
	}
	return !slices.ContainsFunc(st.Where[0].Values, func(v cql.Value) bool { return v.Kind == cql.Compound })
}

func (d *cassandra) named(keyspace, table string) []byte {
	d.table = d.table[:0]
	if keyspace != "" {
		d.table = append(append(d.table, keyspace...), '.')
	}
	d.table = append(d.table, table...)
	return d.table
}

// keyOf tells the partition key. The last row of an aborted read proves it; else the token does. A
// token that fits no reading of the text speaks for an index, but names may have been replaced and the
// partitioner may be another: what the schema or a comma list says, or a column that is named as a key,
// is believed all the same.
func (d *cassandra) keyOf(st *cql.Statement, t *cql.Table, q clQuery) (parts [][]byte, known bool) {
	if len(q.row) > 0 {
		return st.KeyOfRow(t, q.row)
	}
	parts, known = st.Key(t, q.token)
	if known || q.token == nil || len(st.Where) == 0 {
		return parts, known
	}
	if first := &st.Where[0]; t != nil || first.List || len(first.Columns) == 1 && clKeyNames[first.Columns[0]] {
		return st.Key(t, nil)
	}
	return nil, false
}

// clKeyNames are names of columns that hardly anyone gives to another column than the partition key.
var clKeyNames = map[string]bool{"id": true, "key": true, "pk": true, "partition_key": true, "rowkey": true}

// warned reads a warning of a read:
//
//	Read 1 live rows and 2 tombstone cells for query SELECT …; token 3 (see tombstone_warn_threshold)         3.0 on
//	Read 1 live and 2 tombstone cells in ks.t for key: k (see tombstone_warn_threshold). 3 columns …          2.x
func (d *cassandra) warned(s clText) bool {
	s.skip("Read ")
	e := d.request(ingest.OpRead)
	rows, _ := s.number()
	e.Warned = true
	e.SetRows(rows)
	if !s.skip(" live rows and ") {
		s.skip(" live and ")
		tombstones, _ := s.number()
		e.SetTombstones(tombstones)
		return d.warnedSlice(e, s)
	}
	tombstones, _ := s.number()
	e.SetTombstones(tombstones)
	s.skip(" tombstone cells for query ")
	text, ok := s.untilLast("(see tombstone_warn_threshold)")
	if !ok {
		text, _, _ = bytes.Cut(s.rest, []byte("\n"))
	}
	q := clStatement(bytes.TrimSuffix(text, []byte(" ")))
	q.cut = !ok || q.cut
	if !d.statement(e, q) {
		d.problem(clProblemStatement, text)
		return true
	}
	return d.emit(e)
}

// warnedSlice reads the part of a 2.x warning behind its counts.
func (d *cassandra) warnedSlice(e *ingest.Event, s clText) bool {
	if !s.oldCells() {
		return false
	}
	if s.at("(see ") { // up to 2.0.4 no table is named
		return d.emit(e)
	}
	s.skip("in ")
	subject, ok := s.until(" (see tombstone_warn_threshold)")
	if !ok {
		return false
	}
	d.sliceOf(e, subject)
	return d.emit(e)
}

// sliceOf reads `ks.t for key: k`; the table may stand in brackets, and the key is cut at 512 characters.
func (d *cassandra) sliceOf(e *ingest.Event, subject []byte) {
	table, key, named := bytes.Cut(subject, []byte(" for key: "))
	table = bytes.Trim(table, "[] ")
	d.table = append(d.table[:0], table...)
	e.Table = d.table
	if named && len(key) > 0 && !clCutText(key) {
		d.setKey(e, key)
	}
}

// setKey sets the key that a server printed as one text, of the event's table.
func (d *cassandra) setKey(e *ingest.Event, text []byte) {
	e.Key, e.KeyKnown = d.printedKey(text, d.tableOf(e.Table)), true
}

// printedKey gives the form of a key that a server printed as one text.
func (d *cassandra) printedKey(text []byte, t *cql.Table) []byte {
	if t == nil && clIndex(text, `\:`) < 0 {
		d.key = ingest.AppendKey(d.key[:0], text)
	} else {
		d.key = ingest.AppendKey(d.key[:0], cql.SplitKeyString(text, t)...)
	}
	return d.key
}

func (d *cassandra) tableOf(name []byte) *cql.Table {
	if d.schema == nil {
		return nil
	}
	keyspace, table, ok := bytes.Cut(name, []byte("."))
	if !ok {
		keyspace, table = nil, name
	}
	return d.schemaOf(string(keyspace), string(table))
}

func (d *cassandra) schemaOf(keyspace, table string) *cql.Table {
	if d.schema == nil {
		return nil
	}
	return d.schema.Table(keyspace, table)
}

// clCutText reports whether a text is as long as servers cut texts: 512 UTF-16 units.
func clCutText(text []byte) bool {
	const cut = 512
	if len(text) < cut || len(text) > 3*cut {
		return false
	}
	units := 0
	for _, r := range string(text) {
		if units++; r > 0xFFFF {
			units++
		}
	}
	return units == cut
}

// clStatement takes the token off a statement, and what people leave out with dots.
func clStatement(text []byte) (q clQuery) {
	if i := clLastIndex(text, "; token "); i >= 0 && isToken(bytes.TrimSpace(text[i+8:])) {
		if token, err := strconv.ParseInt(string(bytes.TrimSpace(text[i+8:])), 10, 64); err == nil {
			q.token = &token
		}
		text = text[:i]
	}
	q.cut = clCutText(text) && !bytes.HasSuffix(text, clFiltering) // before blanks at its end are taken off
	text = bytes.TrimRight(text, "; \n\r\t")
	for _, dots := range clDots {
		if before, found := bytes.CutSuffix(text, dots); found {
			text = bytes.TrimRight(before, " .\n")
		}
	}
	q.text = text
	return q
}

var clFiltering = []byte("ALLOW FILTERING") // with which 4.1 and later end every statement

var clDots = [][]byte{[]byte("…"), []byte("...")}

// isToken reports whether text is a token: a number, or the hex of ordered partitioners.
func isToken(text []byte) bool {
	for _, c := range text {
		if !clDigit(c) && c != '-' && c|0x20-'a' > 5 {
			return false
		}
	}
	return len(text) > 0
}
