package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// DynamoExport is the data of an export of a table to S3, full or incremental.
var DynamoExport = ingest.Format{
	Name:     "dynamodb-export",
	Title:    "data of a DynamoDB export to S3 in DYNAMODB_JSON",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition key", "sort key", "bytes"},
	Doc: `Data files of an export to S3 (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html)
in the format DYNAMODB_JSON, one item a line:

    {"Item":{"pk":{"S":"TENANT#17"},"sk":{"S":"ORDER#1"},"qty":{"N":"3"}}}
    {"Metadata":{"WriteTimestampMicros":{"N":"1793606400000000"}},"Keys":{…},"NewImage":{…},"OldImage":{…}}

The second form is that of an incremental export: one line for each item that changed, however often. Items are no
traffic: they tell how many bytes each partition key holds, by the item-size rules and without indexes, and which items
come near 400 KB. With the description of the table beside them (aws dynamodb describe-table), the entries of its indexes
are told by their own keys; items that lack one are not there. Where keys do not begin with a type (ORDER#…), an attribute such as
__typename or entityType names it. Where lines of an incremental export hold both images, they
tell by how much a key's items grew.

Files of a full export name neither the table nor the key. The table is known from manifest-summary.json and
manifest-files.json of the export, given beside the data or in the same folder; they also tell which files there must
be, with how many items and which MD5, and that is checked. The partition key is known when an attribute has the name
of one (pk and its like), from the output of "aws dynamodb describe-table" beside it, or by --map pk=NAME. Amazon Ion is not read: export with --export-format DYNAMODB_JSON.`,
	Sniff:  sniffExport,
	Begins: awsjson.Begins,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		d := &dynamoExport{awsItems: newAWSItems(head, o)}
		if d.export.Table != "" {
			d.table = []byte(d.export.Table)
		}
		return d, nil
	},
}

const (
	causeExportCut = "item without its beginning"
	skipDeleted    = "deleted item"
	sourceExport   = "export"
)

func sniffExport(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	if bytes.HasPrefix(head, []byte("$ion_1_0")) {
		return ingest.Verdict{Fit: ingest.Ambiguous, Why: "an export in Amazon Ion, which is not read: export with --export-format DYNAMODB_JSON"}
	}
	return awsVerdict(head, awsjson.Export, "items of a DynamoDB export")
}

// dynamoExport decodes lines of data files.
type dynamoExport struct {
	awsItems
	place awsPlace
	table []byte // that its manifest names
	attrs []awsjson.Attribute
	shape itemShape
}

// An exportedItem item is what one line says.
type exportedItem struct {
	begin            int
	keys, item       []awsjson.Attribute
	newSize, oldSize uint64
	full, changed    bool // it has an Item; Metadata or an image
	time             []byte
}

// Decode gives an event for the item of a line.
func (d *dynamoExport) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	if size, ok := d.shape.read(rec.Data, &d.want); ok {
		d.again = awsjson.Read(rec.Data, d.shape.item)
		d.say(&exportedItem{begin: d.shape.begin, full: true, item: d.wanted(), newSize: size}, to)
		return
	}
	if i := ingest.SkipSpace(rec.Data, 0); i < len(rec.Data) && !awsjson.Begins(rec.Data[i:]) {
		awsProblem(to, rec.At, causeExportCut, rec.Data)
		return
	}
	r := awsjson.Read(rec.Data, 0)
	n := 0
	for ; r.Next(); n++ {
		x := d.read(&r)
		if r.Broken() {
			break
		}
		d.say(&x, to)
	}
	if r.Broken() || n == 0 {
		awsProblem(to, rec.At, causeAWSJSON, rec.Data)
		return
	}
	d.shape.relearn(rec.Data, &d.want)
}

// read reads the object of one item.
func (d *dynamoExport) read(r *awsjson.Reader) (x exportedItem) {
	x.begin = r.At()
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return x
		}
		switch string(name) {
		case "Item":
			x.full, x.newSize = true, d.item(r)
			x.item = d.wanted()
		case "Keys":
			d.attrs = r.Keys(d.attrs[:0])
			x.keys = d.attrs
		case "NewImage":
			x.changed, x.newSize = true, r.Item(nil)
		case "OldImage":
			x.changed, x.oldSize = true, r.Item(nil)
		case "Metadata":
			x.changed, x.time = true, exportTime(r)
		default:
			r.Skip()
		}
	}
}

// exportTime reads {"WriteTimestampMicros":…}, whose value is a text, a number or {"N":…}.
func exportTime(r *awsjson.Reader) (text []byte) {
	if !r.Open('{') {
		return nil
	}
	for {
		name, ok := r.Member()
		if !ok {
			return text
		}
		switch {
		case string(name) != "WriteTimestampMicros":
			r.Skip()
		case r.Peek() == '{':
			text = awsNumber(r)
		default:
			text = r.Text()
		}
	}
}

func awsNumber(r *awsjson.Reader) (text []byte) {
	r.Open('{')
	for {
		if _, ok := r.Member(); !ok {
			return text
		}
		text = r.Text()
	}
}

// grown sets by how much a changed item grew. Without its old image an item is new only where the export
// holds old images at all.
func (d *dynamoExport) grown(e *ingest.Event, x *exportedItem) {
	switch {
	case x.newSize == 0:
		e.Op = ingest.OpDelete
	case x.oldSize > 0:
		e.Op = ingest.OpUpdate
	case d.export.Both:
		e.Op = ingest.OpWrite
	default:
		return
	}
	e.SetGrowth(int64(x.newSize) - int64(x.oldSize))
}

func (d *dynamoExport) say(x *exportedItem, to ingest.Sink) {
	e := &d.event
	e.Reset()
	e.Table = d.table
	switch {
	case x.full:
		e.Inventory = d.export.UnixNano
		d.emit(to, &d.place, x.begin, x.item, x.newSize, sourceExport)
		return
	case !x.changed || len(x.keys) == 0:
		to.Skip(skipAWSOther)
		return
	case x.newSize == 0 && x.oldSize == 0:
		to.Skip(skipDeleted)
		return
	}
	e.Changed = true
	d.grown(e, x)
	if len(x.time) > 0 {
		nanos, cause := awsTime(&d.times, x.time)
		if cause != "" {
			awsProblem(to, d.place.of(x.begin), cause, x.time)
			return
		}
		e.SetTime(nanos)
	}
	d.emit(to, &d.place, x.begin, x.keys, x.newSize, sourceExport)
}
