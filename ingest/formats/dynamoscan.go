package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// DynamoScan is what the command line prints of a Scan, Query or BatchGetItem.
var DynamoScan = ingest.Format{
	Name:     "dynamodb-scan",
	Title:    "items of a DynamoDB scan or query",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition key", "sort key", "bytes", "table"},
	Doc: `Output of "aws dynamodb scan", "query" and "batch-get-item"
(https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html), one or more behind each other:

    {"Items":[{"pk":{"S":"TENANT#17"},"sk":{"S":"ORDER#1"},"qty":{"N":"3"}}],"Count":1,"ScannedCount":1}

Its items say what those of an export say. The table is known when --return-consumed-capacity TOTAL was asked for.
That somebody ran the scan is nothing to report.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Scan, "items of a DynamoDB scan or query")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &dynamoScan{awsItems: newAWSItems(head, o)}, nil
	},
}

const (
	skipNoItems = "no items"
	sourceScan  = "scan"
)

// dynamoScan decodes answers with items.
type dynamoScan struct {
	awsItems
	place awsPlace
	table []byte
	to    ingest.Sink
	items int
}

// Decode gives an event for each item of the answers in a record.
func (d *dynamoScan) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.items = to, 0
	r := awsjson.Read(rec.Data, 0)
	for r.Next() {
		d.table = scanTable(rec.Data, r.At())
		d.answer(&r)
	}
	switch {
	case r.Broken():
		awsBroken(to, d.place.of(r.At()), rec.Data)
	case d.items == 0:
		to.Skip(skipNoItems)
	}
}

func (d *dynamoScan) answer(r *awsjson.Reader) {
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "Items":
			d.list(r)
		case "Responses":
			d.responses(r)
		default:
			r.Skip()
		}
	}
}

// list reads an array of items.
func (d *dynamoScan) list(r *awsjson.Reader) {
	if !r.Open('[') {
		return
	}
	for r.Element() {
		begin := r.At()
		size := d.item(r)
		if r.Broken() {
			return
		}
		d.event.Reset()
		d.event.Table = d.table
		d.items++
		d.emit(d.to, &d.place, begin, d.wanted(), size, sourceScan)
	}
}

// responses reads items by table, or the array of TransactGetItems.
func (d *dynamoScan) responses(r *awsjson.Reader) {
	if r.Peek() == '[' {
		d.transacted(r)
		return
	}
	if !r.Open('{') {
		return
	}
	for {
		table, ok := r.Member()
		if !ok {
			return
		}
		d.table = awsjson.TableName(table)
		d.list(r)
	}
}

func (d *dynamoScan) transacted(r *awsjson.Reader) {
	r.Open('[')
	for r.Element() {
		if !r.Open('{') {
			continue
		}
		for {
			_, ok := r.Member()
			if !ok {
				break
			}
			begin := r.At()
			size := d.item(r)
			d.event.Reset()
			d.event.Table = d.table
			d.items++
			d.emit(d.to, &d.place, begin, d.wanted(), size, sourceScan)
		}
	}
}

// scanTable gives the table that the ConsumedCapacity of the answer at data[at] names.
func scanTable(data []byte, at int) (table []byte) {
	r := awsjson.Read(data, at)
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return table
		}
		if string(name) != "ConsumedCapacity" || r.Peek() != '{' {
			r.Skip()
			continue
		}
		r.Open('{')
		for {
			name, ok := r.Member()
			if !ok {
				break
			}
			if text := r.Text(); string(name) == "TableName" {
				table = awsjson.TableName(text)
			}
		}
	}
}
