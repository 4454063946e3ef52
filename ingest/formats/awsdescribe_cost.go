package formats

import (
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// collections reads ItemCollectionMetrics: of one item, a list, or lists by table.
func (d *awsDescription) collections(r *awsjson.Reader, of awsSubject) {
	switch r.Peek() {
	case '[':
		for r.Open('['); r.Element(); {
			d.collections(r, of)
		}
		return
	case '{':
	default:
		r.Skip()
		return
	}
	begin := r.At()
	var low []byte
	d.attrs = d.attrs[:0]
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "ItemCollectionKey":
			d.attrs = r.Keys(d.attrs[:0])
		case "SizeEstimateRangeGB":
			low = awsFirst(r)
		default:
			d.collections(r, awsSubject{table: awsjson.TableName(name)})
		}
	}
	if len(d.attrs) == 1 && low != nil {
		d.collection(of, low, begin)
	}
}

// when takes the time of the object that comes next: its own, or that of the answer that an SDK printed.
func (d *awsDescription) when(r awsjson.Reader) {
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "time", "timestamp", "@timestamp", "ts", "Timestamp":
			if at, cause := awsTime(&d.times, r.Text()); cause == "" {
				d.at = at
			}
		case "ResponseMetadata", "HTTPHeaders":
			d.when(r)
			r.Skip()
		case "date", "Date":
			if at, err := time.Parse(time.RFC1123, string(r.Text())); err == nil {
				d.at = at.UnixNano()
			}
		default:
			r.Skip()
		}
	}
}

// awsFirst gives the first number of a list.
func awsFirst(r *awsjson.Reader) (text []byte) {
	if !r.Open('[') {
		return nil
	}
	for n := 0; r.Element(); n++ {
		if value := r.Text(); n == 0 {
			text = value
		}
	}
	return text
}

// collection hands over the size of an item collection, which is in steps of a GB.
func (d *awsDescription) collection(of awsSubject, low []byte, begin int) {
	milli, ok := awsjson.Milli(low)
	if !ok {
		awsProblem(d.to, d.place.of(begin), causeAWSValue, low)
		d.said = true
		return
	}
	d.said = true
	d.part = d.attrs[0].Append(d.part[:0])
	d.key = ingest.AppendKey(d.key[:0], d.part)
	if len(of.table) == 0 {
		of.table = awsOnlyTable(&d.options)
	}
	d.state = ingest.State{
		Store: ingest.DynamoDB, Table: of.table, Key: d.key, KeyKnown: true, Source: ingest.SourceCollections, UnixNano: d.at,
		Measure: ingest.PartitionBytes, Value: milli << 30 / 1000, AtLeast: true, Limit: awsjson.MaxCollection,
		At: d.place.of(d.attrs[0].At),
	}
	d.to.State(&d.state)
}

// consumed reads ConsumedCapacity: of one request, or a list by table.
func (d *awsDescription) consumed(r *awsjson.Reader) {
	if r.Peek() == '[' {
		for r.Open('['); r.Element(); {
			d.consumed(r)
		}
		return
	}
	of := awsSubject{}.within(r)
	whole := *r
	split := false
	for r.Open('{'); ; {
		name, ok := r.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "Table":
			d.units(r, of)
			split = true
		case "GlobalSecondaryIndexes", "LocalSecondaryIndexes":
			d.unitsByIndex(r, of)
		default:
			r.Skip()
		}
	}
	if !split {
		d.units(&whole, of)
	}
}

func (d *awsDescription) unitsByIndex(r *awsjson.Reader, of awsSubject) {
	if !r.Open('{') {
		return
	}
	for {
		index, ok := r.Member()
		if !ok {
			return
		}
		d.units(r, awsSubject{table: of.table, index: index})
	}
}

var consumedName = []byte(metricConsumed)

// units hands over the CapacityUnits of an object.
func (d *awsDescription) units(r *awsjson.Reader, of awsSubject) {
	at := r.At()
	milli, ok := awsjson.Milli(r.Find("CapacityUnits"))
	if !ok {
		return
	}
	d.said = true
	d.point = ingest.Point{
		Store: ingest.DynamoDB, Table: of.table, Index: of.index, Name: consumedName, Stat: "sum", Milli: milli, At: d.place.of(at),
	}
	d.to.Point(&d.point)
}
