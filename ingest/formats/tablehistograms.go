package formats

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// TableHistograms is nodetool's histograms of one table, or of several.
var TableHistograms = ingest.Format{
	Name:     "nodetool-tablehistograms",
	Title:    "nodetool tablehistograms or cfhistograms",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition sizes"},
	Doc: `Text of nodetool cfhistograms and tablehistograms, of 1.2 (a line for each bucket), 2.0 (a section for each
histogram) and 2.1 on (a line for each percentile), whatever the order of the columns
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/tablehistograms.html):

    shop/orders histograms
    Percentile  SSTables     Write Latency      Read Latency    Partition Size        Cell Count
                                  (micros)          (micros)           (bytes)
    99%             4.00             88.15           1955.67            105778              3311
    Max            10.00          20924.30          61214.00        4139110981           2816159

The largest partition is the top of a histogram's bucket. Zeros and NaN mean that there is no SSTable.
Three or more equal percentiles say nothing: some versions print the same number for all of them.`,
	Sequential: true,
	Sniff:      sniffHistograms,
	New:        newHistograms,
}

const (
	skipEqual         = "histogram with equal percentiles"
	skipHistogram     = "line of a histogram"
	causeHistogramRow = "row of a histogram that does not fit its columns"

	equalPercentiles = 3
	maxPercentiles   = 64
)

// A column of a table of histograms that is looked at.
type histogramColumn int

const (
	noColumn histogramColumn = iota
	sizeColumn
	cellColumn
	histogramColumns
)

func newHistograms(head []byte, _ ingest.DecodeOptions) (ingest.Decoder, error) {
	return &histograms{store: printoutStore(head)}, nil
}

// histograms gathers one table's histogram and tells of it when the next one begins.
type histograms struct {
	store   ingest.Store
	out     printout
	table   []byte
	index   []byte
	at      mark
	columns []histogramColumn          // by number, the label of the row left out
	offsets bool                       // rows are buckets: 1.2
	section histogramColumn            // of 2.0
	values  [histogramColumns][]uint64 // percentiles
	largest [histogramColumns]uint64
}

var (
	histogramTitle = pattern(`^\s*(?:[^\s/]+ )*?([^\s/]+)/([^\s/]+) histograms\s*$`)
	histogramGap   = pattern(`\s{2,}|\t`)
	histogramNames = pattern(`SSTables|(?:Write|Read) Latency|(?:Partition|Row) Size|(?:Cell|Column) Count`)
	bucketRow      = pattern(`^\s*(\d+) (?:bytes|cells): (\d+)\s*$`)
)

// Decode reads a line.
func (d *histograms) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	if m := histogramTitle().FindSubmatch(rec.Data); m != nil {
		d.finish(to)
		d.table, d.index = splitName(m[1], m[2])
		d.at = d.out.mark(rec.At)
		to.Skip(skipHistogram)
		return
	}
	text := bytes.TrimSpace(rec.Data)
	switch first, _, _ := bytes.Cut(text, []byte{' '}); {
	case string(first) == "Percentile" || string(first) == "Offset":
		d.header(text, rec.At, to)
		to.Skip(skipHistogram)
	case d.sectionOf(text):
		to.Skip(skipHistogram)
	case d.section != noColumn:
		d.bucket(text)
		to.Skip(skipHistogram)
	case d.offsets:
		d.offsetRow(rec, to)
	case len(d.columns) > 0 && percentileRow(first):
		d.row(rec, to)
	default:
		to.Skip(skipLine)
	}
}

// header maps the columns by their words. A header without a title before it is that of a table whose
// name is not told.
func (d *histograms) header(text []byte, at ingest.Position, to ingest.Sink) {
	if len(d.columns) > 0 {
		d.finish(to)
	}
	if d.table == nil {
		d.at = d.out.mark(at)
	}
	d.offsets = bytes.HasPrefix(text, []byte("Offset"))
	d.columns = d.columns[:0]
	names := histogramGap().Split(string(text), -1)[1:]
	if len(names) == 0 { // copied from a page, which leaves one blank between columns
		names = histogramNames().FindAllString(string(text), -1)
	}
	for _, name := range names {
		d.columns = append(d.columns, columnOf(name))
	}
}

func columnOf(name string) histogramColumn {
	switch strings.ToLower(name) {
	case "partition size", "row size":
		return sizeColumn
	case "cell count", "column count":
		return cellColumn
	}
	return noColumn
}

func percentileRow(first []byte) bool {
	return bytes.HasSuffix(first, []byte("%")) || string(first) == "Min" || string(first) == "Max"
}

// row reads one line of percentiles.
func (d *histograms) row(rec *ingest.Record, to ingest.Sink) {
	fields := bytes.Fields(rec.Data)
	if len(fields) != len(d.columns)+1 {
		complain(to, causeHistogramRow, rec.Data, rec.At)
		return
	}
	for i, c := range d.columns {
		n, ok := systable.Count(fields[i+1])
		if c == noColumn || !ok {
			continue
		}
		d.largest[c] = max(d.largest[c], n)
		if bytes.HasSuffix(fields[0], []byte("%")) && len(d.values[c]) < maxPercentiles {
			d.values[c] = append(d.values[c], n)
		}
	}
	to.Skip(skipHistogram)
}

// offsetRow reads one line of buckets: the largest one that is not empty counts.
func (d *histograms) offsetRow(rec *ingest.Record, to ingest.Sink) {
	fields := bytes.Fields(rec.Data)
	offset, ok := systable.Count(fields[0])
	if !ok {
		to.Skip(skipLine)
		return
	}
	for i, c := range d.columns {
		if i+1 < len(fields) && c != noColumn && string(fields[i+1]) != "0" {
			d.largest[c] = max(d.largest[c], offset)
		}
	}
	to.Skip(skipHistogram)
}

// sectionOf takes the title of a section of 2.0.
func (d *histograms) sectionOf(text []byte) bool {
	name, _, _ := strings.Cut(string(text), " (")
	switch name {
	case "Partition Size":
		d.section = sizeColumn
	case "Cell Count per Partition", "Column Count per Partition":
		d.section = cellColumn
	case "SSTables per Read", "Write Latency", "Read Latency":
		d.section = noColumn
	default:
		return false
	}
	return true
}

func (d *histograms) bucket(text []byte) {
	m := bucketRow().FindSubmatch(text)
	if m == nil || string(m[2]) == "0" {
		return
	}
	if n, ok := systable.Count(m[1]); ok {
		d.largest[d.section] = max(d.largest[d.section], n)
	}
}

// finish tells of the table whose lines are read.
func (d *histograms) finish(to ingest.Sink) {
	if alike(d.values[sizeColumn]) {
		to.Skip(skipEqual)
		d.largest = [histogramColumns]uint64{}
	}
	for c, n := range d.largest {
		if n == 0 {
			continue
		}
		measure := ingest.PartitionBytes
		if histogramColumn(c) == cellColumn {
			measure = ingest.PartitionCells
		}
		to.State(&ingest.State{
			Store: d.store, Table: d.table, Index: d.index, Source: ingest.SourceTableHistograms, Measure: measure, Value: n, At: d.out.place(d.at),
		})
	}
	*d = histograms{store: d.store, out: d.out, columns: d.columns[:0]}
}

// alike reports whether so many percentiles are equal that they are a tool's bug. No value is none.
func alike(values []uint64) bool {
	for i, v := range values {
		if v > 0 && i+equalPercentiles <= len(values) && v == values[i+equalPercentiles-1] {
			return true
		}
	}
	return false
}

// Close tells of the last table.
func (d *histograms) Close(to ingest.Sink) { d.finish(to) }

func sniffHistograms(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	title, header, section := false, false, false
	log := sniffLines(head, func(line []byte) bool {
		title = title || histogramTitle().Match(line)
		text := string(bytes.Join(bytes.Fields(line), []byte{' '}))
		header = header || (strings.HasPrefix(text, "Percentile ") || strings.HasPrefix(text, "Offset ")) &&
			strings.Contains(text, "SSTables") && (strings.Contains(text, "Partition Size") || strings.Contains(text, "Row Size"))
		section = section || text == "SSTables per Read"
		return header
	})
	return certainOr(!log && (header || title && section), "a table's histograms", "no header with SSTables and Partition Size")
}
