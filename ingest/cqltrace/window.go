package cqltrace

import (
	"encoding/binary"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// window tells the time that a read asks for: between its bounds on one column that are times, or from a lower one to the
// time of the request.
func (r *Reader) window(e *ingest.Event, st *cql.Statement, s Statement) {
	from, to, column := int64(0), int64(0), ""
	for i := range st.Where {
		w := &st.Where[i]
		if w.Token || len(w.Columns) != 1 || len(w.Values) != 1 || w.Op < cql.Less || w.Op > cql.GreaterEqual || column != "" && w.Columns[0] != column {
			continue
		}
		at, ok := timeOf(w.Values[0], s)
		switch {
		case !ok:
			continue
		case w.Op == cql.Greater || w.Op == cql.GreaterEqual:
			from = at
		default:
			to = at
		}
		column = w.Columns[0]
	}
	if nanos, timed := e.UnixNano(); to == 0 && timed {
		to = nanos
	}
	if from != 0 && to > from {
		e.SetWindow(uint64(to-from) / uint64(time.Second))
	}
}

// timeOf gives a value that is a time since 1990: a literal, or what a marker is bound to.
func timeOf(v cql.Value, s Statement) (unixNano int64, ok bool) {
	text := v.Text
	switch {
	case v.Kind == cql.Compound || v.Last:
		return 0, false
	case v.Kind == cql.Marker && s.Bound != nil:
		if text, ok = s.Bound(v.Marker); !ok {
			return 0, false
		}
	case v.Kind == cql.Marker:
		if v.Marker >= len(s.Stored) || s.Stored[v.Marker] == nil {
			return 0, false
		}
		if text = s.Stored[v.Marker]; len(text) == 8 {
			unixNano = int64(binary.BigEndian.Uint64(text)) * int64(time.Millisecond)
			return unixNano, unixNano > first && unixNano < last
		}
	}
	unixNano, cause := ingest.ParseTime(text, nil)
	return unixNano, cause == "" && unixNano > first && unixNano < last
}

// Bounds of what is taken for a time: the years 1990 and 2100.
const (
	first = 631_152_000 * int64(time.Second)
	last  = 4_102_444_800 * int64(time.Second)
)
