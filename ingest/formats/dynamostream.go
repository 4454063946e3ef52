package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// DynamoStream is a table's changes, as DynamoDB Streams and Kinesis give them to programs.
var DynamoStream = ingest.Format{
	Name:     "dynamodb-stream",
	Title:    "changes of a DynamoDB table: stream records",
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "partition key", "sort key", "operation", "bytes", "write units"},
	Doc: `Records of DynamoDB Streams or of Kinesis Data Streams for DynamoDB
(https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html), one JSON value a line or
pretty-printed, one or many in a file, also as arrays:

* events of Lambda functions and of EventBridge Pipes
* output of "aws dynamodbstreams get-records" and "aws kinesis get-records"
* records that an SDK printed, with names in upper or lower case
* what "aws logs filter-log-events" and subscriptions give, and lines of a Lambda function's log, where it prints its events
* messages of dead-letter queues that hold records. Those that hold only positions say nothing of keys.

    {"Records":[{"eventName":"MODIFY","eventSourceARN":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/stream/…",
      "dynamodb":{"ApproximateCreationDateTime":1793610000,"Keys":{"pk":{"S":"TENANT#17"},"sk":{"S":"ORDER#1"}}, …}}]}

A stream shows writes that changed an item, and nothing else: no reads, no throttled or failed writes, no writes that
changed nothing. Write units are those of the item by the larger image; without images each write counts as one unit.
They leave out what transactions cost on top. With the description of the table beside them (aws dynamodb
describe-table) and both images, the writes in its indexes are counted too: those in local indexes with their item, those
in global ones under the index and its key, of several attributes the tuple; entries that appear or go once, those whose
key changes twice, those of which nothing changes not at all. Without a description indexes are left out. Deletions by TTL are told apart and are no load. By how much
a write makes its item grow is known where the images tell.

Records name the attributes of the key, and not which one is the partition key. It is known when there is only one, when
the names tell (pk and sk and their like), or by --map pk=NAME.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Stream, "records of a DynamoDB stream")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &dynamoStream{options: o, times: ingest.TimeParser{Location: o.Location}, indexes: awsIndexes{given: o.Indexes}, only: awsOnlyTable(&o)}, nil
	},
}

const (
	causeStreamKeys  = "stream record without keys"
	skipStreamAgain  = "stream record that was there before"
	skipStreamEmpty  = "no stream records"
	skipBatchInfo    = "positions of stream records, without the records"
	shapeTTLDelete   = "deletion by TTL"
	roleTTL          = "ttl"
	maxStreamNesting = 8 // messages within messages
)

// dynamoStream decodes stream records, however they are packed.
type dynamoStream struct {
	options ingest.DecodeOptions
	times   ingest.TimeParser
	event   ingest.Event
	keys    awsKeyBuffers
	place   awsPlace
	to      ingest.Sink
	said    bool
	seen    awsSeen
	named   []byte // what tells a record
	attrs   []awsjson.Attribute
	indexes awsIndexes
	images  [2]awsImage // old and new
	entity  awsEntity
	only    []byte // the table of records that name none; nil: not known
	changes []ingest.Change
	inner   [maxStreamNesting][]byte // decoded texts of messages
}

// A streamPack is a JSON text that holds stream records: that of the record, or of a message in it.
type streamPack struct {
	awsjson.Reader
	data   []byte
	level  int
	offset int // of the message in the record, when level is over 0
	top    int // where the outermost object begins
	looked bool
	table  []byte // that the outermost object names, when looked
}

// at gives the offset in the record of an offset in the pack.
func (p *streamPack) at(offset int) int {
	if p.level > 0 {
		return p.offset
	}
	return offset
}

// A streamChange is one stream record.
type streamChange struct {
	ingest.Op
	id, table, time  []byte
	begin            int  // offset of the record
	body             bool // it has a dynamodb member
	service          bool // made by DynamoDB itself
	scylla           bool
	attrs            int    // of the key, in dynamoStream.attrs
	newSize, oldSize uint64 // of the images; 0: there is none
	newAt, oldAt     awsjson.Reader
}

// Decode gives an event for each stream record of a JSON text.
func (d *dynamoStream) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.said = to, false
	p := streamPack{Reader: awsjson.Read(rec.Data, 0), data: rec.Data}
	d.pack(&p)
	switch {
	case p.Broken():
		awsBroken(to, d.place.of(p.At()), rec.Data)
	case !d.said && p.top < 0:
		to.Skip(skipAWSText)
	case !d.said:
		to.Skip(skipStreamEmpty)
	}
}

func (d *dynamoStream) pack(p *streamPack) {
	p.top = -1
	for p.Next() {
		p.top, p.looked, p.table = p.At(), false, nil
		d.value(p)
	}
}

// value reads the records in the next value.
func (d *dynamoStream) value(p *streamPack) {
	switch p.Peek() {
	case '{':
		d.object(p)
	case '[':
		p.Open('[')
		for p.Element() {
			d.value(p)
		}
	default:
		p.Skip()
	}
}

// object reads an object that is a record or holds some.
func (d *dynamoStream) object(p *streamPack) {
	var c streamChange
	c.begin = p.At()
	p.Open('{')
	for {
		name, ok := p.Member()
		if !ok {
			break
		}
		d.member(p, &c, name)
	}
	if c.body && c.Op != ingest.OpUnknown && !p.Broken() {
		d.finish(p, &c)
	}
}

func (d *dynamoStream) member(p *streamPack, c *streamChange, name []byte) {
	switch string(name) {
	case "dynamodb", "Dynamodb", "DynamoDB":
		d.body(p, c)
	case "eventName", "EventName":
		c.Op = streamOp(p.Text())
	case "eventID", "EventID", "eventId", "EventId":
		c.id = p.Text()
	case "eventSourceARN", "EventSourceARN", "eventSourceArn":
		c.table, _ = awsjson.Resource(p.Text())
	case "eventSource", "EventSource":
		c.scylla = string(p.Text()) == "scylladb:alternator"
	case "tableName", "TableName":
		c.table = p.Text()
	case "userIdentity", "UserIdentity":
		c.service = streamIdentity(p)
	case "Records", "records", "Messages", "events", "logEvents", "kinesis", "Kinesis", "requestPayload", "detail", "Sns", "sns":
		d.value(p)
	case "data", "Data", "body", "Body", "payload", "message", "Message":
		d.message(p, name)
	case "DDBStreamBatchInfo":
		p.Skip()
		d.to.Skip(skipBatchInfo)
		d.said = true
	default:
		p.Skip()
	}
}

func streamOp(text []byte) ingest.Op {
	switch string(text) {
	case "INSERT":
		return ingest.OpWrite
	case "MODIFY":
		return ingest.OpUpdate
	case "REMOVE":
		return ingest.OpDelete
	}
	return ingest.OpUnknown
}

// streamIdentity reports whether a user identity is DynamoDB itself.
func streamIdentity(p *streamPack) (service bool) {
	if !p.Open('{') {
		return false
	}
	for {
		name, ok := p.Member()
		if !ok {
			return service
		}
		if text := p.Text(); string(name) == "principalId" || string(name) == "PrincipalId" {
			service = string(text) == "dynamodb.amazonaws.com"
		}
	}
}

// message reads the records in a member that holds JSON as text, that of Kinesis in base64.
func (d *dynamoStream) message(p *streamPack, name []byte) {
	if p.Peek() != '"' {
		d.value(p)
		return
	}
	begin := p.At()
	_, text := p.Value()
	level := p.level + 1
	if level == maxStreamNesting {
		return
	}
	out, ok := d.inner[level][:0], true
	if name[0]|0x20 == 'd' {
		out, ok = awsjson.AppendBase64(out, text)
	} else {
		out = ingest.AppendUnquoted(out, text)
	}
	d.inner[level] = out
	if !ok {
		return
	}
	inner := streamPack{Reader: awsjson.Read(out, 0), data: out, level: level, offset: p.at(begin)}
	d.pack(&inner)
	if inner.Broken() {
		d.said = true
		awsProblem(d.to, d.place.of(inner.offset), causeAWSJSON, out)
	}
}

// body reads what a record says of its item.
func (d *dynamoStream) body(p *streamPack, c *streamChange) {
	if !p.Open('{') {
		return
	}
	c.body = true
	for {
		name, ok := p.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "ApproximateCreationDateTime", "approximateCreationDateTime":
			c.time = p.Text()
		case "Keys", "keys":
			d.attrs = p.Keys(d.attrs[:0])
			c.attrs = len(d.attrs)
		case "NewImage", "newImage":
			c.newAt = p.Reader
			c.image(&c.newSize, p)
		case "OldImage", "oldImage":
			c.oldAt = p.Reader
			c.image(&c.oldSize, p)
		default:
			p.Skip()
		}
	}
}

func (c *streamChange) image(size *uint64, p *streamPack) {
	if p.Peek() != '{' {
		p.Skip()
		return
	}
	*size = p.Item(nil)
}

// anImage gives where an image of the item stands; nil when there is none.
func (c *streamChange) anImage() *awsjson.Reader {
	switch {
	case c.newSize > 0:
		return &c.newAt
	case c.oldSize > 0:
		return &c.oldAt
	}
	return nil
}

// again reports whether a record was there before: one of the same name and key, since made-up records share names.
func (d *dynamoStream) again(c *streamChange) bool {
	d.named = d.named[:0]
	for i := range d.attrs[:c.attrs] {
		d.named = d.attrs[i].Append(d.named)
		d.named = append(d.named, 0)
	}
	return d.seen.again(c.id, d.named)
}

// finish hands over the event of a record.
func (d *dynamoStream) finish(p *streamPack, c *streamChange) {
	d.said = true
	begin := d.place.of(p.at(c.begin))
	switch {
	case c.attrs == 0:
		awsProblem(d.to, begin, causeStreamKeys, p.data[c.begin:])
		return
	case len(c.id) > 0 && d.again(c):
		d.to.Skip(skipStreamAgain)
		return
	}
	e := &d.event
	e.Reset()
	e.Store, e.Op, e.At, e.Witness = ingest.DynamoDB, c.Op, begin, ingest.ChangeStream
	if len(c.id) > 0 {
		e.ID = ingest.HashID(c.id)
	}
	if c.scylla {
		e.Store = ingest.Scylla
	}
	if e.Table = c.table; e.Table == nil {
		e.Table = p.outerTable()
	}
	if len(e.Table) == 0 {
		e.Table = d.only
	}
	if cause := d.when(e, c.time); cause != "" {
		awsProblem(d.to, begin, cause, c.time)
		return
	}
	attrs := d.attrs[:c.attrs]
	if hash := d.keys.set(e, attrs, awsPartition(&d.options, e.Table)); hash >= 0 {
		e.At = d.place.of(p.at(attrs[hash].At))
	}
	if image := c.anImage(); image != nil && bytes.IndexByte(e.Key, '#') < 0 && bytes.IndexByte(e.SortKey, '#') < 0 {
		e.Entity = d.entity.of(*image)
	}
	d.weigh(e, c)
	if d.options.Changes && c.Op == ingest.OpUpdate && c.newSize > 0 && c.oldSize > 0 {
		d.changes = appendChanges(d.changes[:0], e, c.oldAt, c.newAt, func(r *awsjson.Reader) []byte {
			r.Peek()
			from := r.At()
			r.Skip()
			return p.data[from:r.At()]
		})
		e.Changes = d.changes
	}
	if c.expired() {
		d.to.Event(e)
		d.shrunk(c, attrs)
		return
	}
	l := d.indexes.of(e.Table)
	_, grown := e.Growth()
	if l == nil || !grown {
		d.to.Event(e)
		return
	}
	d.indexed(e, c, l)
}

// indexed hands over the event of a record and those of its writes in indexes, where both images tell.
func (d *dynamoStream) indexed(e *ingest.Event, c *streamChange, l *awsLayout) {
	for _, x := range []struct {
		size uint64
		at   awsjson.Reader
		into *awsImage
	}{{c.oldSize, c.oldAt, &d.images[0]}, {c.newSize, c.newAt, &d.images[1]}} {
		x.into.size = 0
		if x.size > 0 {
			l.read(x.at, x.into)
		}
	}
	old, new := &d.images[0], &d.images[1]
	milli, more := l.local(old, new)
	whole, _ := e.WriteUnits()
	growth, _ := e.Growth()
	e.SetWriteUnits(whole + milli)
	e.SetGrowth(growth + more)
	d.to.Event(e)
	d.indexes.written(e, l, old, new, &d.keys, d.to)
}

// expired reports whether a record is of a deletion by TTL.
func (c *streamChange) expired() bool { return c.Op == ingest.OpDelete && c.service }

// shrunk tells of the bytes that a deletion by TTL takes from its key: it is no load, and a change all the
// same.
func (d *dynamoStream) shrunk(c *streamChange, attrs []awsjson.Attribute) {
	table, at, store := d.event.Table, d.event.At, d.event.Store
	nanos, timed := d.event.UnixNano()
	e := &d.event
	e.Reset()
	e.Store, e.Table, e.At, e.Op, e.Witness = store, table, at, ingest.OpDelete, ingest.ChangeStream
	e.Coverage, e.Changed = ingest.StateOnly, true
	if timed {
		e.SetTime(nanos)
	}
	if d.keys.set(e, attrs, awsPartition(&d.options, table)) < 0 || c.oldSize == 0 {
		return
	}
	e.SetGrowth(-int64(c.oldSize))
	d.to.Event(e)
}

// weigh sets what a write costs. A deletion by TTL costs nothing, and is no heat: it is only counted.
func (d *dynamoStream) weigh(e *ingest.Event, c *streamChange) {
	if c.expired() {
		e.Coverage, e.Role, e.Shape = ingest.Selected, roleTTL, ttlDelete
		e.KeyKnown, e.Key, e.SortKey = false, nil, nil
		return
	}
	size := max(c.newSize, c.oldSize)
	e.SetWriteUnits(max((size+1023)/1024, 1) * 1000)
	switch {
	case c.newSize > 0:
		e.SetBytes(c.newSize)
	case c.oldSize > 0:
		e.SetBytes(c.oldSize)
	}
	created := c.Op == ingest.OpWrite && c.newSize > 0
	deleted := c.Op == ingest.OpDelete && c.oldSize > 0
	if created || deleted || c.newSize > 0 && c.oldSize > 0 {
		e.SetGrowth(int64(c.newSize) - int64(c.oldSize))
	}
}

var ttlDelete = []byte(shapeTTLDelete)

func (d *dynamoStream) when(e *ingest.Event, text []byte) (cause string) {
	if len(text) == 0 {
		return ""
	}
	nanos, cause := awsTime(&d.times, text)
	if cause == "" {
		e.SetTime(nanos)
	}
	return cause
}

// outerTable gives the table that the object around records names: the page of get-records by the ARN in
// its iterator.
func (p *streamPack) outerTable() []byte {
	if p.looked {
		return p.table
	}
	p.looked = true
	r := awsjson.Read(p.data, p.top)
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return p.table
		}
		switch string(name) {
		case "NextShardIterator", "nextShardIterator", "eventSourceARN", "StreamArn":
			p.table, _ = awsjson.Resource(r.Text())
		default:
			r.Skip()
		}
	}
}
