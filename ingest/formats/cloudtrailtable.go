package formats

import (
	"bytes"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// CloudTrailTable is CloudTrail's events as a query over their files answers.
var CloudTrailTable = ingest.Format{
	Name:     "cloudtrail-table",
	Title:    "CloudTrail data events of DynamoDB as a table of Athena",
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "index", "partition key", "sort key", "operation", "throttles"},
	Doc: `The CSV in which Athena answers a query over CloudTrail's files
(https://docs.aws.amazon.com/athena/latest/ug/cloudtrail-logs.html), with the names of its columns in any case and order:

    "eventtime","eventsource","eventname","requestparameters","errorcode","errormessage","eventid"
    "2026-11-02T10:00:01Z","dynamodb.amazonaws.com","PutItem","{""tableName"":""Orders"",""key"":{""pk"":""TENANT#17""}}",…

Needed are eventname, eventtime and requestparameters; without eventsource all events are taken for DynamoDB's. Rows are as the events of the format
cloudtrail; what the query left out is missing, and rows that it made of several events are not told from others.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		if len(trailColumns(head)) > 0 {
			return ingest.Verdict{Fit: ingest.Certain, Why: "CloudTrail events as a table of Athena"}
		}
		return ingest.Verdict{Fit: ingest.No, Why: "no header with eventname, eventtime and requestparameters"}
	},
	Quoted: true,
	Header: true,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &trailTable{columns: trailColumns(head), trail: newCloudTrail(o)}, nil
	},
}

const (
	skipTrailHeader = "header of a table"
	causeTrailCells = "row with other cells than the table has columns"
)

// A trailTable makes a JSON event of each row.
type trailTable struct {
	columns [][]byte
	trail   *cloudTrail
	cells   [][]byte
	text    []byte // of the cells
	json    []byte
	rec     ingest.Record
	row     trailRow
}

// Decode reads a row.
func (d *trailTable) Decode(rec *ingest.Record, to ingest.Sink) {
	d.cells, d.text = appendCells(d.cells[:0], d.text[:0], rec.Data)
	switch {
	case len(d.cells) != len(d.columns):
		awsProblem(to, rec.At, causeTrailCells, rec.Data)
		return
	case bytes.EqualFold(d.cells[0], d.columns[0]):
		to.Skip(skipTrailHeader)
		return
	}
	d.json = append(d.json[:0], '{')
	if !containsCell(d.columns, "eventsource") {
		d.json = append(d.json, `"eventsource":"dynamodb.amazonaws.com",`...)
	}
	for i, c := range d.cells {
		if len(c) == 0 || string(c) == "null" || string(d.columns[i]) == "responseelements" {
			continue
		}
		d.json = appendJSONText(d.json, d.columns[i])
		d.json = append(d.json, ':')
		d.json = appendJSONText(d.json, c)
		d.json = append(d.json, ',')
	}
	d.json = append(bytes.TrimSuffix(d.json, []byte(",")), '}')
	const padding = 64 // that decoders may read behind a record
	d.json = slices.Grow(d.json, padding)
	d.rec = ingest.Record{Data: d.json, At: rec.At, UnixNano: rec.UnixNano, Node: rec.Node}
	d.row = trailRow{to, rec.At}
	d.trail.Decode(&d.rec, &d.row)
}

// A trailRow hands on what a row says, at its place: that in the JSON of the row is none in the input.
type trailRow struct {
	ingest.Sink
	at ingest.Position
}

// Event implements ingest.Sink.
func (r *trailRow) Event(e *ingest.Event) {
	e.At = r.at
	r.Sink.Event(e)
}

// State implements ingest.Sink.
func (r *trailRow) State(s *ingest.State) {
	s.At = r.at
	r.Sink.State(s)
}

// Problem implements ingest.Sink.
func (r *trailRow) Problem(p ingest.Problem) {
	p.At = r.at
	r.Sink.Problem(p)
}

// appendJSONText appends a text as JSON has it.
func appendJSONText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
