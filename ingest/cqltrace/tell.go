package cqltrace

import (
	"bytes"
	"encoding/hex"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// tell hands over what is known of a session: the request as traffic, and, where the store warned of the
// read or ended it, or no more than its events are there, the read with its counts as selected. Counts
// are told once.
func (d *Decoder) tell(s *session) {
	if d.learnt != nil {
		d.learn(s)
		return
	}
	rows, tombs, counted := s.counts()
	left := s.match(tombs)
	if s.silent(counted) {
		d.tellWarnings(left)
		return
	}
	base := d.base(s)
	notable := s.warned || s.aborted
	withCounts := func(e *ingest.Event) {
		if counted {
			e.SetRows(rows)
			e.SetTombstones(tombs)
		}
	}
	d.each(&base, s, func(e *ingest.Event) {
		switch {
		case s.slow:
			e.Coverage, e.Slow = ingest.Selected, true
			d.to.Event(e)
			return
		case s.head:
			t := *e
			t.Coverage, t.Witness, t.Failed = ingest.Traffic, ingest.Traces, s.aborted || s.timedOut
			if !notable {
				withCounts(&t)
			}
			d.to.Event(&t)
		}
		if notable || !s.head {
			e.Coverage, e.Role, e.Warned, e.Aborted, e.Failed = ingest.Selected, ingest.RoleTrace, s.warned, s.aborted, s.aborted || s.timedOut
			withCounts(e)
			d.to.Event(e)
		}
	})
	d.tellWarnings(left)
}

// silent reports whether a session tells of no request: a statement was prepared, or there is no more
// than the title of a print-out, or events without a count.
func (s *session) silent(counted bool) bool {
	switch {
	case s.aborted, s.slow, counted:
		return false
	case s.prepare, !s.head:
		return true
	}
	return !s.row && len(s.statements) == 0 && s.reads+s.writes+s.scans == 0
}

// base gives what all events of a session have in common.
func (d *Decoder) base(s *session) ingest.Event {
	at := s.at
	if !s.row && s.named != (ingest.Position{}) {
		at = s.named
	}
	e := ingest.Event{Store: d.store, At: at, TimedOut: s.timedOut, Node: s.node, Consistency: s.level}
	if s.nano != 0 {
		e.SetTime(s.nano)
	}
	if s.measured {
		e.SetLatency(s.micros)
	}
	if s.limited {
		e.Throttle = ingest.ThrottledKeyRange
	}
	return e
}

// each makes the events of a session: one, or one for each statement of a batch.
func (d *Decoder) each(base *ingest.Event, s *session, hand func(*ingest.Event)) {
	if h, ok := d.heads[s.id]; ok && !s.head {
		e := *base
		e.Op, e.Table, e.Shape, e.Key, e.KeyKnown = h.Op, []byte(h.Table), []byte(h.Shape), []byte(h.Key), h.KeyKnown
		hand(&e)
		return
	}
	keyspace, _, dot := bytes.Cut(s.tables, []byte("."))
	if !dot {
		keyspace = nil
	}
	said := 0
	for i := range s.statements {
		st := &s.statements[i]
		if len(st.text) == 0 {
			continue
		}
		read := d.reader.Each(base, Statement{Text: st.text, Keyspace: keyspace, Cut: st.cut, Bound: st.value}, func(e *ingest.Event) {
			if said == 0 && len(s.statements) > 1 {
				e.Partitions = uint64(len(s.statements))
			}
			said++
			d.addKey(e, s)
			hand(e)
		})
		if read && s.head && !s.batch {
			break
		}
	}
	if said > 0 {
		return
	}
	e := *base
	if len(s.server) == 0 || !d.reader.Read(&e, Statement{Text: s.server, Server: true}) {
		d.withoutStatement(&e, s)
	}
	d.addKey(&e, s)
	hand(&e)
}

// withoutStatement tells table and operation from activities and parameters.
func (d *Decoder) withoutStatement(e *ingest.Event, s *session) {
	switch {
	case len(s.operation) > 0:
		e.Op = alternatorOp(s.operation)
	case s.writes > 0 || s.batch:
		e.Op = ingest.OpWrite
	case s.scans > 0:
		e.Op = ingest.OpScan
	case s.reads > 0 || len(s.sources) > 0:
		e.Op = ingest.OpRead
	}
	if e.Table = s.tables; len(e.Table) == 0 {
		e.Table = s.table
	}
}

// addKey adds the key that events name, where the statement tells none.
func (d *Decoder) addKey(e *ingest.Event, s *session) {
	if !e.KeyKnown && e.Op == ingest.OpRead && len(s.keyHex) > 0 && s.scans == 0 {
		if parts := components(s.keyHex); parts != nil {
			e.Key, e.KeyKnown = ingest.AppendKey(nil, parts...), true
		}
	}
}

// components undoes the hex of a key; nil: it is none.
func components(digits []byte) [][]byte {
	raw := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(raw, digits); err != nil {
		return nil
	}
	parts, ok := cql.AppendHexComponents(nil, raw)
	if !ok {
		return nil
	}
	return parts
}

// alternatorOp is the operation of a request of the DynamoDB interface.
func alternatorOp(name []byte) ingest.Op {
	switch string(name) {
	case "GetItem", "BatchGetItem", "Query":
		return ingest.OpRead
	case "Scan":
		return ingest.OpScan
	case "PutItem", "BatchWriteItem":
		return ingest.OpWrite
	case "UpdateItem":
		return ingest.OpUpdate
	case "DeleteItem":
		return ingest.OpDelete
	}
	return ingest.OpUnknown
}

// match marks the session as warned where a warning is of its read, and gives the other warnings.
func (s *session) match(tombs uint64) (left []warning) {
	for _, w := range s.warnings {
		if len(s.sources) > 0 && w.tombs <= tombs {
			s.warned = true
			continue
		}
		left = append(left, w)
	}
	return left
}

// tellWarnings hands over warnings whose request has no trace.
func (d *Decoder) tellWarnings(list []warning) {
	for _, w := range list {
		e := ingest.Event{Store: d.store, Coverage: ingest.Selected, Role: ingest.RoleTrace, Warned: true, Op: ingest.OpRead, At: w.at}
		e.SetRows(w.rows)
		e.SetTombstones(w.tombs)
		d.reader.Read(&e, Statement{Text: w.text, Server: true})
		d.to.Event(&e)
	}
}
