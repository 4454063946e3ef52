// Package detect holds what keyheat remembers of traffic (the Profile and the exact second pass), the
// view of it that rules judge, and the vocabulary of what they find. It knows no rule, no remedy, no
// file and no clock.
package detect

import (
	"github.com/keyheat/keyheat/ingest"
)

// Milli is an amount in thousandths: of a request, a unit, a byte or a share. It keeps sums exact.
type Milli uint64

// Whole gives n as an amount; it saturates.
func Whole(n uint64) Milli { return Milli(MulSat(n, 1000)) }

// A Severity orders findings by how much they hurt.
type Severity uint8

// The severities, least first.
const (
	Low Severity = iota + 1
	Medium
	High
	Critical
)

// String gives the name used in reports.
func (s Severity) String() string {
	return [...]string{"", "low", "medium", "high", "critical"}[min(s, Critical)]
}

// A Confidence is about the effect: certain when the lower bound reaches the limit or the store said so.
type Confidence uint8

// The confidences.
const (
	Maybe Confidence = iota
	Sure
)

// String gives the name used in reports.
func (c Confidence) String() string {
	if c == Sure {
		return "certain"
	}
	return "possible"
}

// How says where a number comes from.
type How uint8

// The origins: the store said so, counted exactly, estimated by a sketch or a sample, inferred.
const (
	Stored How = iota
	Counted
	Estimated
	Inferred
)

// String gives the name used in reports.
func (h How) String() string {
	return [...]string{"stored", "counted", "estimated", "inferred"}[min(h, Inferred)]
}

// A Finding is one thing that a rule says of one subject.
type Finding struct {
	Rule       string
	Severity   Severity
	Confidence Confidence
	Subject    Subject

	Mechanism           string // empty unless the rule tells mechanisms apart
	MechanismConfidence string // shape, schema, measured or empty
	// MechanismAt is where the schema or the measurement stands that tells the mechanism, which may be in other
	// inputs than the evidence; empty where the statements alone do.
	MechanismAt []ingest.Position

	Span      Span
	Message   string // one sentence, keys not quoted in it: the subject names the key
	Evidence  []Evidence
	Proposals []Proposal
	Series    []uint64 // per pane of the report, for a sparkline; may be empty
	SeriesOf  string   // what Series counts: "requests a minute"
	Cost      Milli    // orders findings of the same severity; not shown
}

// A Subject is what a finding is about. Fields that do not apply are empty.
type Subject struct {
	Target Target
	Key    []byte // in the form of ingest.AppendKey
	HasKey bool   // tells an empty key from none
	Shape  string
	Node   string
}

// A Target is a table or one of its secondary indexes.
type Target struct {
	Store ingest.Store
	Table string
	Index string
	// Told is who tells of its traffic, in a Profile: a target each, until JoinStores. Views and findings are of
	// tables, where it is 0.
	Told Told
}

// A Told is a set of witnesses; 0 stands for ingest.AnyWitness alone.
type Told uint8

func toldBy(w ingest.Witness) Told {
	if w == ingest.AnyWitness {
		return 0
	}
	return 1 << w
}

// and gives the witnesses of both.
func (t Told) and(o Told) Told {
	if t == o {
		return t
	}
	return max(t, 1<<ingest.AnyWitness) | max(o, 1<<ingest.AnyWitness)
}

// has reports whether w is one of the witnesses.
func (t Told) has(w ingest.Witness) bool { return max(t, 1<<ingest.AnyWitness)&(1<<w) != 0 }

// Bare is the table, whoever tells of it.
func (t Target) Bare() Target { t.Told = 0; return t }

// A Span is a time range in Unix seconds, end excluded; the zero Span is unknown.
type Span struct{ Start, End int64 }

// An Evidence is one measured number and the limit it is held against. A finding gives each measure once.
type Evidence struct {
	Measure string // snake_case: requests, share, write_units_per_second
	Unit    string // requests, bytes, WCU/s, share, ...
	Value   Milli
	Low     Milli
	High    Milli
	Open    bool // there is no upper bound; High is ignored

	Limit       Milli // 0: none
	LimitSource string
	How         How
	Positions   []ingest.Position
}

// A Proposal is one remedy with its numbers.
type Proposal struct {
	Kind   string // shard-suffix, time-bucket, ..., confirm
	Title  string
	Shards uint64 // 0: does not apply
	Bucket string // hour, day, ...
	Change string // the key as people write it
	// Effects are computed from the evidence, never guessed.
	Effects []Effect
	// Basis says what the effects of another key rest on: how the recorded traffic was put under it, or why it was
	// not. Empty where the key stays.
	Basis  string
	Costs  []string
	Risks  []string
	Steps  []string
	Verify string
	Script string // the text to paste; empty unless it was asked for
}

// An Effect is what a proposal does to one measure. After lies within Low and High.
type Effect struct {
	Measure string
	Unit    string
	Before  Milli
	After   Milli
	Low     Milli
	High    Milli
	Open    bool // there is no upper bound; High is ignored
	// How is Counted where recorded requests were put under the change one by one, Estimated where After follows from
	// what was counted or measured, within its bounds, and Inferred where it follows from the change alone.
	How How
}

// NotAssessed says what a report could not judge, and which input would let it.
type NotAssessed struct {
	Rule    string
	Target  Target // the zero Target: the whole input
	Missing []string
	GetIt   string
}

// A Rule is one detector: data, and a pure function of the view.
type Rule struct {
	ID    string // permanent; users suppress findings by it
	Title string
	Needs string // the input it needs: "traffic with time"
	Doc   string // what it says, when it fires, what it must not be taken for; Markdown
	// Counts is set for rules whose findings rest on numbers of requests: records that were read once more make them
	// no more than possible.
	Counts bool
	// Judge gives the findings, in any order, and what could not be judged.
	Judge func(v *View) ([]Finding, []NotAssessed)
}

// A Remedy proposes changes for findings of certain rules: data, and a pure function.
type Remedy struct {
	Kind  string
	Title string
	Doc   string   // gate, formula with source, caveats; Markdown
	Rules []string // the rules whose findings it is asked for
	// Propose gives the proposals for f; none when its gate is not met.
	Propose func(v *View, f *Finding) []Proposal
}
