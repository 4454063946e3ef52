package ingest

import (
	"io"
	"time"

	"github.com/keyheat/keyheat/ingest/cql"
)

// Coverage says which requests a format's records are. Only Traffic yields shares, rates and counts
// of requests; counts of Selected records are "at least".
type Coverage uint8

// The coverages; CoverageNone is an input that says nothing of requests or conditions.
const (
	CoverageNone Coverage = iota
	Traffic               // all requests, or a sample of them
	Selected              // only bad or capped ones
	StateOnly             // conditions
)

// String gives the name used in reports.
func (c Coverage) String() string {
	return [...]string{"", "traffic", "selected", "state"}[min(c, StateOnly)]
}

// A Verdict is what a format makes of the beginning of an input.
type Verdict struct {
	Fit Fit
	Why string // one clause for a person: what was seen, or what is missing
}

// Fit says how sure a format is of an input.
type Fit uint8

// The fits. Of several formats the one with the best fit reads the input; two that are Certain are a
// defect of a format. Ambiguous is a format that would read the input if told how, in Why.
const (
	No Fit = iota
	Ambiguous
	Possible
	Certain
)

// A Format is one kind of log or export. It is a plain value listed once in a catalogue.
type Format struct {
	Name     string // as shown in reports: key-events-ndjson
	Title    string // one line
	Doc      string // what the records look like, where they come from, with links; Markdown
	Coverage Coverage
	Carries  []string // what its records can carry: time, key, units, tombstones, ...

	// Sniff judges the beginning of an input: whole lines, at most SniffBytes, envelope undone.
	Sniff func(head []byte, o DecodeOptions) Verdict
	// Begins reports whether line (without its end) begins a record; lines that do not, belong to the
	// record before. Nil: each line is a record.
	Begins func(line []byte) bool
	// Quiet is set for formats most of whose records say nothing, one line each: it gives the length and
	// number of those at the beginning of text, which begins a record, as far as each is followed by a line
	// that begins another. They are skipped as QuietKind and never shown to the decoder. Nil: none.
	Quiet     func(text []byte) (bytes, records int)
	QuietKind string
	// Quoted is set for formats in which a line end inside double quotes does not end the record (CSV).
	Quoted bool
	// Header is set for formats whose first record names the fields of the others.
	Header bool
	// Document is set for formats whose whole input is one record, of at most MaxDocument bytes.
	Document bool
	// Long is set for formats whose records may be as long as MaxDocument, where others are bound to
	// Options.MaxRecord.
	Long bool
	// Pieces is set for Sequential formats whose lines may be of any length: one that is longer than
	// Options.MaxRecord comes as several records, all but the last of which are Cut.
	Pieces bool
	// Sequential is set for formats in which a record needs those before it: one decoder reads all
	// chunks of an input in order.
	Sequential bool
	// Alike is set for formats whose decoders take nothing from an input's beginning: one serves every
	// input, and what it has learnt of their records speeds up the next.
	Alike bool
	// New makes a decoder for an input with this beginning. It is called once for each chunk; the
	// decoder is used by one goroutine.
	New func(head []byte, o DecodeOptions) (Decoder, error)
	// Open is set in place of New for formats that are no text: it gives what reads such an input, in order.
	// Sniff is then shown the beginning as it is. The error says why it cannot be read after all.
	Open func(s *Stored, o DecodeOptions) (Live, error)
}

// A Stored is the bytes of an input whose format is no text.
type Stored struct {
	Name string      // of the input, as shown
	Node string      // from its name, empty when there is none
	All  io.Reader   // from the beginning, once
	At   io.ReaderAt // at any place; nil: only in order, as what is compressed, archived or a stream
	Size int64       // of At
}

// MaxDocument is the longest record of a Document format, in bytes.
const MaxDocument = 64 << 20

// SniffBytes is the most of an input's beginning that a format is shown.
const SniffBytes = 64 << 10

// A Record is one framed record of an input.
type Record struct {
	Data []byte // without its line end; valid only during the call; cap(Data) >= len(Data)+64
	At   Position
	Cut  bool // its line goes on in the next record: see Format.Pieces

	// What the envelope around the record said.
	UnixNano int64 // 0: nothing
	Node     []byte
}

// A Decoder reads the records of one chunk in order. It allocates nothing for a usual record and
// keeps none of the bytes it is shown.
type Decoder interface {
	Decode(r *Record, to Sink)
}

// A Closer is a Decoder of a Sequential format that still has something to say after the last record.
// Places it has held on to from an earlier chunk must leave out their line, which is counted by chunk.
type Closer interface {
	Close(to Sink)
}

// A Sink takes what a decoder found. Each record yields at least one call: events, or a problem, or a
// skip, so that a report can say how much of an input was understood.
type Sink interface {
	Event(e *Event)
	// Problem takes a record that was recognised and could not be read.
	Problem(p Problem)
	// Skip takes a record that was recognised and says nothing of keys; kind is constant text.
	Skip(kind string)
	// State, Fact and Point take what else records say.
	State(s *State)
	Fact(f *Fact)
	Point(p *Point)
}

// EventsOnly is embedded by sinks that need no states, facts and points.
type EventsOnly struct{}

// State does nothing.
func (EventsOnly) State(*State) {}

// Fact does nothing.
func (EventsOnly) Fact(*Fact) {}

// Point does nothing.
func (EventsOnly) Point(*Point) {}

// DecodeOptions are the settings of a run that decoders need.
type DecodeOptions struct {
	// Map gives the input's name of a generic field: {"pk": "user.id"}.
	Map map[string]string
	// Location is the zone of times that name none.
	Location *time.Location
	// PartitionKeys gives the attribute that is the partition key of DynamoDB tables described beforehand.
	PartitionKeys map[string]string
	// Indexes are the secondary indexes of DynamoDB tables described beforehand.
	Indexes map[string][]SecondaryIndex
	// Exports are the data files of exports of DynamoDB tables whose manifests were read beforehand.
	Exports ExportFiles
	// Input is the name of the input that a decoder is made for.
	Input string
	// Columns names further fields of generic records, whose values Event.Columns takes.
	Columns []string
	// Changes asks for Event.Changes.
	Changes bool
	// Schema is what is known of Cassandra tables beforehand; nil: nothing.
	Schema *cql.Schema
	// Traces are the requests of traced sessions that other inputs tell of, by id of the session in hex
	// without hyphens.
	Traces map[string]TraceHead
}

// A TraceHead is what a row of system_traces.sessions tells of its request. The counts of its reads may
// stand in another input, which tells no key.
type TraceHead struct {
	Op                Op
	Table, Key, Shape string // Key in the form of AppendKey
	KeyKnown          bool
}
