package detect

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A View is what rules judge: the Profile with the bounds of all its parts brought together, the exact
// counts of the second pass where there was one, and the limits. It is read-only.
type View struct {
	Limits  *Limits
	Targets []*TargetView // sorted by Target
	Panes   []PaneSpan    // all panes of the run, in order, gaps left out
	Width   uint32        // of a pane, seconds
	Span    Span          // first to last event; zero when no event has a time
	Nodes   []NodeView    // sorted by name; empty when no record names a node
	Inputs  []InputStats
	// Second is true when the second pass counted the nominated keys.
	Second bool
	// Columns are the further columns that it counted keys by, see ExactKey.Columns.
	Columns []string
	// Sampling is the share of all requests that the input holds; 1/1 unless the user said otherwise.
	Sampling Rate
	Lost     Lost
	Facts    []FactStats  // sorted by target, name and node
	Points   []PointStats // sorted by target, name and statistic
}

// A PaneSpan is the time of one pane, Unix seconds.
type PaneSpan struct{ Start, End int64 }

// A Rate is a sampling rate as a fraction; the zero Rate is 1.
type Rate struct{ Num, Den uint64 }

// A NodeView is the traffic of one node.
type NodeView struct {
	Name     string
	Requests []uint64 // by pane, as View.Panes
	Total    uint64   // of timed requests
}

// A TargetView is one table or index.
type TargetView struct {
	Target   Target
	Told     Told   // who tells of the traffic
	ID       uint32 // its place in Profile.Targets
	Totals   Totals
	Missed   uint64 // requests that may be its own beside Totals: see TargetStats.Missed
	Copies   Copies // requests that Totals has too many
	Span     Span
	Distinct Distinct
	Panes    []TargetPane // as View.Panes
	Keys     []*KeyView   // ranked: middle of requests, largest first
	Untold   Untold       // bounds of every key that is not in Keys
	Skew     Skew
	Latency  *sketch.Histogram // microseconds; never nil
	Bytes    *sketch.Histogram
	LiveRows *sketch.Histogram
	Tombs    *sketch.Histogram
	Asked    *sketch.Histogram // seconds that reads ask for; never nil
	Shapes   []ShapeStats      // sorted by Shape
	Patterns []PatternStats    // sorted
	Rewrites []RewriteStats    // sorted by attribute
	// Also is what other witnesses tell of the same traffic, less of it than this one: none of their requests are in
	// the above. What is below stands in them too.
	Also []*TargetView
	// Selected and States come from other records than all the above, which is of traffic.
	Windows  []SamplerWindow // in order of node and role
	Stored   StoredItems     // of the last time that inputs with items tell of
	Earlier  []StoredItems   // of times before it, in order
	Growing  []GrowingKey    // most growth first, by the middle
	Grew     Span            // of the records that tell of growth; zero when none has a time
	Selected []*SelectedView // those of most aborts, tombstones and records first
	States   []StateStats    // sorted by measure, key, part, node and source
}

// Distinct is the number of different keys.
type Distinct struct {
	Value, Low, High uint64
	Exact            bool
}

// A TargetPane is what one pane holds of a target.
type TargetPane struct {
	Totals   PaneTotals
	Distinct Distinct // High is the number of requests where nothing better is known
	Untold   Untold   // bounds of every key without an entry in this pane
}

// Untold are upper bounds of a key that is not held.
type Untold struct{ Requests, Cost, Tombstones uint64 }

// A KeyView is everything known of one key of a target.
type KeyView struct {
	Key        []byte // in the form of ingest.AppendKey
	Requests   Range
	Cost       Range // thousandths of throughput units, or bytes
	Tombstones Range
	// PeakSecond is a lower bound of its busiest second, exact after the second pass; N 0: unknown.
	PeakSecond sketch.Peak
	// CostSecond is a lower bound of its busiest second by Cost; N 0: unknown, or Cost is not units alone.
	CostSecond sketch.Peak
	Positions  []ingest.Position
	Exact      *ExactKey // nil unless the second pass counted it
	// Panes is what Series gives where it is not computed: in a view made by hand.
	Panes []KeyPane

	fill func() []KeyPane // computes the panes; nil when there is nothing to compute
}

// Series gives what is known of the key in each pane of the View, aligned with View.Panes; nil when there
// are no panes. It is computed at each call and not kept: 10 KiB a key are too much for thousands.
func (k *KeyView) Series() []KeyPane {
	if k.Panes == nil && k.fill != nil {
		return k.fill()
	}
	return k.Panes
}

// A KeyPane is what is known of a key in one pane.
type KeyPane struct {
	Requests   Range
	Cost       Range
	Tombstones Range
	Reads      Range // read units, thousandths; zero where records carry no units
	Writes     Range // write units, thousandths
}

// Skew describes how requests spread over the keys of a target. Shares are of known-key requests.
type Skew struct {
	Known     bool
	Top1      ShareRange
	Top10     ShareRange
	Effective Milli // 1 / sum of squared shares: how many equally busy keys would spread the same
	Gini      Milli // 0 even .. 1000 one key
}

// A ShareRange is a share of a whole in thousandths, with bounds.
type ShareRange struct{ Value, Low, High Milli }

// An ExactKey is what the second pass counted of one nominated key. All counts are exact.
type ExactKey struct {
	Totals           Totals
	Panes            []ExactPane   // with traffic, in order
	Seconds          []ExactSecond // of its nominated minutes, in order; seconds without traffic are left out
	Minutes          []uint32      // the nominated minutes, Unix seconds, in order
	Latency          *sketch.Histogram
	Nodes            []NodeCount       // sorted by node
	SortKeys         *sketch.Distinct  // nil when no record has a sort key
	TopSort          Range             // requests of its busiest sort key
	SortKnown        uint64            // requests with a sort key
	Ascending        uint64            // writes whose sort key is not below the one before it in the same chunk
	Ordered          uint64            // writes that had one before them in the same chunk
	MostRead         uint64            // of one request, thousandths of a read unit; of a record of several their mean
	MostWrite        uint64            // likewise of a write unit
	Strong           uint64            // thousandths of read units of strongly consistent reads
	ConsistencyKnown uint64            // reads that tell their consistency
	Changes          uint64            // records that tell by how much an item grew or shrank
	Grown            uint64            // bytes that they added
	Shrunk           uint64            // bytes that they took away
	Repeats          Repeats           // refusals that look like retries
	Positions        []ingest.Position // its first records
	Shards           *ExactShards      // nil unless it was counted by shard
	Columns          []*ExactColumn    // as Nominees.Columns; nil unless it was counted by them

	sortTop *sketch.Top
}

// An ExactPane is a key's exact count in a pane.
type ExactPane struct {
	Start      uint32
	Requests   uint64
	Reads      uint64 // of them
	Cost       uint64
	Tombstones uint64
	ReadMilli  uint64
	WriteMilli uint64
	Throttled  uint64
	Failed     uint64
	Grown      uint64
	Shrunk     uint64
}

// An ExactSecond is a key's exact count in one second.
type ExactSecond struct {
	Second     uint32
	Requests   uint64
	Reads      uint64 // of them
	ReadMilli  uint64
	WriteMilli uint64
}

// A NodeCount is a number of requests of a node.
type NodeCount struct {
	Node     string
	Requests uint64
}
