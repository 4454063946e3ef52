package capture

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

type (
	event   = ingest.Event
	state   = ingest.State
	fact    = ingest.Fact
	point   = ingest.Point
	problem = ingest.Problem
)

// Positions are no part of a row: that of a record is its number among those of its input.

var eventColumns = []column[event]{
	{
		func(w *columnar.StreamWriter, e *event) error {
			if t, ok := e.UnixNano(); ok {
				w.Moment(colTime, t)
			}
			return nil
		},
		func(r *row, e *event) error {
			if t, ok := r.moment(colTime); ok {
				e.SetTime(t)
			}
			return nil
		},
	},
	wordIn(colStore, ingest.Scylla, func(e *event) *ingest.Store { return &e.Store }),
	wordIn(colOp, ingest.Ops-1, func(e *event) *ingest.Op { return &e.Op }),
	wordIn(colThrottle, ingest.Throttles-1, func(e *event) *ingest.Throttle { return &e.Throttle }),
	wordIn(colCoverage, ingest.StateOnly, func(e *event) *ingest.Coverage { return &e.Coverage }),
	wordIn(colConsistency, ingest.Strong, func(e *event) *ingest.Consistency { return &e.Consistency }),
	wordIn(colWitness, ingest.Witnesses-1, func(e *event) *ingest.Witness { return &e.Witness }),
	bytesIn(colTable, func(e *event) *[]byte { return &e.Table }),
	bytesIn(colIndex, func(e *event) *[]byte { return &e.Index }),
	bytesIn(colKey, func(e *event) *[]byte { return &e.Key }),
	flagIn(colKeyKnown, func(e *event) *bool { return &e.KeyKnown }),
	bytesIn(colSortKey, func(e *event) *[]byte { return &e.SortKey }),
	bytesIn(colNode, func(e *event) *[]byte { return &e.Node }),
	bytesIn(colShape, func(e *event) *[]byte { return &e.Shape }),
	bytesIn(colEntity, func(e *event) *[]byte { return &e.Entity }),
	textIn(colRole, func(e *event) *string { return &e.Role }),
	flagIn(colFailed, func(e *event) *bool { return &e.Failed }),
	flagIn(colWarned, func(e *event) *bool { return &e.Warned }),
	flagIn(colAborted, func(e *event) *bool { return &e.Aborted }),
	flagIn(colTimedOut, func(e *event) *bool { return &e.TimedOut }),
	flagIn(colSlow, func(e *event) *bool { return &e.Slow }),
	flagIn(colChanged, func(e *event) *bool { return &e.Changed }),
	flagIn(colDerived, func(e *event) *bool { return &e.Derived }),
	momentIn(colInventory, func(e *event) *int64 { return &e.Inventory }),
	countIn(colRequests, func(e *event) *uint64 { return &e.Requests }),
	countIn(colPartitions, func(e *event) *uint64 { return &e.Partitions }),
	countIn(colError, func(e *event) *uint64 { return &e.Error }),
	countIn(colRetries, func(e *event) *uint64 { return &e.Retries }),
	knownIn(colBytes, (*event).Bytes, (*event).SetBytes),
	knownIn(colReadMilli, (*event).ReadUnits, (*event).SetReadUnits),
	knownIn(colWriteMilli, (*event).WriteUnits, (*event).SetWriteUnits),
	knownIn(colRows, (*event).Rows, (*event).SetRows),
	knownIn(colTombstones, (*event).Tombstones, (*event).SetTombstones),
	knownIn(colMicros, (*event).Latency, (*event).SetLatency),
	{
		func(w *columnar.StreamWriter, e *event) error {
			if n, ok := e.Growth(); ok {
				w.Signed(colGrowth, n)
			}
			return nil
		},
		func(r *row, e *event) error {
			if n, ok := r.signed(colGrowth); ok {
				e.SetGrowth(n)
			}
			return nil
		},
	},
	knownIn(colWindow, (*event).Window, (*event).SetWindow),
	countIn(colRecord, func(e *event) *uint64 { return &e.ID }),
	{
		func(w *columnar.StreamWriter, e *event) error {
			if len(e.Changes) == 0 {
				return nil
			}
			return w.Bytes(colChanges, appendChanges(nil, e.Changes))
		},
		func(r *row, e *event) (err error) {
			text, err := r.bytes(colChanges)
			if len(text) > 0 && err == nil {
				r.changes, err = readChanges(r.changes[:0], text)
				e.Changes = r.changes
			}
			return err
		},
	},
}

var stateColumns = []column[state]{
	momentIn(colTime, func(s *state) *int64 { return &s.UnixNano }),
	wordIn(colStore, ingest.Scylla, func(s *state) *ingest.Store { return &s.Store }),
	bytesIn(colTable, func(s *state) *[]byte { return &s.Table }),
	bytesIn(colIndex, func(s *state) *[]byte { return &s.Index }),
	bytesIn(colKey, func(s *state) *[]byte { return &s.Key }),
	flagIn(colKeyKnown, func(s *state) *bool { return &s.KeyKnown }),
	bytesIn(colPart, func(s *state) *[]byte { return &s.Part }),
	bytesIn(colNode, func(s *state) *[]byte { return &s.Node }),
	textIn(colSource, func(s *state) *string { return &s.Source }),
	wordIn(colMeasure, ingest.Measures-1, func(s *state) *ingest.Measure { return &s.Measure }),
	valueIn(colValue, func(s *state) *uint64 { return &s.Value }),
	flagIn(colAtLeast, func(s *state) *bool { return &s.AtLeast }),
	flagIn(colSaid, func(s *state) *bool { return &s.Said }),
	countIn(colLimit, func(s *state) *uint64 { return &s.Limit }),
	countIn(colKindRows, func(s *state) *uint64 { return &s.Kinds.Rows }),
	countIn(colKindRowDeletes, func(s *state) *uint64 { return &s.Kinds.RowDeletes }),
	countIn(colKindRanges, func(s *state) *uint64 { return &s.Kinds.Ranges }),
	countIn(colKindCells, func(s *state) *uint64 { return &s.Kinds.Cells }),
	countIn(colKindComplex, func(s *state) *uint64 { return &s.Kinds.Complex }),
	countIn(colKindExpired, func(s *state) *uint64 { return &s.Kinds.Expired }),
	countIn(colKindPartition, func(s *state) *uint64 { return &s.Kinds.Partition }),
}

var factColumns = []column[fact]{
	momentIn(colTime, func(f *fact) *int64 { return &f.UnixNano }),
	wordIn(colStore, ingest.Scylla, func(f *fact) *ingest.Store { return &f.Store }),
	bytesIn(colTable, func(f *fact) *[]byte { return &f.Table }),
	bytesIn(colIndex, func(f *fact) *[]byte { return &f.Index }),
	bytesIn(colNode, func(f *fact) *[]byte { return &f.Node }),
	textIn(colName, func(f *fact) *string { return &f.Name }),
	bytesIn(colText, func(f *fact) *[]byte { return &f.Value }),
}

var pointColumns = []column[point]{
	momentIn(colTime, func(p *point) *int64 { return &p.UnixNano }),
	wordIn(colStore, ingest.Scylla, func(p *point) *ingest.Store { return &p.Store }),
	bytesIn(colTable, func(p *point) *[]byte { return &p.Table }),
	bytesIn(colIndex, func(p *point) *[]byte { return &p.Index }),
	bytesIn(colNode, func(p *point) *[]byte { return &p.Node }),
	bytesIn(colName, func(p *point) *[]byte { return &p.Name }),
	textIn(colStat, func(p *point) *string { return &p.Stat }),
	valueIn(colMilli, func(p *point) *uint64 { return &p.Milli }),
	{
		func(w *columnar.StreamWriter, p *point) error {
			if p.Seconds != 0 {
				w.Count(colSeconds, uint64(p.Seconds))
			}
			return nil
		},
		func(r *row, p *point) error {
			n, _ := r.count(colSeconds)
			p.Seconds = uint32(n)
			return nil
		},
	},
}

var problemColumns = []column[problem]{
	{
		func(w *columnar.StreamWriter, p *problem) error { return putText(w, colName, p.Cause) },
		func(r *row, p *problem) (err error) {
			p.Cause, err = r.kind(colName)
			return err
		},
	},
	{
		func(w *columnar.StreamWriter, p *problem) error { return putText(w, colText, p.Text) },
		func(r *row, p *problem) error {
			text, err := r.bytes(colText)
			p.Text = string(text[:min(len(text), ingest.MaxProblemText)])
			return err
		},
	},
}

// inputColumns are what an input's format tells beside its name.
var inputColumns = []column[ingest.Format]{
	wordIn(colCoverage, ingest.StateOnly, func(f *ingest.Format) *ingest.Coverage { return &f.Coverage }),
}
