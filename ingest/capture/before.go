package capture

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// maxParts bounds the parts of inputs of which positions are held.
const maxParts = 1 << 20

// A Before is what a capture holds that is gone on with.
type Before struct {
	// End is where its last whole batch ends, in bytes: what follows it is cut off before a Writer goes on.
	// It is 0 where there is no batch: then nothing is kept.
	End int64

	inputs    []inputBefore
	records   uint64
	recording ingest.Recording
}

// An inputBefore is an input that was recorded before.
type inputBefore struct {
	in        ingest.LiveInput
	positions map[string]string // by part; nil: the source tells none
	records   uint64
	torn      bool // records follow the last position
}

// ReadBefore reads a capture of a source to its end, or to where it breaks off. The error says why it cannot
// be gone on with: it is of another source, or a source that does not tell how far it was read would repeat
// records.
func ReadBefore(from io.Reader, source string) (*Before, error) {
	r, err := newReader(from, nil)
	if errors.Is(err, columnar.ErrNoEnd) {
		return &Before{}, nil // killed while it wrote the schema
	}
	if err != nil {
		return nil, err
	}
	defer r.stream.Release()
	if r.source != source {
		return nil, fmt.Errorf("is a capture of %.200s", r.source)
	}
	if !slices.Equal(r.stream.Fields(), fields[:]) {
		return nil, errors.New("is a capture that another version of keyheat wrote")
	}
	b := &Before{recording: r.recording}
	for {
		batch, err := r.stream.Next()
		if err == io.EOF || errors.Is(err, columnar.ErrNoEnd) {
			return b, b.check()
		}
		if err != nil {
			return nil, err
		}
		for i := range batch.Rows() {
			r.row.batch, r.row.number = batch, i
			if err := b.take(&r.row); err != nil {
				return nil, err
			}
		}
		b.End = int64(r.stream.Read())
	}
}

// take looks at a row.
func (b *Before) take(r *row) error {
	kind, _ := r.cell(colKind)
	switch string(kind) {
	case kindNote, kindFailure:
		return nil
	case kindInput:
		in, err := readInput(r, len(b.inputs))
		b.inputs = append(b.inputs, inputBefore{in: in})
		return err
	}
	number, ok := r.count(colInput)
	if !ok || number >= uint64(len(b.inputs)) {
		return errRow
	}
	in := &b.inputs[number]
	if string(kind) != kindPosition {
		b.records++
		in.records++
		in.torn = true
		return nil
	}
	part, errPart := r.bytes(colName)
	position, errPosition := r.bytes(colText)
	if err := errors.Join(errPart, errPosition); err != nil {
		return err
	}
	if in.positions == nil {
		in.positions = map[string]string{}
	}
	in.positions[string(part)], in.torn = string(position), false
	if len(in.positions) > maxParts {
		return fmt.Errorf("positions of more than %d parts", maxParts)
	}
	return nil
}

// check gives why records would be repeated.
func (b *Before) check() error {
	for _, in := range b.inputs {
		if in.records == 0 || in.in.Format.Coverage == ingest.StateOnly || in.in.Format.Coverage == ingest.CoverageNone {
			continue // conditions may be told twice
		}
		if in.positions == nil {
			return fmt.Errorf("%.200s does not tell how far it was read, so records would be there twice", in.in.Name)
		}
		if in.torn {
			return fmt.Errorf("%.200s ends between two positions, so records would be there twice", in.in.Name)
		}
	}
	return nil
}

// Continue goes on with a capture: to writes from its End on.
func (b *Before) Continue(to io.Writer, source string, failed func()) (*Writer, error) {
	if b.End == 0 {
		return NewWriter(to, source, failed)
	}
	out, err := columnar.ContinueStream(to, fields[:], nil)
	if err != nil {
		return nil, err
	}
	w := &Writer{failed: failed, source: source, out: out, begun: uint64(len(b.inputs))}
	w.take(b)
	for i, s := range w.sinks {
		s.begun, s.number = true, uint64(i)
	}
	return w, nil
}
