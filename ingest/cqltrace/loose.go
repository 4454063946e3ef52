package cqltrace

import (
	"bytes"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// driverLine reads a line as gocql's trace writer prints it:
//
//	2026/11/30 08:56:52.645: Executing single-partition query on jobs [ReadStage-2] (source: 127.0.0.1, elapsed: 1095)
func (d *Decoder) driverLine(text []byte) (activity, source []byte, unixNano int64, ok bool) {
	at := bytes.LastIndex(text, []byte(" (source: "))
	if at < 0 || text[len(text)-1] != ')' {
		return nil, nil, 0, false
	}
	source, _, ok = bytes.Cut(text[at+len(" (source: "):], []byte(", elapsed: "))
	if !ok {
		return nil, nil, 0, false
	}
	const date = len("2006/01/02 15:04:05")
	activity = text[:at]
	if when, rest, found := bytes.Cut(activity, []byte(": ")); found && len(when) >= date && when[4] == '/' && when[7] == '/' {
		activity = rest
		iso := append(d.text[:0], when...)
		iso[4], iso[7] = '-', '-'
		d.text = iso[:0]
		unixNano, _ = d.timeOf(iso)
	}
	return withoutThread(activity), source, unixNano, true
}

// A warning is one that the store sent with the answer to a read.
type warning struct {
	at          ingest.Position
	rows, tombs uint64
	text        []byte // the statement as the server printed it
}

// warningOf reads `Read 3 live rows and 1150 tombstone cells for query SELECT … (see tombstone_warn_threshold)`.
func warningOf(text []byte, at ingest.Position) (w warning, ok bool) {
	i := bytes.Index(text, []byte("Read "))
	if i < 0 {
		return w, false
	}
	rows, rest, ok := number(text[i+len("Read "):])
	if !ok {
		return w, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(" and "))
	if !ok {
		return w, false
	}
	tombs, rest, ok := number(rest)
	_, query, named := bytes.Cut(rest, []byte(" for query "))
	end := bytes.LastIndex(query, []byte(" (see tombstone_warn"))
	if !ok || !named || end < 0 {
		return w, false
	}
	query = query[:end]
	if token := bytes.LastIndex(query, []byte("; token ")); token > 0 {
		query = query[:token]
	}
	return warning{at: at, rows: rows, tombs: tombs, text: clone(query[:min(len(query), maxText)])}, true
}

// isAbort reports whether a line is a client's error about a read that ended for its tombstones.
func isAbort(text []byte) bool {
	return bytes.Contains(text, []byte("READ_TOO_MANY_TOMBSTONES")) ||
		bytes.Contains(text, []byte("tombstones and aborted the query"))
}

// microsOf reads a duration as Go prints it, in microseconds.
func microsOf(text []byte) (uint64, bool) {
	d, err := time.ParseDuration(string(text))
	return uint64(max(d, 0) / time.Microsecond), err == nil
}
