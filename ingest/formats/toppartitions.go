package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// TopPartitions is the busiest partitions as the samplers of Cassandra up to 3.11 and of ScyllaDB list them.
var TopPartitions = ingest.Format{
	Name:     "nodetool-toppartitions",
	Title:    "nodetool toppartitions of Cassandra 2.1 to 3.11, DSE and ScyllaDB",
	Coverage: ingest.Selected,
	Carries:  []string{"key", "operation", "count with its error"},
	Doc: `Text of nodetool toppartitions: a list for reads and one for writes, of one node and a few seconds
(https://opensource.docs.scylladb.com/stable/operating-scylla/nodetool-commands/toppartitions.html):

    WRITES Sampler:
      Cardinality: ~5 (256 capacity)
      Top 10 partitions:
            Partition                    Count       +/-
            (shop:inbox) user-77:2023-05 51042        12

A count is at most as much too high as the number behind it says. ScyllaDB puts (keyspace:table) before the
key; Cassandra names the table on the command line only. A print-out may hold several runs.`,
	Sequential: true,
	Sniff:      sniffTopPartitions,
	New:        newTopPartitions,
}

func newTopPartitions(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
	return &topPartitions{schema: o.Schema}, nil
}

type topPartitions struct {
	schema *cql.Schema
	run    samplerRun
	op     ingest.Op // of the list that is open; unknown: none
	indent []byte    // of its header; nil before that
	titled ingest.Position
	table  []byte // from the command line
	key    []byte
}

var (
	samplerTitle  = pattern(`\b(READS|WRITES) Sampler:\s*$`)
	samplerNoise  = pattern(`^\s*(?:Cardinality: ~|Top \d+ partitions:|Nothing recorded during sampling)`)
	topOfTable    = pattern(`\btoppartitions(?: -[ask] \S+)* ([\w"]+)[ .]([\w"]+) \d+\s*$`)
	samplerHeader = pattern(`^(\s*)Partition\s+Count\s+\+/-\s*$`)
)

// Decode reads a line.
func (d *topPartitions) Decode(rec *ingest.Record, to ingest.Sink) {
	line := rec.Data
	if m := samplerTitle().FindSubmatch(line); m != nil {
		d.unfinished(to)
		d.open(string(m[1]), rec.At)
		to.Skip(skipSampler)
		return
	}
	switch m := samplerHeader().FindSubmatch(line); {
	case m != nil:
		d.indent = append([]byte{}, m[1]...)
		to.Skip(skipSampler)
	case samplerNoise().Match(line):
		if bytes.Contains(line, []byte("Nothing recorded")) {
			d.op = ingest.OpUnknown
		}
		to.Skip(skipSampler)
	case topOfTable().Match(line):
		m := topOfTable().FindSubmatch(line)
		d.table, d.op = bytes.Join(m[1:], []byte{'.'}), ingest.OpUnknown
		to.Skip(skipLine)
	case d.op == ingest.OpUnknown:
		to.Skip(skipLine)
	case d.indent == nil:
		complain(to, causeListCut, line, rec.At)
		d.op = ingest.OpUnknown
	default:
		d.row(rec, to)
	}
}

func (d *topPartitions) open(kind string, at ingest.Position) {
	d.run.list(kind)
	d.op, d.indent, d.titled = ingest.OpRead, nil, at
	if kind == "WRITES" {
		d.op = ingest.OpWrite
	}
}

// row reads "key  count  error" from the right: keys may hold blanks.
func (d *topPartitions) row(rec *ingest.Record, to ingest.Sink) {
	before, last := lastField(rec.Data)
	tolerance, ok := systable.Count(last)
	before, last = lastField(before)
	count, ok2 := systable.Count(last)
	if !ok || !ok2 {
		complain(to, causeSampleRow, rec.Data, rec.At)
		d.op = ingest.OpUnknown
		return
	}
	key, found := bytes.CutPrefix(before, d.indent)
	if !found {
		key = bytes.TrimLeft(before, " \t")
	}
	e := ingest.Event{
		Coverage: ingest.Selected, Role: d.run.role(), Op: d.op, KeyKnown: true, Table: d.table,
		Requests: count, Error: min(tolerance, count), At: rec.At,
	}
	if m := scyllaPrefix().FindSubmatch(bytes.TrimLeft(key, " \t")); m != nil {
		e.Store, e.Table = ingest.Scylla, bytes.Join(m[1:], []byte{'.'})
		key = bytes.TrimLeft(key, " \t")[len(m[0]):]
	}
	d.key = systable.PrintedKey(d.key, bytes.TrimRight(key, " \t"), e.Table, d.schema)
	e.Key = d.key
	if count == 0 {
		to.Skip(skipSampler)
		return
	}
	to.Event(&e)
}

// unfinished tells of a list of which only the title is there.
func (d *topPartitions) unfinished(to ingest.Sink) {
	if d.op != ingest.OpUnknown && d.indent == nil {
		complain(to, causeListCut, nil, d.titled)
	}
	d.op = ingest.OpUnknown
}

// Close tells of a last list that is cut off.
func (d *topPartitions) Close(to ingest.Sink) {
	d.titled.Line = 0 // it may be of an earlier chunk
	d.unfinished(to)
}

func sniffTopPartitions(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	title, rest := false, false
	log := sniffLines(head, func(line []byte) bool {
		title = title || samplerTitle().Match(line)
		rest = rest || samplerNoise().Match(line) || samplerHeader().Match(line)
		return title && rest
	})
	return certainOr(!log && title && rest, "lists of a sampler", "no line READS Sampler: or WRITES Sampler:")
}
