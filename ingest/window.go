package ingest

// A Window is the time that what is observed must fall into, [Since, Until) in Unix nanoseconds UTC; 0 is no bound.
type Window struct{ Since, Until int64 }

// The kinds of skipped records that a Window makes.
const (
	SkipNoTime  = "no time, --since/--until given"
	SkipOutside = "outside --since/--until"
)

// Filter gives a Sink that hands to only the events, states and points of the window, and the others as
// skips. Events without a time are skipped too; states without one are conditions that hold when they
// were printed, points without one likewise: they pass, as all facts do. Without bounds it is to itself.
func (w Window) Filter(to Sink) Sink {
	if w == (Window{}) {
		return to
	}
	return &windowSink{Sink: to, w: w}
}

// holds reports whether t is inside the window.
func (w Window) holds(t int64) bool {
	return (w.Since == 0 || t >= w.Since) && (w.Until == 0 || t < w.Until)
}

type windowSink struct {
	Sink
	w Window
}

// Event passes e on when it is inside the window.
func (s *windowSink) Event(e *Event) {
	t, ok := e.UnixNano()
	switch {
	case !ok:
		s.Skip(SkipNoTime)
	case !s.w.holds(t):
		s.Skip(SkipOutside)
	default:
		s.Sink.Event(e)
	}
}

// State passes st on unless it is outside the window.
func (s *windowSink) State(st *State) {
	if st.UnixNano != 0 && !s.w.holds(st.UnixNano) {
		s.Skip(SkipOutside)
		return
	}
	s.Sink.State(st)
}

// Point passes p on unless it begins outside the window.
func (s *windowSink) Point(p *Point) {
	if p.UnixNano != 0 && !s.w.holds(p.UnixNano) {
		s.Skip(SkipOutside)
		return
	}
	s.Sink.Point(p)
}
