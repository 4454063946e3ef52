package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// operations reads the lists of slow and timed-out reads (db/monitoring/MonitoringTask.java, 3.10 on):
//
//	2 operations were slow in the last 5001 msecs:
//	<SELECT …>, time 558 msec - slow timeout 500 msec/cross-node
//	<SELECT …>, was slow 3 times: avg/min/max 700/510/901 msec - slow timeout 500 msec
//	1 operations timed out in the last 5074 msecs:
//	<SELECT …>, total time 10058 msec, timeout 10000 msec
//	<SELECT …> timed out 2 times, avg/min/max 1/1/2 msec, timeout 10000 msec
//	... (111 were dropped)
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
	if !d.said { // 6.0 with its appender prints JSON
		return d.skip(clSkipContext)
	}
	return true
}

// operation reads the entry of such a list that text begins with, and gives its length; 0: none is
// there. A statement may hold line ends, so an entry is what ends as one.
func (d *cassandra) operation(text []byte) int {
	const tries = 32
	if len(text) == 0 || text[0] != '<' {
		return 0
	}
	for try, end := 0, 0; try < tries && end < len(text); end++ {
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			n = len(text) - end
		}
		end += n
		entry := bytes.TrimRight(text[1:end], "\r")
		if !bytes.HasSuffix(entry, clEntryEnd) && !bytes.HasSuffix(entry, clCrossNode) {
			continue
		}
		if try++; d.slow(entry) {
			return min(end+1, len(text))
		}
	}
	d.problem(clProblemMessage, text)
	next := clIndex(text, "\n<")
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
