package capture

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// Bounds of what is taken from a capture, which anybody may have written.
const (
	maxCell     = 1 << 20            // bytes of a cell
	maxKey      = ingest.MaxKey + 32 // bytes of the form of a key
	maxInputs   = 1 << 16
	maxFailures = 1000
	maxKinds    = 1000 // of skips and problems: a report counts by them
	maxConstant = 200  // bytes of a constant text
	maxHeld     = 4096 // constant texts that are held, to be used again
)

// causeRow is the cause of the Problem of a row that no keyheat writes.
const causeRow = "broken row of a capture"

// errRow is a row of which the rest of the capture would be misread.
var errRow = errors.New("is no capture that keyheat writes")

// A reader gives the records of a capture again. It implements ingest.Live.
type reader struct {
	stream    *columnar.StreamReader
	source    string
	recording ingest.Recording
	row       row
	sinks     []ingest.Sink

	event ingest.Event
	state ingest.State
	fact  ingest.Fact
	point ingest.Point
}

// newReader reads the schema of a capture.
func newReader(from io.Reader, mem columnar.Allocator) (*reader, error) {
	stream, err := columnar.NewStreamReader(from, mem)
	if err != nil {
		return nil, err
	}
	r := &reader{stream: stream}
	r.source, _ = stream.Meta(metaSource)
	r.recording = recordingOf(stream)
	version, _ := stream.Meta(metaVersion)
	if version != Version {
		stream.Release()
		return nil, fmt.Errorf("is a capture of version %.20q: this keyheat reads version %s", version, Version)
	}
	if r.row.at, err = checkFields(stream.Fields()); err != nil {
		stream.Release()
		return nil, err
	}
	r.row.constants, r.row.kinds = map[string]string{}, map[string]bool{}
	return r, nil
}

// Collect implements ingest.Live. The error joins the parts that the source could not read with why the
// capture ends where it should not.
func (r *reader) Collect(_ context.Context, to ingest.Streams) error {
	defer r.stream.Release()
	var parts []error
	for {
		batch, err := r.stream.Next()
		if err == io.EOF {
			return errors.Join(parts...)
		}
		if err != nil {
			return errors.Join(append(parts, err)...)
		}
		for i := range batch.Rows() {
			r.row.batch, r.row.number = batch, i
			part, err := r.give(to)
			if err != nil {
				return errors.Join(append(parts, err)...)
			}
			if part != nil && len(parts) < maxFailures {
				parts = append(parts, part)
			}
		}
	}
}

// give hands over the current row. part is a part of the source that could not be read.
func (r *reader) give(to ingest.Streams) (part, err error) {
	kind, _ := r.row.cell(colKind)
	text, err := r.row.bytes(colText)
	switch string(kind) {
	case kindNote:
		to.Note(string(text))
		return nil, err
	case kindFailure:
		return &ingest.PartError{Source: r.source, Err: errors.New(string(text))}, err
	}
	number, known := r.row.count(colInput)
	if string(kind) == kindInput {
		in, err := readInput(&r.row, len(r.sinks))
		if in.Recording = r.recording; err == nil {
			r.sinks = append(r.sinks, to.Open(in))
		}
		return nil, err
	}
	if !known || number >= uint64(len(r.sinks)) {
		return nil, fmt.Errorf("a row of input %d of %d: %w", number, len(r.sinks), errRow)
	}
	if string(kind) == kindPosition {
		return nil, nil
	}
	sink := r.sinks[number]
	if bad := r.record(string(kind), sink); bad != nil {
		if errors.Is(bad, errRow) {
			return nil, bad
		}
		sink.Problem(ingest.Problem{Cause: causeRow, Text: bad.Error()})
	}
	return nil, nil
}

// readInput reads the beginning of an input, which follows so many others.
func readInput(r *row, others int) (in ingest.LiveInput, err error) {
	number, known := r.count(colInput)
	if !known || number != uint64(others) || others == maxInputs {
		return in, fmt.Errorf("input %d follows %d others: %w", number, others, errRow)
	}
	f := &ingest.Format{}
	name, errName := r.bytes(colText)
	node, errNode := r.bytes(colNode)
	format, errFormat := r.constant(colName)
	if err := errors.Join(errName, errNode, errFormat, take(r, inputColumns, f)); err != nil {
		return in, fmt.Errorf("%w: %w", err, errRow)
	}
	f.Name = format
	return ingest.LiveInput{Name: string(name), Format: f, Node: string(node)}, nil
}

// record hands over a record. The error says what is wrong with its row.
func (r *reader) record(kind string, to ingest.Sink) error {
	switch kind {
	case kindEvent:
		r.event.Reset()
		return given(&r.row, eventColumns, &r.event, to.Event)
	case kindState:
		return given(&r.row, stateColumns, &r.state, to.State)
	case kindFact:
		return given(&r.row, factColumns, &r.fact, to.Fact)
	case kindPoint:
		return given(&r.row, pointColumns, &r.point, to.Point)
	case kindProblem:
		var p ingest.Problem
		return given(&r.row, problemColumns, &p, func(p *ingest.Problem) { to.Problem(*p) })
	case kindSkip:
		name, err := r.row.kind(colName)
		if err == nil {
			to.Skip(name)
		}
		return err
	}
	return fmt.Errorf("kind %.40q", kind)
}

// given takes the columns of a row and hands over what they are.
func given[T any](r *row, columns []column[T], v *T, to func(*T)) error {
	if err := take(r, columns, v); err != nil {
		return err
	}
	to(v)
	return nil
}

func take[T any](r *row, columns []column[T], v *T) error {
	for _, c := range columns {
		if err := c.take(r, v); err != nil {
			return err
		}
	}
	return nil
}

// A row is the row that is read.
type row struct {
	batch     *columnar.Batch
	number    int
	at        [columns]int // of each column in the batch; -1: absent
	constants map[string]string
	kinds     map[string]bool
	changes   []ingest.Change // of the current row
}

// cell gives a cell of text or bytes.
func (r *row) cell(c int) ([]byte, bool) {
	if r.at[c] < 0 {
		return nil, false
	}
	return r.batch.Bytes(r.at[c], r.number)
}

// bytes gives a cell of bytes, nil when it is null.
func (r *row) bytes(c int) ([]byte, error) {
	b, _ := r.cell(c)
	if len(b) > maxCell || c == colKey && len(b) > maxKey {
		return nil, fmt.Errorf("%s of %d bytes", fields[c].Name, len(b))
	}
	return b, nil
}

// constant gives a cell of a text that a source always gives alike.
func (r *row) constant(c int) (string, error) {
	b, _ := r.cell(c)
	if s, ok := r.constants[string(b)]; ok {
		return s, nil
	}
	if len(b) > maxConstant {
		return "", fmt.Errorf("%s of %d bytes", fields[c].Name, len(b))
	}
	s := string(b)
	if len(r.constants) < maxHeld {
		r.constants[s] = s
	}
	return s, nil
}

// kind gives a constant by which records are counted.
func (r *row) kind(c int) (string, error) {
	s, err := r.constant(c)
	if err != nil || r.kinds[s] {
		return s, err
	}
	if len(r.kinds) == maxKinds {
		return "", fmt.Errorf("more than %d kinds of skips and problems: %w", maxKinds, errRow)
	}
	r.kinds[s] = true
	return s, nil
}

func (r *row) count(c int) (uint64, bool) {
	if r.at[c] < 0 {
		return 0, false
	}
	return r.batch.Count(r.at[c], r.number)
}

func (r *row) signed(c int) (int64, bool) {
	if r.at[c] < 0 {
		return 0, false
	}
	return r.batch.Signed(r.at[c], r.number)
}

func (r *row) moment(c int) (int64, bool) {
	if r.at[c] < 0 {
		return 0, false
	}
	return r.batch.Moment(r.at[c], r.number)
}
