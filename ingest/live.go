package ingest

import (
	"context"
	"time"
)

// A Live gives traffic that comes by calls and not as bytes: from a server, or from a capture of one.
type Live interface {
	// Collect hands over what it finds until there is no more or the context ends, which is no error. The
	// error joins one for each part that could not be read, which the report tells as a *PartError; what was
	// handed over before counts.
	Collect(ctx context.Context, to Streams) error
}

// Streams takes what a Live finds.
type Streams interface {
	// Open begins an input of its own: the traces of a node, one shard of a stream. Different sinks may be
	// used at the same time, each by one goroutine at a time, until Collect returns. Each call of a Sink is
	// one record; its position is set by whoever takes it. The order of Open is the order of the inputs in
	// the report. Inputs beyond MaxLiveInputs are not read, which the report says.
	Open(in LiveInput) Sink
	// Note takes a sentence for the report: what was missed, and why. It may be called at any time. One that
	// was taken before is no second one; it is cut at MaxNote bytes.
	Note(text string)
}

// Bounds of what one Live gives.
const (
	MaxLiveInputs = 4096
	MaxNote       = 500 // bytes
	maxNotes      = 100 // of one Live
)

// A PartError is a part of a Live that could not be read.
type PartError struct {
	Source string // whose part it is, as shown: a URL
	Err    error
}

// Error gives the cause, which names the part.
func (e *PartError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PartError) Unwrap() error { return e.Err }

// A LiveInput names one input of a Live. The same traffic gives the same name: no times, no attempts.
type LiveInput struct {
	Name   string
	Format *Format // its Name, Title, Doc, Coverage and Carries; the rest is of no concern
	Node   string  // address of the node that tells of itself; empty: none
	// Recording is what it was recorded into, of a capture; the zero value: not known, or live.
	Recording Recording
}

// A Recording is one of the captures that a collector wrote one after the other: each holds what came after the
// one before, so they tell of nothing twice, whatever the times of their events.
type Recording struct {
	Name string // where the captures were put; empty: it is no such capture
	Part uint64 // from 1
}

// Positions is what a Sink is as well where it keeps how far the parts of its input were read, such as the
// shards of a stream, so that a later run goes on there. It is used by one goroutine at a time, and asked for a
// position before the Sink is handed its first record.
type Positions interface {
	// Position gives what Reached was told last of a part, in this run or an earlier one; empty: nothing.
	Position(part string) string
	// Reached is told how far a part was read. All that the Sink was handed so far stands before the positions
	// of the parts, and nothing else does: what it is handed behind the last one that it keeps counts only
	// when the next one is kept, and is handed over once more by a run that goes on here.
	Reached(part, position string)
}

// A Server is a Live that reads a running database, and can say what that one hides. It only reads.
type Server interface {
	Live
	Diagnose(ctx context.Context) (*Diagnosis, error)
}

// LiveOptions is what a Server may use of the process.
type LiveOptions struct {
	Now      func() time.Time
	Wait     func(ctx context.Context, d time.Duration) // ends after d, or with the context
	Getenv   func(name string) string
	ReadFile func(name string) ([]byte, error)
	// Formats are those of the catalogue. A Server that is told what a file could hold, hands it to them.
	Formats []*Format
	Decode  DecodeOptions
	// LoadLimit is the most requests a second that one node or endpoint is sent; 0: the server's default.
	LoadLimit float64
}

// Format gives the format of this name, nil when there is none.
func (o *LiveOptions) Format(name string) *Format {
	for _, f := range o.Formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A Diagnosis says what a Server shows, and what hides the rest.
type Diagnosis struct {
	Sees    []string // what can be seen, a clause each
	Hidden  []Hidden
	Lacking []string // permissions that were refused; none: they suffice
	Least   string   // the least role or policy that suffices, as its text is pasted
	Notes   []string // what else the reader must know: that a reader was never run on such a server
}

// A Hidden is evidence that the server's settings or the permissions hide.
type Hidden struct {
	What string // the question that stays open: which key is read
	Why  string // tracing is off on 6 of 6 nodes
	Show string // the command or statement that would show it
	Cost string // what that costs, and how it is undone
}
