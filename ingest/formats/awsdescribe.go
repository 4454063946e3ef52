package formats

import (
	"bytes"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// AWSDescription is what DynamoDB answers to questions about tables, and with items about their cost.
var AWSDescription = ingest.Format{
	Name:     "aws-description",
	Title:    "descriptions, lists and settings of DynamoDB",
	Coverage: ingest.StateOnly,
	Carries:  []string{"table", "index", "schema", "settings", "item collection sizes"},
	Doc: `Output of "aws dynamodb describe-table", "describe-time-to-live", "describe-contributor-insights" and of the lists
(https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html), "aws dynamodbstreams
describe-stream", "aws dynamodb describe-limits", "aws application-autoscaling describe-scalable-targets", manifest-summary.json and manifest-files.json of an export, and answers to writes with ReturnItemCollectionMetrics or
ReturnConsumedCapacity:

    {"Table":{"TableName":"Orders","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ItemCount":192, …}}
    {"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"TENANT#17"}},"SizeEstimateRangeGB":[8.0,9.0]}}

They tell key schema, indexes, capacity, size, TTL and settings. Of an item collection the lower end of the range counts.
It is of the time that the object has: a member time, timestamp, @timestamp or ts, the date among the HTTP headers of an SDK's
ResponseMetadata, or what the log around it says; sizes of several days tell growth.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Description, "description of DynamoDB")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &awsDescription{options: o, times: ingest.TimeParser{Location: o.Location}}, nil
	},
}

const (
	skipNoFacts = "description without facts"
	// metricConsumed names Points of what a request consumed, which CloudWatch does not tell.
	metricConsumed = "ConsumedCapacityUnits"
)

// awsDescription decodes descriptions.
type awsDescription struct {
	options ingest.DecodeOptions
	times   ingest.TimeParser
	fact    ingest.Fact
	point   ingest.Point
	state   ingest.State
	key     []byte
	part    []byte
	text    []byte // of a fact that is joined from several values
	attrs   []awsjson.Attribute
	place   awsPlace
	at      int64 // when the object was written, Unix nanoseconds; 0: not told
	to      ingest.Sink
	said    bool
}

// Decode gives the facts of a JSON text.
func (d *awsDescription) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.said = to, false
	r := awsjson.Read(rec.Data, 0)
	for r.Next() {
		d.at = rec.UnixNano
		d.when(r)
		d.object(&r, awsSubject{})
	}
	switch {
	case r.Broken():
		awsBroken(to, d.place.of(r.At()), rec.Data)
	case !d.said:
		to.Skip(skipNoFacts)
	}
}

// awsSubject is the table or index that an object is about, or the data file of an export, or the list of
// its data files.
type awsSubject struct{ table, index, file, list []byte }

// within gives what the object that comes next is about: what it names itself, else what is around it.
func (of awsSubject) within(r *awsjson.Reader) awsSubject {
	ahead := *r
	if !ahead.Open('{') {
		return of
	}
	for {
		name, ok := ahead.Member()
		if !ok {
			return of
		}
		switch string(name) {
		case "TableName":
			of.table = awsjson.TableName(ahead.Text())
		case "IndexName":
			of.index = ahead.Text()
		case "tableArn":
			of.table, _ = awsjson.Resource(ahead.Text())
		case "dataFileS3Key":
			of.file = ahead.Text()
		case "manifestFilesS3Key":
			of.list = ahead.Text()
		case "ConsumedCapacity":
			if name := ahead.Find("TableName"); len(of.table) == 0 {
				of.table = awsjson.TableName(name)
			}
		default:
			ahead.Skip()
		}
	}
}

// awsFactNames are the members whose value is that of a fact.
var awsFactNames = map[string]string{
	"BillingMode":          ingest.FactBilling,
	"ReadCapacityUnits":    ingest.FactReadUnits,
	"WriteCapacityUnits":   ingest.FactWriteUnits,
	"MaxReadRequestUnits":  ingest.FactMaxReadUnits,
	"MaxWriteRequestUnits": ingest.FactMaxWriteUnits,
	"ReadUnitsPerSecond":   ingest.FactWarmRead,
	"WriteUnitsPerSecond":  ingest.FactWarmWrite,
	"exportTime":           ingest.FactExportTime,
	"exportToTime":         ingest.FactExportTime,
	"exportFromTime":       ingest.FactExportFrom,
	"outputView":           ingest.FactExportView,
	"md5Checksum":          ingest.FactExportMD5,
	"ItemCount":            ingest.FactItems,
	"itemCount":            ingest.FactItems,
	"TableClass":           ingest.FactTableClass,
	"ProjectionType":       ingest.FactProjection,
	"StreamViewType":       ingest.FactStreamView,

	"AccountMaxReadCapacityUnits":  ingest.FactAccountReadUnits,
	"AccountMaxWriteCapacityUnits": ingest.FactAccountWriteUnits,
	"TableMaxReadCapacityUnits":    ingest.FactTableReadQuota,
	"TableMaxWriteCapacityUnits":   ingest.FactTableWriteQuota,
	"ContributorInsightsStatus":    ingest.FactInsights,
	"ContributorInsightsMode":      ingest.FactInsightsMode,
}

// object reads an object that describes something.
func (d *awsDescription) object(r *awsjson.Reader, around awsSubject) {
	of := around.within(r)
	ahead := *r
	items := ahead.Find("ItemCount")
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		if fact := awsFactNames[string(name)]; fact != "" && r.Peek() != '{' {
			at := r.At()
			d.tell(of, fact, r.Text(), at)
			continue
		}
		d.member(r, of, name, items)
	}
}

func (d *awsDescription) member(r *awsjson.Reader, of awsSubject, name, items []byte) {
	at := r.At()
	switch string(name) {
	case "Table", "TableDescription", "StreamDescription", "BillingModeSummary", "ProvisionedThroughput", "OnDemandThroughput",
		"WarmThroughput", "TableClassSummary", "StreamSpecification", "Projection":
		d.object(r, of)
	case "ContributorInsightsSummaries":
		for r.Open('['); r.Element(); {
			d.object(r, of)
		}
	case "TableSizeBytes", "IndexSizeBytes", "billedSizeBytes":
		if text := r.Text(); string(text) != "0" || string(items) == "0" { // servers that do not know print 0
			d.tell(of, ingest.FactTableBytes, text, at)
		}
	case "NonKeyAttributes":
		d.projected(r, of)
	case "KeySchema":
		d.keySchema(r, of)
	case "LocalSecondaryIndexes":
		d.indexes(r, of, ingest.FactLocalIndex)
	case "GlobalSecondaryIndexes":
		d.indexes(r, of, ingest.FactGlobalIndex)
	case "TimeToLiveDescription", "TimeToLiveSpecification":
		d.timeToLive(r, of)
	case "Shards":
		d.shards(r, of)
	case "ScalableTargets":
		d.scaling(r)
	case "ItemCollectionMetrics":
		d.collections(r, of)
	case "ConsumedCapacity":
		d.consumed(r)
	default:
		r.Skip()
	}
}

// tell hands over a fact that a member's value is.
func (d *awsDescription) tell(of awsSubject, name string, value []byte, at int) {
	if value == nil || string(value) == "-1" {
		return // -1 is no maximum
	}
	node := of.file
	switch {
	case len(of.file) > 0 && name == ingest.FactItems:
		name = ingest.FactExportItems
	case name == ingest.FactExportTime, name == ingest.FactExportFrom, name == ingest.FactExportView, name == ingest.FactExportTotal:
		node = of.list
	case len(of.list) > 0 && name == ingest.FactItems:
		d.tell(of, ingest.FactExportTotal, value, at)
	}
	d.said = true
	d.fact = ingest.Fact{
		Store: ingest.DynamoDB, Table: of.table, Index: of.index, Node: node, Name: name, Value: value, At: d.place.of(at),
	}
	d.to.Fact(&d.fact)
}

// keySchema reads the attributes of a key; those of an index may be several of each role.
func (d *awsDescription) keySchema(r *awsjson.Reader, of awsSubject) {
	at := r.At()
	ahead := *r
	d.text = awsKeyNames(&ahead, "HASH", d.text[:0])
	d.tell(of, ingest.FactPartitionKey, d.text, at)
	d.text = awsKeyNames(r, "RANGE", d.text[:0])
	if len(d.text) > 0 {
		d.tell(of, ingest.FactClustering, d.text, at)
	}
}

// awsKeyNames appends the names of a key's attributes of one role.
func awsKeyNames(r *awsjson.Reader, role string, dst []byte) []byte {
	if !r.Open('[') {
		return dst
	}
	for r.Element() {
		var name, is []byte
		if !r.Open('{') {
			continue
		}
		for {
			member, ok := r.Member()
			if !ok {
				break
			}
			text := r.Text()
			switch string(member) {
			case "AttributeName":
				name = text
			case "KeyType":
				is = text
			}
		}
		if string(is) == role {
			dst = awsAppendListed(dst, name)
		}
	}
	return dst
}

// projected reads the names of the attributes that an index holds beside keys.
func (d *awsDescription) projected(r *awsjson.Reader, of awsSubject) {
	at := r.At()
	d.text = d.text[:0]
	if r.Open('[') {
		for r.Element() {
			d.text = awsAppendListed(d.text, r.Text())
		}
	}
	if len(d.text) > 0 {
		d.tell(of, ingest.FactProjected, d.text, at)
	}
}

func awsAppendListed(dst, name []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return append(dst, name...)
}

// indexes reads the descriptions of a table's indexes and tells their names.
func (d *awsDescription) indexes(r *awsjson.Reader, of awsSubject, fact string) {
	if r.Peek() != '[' {
		r.Skip()
		return
	}
	at := r.At()
	ahead := *r
	for r.Open('['); r.Element(); {
		d.object(r, of)
	}
	d.text = d.text[:0]
	for ahead.Open('['); ahead.Element(); {
		d.text = awsAppendListed(d.text, ahead.Find("IndexName"))
	}
	if len(d.text) > 0 {
		d.tell(of, fact, d.text, at)
	}
}

// timeToLive reads whether a table's items expire, and by which attribute.
func (d *awsDescription) timeToLive(r *awsjson.Reader, of awsSubject) {
	at := r.At()
	on, again := *r, *r
	r.Skip()
	status := on.Find("TimeToLiveStatus")
	attribute := again.Find("AttributeName")
	if !bytes.HasPrefix(status, []byte("ENABL")) {
		attribute = status[:0]
	}
	d.tell(of, ingest.FactTTLAttribute, attribute, at)
}

// shards counts the open shards of a stream.
func (d *awsDescription) shards(r *awsjson.Reader, of awsSubject) {
	at := r.At()
	open := int64(0)
	for r.Open('['); r.Element(); {
		_, text := r.Value()
		if !bytes.Contains(text, []byte(`"EndingSequenceNumber"`)) {
			open++
		}
	}
	d.text = strconv.AppendInt(d.text[:0], open, 10)
	d.tell(of, ingest.FactOpenShards, d.text, at)
}
