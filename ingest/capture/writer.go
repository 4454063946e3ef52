package capture

import (
	"errors"
	"io"
	"sync"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// A batch is written when it holds so many rows, or so many bytes of text.
const (
	batchRows  = 8192
	batchBytes = 4 << 20
)

// A Writer writes what a Live hands over. It implements ingest.Streams, and is safe for use by several
// goroutines: the order of their records is the order of the capture.
type Writer struct {
	failed func() // called once, when writing fails: there is no use in going on

	mu     sync.Mutex
	out    *columnar.StreamWriter
	source string
	before map[string]*sink // inputs that were recorded before and not opened again, by name
	sinks  []*sink          // all inputs, also of captures before
	begun  uint64           // inputs of the capture so far
	rows   uint64
	torn   int // inputs with records that no position stands behind yet
	err    error

	recording ingest.Recording
	told      bool // an input told something since the capture began
	noted     bool // there is a note or a failure since then
}

// NewWriter begins a capture of a source, which is named as it may be shown. failed is called when a write
// fails, once.
func NewWriter(to io.Writer, source string, failed func()) (*Writer, error) {
	return newWriter(to, source, failed, nil)
}

func newWriter(to io.Writer, source string, failed func(), mem columnar.Allocator) (*Writer, error) {
	out, err := columnar.NewStreamWriter(to, fields[:], map[string]string{metaVersion: Version, metaSource: source}, mem)
	return &Writer{failed: failed, source: source, out: out}, err
}

// Open implements ingest.Streams.
func (w *Writer) Open(in ingest.LiveInput) ingest.Sink {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.before[in.Name]; s != nil {
		delete(w.before, in.Name)
		return s
	}
	s := &sink{w: w, in: in}
	w.sinks = append(w.sinks, s)
	s.begin()
	return s
}

// Note implements ingest.Streams.
func (w *Writer) Note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noted = true
	w.row(kindNote, func() error { return putText(w.out, colText, text) })
}

// Flush writes the records so far as a batch: what is written then, is there when the process is killed.
func (w *Writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
}

// Records gives the number of records so far, and of their inputs.
func (w *Writer) Records() (records, inputs uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rows, uint64(len(w.sinks))
}

// Close ends the capture. of is what Collect gave: the parts that could not be read.
func (w *Writer) Close(of error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, part := range ingest.Parts(of) {
		w.noted = true
		w.row(kindFailure, func() error { return putText(w.out, colText, part.Error()) })
	}
	return w.end()
}

// end ends the stream.
func (w *Writer) end() error {
	if w.begun == 0 && len(w.sinks) > 0 {
		w.sinks[0].begin() // a capture of notes alone is one of this recording, too
	}
	if w.err != nil {
		return errors.Join(w.err, w.out.Release())
	}
	return w.out.Close()
}

// row writes a row whose cells fill sets.
func (w *Writer) row(kind string, fill func() error) {
	if w.err != nil {
		return
	}
	err := errors.Join(w.out.Text(colKind, kind), fill())
	w.out.EndRow()
	w.fail(err)
	if w.out.Rows() >= batchRows || w.out.Held() >= batchBytes {
		w.flush()
	}
}

// flush writes a batch. It waits for the positions that stand behind its records, so that each batch of a
// killed collector can be gone on with; not without end.
func (w *Writer) flush() {
	full := w.out.Rows() >= 4*batchRows || w.out.Held() >= 4*batchBytes
	if w.err == nil && (w.torn == 0 || full) {
		w.fail(w.out.Flush())
	}
}

func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = err
		w.failed()
	}
}

func put[T any](out *columnar.StreamWriter, columns []column[T], v *T) error {
	for _, c := range columns {
		if err := c.put(out, v); err != nil {
			return err
		}
	}
	return nil
}

// A sink is the Sink of an input. It implements ingest.Positions.
type sink struct {
	w         *Writer
	in        ingest.LiveInput
	begun     bool // it is an input of the capture, by this number
	number    uint64
	positions map[string]string // by part; nil: nobody asked for them
	torn      bool              // a record follows the last position
}

// begin makes it the next input of the capture, unless it is one. The lock is held.
func (s *sink) begin() {
	if s.begun {
		return
	}
	s.begun, s.number = true, s.w.begun
	s.w.begun++
	s.row(kindInput, func() error {
		out := s.w.out
		return errors.Join(
			putText(out, colText, s.in.Name), putText(out, colName, s.in.Format.Name), putText(out, colNode, s.in.Node),
			put(out, inputColumns, s.in.Format))
	})
}

// Position implements ingest.Positions.
func (s *sink) Position(part string) string {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.positions == nil {
		s.positions = map[string]string{}
	}
	return s.positions[part]
}

// Reached implements ingest.Positions.
func (s *sink) Reached(part, position string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.positions == nil {
		s.positions = map[string]string{}
	}
	s.positions[part] = position
	if s.torn {
		s.torn = false
		s.w.torn--
	}
	s.reached(part, position)
}

// reached writes a position. The lock is held.
func (s *sink) reached(part, position string) {
	s.begin()
	s.row(kindPosition, func() error { return errors.Join(putText(s.w.out, colName, part), putText(s.w.out, colText, position)) })
}

// row writes a row of the input. The lock is held.
func (s *sink) row(kind string, fill func() error) {
	s.w.told = true
	s.w.row(kind, func() error {
		s.w.out.Count(colInput, s.number)
		return fill()
	})
}

// record writes a record of the input.
func (s *sink) record(kind string, fill func() error) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.rows++
	if s.positions != nil && !s.torn {
		s.torn = true
		s.w.torn++
	}
	s.begin()
	s.row(kind, fill)
}

// Event implements ingest.Sink.
func (s *sink) Event(e *ingest.Event) {
	s.record(kindEvent, func() error { return put(s.w.out, eventColumns, e) })
}

// State implements ingest.Sink.
func (s *sink) State(st *ingest.State) {
	s.record(kindState, func() error { return put(s.w.out, stateColumns, st) })
}

// Fact implements ingest.Sink.
func (s *sink) Fact(f *ingest.Fact) {
	s.record(kindFact, func() error { return put(s.w.out, factColumns, f) })
}

// Point implements ingest.Sink.
func (s *sink) Point(p *ingest.Point) {
	s.record(kindPoint, func() error { return put(s.w.out, pointColumns, p) })
}

// Problem implements ingest.Sink.
func (s *sink) Problem(p ingest.Problem) {
	s.record(kindProblem, func() error { return put(s.w.out, problemColumns, &p) })
}

// Skip implements ingest.Sink.
func (s *sink) Skip(kind string) {
	s.record(kindSkip, func() error { return putText(s.w.out, colName, kind) })
}
