// Package report turns the view of a Profile and what rules found in it into the plain data that
// renderers print, in final order. It knows no renderer, no file and no clock.
package report

import (
	"github.com/keyheat/keyheat/detect"
)

// A Report is everything a renderer may show, in final order: the contract behind keyheat.report/1.
type Report struct {
	Version     string // of keyheat
	Inputs      []Input
	Unread      []Unread // inputs that gave nothing: missing, unreadable, unrecognised, skipped
	Nodes       int      // that the input names
	Span        detect.Span
	PaneSeconds uint32
	Panes       []detect.PaneSpan
	Partial     string // why the report covers less than was asked; empty when it does not
	Tables      []Table
	Patterns    []Pattern // most requests first
	Findings    []Finding
	NotAssessed []detect.NotAssessed
	Problems    detect.Problems
	Second      bool     // the second pass counted the nominated keys exactly
	Notes       []string // what the reader must know of the run as a whole
	typeNotes   int      // how many of them, the last ones, name types of entity, which are parts of keys
	Settings    []Setting
}

// A Setting is one of the flags that this report was made with.
type Setting struct{ Name, Value string }

// An Input is one input that was read.
type Input struct {
	detect.InputStats
	SampleRate detect.Rate
}

// An Unread is an input that gave nothing.
type Unread struct {
	Name string
	Why  string
}

// A Table is one table or index with its traffic.
type Table struct {
	Target    detect.Target
	Requests  detect.Range
	Reported  uint64 // counts of selected records: "at least"
	Totals    detect.Totals
	Copies    detect.Copies // records that were read once more: Requests has them too many
	Distinct  detect.Distinct
	TopKeys   []TopKey
	Skew      detect.Skew
	PerPane   []uint64 // requests, as Report.Panes
	Heat      *HeatMap // nil when no record has a time, and for tables beyond the first that matter
	Checklist []Answer
	Stored    *Stored // nil where no input holds items of it
	// Partitions is an estimate of DynamoDB's; nil where nothing tells of them.
	Partitions *Partitions
	Design     *Design // nil where nothing is known to be peculiar about its keys
}

// A TopKey is one heavy hitter of a table.
type TopKey struct {
	Key           []byte // in the form of ingest.AppendKey
	Requests      detect.Range
	Cost          detect.Range
	Tombstones    detect.Range
	Share         detect.ShareRange
	PeakPerSecond uint64 // a lower bound; exact after the second pass; 0: unknown
	Certified     bool   // surely among the first so many: its lower bound reaches every other key's upper bound below it
}

// A Finding is a finding with its stable identity.
type Finding struct {
	ID string // the same for the same rule and subject, in any run
	detect.Finding
}

// An Answer is the answer to one question of the modelling checklist.
type Answer struct {
	Question string // access-patterns, cardinality, growth, consistency, deletes, aggregate-size, write-fan-out
	Answer   string // yes, no, unknown
	Because  string
	GetIt    string // how to get what is missing; empty unless Answer is unknown
}
