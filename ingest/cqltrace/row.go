package cqltrace

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// A column is what a column of a table of traces holds.
type column uint8

const (
	other column = iota
	sessionID
	eventID
	activityText
	source0
	elapsed
	thread
	timestamp // of a row of a print-out
	startedAt
	coordinator
	duration
	parameters
	request
	command
	nodeIP
	tableNames
	startTime
	columns // number of columns
)

// columnNames are the names in system_traces.sessions, events and node_slow_log and in print-outs, those
// of columns that are not read included.
var columnNames = map[string]column{
	"session_id": sessionID, "event_id": eventID, "activity": activityText, "source": source0,
	"source_elapsed": elapsed, "elapsed": elapsed, "elapsed time": elapsed, "thread": thread, "timestamp": timestamp,
	"started_at": startedAt, "date": startedAt, "coordinator": coordinator, "duration": duration,
	"parameters": parameters, "request": request, "command": command, "node_ip": nodeIP, "table_names": tableNames,
	"start_time": startTime, "client": other, "source_port": other, "coordinator_port": other, "scylla_parent_id": other,
	"scylla_span_id": other, "request_size": other, "response_size": other, "username": other, "shard": other, "source_ip": other,
}

// A row is one row of such a table, by column; its texts are parts of the record or of the decoder's
// memory. Absent and null are empty.
type row [columns][]byte

// Row takes a row of system_traces.sessions, events or node_slow_log: names of columns and their values as
// cqlsh prints them, at a place. What is known of the requests is told by Close, after which further rows
// may follow. False: it is no row of traces.
func (d *Decoder) Row(names []string, values [][]byte, at ingest.Position, to ingest.Sink) bool {
	d.to, d.rec, d.rowAt = to, &ingest.Record{At: at}, at
	for i, name := range names[:min(len(names), len(values))] {
		d.row[columnNames[name]] = values[i]
	}
	d.row[other] = nil
	return d.endRow() == rowTaken
}

// endRow reads the row that is filled.
func (d *Decoder) endRow() verdict {
	d.filled = false
	r := &d.row
	defer func() { *r = row{} }()
	for i := range r {
		if text := r[i]; bytes.EqualFold(text, []byte("null")) || string(text) == "-" || string(text) == "--" {
			r[i] = nil
		}
	}
	if len(r[nodeIP]) > 0 || len(r[startTime]) > 0 {
		return d.slowRow(r)
	}
	var s *session
	switch {
	case len(r[sessionID]) == 0 && len(r[activityText]) > 0:
		s = d.openFor(r[activityText])
	case isUUID(r[sessionID]):
		s = d.named(r[sessionID])
	default:
		return rowBroken
	}
	if len(r[activityText]) > 0 {
		d.eventRow(s, r)
		return rowTaken
	}
	d.headRow(s, r)
	return rowTaken
}

// openFor gives the session of an activity of a print-out: a new one where the activity begins one.
func (d *Decoder) openFor(activity []byte) *session {
	s := d.current
	starts := bytes.HasPrefix(activity, []byte("Execute ")) || bytes.HasPrefix(activity, []byte("execute_"))
	if s != nil && starts && !s.titled && (len(s.sources) > 0 || s.reads+s.writes+s.scans > 0) {
		d.closing = true
	}
	return d.open()
}

func (d *Decoder) eventRow(s *session, r *row) {
	activity := r[activityText]
	if len(r[thread]) == 0 {
		activity = withoutThread(activity)
	}
	if at, ok := d.timeOf(r[timestamp]); ok {
		s.setTime(at)
	}
	d.activity(s, activity, r[source0])
	if bytes.HasPrefix(activity, []byte("Request complete")) {
		if micros, rest, ok := number(r[elapsed]); ok && len(rest) == 0 {
			s.setDuration(micros)
		}
	}
}

// headRow reads a row of sessions.
func (d *Decoder) headRow(s *session, r *row) {
	if !s.head {
		s.at = d.rowAt
	}
	s.head, s.row = true, true
	if at, ok := d.timeOf(r[startedAt]); ok {
		s.nano = at
	}
	if micros, rest, ok := number(r[duration]); ok && len(rest) == 0 {
		s.setDuration(micros)
	}
	d.activity(s, r[request], nil)
	if bytes.HasPrefix(r[request], []byte("Alternator ")) {
		s.operation = clone(r[request][len("Alternator "):])
	}
	if c := r[command]; len(c) > 0 && !bytes.EqualFold(c, []byte("query")) {
		s.prepare = true // REPAIR and NONE are no requests
	}
	d.parameters(s, r[parameters])
}

// slowRow reads a row of node_slow_log, which is a request of its own.
func (d *Decoder) slowRow(r *row) verdict {
	s := &session{at: d.rowAt, slow: true, node: clone(r[nodeIP])}
	d.headRow(s, r)
	if s.nano == 0 {
		s.nano = TimeOfUUID(bytes.ReplaceAll(r[startTime], []byte("-"), nil))
	}
	if len(s.tables) == 0 {
		s.tables = clone(firstOfSet(r[tableNames]))
	}
	if !s.measured && len(s.statements) == 0 && len(s.tables) == 0 {
		return rowBroken
	}
	d.tell(s)
	return rowTaken
}

// firstOfSet gives the member of a set of one, as {'ks.t'} or ["ks.t"]; of several none.
func firstOfSet(text []byte) []byte {
	text = bytes.Trim(text, "{}[]'\" ")
	if bytes.IndexByte(text, ',') >= 0 {
		return nil
	}
	return text
}

func (d *Decoder) timeOf(text []byte) (unixNano int64, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	at, cause := d.times.Parse(text)
	return at, cause == ""
}

// withoutThread takes the thread off an activity of a print-out: `Preparing statement [ReadStage-2]`.
func withoutThread(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == ']' {
		if i := bytes.LastIndex(text, []byte(" [")); i > 0 {
			return text[:i]
		}
	}
	return text
}

// isUUID reports whether a text is a UUID, with hyphens or without.
func isUUID(text []byte) bool {
	if len(text) != 32 && len(text) != 36 {
		return false
	}
	for i, c := range text {
		if hyphen := len(text) == 36 && (i == 8 || i == 13 || i == 18 || i == 23); hyphen != (c == '-') {
			return false
		}
		if c != '-' && c-'0' > 9 && c|0x20-'a' > 5 {
			return false
		}
	}
	return true
}

// TimeOfUUID gives the Unix nanoseconds in a version 1 UUID without hyphens (RFC 9562, section 5.1), 0
// for any other.
func TimeOfUUID(id []byte) int64 {
	var raw [16]byte
	if len(id) != 32 {
		return 0
	}
	if _, err := hex.Decode(raw[:], id); err != nil || raw[6]>>4 != 1 {
		return 0
	}
	const sinceGregorian = 122_192_928_000_000_000 // from 1582-10-15 to 1970, in 100 ns
	ticks := int64(raw[6]&0xF)<<56 | int64(raw[7])<<48 | int64(raw[4])<<40 | int64(raw[5])<<32 |
		int64(raw[0])<<24 | int64(raw[1])<<16 | int64(raw[2])<<8 | int64(raw[3])
	nano := (ticks - sinceGregorian) * 100
	if year := time.Unix(0, nano).UTC().Year(); year < 2008 || year > 2099 { // before there were traces
		return 0
	}
	return nano
}

var _ ingest.Closer = (*Decoder)(nil)
