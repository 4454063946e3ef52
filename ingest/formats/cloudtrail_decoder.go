package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

const (
	skipTrailOther   = "event of another service"
	skipTrailManage  = "request that touches no item"
	skipTrailRefused = "request refused before it reached an item"
	skipTrailAgain   = "event that was there before"
	skipTrailSummary = "summary of events"
	skipTrailEmpty   = "no CloudTrail events"
)

func newCloudTrail(o ingest.DecodeOptions) *cloudTrail {
	return &cloudTrail{options: o, times: ingest.TimeParser{Location: o.Location}}
}

// cloudTrail decodes CloudTrail events.
type cloudTrail struct {
	options ingest.DecodeOptions
	times   ingest.TimeParser
	event   ingest.Event
	state   ingest.State
	keys    awsKeyBuffers
	place   awsPlace
	to      ingest.Sink
	said    bool
	seen    awsSeen
	params  []byte // request parameters that were a text
	text    []byte // statements without their escapes
	items   []trailItem
	attrs   []awsjson.Attribute
	data    []byte // that is read: of the record, or of a message in it
	outer   int    // offset in the record of that message; -1: none
	inner   []byte // of the message
}

// A trailEvent is one event of CloudTrail.
type trailEvent struct {
	begin                   int
	source, name, id, time  []byte
	code, message, category []byte
	table, index, resource  []byte
	body                    []byte // the whole event
	called                  bool   // it has request parameters
	strong                  bool   // ConsistentRead of any of its items
	request                 int    // offset of the parameters when they are a text, else -1
}

// A trailItem is one item that a request touches.
type trailItem struct {
	op           ingest.Op
	table, index []byte
	from, to     int // of its key in cloudTrail.attrs
	statement    bool
	strong       bool // ConsistentRead
}

// Decode gives the events of a JSON text.
func (d *cloudTrail) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.said = to, false
	d.data, d.outer = rec.Data, -1
	r := awsjson.Read(rec.Data, 0)
	for r.Next() {
		d.value(&r)
	}
	switch {
	case r.Broken():
		awsBroken(to, d.place.of(r.At()), rec.Data)
	case !d.said:
		to.Skip(skipTrailEmpty)
	}
}

func (d *cloudTrail) value(r *awsjson.Reader) {
	switch r.Peek() {
	case '{':
		d.object(r)
	case '[':
		r.Open('[')
		for r.Element() {
			d.value(r)
		}
	default:
		r.Skip()
	}
}

// object reads an event, or an object that holds some.
func (d *cloudTrail) object(r *awsjson.Reader) {
	v := trailEvent{begin: r.At(), request: -1}
	d.items, d.attrs = d.items[:0], d.attrs[:0]
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		d.member(r, &v, name)
	}
	if len(v.name) > 0 && !r.Broken() {
		v.body = d.data[v.begin:r.At()]
		d.said = true
		d.finish(&v)
	}
}

func (d *cloudTrail) member(r *awsjson.Reader, v *trailEvent, name []byte) {
	var buf [32]byte
	switch string(awsjson.Fold(&buf, name)) {
	case "records", "detail", "events", "logevents":
		d.value(r)
	case "message", "cloudtrailevent":
		d.message(r)
	case "eventsource":
		v.source = r.Text()
	case "eventname":
		v.name = r.Text()
	case "eventid":
		v.id = r.Text()
	case "eventtime":
		v.time = r.Text()
	case "errorcode":
		v.code = r.Text()
	case "errormessage":
		v.message = r.Text()
	case "eventcategory":
		v.category = r.Text()
	case "resources":
		_, text := r.Value()
		v.resource, _ = awsjson.Resource(text)
	case "requestparameters":
		v.called = true
		d.request(r, v)
	default:
		r.Skip()
	}
}

// message reads the events in a member that holds JSON as text.
func (d *cloudTrail) message(r *awsjson.Reader) {
	begin := r.At()
	text := r.Text()
	if d.outer >= 0 || len(text) == 0 {
		return
	}
	d.inner = ingest.AppendUnquoted(d.inner[:0], text)
	data := d.data
	d.data, d.outer = d.inner, begin
	inner := awsjson.Read(d.inner, 0)
	for inner.Next() {
		d.value(&inner)
	}
	d.data, d.outer = data, -1
}

// where gives the position of an offset in what is read.
func (d *cloudTrail) where(offset int) ingest.Position {
	if d.outer >= 0 {
		offset = d.outer
	}
	return d.place.of(offset)
}

// request reads the parameters of a request; Athena has them as a text.
func (d *cloudTrail) request(r *awsjson.Reader, v *trailEvent) {
	if r.Peek() != '"' {
		d.parameters(r, v, trailItem{})
		return
	}
	v.request = r.At()
	d.params = ingest.AppendUnquoted(d.params[:0], r.Text())
	inner := awsjson.Read(d.params, 0)
	if inner.Next() {
		d.parameters(&inner, v, trailItem{})
	}
}

// parameters reads an object of a request; it describes one item, or holds objects that do.
func (d *cloudTrail) parameters(r *awsjson.Reader, v *trailEvent, item trailItem) {
	if !r.Open('{') {
		return
	}
	first := len(d.items)
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		var buf [32]byte
		switch string(awsjson.Fold(&buf, name)) {
		case "tablename":
			item.table = awsjson.TableName(r.Text())
		case "indexname":
			item.index = r.Text()
		case "operation":
			item.op = trailOp(r.Text())
		case "consistentread":
			_, text := r.Value()
			item.strong = string(text) == "true"
		case "key":
			d.key(r, item)
		case "keys":
			d.keyList(r, item)
		case "putrequest":
			item.op = ingest.OpWrite
			d.parameters(r, v, item)
		case "deleterequest":
			item.op = ingest.OpDelete
			d.parameters(r, v, item)
		case "statement":
			d.statement(r.Text())
		case "requestitems", "transactitems", "statements", "transactstatements":
			d.requestItems(r, v)
		default:
			r.Skip()
		}
	}
	for i := first; i < len(d.items); i++ { // members come in any order
		d.items[i].inherit(&item)
	}
	if len(v.table) == 0 {
		v.table, v.index = item.table, item.index
	}
	v.strong = v.strong || item.strong
}

func (i *trailItem) inherit(from *trailItem) {
	if len(i.table) == 0 {
		i.table = from.table
	}
	if len(i.index) == 0 {
		i.index = from.index
	}
	if i.op == ingest.OpUnknown {
		i.op = from.op
	}
	i.strong = i.strong || from.strong
}

// trailOp gives the operation of an item of a transaction; a condition check takes write capacity.
func trailOp(text []byte) ingest.Op {
	switch string(text) {
	case "Put", "ConditionCheck":
		return ingest.OpWrite
	case "Update":
		return ingest.OpUpdate
	case "Delete":
		return ingest.OpDelete
	case "Get":
		return ingest.OpRead
	}
	return ingest.OpUnknown
}

// requestItems reads the items of a batch or transaction: a list, or lists by table.
func (d *cloudTrail) requestItems(r *awsjson.Reader, v *trailEvent) {
	if r.Peek() == '[' {
		d.itemList(r, v, trailItem{})
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
		d.itemList(r, v, trailItem{table: awsjson.TableName(table)})
	}
}

func (d *cloudTrail) itemList(r *awsjson.Reader, v *trailEvent, item trailItem) {
	if r.Peek() != '[' {
		d.parameters(r, v, item)
		return
	}
	r.Open('[')
	for r.Element() {
		if r.Peek() == '"' {
			d.statement(r.Text())
			continue
		}
		d.parameters(r, v, item)
	}
}

func (d *cloudTrail) key(r *awsjson.Reader, item trailItem) {
	item.from = len(d.attrs)
	d.attrs = r.PlainKeys(d.attrs)
	item.to = len(d.attrs)
	d.items = append(d.items, item)
}

func (d *cloudTrail) keyList(r *awsjson.Reader, item trailItem) {
	if !r.Open('[') {
		return
	}
	for r.Element() {
		d.key(r, item)
	}
}

// statement reads a PartiQL statement.
func (d *cloudTrail) statement(text []byte) {
	if len(d.items) == 0 {
		d.text = d.text[:0]
	}
	n := len(d.text)
	d.text = ingest.AppendUnquoted(d.text, text)
	item := trailItem{statement: true, from: len(d.attrs)}
	var s awsjson.Statement
	s, d.attrs = awsjson.PartiQL(d.text[n:len(d.text):len(d.text)], d.attrs)
	item.op, item.table, item.index, item.to = s.Op, s.Table, s.Index, len(d.attrs)
	d.items = append(d.items, item)
}

// finish hands over what an event says.
func (d *cloudTrail) finish(v *trailEvent) {
	op, statements := awsjson.Op(v.name), trailStatement(v.name)
	switch {
	case string(v.category) == "Aggregated":
		d.to.Skip(skipTrailSummary)
		return
	case !bytes.HasPrefix(v.source, []byte("dynamodb")):
		d.to.Skip(skipTrailOther)
		return
	case op == ingest.OpUnknown && !statements:
		d.to.Skip(skipTrailManage)
		return
	}
	nanos, cause := awsTime(&d.times, v.time)
	if cause != "" {
		awsProblem(d.to, d.where(v.begin), cause, v.time)
		return
	}
	if len(v.id) > 0 && d.seen.again(v.id, v.time) {
		d.to.Skip(skipTrailAgain)
		return
	}
	outcome := trailOutcomeOf(v)
	if outcome == trailRefused {
		d.to.Skip(skipTrailRefused)
		return
	}
	d.event.Reset()
	if len(d.items) == 0 {
		d.items = append(d.items, trailItem{table: v.table, index: v.index, strong: v.strong})
	}
	for n := range d.items {
		i := &d.items[n]
		i.inherit(&trailItem{op: op, table: v.resource})
		d.item(v, i, nanos)
		if n == 0 && len(v.id) > 0 {
			d.event.ID = ingest.HashID(v.id)
		}
		d.outcome(v, outcome, n)
		d.to.Event(&d.event)
		d.collection(v, outcome, n, nanos)
		d.refusedBy(v, outcome, n, nanos)
	}
}

func trailStatement(name []byte) bool {
	switch string(name) {
	case "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction":
		return true
	}
	return false
}

// item makes the event of one item of a request.
func (d *cloudTrail) item(v *trailEvent, i *trailItem, nanos int64) {
	e := &d.event
	e.Reset()
	e.Store, e.Op, e.Table, e.Index = ingest.DynamoDB, i.op, i.table, i.index
	e.SetTime(nanos)
	e.At = d.where(v.begin)
	if e.Op.Reads() && v.called {
		e.Consistency = ingest.Eventual
		if i.strong || string(v.name) == "TransactGetItems" {
			e.Consistency = ingest.Strong
		}
	}
	attrs, partition := d.attrs[i.from:i.to], awsPartition(&d.options, i.table)
	if i.statement {
		attrs = attrs[:min(len(attrs), 2)]
		if len(attrs) == 1 && string(attrs[0].Name) != partition && !awsjson.PartitionName(attrs[0].Name) {
			attrs = nil
		}
	}
	hash := d.keys.set(e, attrs, partition)
	if hash >= 0 && v.request < 0 && !i.statement {
		e.At = d.where(attrs[hash].At)
	}
}
