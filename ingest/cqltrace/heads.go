package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// MaxHeads is the most sessions that Learn takes, about 10 MiB of them; reads of later ones keep what
// their events tell.
const MaxHeads = 1 << 16

// HoldsHeads reports whether an input with this beginning may have rows of system_traces.sessions.
func HoldsHeads(head []byte) bool {
	store, _ := Sniff(head)
	return store != ingest.StoreUnknown && (bytes.Contains(head, []byte("parameters")) || bytes.Contains(head, []byte("CQL3 ")))
}

// Learn makes a decoder that tells nothing, and adds to heads what rows of sessions say of requests.
func Learn(head []byte, o ingest.DecodeOptions, heads map[string]ingest.TraceHead) *Decoder {
	d := New(ingest.Cassandra, head, o)
	d.learnt = heads
	return d
}

func (d *Decoder) learn(s *session) {
	if !s.row || s.id == "" || s.silent(false) || len(d.learnt) >= MaxHeads {
		return
	}
	d.each(&ingest.Event{}, s, func(e *ingest.Event) {
		if _, known := d.learnt[s.id]; !known && len(e.Table) > 0 { // of a batch the first
			d.learnt[s.id] = ingest.TraceHead{Op: e.Op, Table: string(e.Table), Key: string(e.Key), Shape: string(e.Shape), KeyKnown: e.KeyKnown}
		}
	})
}
