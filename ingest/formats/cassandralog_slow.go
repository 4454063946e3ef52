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
	rest := s.rest[n+1:]
	for len(rest) > 0 {
		end := clIndex(rest, "\n<")
		if end < 0 {
			end = len(rest)
		}
		if rest[0] == '<' {
			d.operation(rest[:end])
		}
		rest = rest[min(end+1, len(rest)):]
	}
	if !d.said { // 6.0 with its appender prints JSON
		return d.skip(clSkipContext)
	}
	return true
}

// operation reads one entry of such a list.
func (d *cassandra) operation(text []byte) {
	e := d.request(ingest.OpRead)
	s := clText{text[1:]}
	var query []byte
	ok := true
	var millis uint64
	for _, form := range clSlowForms {
		at := clText{s.rest}
		if query, ok = at.untilLast(form.behind); !ok {
			continue
		}
		if e.Slow, e.TimedOut, e.Failed = !form.timedOut, form.timedOut, form.timedOut; form.counted {
			e.Requests, _ = at.number()
			_, ok = at.until("avg/min/max ")
			at.number()
			at.skip("/")
			at.number()
			at.skip("/")
		}
		millis, _ = at.number()
		ok = ok && at.at(" msec")
		break
	}
	if !ok {
		d.problem(clProblemMessage, text)
		return
	}
	e.SetLatency(millis * 1000)
	if !d.statement(e, clStatement(query)) {
		d.problem(clProblemStatement, text)
		return
	}
	d.emit(e)
}

// clSlowForms are what stands behind a statement, before a count or a time in milliseconds. Of several
// times the largest counts.
var clSlowForms = []struct {
	behind            string
	counted, timedOut bool
}{
	{">, time ", false, false},
	{">, was slow ", true, false},
	{">, total time ", false, true},
	{"> timed out ", true, true},
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
