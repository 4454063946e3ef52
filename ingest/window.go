package ingest

import (
	"math"
)

// A Window is the time that events must fall into, [Since, Until) in Unix nanoseconds UTC; 0 is no bound.
type Window struct{ Since, Until int64 }

// The kinds of skipped records that a Window makes.
const (
	SkipNoTime  = "no time, --since/--until given"
	SkipOutside = "outside --since/--until"
)

// Filter gives a Sink that hands to only the events of the window, and the others as skips. Without
// bounds it is to itself.
func (w Window) Filter(to Sink) Sink {
	if w == (Window{}) {
		return to
	}
	until := w.Until
	if until == 0 {
		until = math.MaxInt64
	}
	return &windowSink{Sink: to, since: w.Since, until: until, open: w.Since == 0}
}

type windowSink struct {
	Sink
	since, until int64
	open         bool // no lower bound
}

// Event passes e on when it is inside the window.
func (s *windowSink) Event(e *Event) {
	t, ok := e.UnixNano()
	switch {
	case !ok:
		s.Skip(SkipNoTime)
	case t < s.since && !s.open || t >= s.until:
		s.Skip(SkipOutside)
	default:
		s.Sink.Event(e)
	}
}
