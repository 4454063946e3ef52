package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// tell tells of the row; false: it says nothing.
func (d *cqlTable) tell(at ingest.Position, to ingest.Sink) bool {
	if d.row.Has("query", "times_reported", "max_ms", "table_name") {
		return d.slow.slowRow(&d.row, at, to)
	}
	return d.say.Say(&d.row, at, to)
}

// slowRow reads a row of system_views.slow_queries (6.0): one statement, how often it was slow in an interval, and
// its times in milliseconds, of which the largest counts, as in the lists of the log.
func (d *cassandra) slowRow(r *systable.Row, at ingest.Position, to ingest.Sink) bool {
	d.to, d.rec, d.nano = to, &ingest.Record{At: at}, 0
	if nano, cause := d.times.Parse(r.Of("timestamp")); cause == "" {
		d.nano = nano
	}
	e := d.request(ingest.OpRead)
	e.Coverage, e.Slow = ingest.Selected, true
	e.Requests, _ = systable.Count(r.Of("times_reported"))
	if millis, ok := systable.Count(r.Of("max_ms")); ok {
		e.SetLatency(millis * 1000)
	}
	return d.statement(e, clStatement(r.Of("query"))) && d.emit(e)
}
