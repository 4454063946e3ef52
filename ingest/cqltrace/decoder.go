// Package cqltrace reads what Cassandra and ScyllaDB recorded of requests: statements with their bound
// values, which audit logs and query logs share, and query traces, however they were written down: what
// cqlsh prints with TRACING ON, system_traces.sessions, events and node_slow_log as cqlsh tables, JSON
// and CSV, and the print-outs of drivers. What an input tells of one session becomes one request. It
// must not know of other formats, nor how requests are judged.
package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// What a skipped record is.
const (
	skipRow   = "rows of a trace, told with its request"
	skipOther = "text around traces"
)

// What a record that cannot be read is.
const problemRow = "row of a trace cut or changed"

const (
	// maxSessions are held at a time; beyond, the oldest is told as far as it is known.
	maxSessions = 8192
	// maxText bounds what is held of a statement, in bytes.
	maxText = 64 << 10
	// maxCarry bounds a row that goes on over line ends, in bytes.
	maxCarry = 1 << 20
)

// A Decoder reads the lines of one input in order.
type Decoder struct {
	store  ingest.Store
	reader Reader
	times  ingest.TimeParser
	heads  map[string]ingest.TraceHead // of sessions whose row is in another input
	learnt map[string]ingest.TraceHead // nil unless heads are learnt, and nothing is told

	to   ingest.Sink
	rec  *ingest.Record
	line uint64 // of the record before
	end  uint64 // where the record before ended, without its line end

	lineEnd uint64 // bytes of a line end

	held     map[string]*session
	order    []*session // as they came
	current  *session   // to which lines without a session belong
	closing  bool       // the current one is complete
	warnings []warning  // of a cqlsh statement, whose trace is still to come

	columns []column
	comma   byte   // of a CSV; 0: none
	carry   []byte // the begin of a row that goes on
	whole   []byte // the line of a table, its cells and where they begin
	cells   [][]byte
	starts  []int
	text    []byte
	row     row
	rowAt   ingest.Position
	filled  bool // row holds cells of a vertical print-out
}

// New makes a decoder for traces of the store, in an input with this beginning.
func New(store ingest.Store, head []byte, o ingest.DecodeOptions) *Decoder {
	lineEnd := 1
	if bytes.Contains(head, []byte("\r\n")) {
		lineEnd = 2
	}
	return &Decoder{
		store: store, lineEnd: uint64(lineEnd),
		reader: Reader{Schema: o.Schema, Learn: true},
		times:  ingest.TimeParser{Location: o.Location},
		heads:  o.Traces,
		held:   map[string]*session{},
	}
}

// Decode implements ingest.Decoder.
func (d *Decoder) Decode(rec *ingest.Record, to ingest.Sink) {
	d.rec, d.to = rec, to
	if rec.At.Line < d.line { // another chunk, whose lines are counted anew
		for _, s := range d.order {
			s.at.Line, s.named.Line = 0, 0
		}
		for i := range d.warnings {
			d.warnings[i].at.Line = 0
		}
		d.rowAt.Line = 0
	}
	d.line = rec.At.Line
	if len(d.carry) == 0 && rec.At.Byte > d.end+d.lineEnd { // blank lines are no records
		d.blank()
	}
	d.end = rec.At.Byte + uint64(len(rec.Data))
	text := bytes.TrimRight(rec.Data, " \t\r\n")
	if len(text) == 0 { // blanks fill lines up that are copied from a screen
		d.blank()
	}
	switch d.take(text) {
	case rowTaken:
		to.Skip(skipRow)
	case rowBroken:
		to.Problem(ingest.Problem{Cause: problemRow, Text: string(rec.Data[:min(len(rec.Data), ingest.MaxProblemText)]), At: rec.At})
	default:
		to.Skip(skipOther)
	}
	for len(d.order) > maxSessions {
		d.tellOldest()
	}
}

// Close implements ingest.Closer: it tells what is held.
func (d *Decoder) Close(to ingest.Sink) {
	d.to = to
	if d.filled {
		d.endRow()
	}
	for len(d.order) > 0 {
		d.tellOldest()
	}
	d.tellWarnings(d.warnings)
	d.warnings = nil
}

func (d *Decoder) tellOldest() {
	s := d.order[0]
	d.order[0] = nil
	d.order = d.order[1:]
	if s.id != "" {
		delete(d.held, s.id)
	}
	if d.current == s {
		d.current = nil
	}
	d.tell(s)
}

// named gives the session with this id.
func (d *Decoder) named(id []byte) *session {
	id = bytes.ToLower(bytes.ReplaceAll(id, []byte("-"), nil))
	if s := d.held[string(id)]; s != nil {
		return s
	}
	s := d.add()
	s.id, s.nano = string(id), TimeOfUUID(id)
	d.held[s.id] = s
	return s
}

// add holds a new session without an id.
func (d *Decoder) add() *session {
	s := &session{at: d.rec.At}
	d.order = append(d.order, s)
	return s
}

// begin makes a session the current one: a print-out of a request.
func (d *Decoder) begin(s *session) *session {
	s.head = true
	s.warnings, d.warnings = append(s.warnings, d.warnings...), nil
	d.current, d.closing = s, false
	return s
}

// open gives the current session, a new one where there is none.
func (d *Decoder) open() *session {
	if d.current == nil || d.closing {
		return d.begin(d.add())
	}
	return d.current
}

// verdict is what became of a line.
type verdict uint8

const (
	foreign verdict = iota
	rowTaken
	rowBroken
)

// take reads one line.
func (d *Decoder) take(line []byte) verdict {
	if len(d.carry) > 0 {
		return d.more(line)
	}
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return foreign
	case d.comma != 0 || beginsCSV(text, &d.comma):
		return d.csv(text)
	case text[0] == '{', text[0] == '[':
		return d.json(text)
	case bytes.HasPrefix(text, []byte("Tracing session")):
		return d.title(text[len("Tracing session"):])
	case bytes.HasPrefix(text, []byte("@ Row ")):
		d.blank()
		d.columns = nil
		return foreign
	case isRule(text):
		return foreign
	case bytes.IndexByte(text, '|') >= 0 && d.tableRow(text):
		return rowTaken
	}
	return d.loose(text)
}

// blank ends what a blank line ends: a vertical row, and a bare list of activities.
func (d *Decoder) blank() {
	if d.filled {
		d.endRow()
	}
	if s := d.current; s != nil && s.id == "" && s.bare {
		d.closing = true
	}
}

// more goes on with a row that did not end with its line.
func (d *Decoder) more(line []byte) verdict {
	if len(d.carry)+len(line) > maxCarry {
		d.carry = d.carry[:0]
		return rowBroken
	}
	whole := append(append(d.carry, '\n'), line...)
	d.carry = whole[:0]
	if d.comma != 0 {
		return d.csv(whole)
	}
	return d.json(whole)
}

// title reads what stands behind "Tracing session": of cqlsh `: id`, of a driver
// ` id (coordinator: 10.0.0.7, duration: 3.551ms):`.
func (d *Decoder) title(text []byte) verdict {
	text = bytes.TrimLeft(text, ": ")
	id, rest, _ := bytes.Cut(text, []byte(" "))
	if !isUUID(id) {
		return foreign
	}
	s := d.named(id)
	s.titled = true
	d.begin(s)
	d.columns = nil
	if _, duration, ok := bytes.Cut(rest, []byte("duration: ")); ok {
		duration, _, _ = bytes.Cut(duration, []byte(")"))
		if micros, ok := microsOf(duration); ok && micros > 0 {
			s.setDuration(micros)
		}
	}
	return rowTaken
}

// loose reads a line that is in no table.
func (d *Decoder) loose(text []byte) verdict {
	if activity, source, nano, ok := d.driverLine(text); ok {
		s := d.open()
		s.setTime(nano)
		d.activity(s, activity, source)
		return rowTaken
	}
	if w, ok := warningOf(text, d.rec.At); ok {
		d.warnings = append(d.warnings, w)
		return rowTaken
	}
	if isAbort(text) {
		d.abort()
		return rowTaken
	}
	if activity := withoutThread(text); isActivity(activity) {
		s := d.open()
		s.bare = true
		d.activity(s, activity, nil)
		return rowTaken
	}
	return foreign
}

// abort takes an error of a client about a read that ended for its tombstones. When the request before
// it is not known to have ended so, it is one without a trace.
func (d *Decoder) abort() {
	if d.current != nil && d.current.aborted {
		return
	}
	s := d.add()
	s.at, s.aborted, s.lone = d.rec.At, true, true
	s.reads = 1
}
