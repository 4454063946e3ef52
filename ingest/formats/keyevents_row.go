package formats

import (
	"github.com/keyheat/keyheat/ingest"
)

// Causes of problems, and kinds of skipped records, of key events.
const (
	causeJSON     = "broken JSON"
	causeTwice    = "two fields for the same thing"
	causeNested   = "array or object where a plain value belongs"
	causeNumber   = "not a number of the expected kind"
	causeStore    = "store is none of dynamodb, cassandra, scylla"
	causeThrottle = "throttled is neither yes or no, a number nor a known reason"

	skipEmpty      = "empty line"
	skipNoKey      = "no partition key"
	skipNoRequests = "no requests"
)

// row builds the event of one record, value by value. It is reused: parts of the record and of scratch
// are in the event until the next begin.
type row struct {
	event      ingest.Event
	refused    ingest.Event // the throttled part of a record that stands for many requests
	times      ingest.TimeParser
	statements statements
	seen       uint32   // fields of the record, by slot
	list       [][]byte // components of a key that is an array
	parts      [][]byte // components of a key that --map composes; nil: it does not
	columns    [][]byte // of DecodeOptions.Columns; nil: none is asked for
	given      int      // how many of parts this record has

	keyspace  []byte
	ofIndex   bool   // the reason of the refusal is one of an index
	throttled uint64 // how many requests were refused, when the record says so
	scratch   []byte
	bad       []byte // the value that a cause is about

	// steady says that the event holds nothing that a record with values for the same fields would not
	// overwrite, so that it need not be cleared for one.
	steady bool
}

// compose makes room for what a plan takes together from several fields.
func (r *row) compose(p *plan) {
	if p.parts > 0 {
		r.parts = make([][]byte, p.parts)
	}
	if p.columns > 0 {
		r.columns = make([][]byte, p.columns)
	}
}

func (r *row) begin(at ingest.Position) {
	r.event.Reset()
	r.seen, r.given, r.throttled, r.ofIndex = 0, 0, 0, false
	r.keyspace, r.steady = nil, false
	clear(r.columns)
	r.again(at)
}

// again begins a record while the event is steady.
func (r *row) again(at ingest.Position) {
	r.event.At = at
	r.scratch = r.scratch[:0]
}

// set takes one value and gives the cause when it cannot be used. null is as good as absent.
func (r *row) set(t target, kind ingest.JSONKind, text []byte) (cause string) {
	bit := uint32(1) << t.field.slot()
	if t.field == fieldKey && r.parts != nil {
		return r.setPart(int(t.part), kind, text)
	}
	if t.field == fieldColumn {
		r.setColumn(int(t.part), kind, text)
		return ""
	}
	if kind == ingest.JSONNull {
		return ""
	}
	if r.seen&bit != 0 {
		r.bad = text
		return causeTwice
	}
	r.seen |= bit
	switch {
	case kind == ingest.JSONEscaped:
		text = r.unquote(text)
	case t.field == fieldKey && kind >= ingest.JSONArray:
		return r.setArray(kind, text)
	}
	if kind >= ingest.JSONArray {
		r.bad = text
		return r.setNested(t.field)
	}
	return r.assign(t.field, text)
}

func (r *row) unquote(text []byte) []byte {
	n := len(r.scratch)
	r.scratch = ingest.AppendUnquoted(r.scratch, text)
	return r.scratch[n:]
}

func (r *row) setKey(text []byte) {
	r.event.KeyKnown = true
	if ingest.PlainKey(text) {
		r.event.Key = text
		return
	}
	n := len(r.scratch)
	r.scratch = ingest.AppendKey(r.scratch, text)
	r.event.Key = r.scratch[n:]
}

// setArray takes a key of several components. Like an object, one whose components are not all plain
// leaves the key unknown.
func (r *row) setArray(kind ingest.JSONKind, text []byte) string {
	if kind == ingest.JSONObject {
		return ""
	}
	r.list = r.list[:0]
	for i := ingest.SkipSpace(text, 1); text[i] != ']'; {
		kind, part, next := ingest.ScanJSON(text, i)
		switch kind {
		case ingest.JSONNull, ingest.JSONArray, ingest.JSONObject:
			return ""
		case ingest.JSONEscaped:
			part = r.unquote(part)
		}
		r.list = append(r.list, part)
		if i = ingest.SkipSpace(text, next); text[i] == ',' {
			i = ingest.SkipSpace(text, i+1)
		} else if text[i] != ']' || kind == ingest.JSONBroken {
			r.bad = text
			return causeJSON
		}
	}
	if len(r.list) > 0 {
		n := len(r.scratch)
		r.scratch = ingest.AppendKey(r.scratch, r.list...)
		r.event.Key, r.event.KeyKnown = r.scratch[n:], true
	}
	return ""
}

// setNested takes an object or array: as an error it is one, elsewhere it is not understood.
func (r *row) setNested(f field) string {
	if f == fieldFailed {
		r.event.Failed = true
		return ""
	}
	return causeNested
}

// assign takes a value that is a text, a number or a boolean. It leaves nothing of the value before.
func (r *row) assign(f field, text []byte) string {
	e := &r.event
	switch f {
	case fieldKey:
		r.setKey(text)
	case fieldTime:
		at, cause := r.times.Parse(text)
		if cause != "" {
			r.bad = text
			return cause
		}
		e.SetTime(at)
	case fieldBytes:
		n, ok := whole(text)
		if !ok {
			r.bad = text
			return causeNumber
		}
		e.SetBytes(n)
	case fieldTable:
		e.Table = text
	case fieldKeyspace:
		r.keyspace = text
	case fieldIndex:
		e.Index = text
	case fieldSortKey:
		e.SortKey = text
	case fieldOp:
		e.Op = opOf(text)
	case fieldNode:
		e.Node = text
	case fieldShape:
		e.Shape = r.statements.of(text)
	case fieldStore:
		return r.setStore(text)
	case fieldThrottled:
		return r.setThrottled(text)
	case fieldFailed:
		e.Failed = !isNo(text)
	case fieldConsistency:
		e.Consistency = ingest.ConsistencyOf(text)
	case fieldReadUnits, fieldWriteUnits, fieldLatency, fieldLatencyMilli:
		return r.setDecimal(f, text)
	default:
		return r.setWhole(f, text)
	}
	return ""
}

func (r *row) setWhole(f field, text []byte) string {
	n, ok := whole(text)
	if !ok {
		r.bad = text
		return causeNumber
	}
	switch e := &r.event; f {
	case fieldRows:
		e.SetRows(n)
	case fieldTombstones:
		e.SetTombstones(n)
	case fieldRequests:
		e.Requests = n
	case fieldAttempt:
		e.Retries = max(n, 1) - 1
	case fieldWindow:
		e.SetWindow(n)
	}
	return ""
}

func (r *row) setDecimal(f field, text []byte) string {
	milli, ok := thousandths(text)
	if !ok {
		r.bad = text
		return causeNumber
	}
	switch e := &r.event; f {
	case fieldReadUnits:
		e.SetReadUnits(milli)
	case fieldWriteUnits:
		e.SetWriteUnits(milli)
	case fieldLatencyMilli:
		e.SetLatency(milli)
	case fieldLatency:
		e.SetLatency(milli/1000 + milli%1000/500)
	}
	return ""
}

func (r *row) setStore(text []byte) string {
	store, ok := storeOf(text)
	if !ok {
		r.bad = text
		return causeStore
	}
	r.event.Store = store
	return ""
}

func (r *row) setThrottled(text []byte) string {
	if isNo(text) {
		return ""
	}
	if n, ok := whole(text); ok {
		r.throttled = n
		r.event.Throttle = ingest.ThrottledUnknown
		return ""
	}
	t, ok := throttleOf(text)
	if !ok {
		r.bad = text
		return causeThrottle
	}
	r.event.Throttle, r.ofIndex = t, len(text) > len("index") && sameName(text[:len("index")], "index")
	return ""
}

// setPart takes a component of a key that --map composes.
func (r *row) setPart(part int, kind ingest.JSONKind, text []byte) string {
	if kind == ingest.JSONEscaped {
		text = r.unquote(text)
	}
	if kind == ingest.JSONNull || kind >= ingest.JSONArray {
		return ""
	}
	if r.given == 0 {
		clear(r.parts)
	}
	if r.parts[part] != nil {
		r.bad = text
		return causeTwice
	}
	r.parts[part] = text
	r.given++
	return ""
}

// setColumn takes the value of a further field. Of an array or object it stays unknown, of two the first counts.
func (r *row) setColumn(place int, kind ingest.JSONKind, text []byte) {
	switch {
	case kind == ingest.JSONNull || kind >= ingest.JSONArray || r.columns[place] != nil:
		return
	case kind == ingest.JSONEscaped:
		text = r.unquote(text)
	}
	r.columns[place] = text
}

// finishSteady is finish for an event that is steady: only what the envelope says is left to be heeded.
func (r *row) finishSteady(rec *ingest.Record, to ingest.Sink) {
	if rec.UnixNano != 0 || len(rec.Node) > 0 {
		r.finish(rec, to)
		return
	}
	to.Event(&r.event)
}

// finish makes the event whole and hands it over.
func (r *row) finish(rec *ingest.Record, to ingest.Sink) {
	e := &r.event
	if r.parts != nil && r.given == len(r.parts) {
		n := len(r.scratch)
		r.scratch = ingest.AppendKey(r.scratch, r.parts...)
		e.Key, e.KeyKnown = r.scratch[n:], true
	}
	if !e.KeyKnown && r.seen&(1<<fieldTable|1<<fieldOp) == 0 {
		to.Skip(skipNoKey)
		return
	}
	e.Columns = r.columns
	r.steady = r.seen&rareFields == 0 && r.parts == nil && r.columns == nil
	if r.seen&rareFields != 0 && !r.finishRare(to) {
		return
	}
	if rec.UnixNano != 0 && r.seen&(1<<fieldTime) == 0 {
		e.SetTime(rec.UnixNano)
		r.steady = false
	}
	if len(rec.Node) > 0 && r.seen&(1<<fieldNode) == 0 {
		e.Node = rec.Node
		r.steady = false
	}
	if r.throttled > 0 && r.throttled < e.Requests {
		r.split(to)
		return
	}
	to.Event(e)
}

const rareFields = 1<<fieldKeyspace | 1<<fieldReadUnits | 1<<fieldWriteUnits | 1<<fieldRequests | 1<<fieldThrottled

// finishRare settles what several fields say together. It reports whether there is an event.
func (r *row) finishRare(to ingest.Sink) bool {
	e := &r.event
	if len(r.keyspace) > 0 && len(e.Table) > 0 {
		n := len(r.scratch)
		r.scratch = append(append(append(r.scratch, r.keyspace...), '.'), e.Table...)
		e.Table = r.scratch[n:]
	}
	_, reads := e.ReadUnits()
	_, writes := e.WriteUnits()
	if (reads || writes) && r.seen&(1<<fieldStore) == 0 {
		e.Store = ingest.DynamoDB
	}
	if r.ofIndex && len(e.Index) == 0 && (e.Throttle == ingest.ThrottledKeyRange || e.Throttle == ingest.ThrottledMaximum) {
		e.Throttle = ingest.ThrottledIndex // what an index met says nothing of its table
	}
	e.Failed = e.Failed && e.Throttle == ingest.NotThrottled
	e.Requests = max(e.Requests, r.throttled)
	if e.Requests == 0 && r.seen&(1<<fieldRequests) != 0 {
		to.Skip(skipNoRequests)
		return false
	}
	return true
}

// split hands over a record of which some requests were refused as two events; the amounts are those
// of the requests that were served.
func (r *row) split(to ingest.Sink) {
	e := &r.event
	r.refused = ingest.Event{
		Store: e.Store, Op: e.Op, Throttle: e.Throttle, KeyKnown: e.KeyKnown, Requests: r.throttled,
		Table: e.Table, Index: e.Index, Key: e.Key, SortKey: e.SortKey, Node: e.Node, Shape: e.Shape, Columns: e.Columns, At: e.At,
	}
	if at, ok := e.UnixNano(); ok {
		r.refused.SetTime(at)
	}
	e.Requests, e.Throttle = e.Requests-r.throttled, ingest.NotThrottled
	to.Event(e)
	to.Event(&r.refused)
}

// problem hands over why the record says nothing.
func problem(rec *ingest.Record, to ingest.Sink, cause string, found []byte) {
	to.Problem(ingest.Problem{Cause: cause, Text: string(found[:min(len(found), ingest.MaxProblemText)]), At: rec.At})
}
