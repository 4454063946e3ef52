package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// A trailOutcome is how a request ended.
type trailOutcome uint8

const (
	trailServed    trailOutcome = iota
	trailUnchanged              // a condition failed, which costs as much
	trailRefused                // before it reached an item: no permission, bad arguments
	trailLimited                // for rate
	trailCanceled               // a transaction, for the reasons in its message
	trailOverfull               // its item collection is at its limit
	trailBroken                 // the service failed
)

// trailOutcomeOf reads the error of an event.
func trailOutcomeOf(v *trailEvent) trailOutcome {
	code := v.code
	switch {
	case len(code) == 0:
		return trailServed
	case bytes.Contains(code, []byte("ConditionalCheckFailed")), bytes.Contains(code, []byte("TransactionConflict")),
		bytes.Contains(code, []byte("DuplicateItem")):
		return trailUnchanged
	case bytes.Contains(code, []byte("TransactionCanceled")):
		return trailCanceled
	case bytes.Contains(code, []byte("ItemCollectionSizeLimitExceeded")):
		return trailOverfull
	case awsjson.Reason(code) != ingest.NotThrottled:
		return trailLimited
	case bytes.Contains(code, []byte("InternalServerError")), bytes.Contains(code, []byte("ServiceUnavailable")):
		return trailBroken
	}
	return trailRefused
}

// outcome sets how the n-th item of a request fared.
func (d *cloudTrail) outcome(v *trailEvent, o trailOutcome, n int) {
	if d.event.Witness = ingest.TrailOthers; o == trailServed && d.event.Op.Writes() {
		d.event.Witness = ingest.TrailChanges
	}
	switch o {
	case trailLimited:
		d.event.Throttle = awsjson.Reason(v.body)
		if len(d.event.Index) == 0 {
			d.event.Throttle = awsjson.ForIndex(d.event.Throttle, v.body)
		}
	case trailCanceled:
		d.event.Throttle = awsjson.Reason(trailCancellation(v.message, n))
	case trailBroken:
		d.event.Failed = true
	}
}

// refusedBy hands over which index it was that could not take a request of its table, when the reasons name it: a complaint
// of the index, of which no record of its own tells.
func (d *cloudTrail) refusedBy(v *trailEvent, o trailOutcome, n int, nanos int64) {
	if o != trailLimited || n > 0 || d.event.Throttle != ingest.ThrottledIndex {
		return
	}
	table, index := awsjson.ReasonsFor(v.body)
	if len(index) == 0 {
		return
	}
	e := &d.event
	op, at := e.Op, e.At
	e.Reset()
	e.Store, e.Op, e.At, e.Table, e.Index = ingest.DynamoDB, op, at, table, index
	e.Coverage, e.Role, e.Throttle, e.Derived = ingest.Selected, roleReasons, awsjson.Reason(v.body), true
	e.SetTime(nanos)
	d.to.Event(e)
}

// roleReasons is who tells of the refusals of an index that stand with the requests of its table.
const roleReasons = "throttling reasons"

// trailCancellation gives the reason for the n-th item in the message of a canceled transaction, which ends
// in a list: [None, ThrottlingError].
func trailCancellation(message []byte, n int) []byte {
	i := bytes.LastIndexByte(message, '[')
	if i < 0 {
		return nil
	}
	list := bytes.TrimRight(message[i+1:], "]. ")
	for ; n > 0; n-- {
		_, after, ok := bytes.Cut(list, []byte(","))
		if !ok {
			return nil
		}
		list = after
	}
	reason, _, _ := bytes.Cut(list, []byte(","))
	return bytes.TrimSpace(reason)
}

// collection hands over that an item collection is at its limit, when the n-th item was refused for it.
func (d *cloudTrail) collection(v *trailEvent, o trailOutcome, n int, nanos int64) {
	e := &d.event
	full := o == trailOverfull || o == trailCanceled && bytes.Contains(trailCancellation(v.message, n), []byte("ItemCollectionSizeLimitExceeded"))
	if !full || !e.KeyKnown {
		return
	}
	d.state = ingest.State{
		Store: ingest.DynamoDB, Table: e.Table, Key: e.Key, KeyKnown: true, Source: sourceCollectionRefuse,
		Measure: ingest.PartitionBytes, Value: awsjson.MaxCollection, Said: true, Limit: awsjson.MaxCollection, UnixNano: nanos, At: e.At,
	}
	d.to.State(&d.state)
}
