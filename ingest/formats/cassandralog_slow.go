package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// operations reads the lists of slow and timed-out reads (db/monitoring/MonitoringTask.java; the last two are
// of 3.2 to 3.9, which knew no slow ones):
//
//	2 operations were slow in the last 5001 msecs:
//	<SELECT …>, time 558 msec - slow timeout 500 msec/cross-node
//	<SELECT …>, was slow 3 times: avg/min/max 700/510/901 msec - slow timeout 500 msec
//	1 operations timed out in the last 5074 msecs:
//	<SELECT …>, total time 10058 msec, timeout 10000 msec
//	<SELECT …> timed out 2 times, avg/min/max 1/1/2 msec, timeout 10000 msec
//	... (111 were dropped)
//	SELECT …: total time 5602 msec - timeout 5000 msec
//	SELECT … (timed out 4 times): total time avg/min/max 5200/5100/5302 msec - timeout 5000 msec/cross-node
func (d *cassandra) operations(s clText) bool {
	n := bytes.IndexByte(s.rest, '\n')
	if n < 0 {
		return d.skip(clSkipContext)
	}
	for rest := s.rest[n+1:]; ; {
		rest = bytes.TrimLeft(rest, " \t")
		n := d.operation(rest)
		if n == 0 { // the end, or the number of those dropped
			break
		}
		rest = rest[n:]
	}
	if !d.said { // all were dropped
		return d.skip(clSkipContext)
	}
	return true
}

// operation reads the entry of such a list that text begins with, and gives its length; 0: none is
// there. A statement may hold line ends, so an entry is what ends as one.
func (d *cassandra) operation(text []byte) int {
	const tries = 32
	begins := "<"
	if clBegins(text, "SELECT ") {
		begins = "SELECT "
	}
	if !clBegins(text, begins) {
		return 0
	}
	for try, end := 0, 0; try < tries && end < len(text); end++ {
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			n = len(text) - end
		}
		end += n
		entry := bytes.TrimRight(bytes.TrimPrefix(text[:end], []byte("<")), " \t\r")
		if !bytes.HasSuffix(entry, clEntryEnd) && !bytes.HasSuffix(entry, clCrossNode) {
			continue
		}
		if try++; d.slow(entry) {
			return min(end+1, len(text))
		}
	}
	d.problem(clProblemMessage, text)
	next := clIndex(text, "\n"+begins)
	if next < 0 {
		return len(text)
	}
	return next + 1
}

var (
	clEntryEnd  = []byte(" msec")
	clCrossNode = []byte(" msec/cross-node")
)

// slow reads a whole entry of a list; false: it is none.
func (d *cassandra) slow(text []byte) bool {
	for _, form := range clSlowForms {
		s := clText{text}
		query, ok := s.untilLast(form.behind)
		if !ok {
			continue
		}
		e := d.request(ingest.OpRead)
		e.Slow, e.TimedOut, e.Failed = !form.timedOut, form.timedOut, form.timedOut
		if form.counted {
			e.Requests, _ = s.number()
			_, ok = s.until("avg/min/max ")
			s.number()
			s.skip("/")
			s.number()
			s.skip("/")
		}
		millis, isNumber := s.number()
		if !ok || !isNumber || !s.at(form.ends) {
			continue
		}
		e.SetLatency(millis * 1000)
		if !d.statement(e, clStatement(query)) {
			return false
		}
		return d.emit(e)
	}
	return false
}

// clSlowForms are what stands behind a statement, before a count or a time in milliseconds, and behind
// the time. Of several times the largest counts.
var clSlowForms = []struct {
	behind            string
	counted, timedOut bool
	ends              string
}{
	{">, time ", false, false, " msec - slow timeout "},
	{">, was slow ", true, false, " msec - slow timeout "},
	{">, total time ", false, true, " msec, timeout "},
	{"> timed out ", true, true, " msec, timeout "},
	{" (timed out ", true, true, " msec - timeout "},
	{": total time ", false, true, " msec - timeout "},
}

// clSlowJSONBegins is how the list of slow reads begins that 6.0 prints where its appender SLOW_QUERIES_APPENDER
// is on: what Jackson makes of db/monitoring/MonitoringTask.java's operations.
const clSlowJSONBegins = `[{"id":"org.apache.cassandra.db.monitoring.MonitoringTask$`

// slowJSON reads such a list:
//
//	[{"id":"…MonitoringTask$SlowOperation","numTimesReported":3,"totalTimeNanos":2100000000,"maxTimeNanos":901000000,
//	"minTimeNanos":510000000,"name":"SELECT …","timestampMs":1780563605000,"keyspace":"shop","table":"jobs","crossNode":false}]
func (d *cassandra) slowJSON(s clText) bool {
	for at := 1; at < len(s.rest); {
		at = ingest.SkipSpace(s.rest, at)
		kind, operation, next := ingest.ScanJSON(s.rest, at)
		if kind != ingest.JSONObject || !d.slowOperation(operation) {
			d.problem(clProblemMessage, s.rest[min(at, len(s.rest)):])
			return true
		}
		at = ingest.SkipSpace(s.rest, next)
		if at < len(s.rest) && s.rest[at] == ']' {
			return true
		}
		at++ // the comma
	}
	d.problem(clProblemMessage, s.rest) // the list does not end
	return true
}

// slowOperation reads one operation of such a list; false: it is none.
func (d *cassandra) slowOperation(object []byte) bool {
	e := d.request(ingest.OpRead)
	e.Slow = true
	query := []byte(nil)
	for m := ingest.ReadJSON(object, 0); ; {
		name, _, value, ok := m.Next()
		if !ok {
			break
		}
		n, isNumber := systable.Count(value)
		switch {
		case string(name) == "name":
			query = unquotedText(value)
		case !isNumber:
		case string(name) == "numTimesReported":
			e.Requests = n
		case string(name) == "maxTimeNanos":
			e.SetLatency(n / 1000)
		case string(name) == "timestampMs" && n < 1<<43:
			e.SetTime(int64(n) * 1e6)
		}
	}
	return len(query) > 0 && d.statement(e, clStatement(query)) && d.emit(e)
}

// threshold reads `updated tombstone_warn_threshold to 1000`.
func (d *cassandra) threshold(s clText) bool {
	s.skip("updated ")
	name, ok := s.until(" to ")
	if !ok {
		return false
	}
	return d.thresholdFact(name, s.rest) || d.skip(clSkipOther)
}

// configuration reads the settings that a node prints when it starts: `Node configuration:[a=1; b=2; …]`.
func (d *cassandra) configuration(s clText) bool {
	s.skip("Node configuration:[")
	for len(s.rest) > 0 {
		pair, ok := s.until("; ")
		if !ok {
			pair, s.rest = s.rest, nil
		}
		if name, value, ok := bytes.Cut(pair, []byte("=")); ok {
			d.thresholdFact(name, value)
		}
	}
	return d.said || d.skip(clSkipOther)
}

func (d *cassandra) thresholdFact(name, value []byte) bool {
	f := ingest.Fact{Store: ingest.Cassandra, UnixNano: d.nano, At: d.rec.At, Node: d.rec.Node}
	switch string(name) {
	case "tombstone_warn_threshold":
		f.Name = ingest.FactTombstoneWarn
	case "tombstone_failure_threshold":
		f.Name = ingest.FactTombstoneFail
	default:
		return false
	}
	n := 0
	for n < len(value) && clDigit(value[n]) {
		n++
	}
	if f.Value = value[:n]; n == 0 {
		return false
	}
	d.said = true
	d.to.Fact(&f)
	return true
}
