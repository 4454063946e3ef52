package formats

import (
	"bytes"
	"regexp"
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
	"partitions read with the most rows:":        otherList,
	"partitions read with the most sstables:":    otherList,
	"frequency of cas contentions by partition:": otherList,
	"frequency of cas contention by partition:":  otherList,
	"max mutation size by partition:":            otherList,
	"longest read query times:":                  otherList,
}

type samplerKind int

const (
	noList samplerKind = iota
	readsList
	writesList
	tombstonesList
	otherList
)

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

var profileHeader = regexp.MustCompile(`^\s*Table\s+(Partition)\s+(Count\s+\+/-|Tombstones|Rows|SSTables|Bytes)\s*$`)

// Decode reads a line.
func (d *profileLoad) Decode(rec *ingest.Record, to ingest.Sink) {
	if kind := samplerKindOf(rec.Data); kind != noList {
		d.unfinished(to)
		d.run.list(strings.ToLower(string(bytes.TrimSpace(rec.Data))))
		d.kind, d.keyAt, d.empty, d.title = kind, 0, false, rec.At
		to.Skip(skipSampler)
		return
	}
	switch m := profileHeader.FindSubmatchIndex(rec.Data); {
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
	e := ingest.Event{Coverage: ingest.Selected, Store: ingest.Cassandra, Role: d.run.role(), Op: ingest.OpRead, KeyKnown: true, At: rec.At}
	before, last := lastField(rec.Data)
	n, ok := systable.Count(last)
	if d.kind == tombstonesList {
		e.Role += " tombstones"
		e.SetTombstones(n)
	} else {
		e.Error = n
		var whole bool
		before, last = lastField(before)
		e.Requests, whole = systable.Count(last)
		e.Error = min(e.Error, e.Requests)
		ok = ok && whole
	}
	if d.kind == writesList {
		e.Op = ingest.OpWrite
	}
	table, key, split := d.split(before)
	if !ok || !split {
		complain(to, causeSampleRow, rec.Data, rec.At)
		return
	}
	e.Table, e.Index = splitName(nil, table)
	d.key = systable.PrintedKey(d.key, key, e.Table, d.schema)
	e.Key = d.key
	if e.Requests == 0 && d.kind != tombstonesList {
		to.Skip(skipSampler)
		return
	}
	to.Event(&e)
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
	if (d.kind == readsList || d.kind == writesList || d.kind == tombstonesList) && d.keyAt == 0 && !d.empty {
		complain(to, causeListCut, nil, d.title)
	}
}

// Close tells of a last list that is cut off.
func (d *profileLoad) Close(to ingest.Sink) {
	d.title.Line = 0 // it may be of an earlier chunk
	d.unfinished(to)
}
