package ingest

// An Envelope is what a log shipper, a container runtime or an export put around each line of an
// input: a stack of at most three wrappers, and colour codes. It holds no state of a line, so one
// Envelope may serve several goroutines.
type Envelope struct {
	layers []*wrapper
}

// Meta is what an envelope says about its line.
type Meta struct {
	UnixNano int64  // when the line was written, Unix nanoseconds UTC; 0: unknown
	Node     []byte // the machine, container or pod that wrote it; empty when unknown; valid until out is appended to
	// Partial says that the line goes on in the envelope's next line: call Unwrap with that line and
	// this call's out as dst to join them.
	Partial bool
}

type wrapper struct {
	name string
}

// DetectEnvelopes looks for envelopes around the lines of head, the whole lines of the beginning of an
// input. It gives nil when there are none.
func DetectEnvelopes(head []byte) *Envelope { return nil }

// Names gives the wrappers from the outermost to the innermost, as shown in reports.
func (e *Envelope) Names() []string {
	names := make([]string, 0, len(e.layers))
	for _, l := range e.layers {
		names = append(names, l.name)
	}
	return names
}

// Unwrap appends what line (without its end) holds to dst, without a line end. ok is false, and out is
// dst, when line lacks the outermost wrapper; an inner wrapper that is missing leaves the text as it is.
func (e *Envelope) Unwrap(dst, line []byte) (out []byte, m Meta, ok bool) { return dst, m, false }
