package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// scanned reads the end of a read for its tombstones, and the warning of DSE 6 that begins the same:
//
//	Scanned over 1 tombstones during query 'SELECT …' (last scanned row partion key was ((a, b), c)); query aborted
//	Scanned over 1 tombstones during query '…' (last scanned row token was 2 and partion key was (a)); query aborted
//	Scanned over 1 tombstones in ks.t for key: k; query aborted (see tombstone_failure_threshold).         2.1.14 on
//	Scanned over 1 tombstones in ks.t; 2 columns were requested; query aborted (…); partitionKey=k; lastCell=…    2.2
//	Scanned over 1 tombstone rows for query SELECT … - more than the warning threshold 1000                     DSE 6
func (d *cassandra) scanned(s clText) bool {
	s.skip("Scanned over ")
	e := d.request(ingest.OpRead)
	n, _ := s.number()
	e.SetTombstones(n)
	switch {
	case s.skip(" tombstone rows for query "):
		return d.scannedRows(e, s)
	case !s.skip(" tombstones"):
		return false
	}
	e.Aborted, e.Failed = true, true
	switch {
	case s.skip(" during query "):
		return d.abortedQuery(e, s)
	case s.skip(" in "):
		return d.abortedSlice(e, s)
	case s.at("; query aborted"): // 2.0.2: no table
		return d.emit(e)
	}
	return false
}

// scannedRows reads DSE's warning behind its count.
func (d *cassandra) scannedRows(e *ingest.Event, s clText) bool {
	text, ok := s.untilLast(" - more than the ")
	if !ok {
		text = s.rest
	}
	if failure := s.skip("failure "); failure {
		e.Aborted, e.Failed = true, true
	} else {
		e.Warned = true
	}
	q := clStatement(text)
	q.cut = !ok || q.cut
	return d.abortedStatement(e, q)
}

// abortedQuery reads the statement in quotes and the last scanned row.
func (d *cassandra) abortedQuery(e *ingest.Event, s clText) bool {
	text, ok := s.untilLast("(last scanned row ")
	if !ok {
		line, _, _ := bytes.Cut(s.rest, []byte("\n"))
		q := clStatement(clUnquoted(line))
		q.cut = true
		return d.abortedStatement(e, q)
	}
	q := clStatement(clUnquoted(text))
	row, ok := s.untilLast(")); query aborted")
	if _, after, found := bytes.Cut(row, []byte("key was (")); ok && found {
		q.row = after
	}
	if ok && !d.statement(e, q) {
		return d.emit(e) // the statement was left out, the end of the read was not
	}
	return d.abortedStatement(e, q)
}

// clUnquoted takes the quotes off a statement; what pastes it may have made others of them.
func clUnquoted(text []byte) []byte {
	text = bytes.TrimSpace(text)
	for _, quote := range clQuotes {
		if rest, ok := bytes.CutPrefix(text, quote); ok {
			return bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSuffix(rest, quote), clRoundEnd))
		}
	}
	return text
}

var clRoundEnd = []byte("’")

var clQuotes = [][]byte{[]byte("'"), []byte(`"`), []byte("`"), []byte("‘")}

func (d *cassandra) abortedStatement(e *ingest.Event, q clQuery) bool {
	if !d.statement(e, q) {
		d.problem(clProblemStatement, q.text)
		return true
	}
	return d.emit(e)
}

// abortedSlice reads what 2.x says behind `in `.
func (d *cassandra) abortedSlice(e *ingest.Event, s clText) bool {
	subject, ok := s.until("; query aborted (see tombstone_fail")
	if !ok {
		return false
	}
	table, _, _ := bytes.Cut(subject, []byte(";"))
	if bytes.Contains(table, []byte(" for key: ")) {
		table = subject // a key may hold a semicolon
	}
	d.sliceOf(e, table)
	if _, ok := s.until("; partitionKey="); ok {
		if key, ok := s.until("; lastCell="); ok && len(key) > 0 {
			d.setKey(e, key)
		}
	}
	return d.emit(e)
}

// nodes reads what a coordinator says of its replicas' reads (4.1 on, read_thresholds_enabled). Each
// replica warns of the same read in its own log, so it is another observer.
func (d *cassandra) nodes(s clText) bool {
	s.number()
	e := d.request(ingest.OpRead)
	if e.Role = "coordinator"; d.role != "" {
		e.Role = "client of a coordinator"
	}
	_ = s.skip(" nodes scanned ") || s.skip(" node scanned ")
	if !s.skip("over ") && !s.skip("up to ") {
		return false
	}
	n, ok := s.number()
	e.SetTombstones(n)
	switch {
	case !ok:
		return false
	case s.skip(" tombstones and aborted the query "):
		e.Aborted, e.Failed = true, true
	case s.skip(" tombstones and issued tombstone warnings for query "):
		e.Warned = true
	default:
		return false
	}
	text, ok := s.untilLast("(see tombstone_")
	q := clStatement(bytes.TrimRight(text, " \n"))
	if !ok {
		q = clStatement(s.rest)
	}
	q.cut = !ok
	return d.abortedStatement(e, q)
}

// Exceptions that tell of a read that was ended for its tombstones, without its table.
var (
	clTooMany      = []byte("READ_TOO_MANY_TOMBSTONES from")
	clOverwhelming = []byte("TombstoneOverwhelmingException")
	clCodes        = []byte("error_code_map") // of protocol 5: {'10.0.0.3': '0x0001'}
	clTooManyCode  = []byte("0x0001")
)

// loneAbort gives where text names such an exception; -1: nowhere.
func loneAbort(text []byte) int {
	if i := bytes.Index(text, clTooMany); i >= 0 && isReplica(text[i+len(clTooMany):]) {
		return i
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], clOverwhelming)
		if i < 0 {
			break
		}
		if i += from; isException(text, i, i+len(clOverwhelming)) {
			return i
		}
		from = i + len(clOverwhelming)
	}
	if i := bytes.Index(text, clCodes); i >= 0 && bytes.Contains(text[i:min(len(text), i+400)], clTooManyCode) {
		return i
	}
	return -1
}

// isReplica reports whether text begins with an address: explanations say where it comes from, too.
func isReplica(text []byte) bool {
	word := clFirstWord(bytes.TrimLeft(text, " \n\r"))
	return bytes.ContainsAny(word, ":/") || len(word) > 0 && clDigit(word[0])
}

// isException reports whether the name at text[begin:end] is what was thrown: it has its package, or
// stands behind a colon, and no sentence goes on behind it.
func isException(text []byte, begin, end int) bool {
	before := text[max(0, begin-len(clFilterPackage)):begin]
	if !bytes.Equal(before, clFilterPackage) {
		return bytes.HasSuffix(text[:begin], []byte(": ")) && endsLine(text[end:])
	}
	outer := text[:begin-len(clFilterPackage)]
	if len(outer) > 0 && bytes.IndexByte([]byte("`*_"), outer[len(outer)-1]) >= 0 {
		return false
	}
	return endsLine(text[end:]) || bytes.IndexByte([]byte(":)]}\"'\\,;<&"), text[end]) >= 0 || bytes.HasPrefix(text[end:], []byte(" at "))
}

func endsLine(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r")
	return len(text) == 0 || text[0] == '\n'
}

var clFilterPackage = []byte("org.apache.cassandra.db.filter.")

// aborted tells of an aborted read of which only an exception is left. Its other lines name table and
// key, so this counts only where there are none.
func (d *cassandra) aborted(text []byte) {
	e := d.request(ingest.OpRead)
	e.Aborted, e.Failed = true, true
	s := clText{text}
	if s.skip("READ_TOO_MANY_TOMBSTONES from ") {
		s.skip("/")
		n := 0
		for n < len(s.rest) && (clDigit(s.rest[n]) || s.rest[n] == '.') {
			n++
		}
		if n > 0 {
			e.Node = s.rest[:n]
		}
	}
	d.emit(e)
}
