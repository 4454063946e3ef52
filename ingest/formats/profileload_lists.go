package formats

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// samplerKinds are the titles of what a sampler of 4.0 on lists.
var samplerKinds = map[string]samplerKind{
	"frequency of reads by partition:":           readsList,
	"frequency of writes by partition:":          writesList,
	"partitions read with the most tombstones:":  tombstonesList,
	"partitions read with the most rows:":        rowsList,
	"partitions read with the most sstables:":    otherList,
	"frequency of cas contentions by partition:": contentionsList, // 4.0, 4.1
	"frequency of cas contention by partition:":  contentionsList,
	"max mutation size by partition:":            bytesList,
	"longest read query times:":                  otherList,
}

type samplerKind int

const (
	noList samplerKind = iota
	readsList
	writesList
	contentionsList
	tombstonesList
	rowsList
	bytesList
	otherList
)

// isFrequency reports whether rows of a list are counts with their error; those of the others are the largest values.
func (k samplerKind) isFrequency() bool {
	return k == readsList || k == writesList || k == contentionsList
}

func samplerKindOf(line []byte) samplerKind {
	return samplerKinds[strings.ToLower(string(bytes.TrimSpace(line)))]
}

func newProfileLoad(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
	return &profileLoad{schema: o.Schema}, nil
}

type profileLoad struct {
	schema *cql.Schema
	run    samplerRun
	kind   samplerKind
	keyAt  int // where the column of keys begins; 0 before the header
	empty  bool
	title  ingest.Position
	key    []byte
}

var profileHeader = pattern(`^\s*Table\s+(Partition)\s+(Count\s+\+/-|Tombstones|Rows|SSTables|Bytes)\s*$`)

// Decode reads a line.
func (d *profileLoad) Decode(rec *ingest.Record, to ingest.Sink) {
	if kind := samplerKindOf(rec.Data); kind != noList {
		d.unfinished(to)
		d.run.list(strings.ToLower(string(bytes.TrimSpace(rec.Data))))
		d.kind, d.keyAt, d.empty, d.title = kind, 0, false, rec.At
		to.Skip(skipSampler)
		return
	}
	switch m := profileHeader().FindSubmatchIndex(rec.Data); {
	case m != nil:
		d.keyAt = m[2]
		to.Skip(skipSampler)
	case bytes.Contains(rec.Data, []byte("Nothing recorded during sampling")):
		d.empty = true
		to.Skip(skipSampler)
	case d.kind == noList:
		to.Skip(skipLine)
	case d.kind == otherList:
		to.Skip(skipSampler)
	case d.keyAt == 0:
		complain(to, causeListCut, rec.Data, rec.At)
		d.kind = noList
	default:
		d.row(rec, to)
	}
}

// row reads "table key numbers" from both ends: keys may hold blanks.
func (d *profileLoad) row(rec *ingest.Record, to ingest.Sink) {
	before, last := lastField(rec.Data)
	n, ok := systable.Count(last)
	count := n
	if d.kind.isFrequency() {
		var whole bool
		before, last = lastField(before)
		count, whole = systable.Count(last)
		ok = ok && whole
	}
	table, key, split := d.split(before)
	if !ok || !split {
		complain(to, causeSampleRow, rec.Data, rec.At)
		return
	}
	name, index := splitName(nil, table)
	d.key = systable.PrintedKey(d.key, key, name, d.schema)
	switch {
	case d.kind == rowsList || d.kind == bytesList:
		d.largest(ingest.State{Store: ingest.Cassandra, Table: name, Index: index, Key: d.key, KeyKnown: true, Source: ingest.SourceSampler, Value: n, At: rec.At}, to)
	case d.kind.isFrequency() && count == 0:
		to.Skip(skipSampler)
	default:
		d.event(ingest.Event{Store: ingest.Cassandra, Table: name, Index: index, Key: d.key, KeyKnown: true, Requests: count, Error: min(n, count), At: rec.At}, to)
	}
}

// event gives a row of a list of requests; of the list of tombstones it is one read.
func (d *profileLoad) event(e ingest.Event, to ingest.Sink) {
	e.Coverage, e.Op, e.Role = ingest.Selected, ingest.OpRead, d.run.role()
	switch d.kind {
	case writesList:
		e.Op = ingest.OpWrite
	case contentionsList:
		e.Op, e.Role = ingest.OpUpdate, d.run.contentions()
	case tombstonesList:
		e.SetTombstones(e.Requests)
		e.Role, e.Requests, e.Error = e.Role+" tombstones", 0, 0
	}
	to.Event(&e)
}

// largest gives a row of a list of maxima: a partition has at least the rows that one read of it gave.
func (d *profileLoad) largest(s ingest.State, to ingest.Sink) {
	if s.Measure = ingest.WriteBytes; d.kind == rowsList {
		s.Measure, s.AtLeast = ingest.PartitionRows, true
	}
	to.State(&s)
}

// split takes "   ks.table   key   " apart; the header says where the key begins, unless somebody
// changed the indentation.
func (d *profileLoad) split(text []byte) (table, key []byte, ok bool) {
	fields := bytes.TrimLeft(text, " \t")
	table, key, ok = bytes.Cut(fields, []byte{' '})
	if d.keyAt < len(text) && text[d.keyAt-1] == ' ' && len(text)-len(fields)+len(table) < d.keyAt {
		key = text[d.keyAt:]
	} else {
		key = bytes.TrimLeft(key, " ")
	}
	return table, bytes.TrimRight(key, " \t"), ok
}

func (d *profileLoad) unfinished(to ingest.Sink) {
	if d.kind != noList && d.kind != otherList && d.keyAt == 0 && !d.empty {
		complain(to, causeListCut, nil, d.title)
	}
}

// Close tells of a last list that is cut off.
func (d *profileLoad) Close(to ingest.Sink) {
	d.title.Line = 0 // it may be of an earlier chunk
	d.unfinished(to)
}
