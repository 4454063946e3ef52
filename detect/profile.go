package detect

import (
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A Counter is one of the exact totals of a target.
type Counter int

// The counters of Totals. Each is a sum over the events of a target; a measure that only some records
// carry has beside it the number of requests that carried it.
const (
	Requests   Counter = iota
	Untimed            // requests of unknown time: in no pane
	KeyUnknown         // requests whose record does not tell the key
	ByOp               // ByOp+op: requests of that operation
	_                  // read
	_                  // scan
	_                  // write
	_                  // update
	_                  // delete
	Bytes
	BytesKnown
	ReadMilli  // DynamoDB read units, thousandths
	WriteMilli // DynamoDB write units, thousandths
	UnitsKnown
	Rows // live rows read
	RowsKnown
	Tombstones // tombstones scanned by reads
	TombstonesKnown
	Failed   // timed out or aborted
	Retried  // attempts at a request that was tried before, as their records say
	Throttle // Throttle+reason: requests refused for that reason; Throttle+0 is not used
	_
	_
	_
	_
	_
	_
	Counters int = iota
)

// Totals are the exact sums of one target; index them by Counter.
type Totals [Counters]uint64

func (t *Totals) add(o *Totals) {
	for i := range t {
		t[i] = AddSat(t[i], o[i])
	}
}

// Reads gives the requests that read.
func (t *Totals) Reads() uint64 {
	return t[ByOp+Counter(ingest.OpRead)] + t[ByOp+Counter(ingest.OpScan)]
}

// Writes gives the requests that write.
func (t *Totals) Writes() uint64 {
	return t[ByOp+Counter(ingest.OpWrite)] + t[ByOp+Counter(ingest.OpUpdate)] + t[ByOp+Counter(ingest.OpDelete)]
}

// Throttled gives the requests refused for rate, whatever the reason.
func (t *Totals) Throttled() uint64 {
	sum := uint64(0)
	for r := ingest.ThrottledUnknown; r < ingest.Throttles; r++ {
		sum = AddSat(sum, t[Throttle+Counter(r)])
	}
	return sum
}

// The three weights of every heavy-hitter table.
const (
	ByRequests   = 0
	ByCost       = 1 // thousandths of throughput units (3 x write + read) where records carry units, else bytes
	ByTombstones = 2
)

// Settings define a Profile: two Profiles of unlike settings do not merge.
type Settings struct {
	Chunk  uint64        // bytes of a chunk
	Fan    int           // width of the merge tree
	Pane   time.Duration // width of a pane to begin with: one of Widths
	Memory uint64        // bytes that the whole process may take; sets the caps of every part
	Bytes  bool          // the cost weight is bytes, not units
	// KeysOnly leaves out what only rules need: samples, histograms, distinct keys, shapes, nodes.
	KeysOnly bool
	// RequestsOnly, with KeysOnly, weighs keys by their requests alone: what is larger by another weight takes no
	// room from them.
	RequestsOnly bool
	// NoPanes leaves out the panes: only the whole run is kept.
	NoPanes bool
}

// Widths are the widths of panes in seconds. Each divides the next and, up to an hour, the hour, so a
// pane never straddles an hour or a day (measured: with widths that do not, an hour's key splits).
var Widths = []uint32{60, 120, 240, 720, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 7 * 86400, 28 * 86400, 364 * 86400}

// MaxPanes is the largest number of panes; one more widens them all.
const MaxPanes = 128

// A Profile is everything keyheat remembers of any amount of traffic: mergeable, serialisable, small.
// A sealed Profile is never modified, except that Merge may consume its left operand's memory.
type Profile struct {
	Settings Settings
	Inputs   []InputStats  // in order of reading; Position.Input counts them
	Targets  []TargetStats // sorted by Target
	Nodes    []string      // sorted
	Width    uint32        // of a pane, seconds
	Panes    []Pane        // sorted by Start
	// SelectedWidth is the width of the panes of selected records: a log of months beside an hour of traffic
	// must not widen its minutes.
	SelectedWidth uint32
	Inventories   []Inventory // sorted by time; what inputs that hold items tell
	// Grown are the keys whose items grew most, from records that tell by how much: weight 0 counts such
	// records, weight 1 the bytes that were added and weight 2 those that were taken away; groups as in Run.
	Grown     *sketch.Top
	Run       *sketch.Top // heavy hitters of the whole input; groups are indexes of Targets
	First     int64       // time of the first and last event, Unix nanoseconds; 0, 0 when none has a time
	Last      int64
	Observers []Observer   // sorted; SelectedStats.Observer counts them
	Facts     []FactStats  // sorted
	Points    []PointStats // sorted
	Problems  Problems
	Lost      Lost
}

// Lost counts what the caps of a Profile could not resolve; nothing is left out of the totals.
type Lost struct {
	Targets  uint64 // requests of targets beyond MaxTargets, held under the target OtherTarget
	Nodes    uint64 // requests of nodes beyond MaxNodes, held under no node
	Shapes   uint64 // reads of shapes beyond MaxShapes of their target
	Selected uint64 // selected records beyond MaxSelected of their target
	States   uint64 // states beyond MaxStates of their target
	Facts    uint64
	Points   uint64
	Stored   uint64 // items of Inventories beyond MaxInventories
}

// An InputStats says what was read of one input.
type InputStats struct {
	Name        string
	Format      string
	Coverage    ingest.Coverage
	Node        string
	Bytes       uint64
	Lines       uint64
	Records     uint64
	Events      uint64
	States      uint64
	Facts       uint64
	Points      uint64
	Skipped     uint64
	SkippedKind map[string]uint64 // by kind
	Problems    uint64
	First, Last int64 // Unix nanoseconds of the events whose time is known; 0: none
	Recording   ingest.Recording
	Named       Named
}

// A Pane is one window of event time.
type Pane struct {
	Start   uint32       // Unix seconds
	Targets []PaneTarget // active in the pane, sorted by ID
	Nodes   []uint64     // requests by node, indexed like Profile.Nodes; may be shorter
	Keys    *sketch.Top
}

// A PaneTarget is what a pane holds of one target.
type PaneTarget struct {
	ID         uint32 // index in Profile.Targets
	Totals     PaneTotals
	Distinct   *sketch.Distinct // nil for all but the busiest targets of the pane
	Incomplete bool             // Distinct misses some part of the pane
}

// A PaneCounter is one of the exact totals of a target in a pane.
type PaneCounter int

// The counters of PaneTotals; they mean what the Counters of the same name mean.
const (
	PaneRequests PaneCounter = iota
	PaneReads
	PaneBytes
	PaneReadMilli
	PaneWriteMilli
	PaneTombstones
	PaneFailed
	PaneThrottle // PaneThrottle+reason; PaneThrottle+0 is not used
	_
	_
	_
	_
	_
	_
	PaneCounters int = iota
)

// PaneTotals are the exact sums of one target in one pane.
type PaneTotals [PaneCounters]uint64

// A TargetStats is what a Profile holds of one target for the whole run.
type TargetStats struct {
	Target    Target
	Totals    Totals
	First     int64 // Unix nanoseconds of its first and last event; 0 when none has a time
	Last      int64
	Distinct  *sketch.Distinct
	Sample    *sketch.Sample
	ItemBytes *sketch.Histogram // bytes of a request
	Latency   *sketch.Histogram // microseconds
	LiveRows  *sketch.Histogram // a read
	Tombs     *sketch.Histogram // tombstones a read
	Asked     *sketch.Histogram // seconds that a read asks for
	// Missed are requests of OtherTarget in parts that had no room for this target: any of them may be
	// its own, so they widen its upper bounds.
	Missed     uint64
	GrownFirst int64 // Unix nanoseconds of the first and last record in Profile.Grown; 0 when none has a time
	GrownLast  int64
	Shapes     []ShapeStats    // sorted by Shape, Op
	Patterns   []PatternStats  // sorted
	Rewrites   []RewriteStats  // sorted by attribute, at most MaxRewritten
	Named      uint64          // records of traffic with a name of their own: ingest.Event.ID
	IDs        *sketch.Sample  // of their names; nil: there are none
	Selected   []SelectedStats // sorted; no part of all the above
	States     []StateStats    // sorted
}

// A ShapeStats is what a Profile holds of one statement shape of a target.
type ShapeStats struct {
	Shape      string // "" where records carry none
	Op         ingest.Op
	Reads      uint64 // reads whose tombstones are known
	Rows       uint64
	RowsKnown  uint64 // reads whose live rows are known
	Tombstones uint64
	Failed     uint64
	Dense      uint64 // reads of at least 1,000 tombstones (Cassandra's default warning)
	FanOut     uint64 // requests to at least FanOutPartitions partitions
	Wide       uint64 // requests to at least WidePartitions
	Largest    ReadSize
	Widest     Breadth
	First      int64 // Unix nanoseconds
	Last       int64
}

// A ReadSize is the read of most tombstones.
type ReadSize struct {
	Tombstones uint64
	Rows       uint64
	RowsKnown  bool
	At         ingest.Position
}

// A Breadth is the request to most partitions.
type Breadth struct {
	Partitions uint64
	At         ingest.Position
}

// Caps of a Profile. What lies beyond is counted in Lost.
const (
	MaxTargets = 4096
	MaxNodes   = 1024
	MaxShapes  = 1024
)

// OtherShape holds the reads of shapes beyond MaxShapes.
const OtherShape = "(other statements)"

// OtherTarget holds the requests of targets beyond MaxTargets.
var OtherTarget = Target{Table: "(other tables)"}

// Problems count what could not be read, by cause.
type Problems struct {
	Total  uint64
	Causes []ProblemCause // sorted by cause
}

// A ProblemCause is one kind of problem with its first examples.
type ProblemCause struct {
	Cause    string
	Count    uint64
	Examples []ingest.Problem // the first maxExamples in order of reading
}
