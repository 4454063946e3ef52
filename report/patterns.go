package report

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// A Pattern is one way in which a table is accessed: a statement shape or, where records carry none, an
// operation. Fields that no record tells are not known; each says so.
type Pattern struct {
	Target   detect.Target
	Shape    string
	Entity   string   // what single-table keys name before their first #: USER, USER / ORDER; empty: none
	KeyParts []string // the parts of the key that are bound, with their operator unless it is equality; nil: not known

	Requests  detect.Range
	Selected  bool         // Requests counts complaints: "at least"
	PerSecond detect.Milli // mean over the span of its table
	RateKnown bool         // PerSecond is known
	Peak      uint64       // requests in its busiest second, at least; 0: not known

	Rows       detect.Milli // live rows of a read, on average
	RowsKnown  bool
	Bytes      detect.Milli // of a request, on average
	BytesKnown bool
	P50, P99   detect.Milli // latency, ms; lower edges of their buckets
	Timed      bool         // P50 and P99 are known

	Served    string       // partition, range, in, scan, index; empty when not known
	CostShare detect.Milli // of its table with all indexes
	CostBy    string       // units, time or bytes; empty: CostShare is not known
}

// A PatternTable is the access-pattern table of an input.
type PatternTable struct {
	Span     detect.Span
	Patterns []Pattern // most requests first
}

// BuildPatterns gives the access patterns of a view, at most limit of each table or index; 0: all.
func BuildPatterns(v *detect.View, limit int) *PatternTable {
	return &PatternTable{Span: v.Span, Patterns: firstPatterns(patternsOf(v), limit)}
}

// patternsOf gives the patterns of each target, most requests first.
func patternsOf(v *detect.View) [][]Pattern {
	out := make([][]Pattern, 0, len(v.Targets))
	costs := costsOf(v)
	for _, t := range v.Targets {
		p := patterns{target: t, cost: costs[baseOf(t.Target)], parser: cql.Parser{Client: true}}
		p.key, p.clustering = keyColumns(v, t.Target)
		out = append(out, p.build())
	}
	return out
}

// firstPatterns joins the first patterns of each target.
func firstPatterns(each [][]Pattern, limit int) []Pattern {
	var out []Pattern
	for _, list := range each {
		out = append(out, list[:limited(len(list), limit)]...)
	}
	slices.SortStableFunc(out, func(a, b Pattern) int { return cmp.Compare(b.Requests.Low, a.Requests.Low) })
	return out
}

// patterns are those of one target in the making.
type patterns struct {
	target          *detect.TargetView
	key, clustering []cql.Column // of its key; empty when no input tells them
	cost            cost
	parser          cql.Parser
}

func (p *patterns) build() []Pattern {
	out := make([]Pattern, 0, len(p.target.Patterns))
	for i := range p.target.Patterns {
		out = append(out, p.traffic(&p.target.Patterns[i]))
	}
	out = append(out, p.reported()...)
	slices.SortStableFunc(out, func(a, b Pattern) int { return cmp.Compare(b.Requests.Low, a.Requests.Low) })
	return out
}

// traffic gives one pattern of requests.
func (p *patterns) traffic(s *detect.PatternStats) Pattern {
	out := Pattern{Target: p.target.Target, Shape: s.Shape, Entity: entityName(s), Requests: detect.Range{Low: s.Requests, High: s.Requests}, Peak: s.Peak.N}
	if span := p.target.Span; span.End > span.Start {
		out.PerSecond, out.RateKnown = perOne(s.Requests, uint64(span.End-span.Start)), true
	}
	if s.RowsKnown > 0 && s.Op.Reads() {
		out.Rows, out.RowsKnown = perOne(s.Rows, s.RowsKnown), true
	}
	if s.BytesKnown > 0 {
		out.Bytes, out.BytesKnown = perOne(s.Bytes, s.BytesKnown), true
	}
	if s.Latency != nil {
		p50, _ := s.Latency.Quantile(50, 100)
		p99, _ := s.Latency.Quantile(99, 100)
		out.P50, out.P99, out.Timed = detect.Milli(p50), detect.Milli(p99), true // microseconds are thousandths of a ms
	}
	if p.cost.by != "" {
		out.CostShare, out.CostBy = permille(p.cost.of(s), p.cost.total, p.cost.total/2), p.cost.by
	}
	p.served(&out, s)
	return out
}

func entityName(s *detect.PatternStats) string {
	if s.Entity == "" || s.SortEntity == "" {
		return s.Entity + s.SortEntity
	}
	return s.Entity + " / " + s.SortEntity
}

// served says which parts of the key are bound, and how the store finds what is asked for.
func (p *patterns) served(out *Pattern, s *detect.PatternStats) {
	switch {
	case s.Shape == detect.OtherShape:
		return
	case s.Shape != "":
		out.KeyParts, out.Served = p.statement(s.Shape)
		if out.Served == "" && s.Op == ingest.OpScan {
			out.Served = "scan"
		}
		return
	}
	out.Shape, out.KeyParts = s.Op.String(), p.bound(s)
	switch {
	case s.Op == ingest.OpScan:
		out.Served = "scan"
	case s.Op == ingest.OpUnknown:
	case p.target.Target.Index != "" && s.Op.Reads():
		out.Served = "index"
	case s.Bound&detect.BoundMany != 0:
		out.Served = "in"
	default:
		out.Served = "partition"
	}
}

// bound names the parts of the key that the records of a pattern without a statement name.
func (p *patterns) bound(s *detect.PatternStats) []string {
	switch {
	case s.Op == ingest.OpScan:
		return []string{}
	case s.Bound&detect.BoundPartition == 0:
		return nil
	}
	parts := columnNames(p.key, "partition key")
	if s.Bound&detect.BoundSort != 0 {
		parts = append(parts, columnNames(p.clustering, "sort key")...)
	}
	return parts
}

func columnNames(columns []cql.Column, otherwise string) []string {
	if len(columns) == 0 {
		return []string{otherwise}
	}
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// reported gives the shapes of selected records, whatever their keys.
func (p *patterns) reported() []Pattern {
	var out []Pattern
	for _, s := range p.target.Selected {
		if s.Shape == "" {
			continue
		}
		i := slices.IndexFunc(out, func(o Pattern) bool { return o.Shape == s.Shape })
		if i < 0 {
			i, out = len(out), append(out, Pattern{Target: p.target.Target, Shape: s.Shape, Selected: true})
			out[i].KeyParts, out[i].Served = p.statement(s.Shape)
			if out[i].Served == "" && s.Op == ingest.OpScan {
				out[i].Served = "scan"
			}
		}
		out[i].Requests = out[i].Requests.Plus(s.Counts[detect.SelectedRecords])
	}
	return out
}

// keyColumns gives the columns of a target's key as far as any input tells them.
func keyColumns(v *detect.View, t detect.Target) (key, clustering []cql.Column) {
	read := func(name string) (out []cql.Column) {
		list, _ := v.Fact(t, name)
		for name := range strings.SplitSeq(list, ",") {
			name, desc := strings.CutSuffix(name, " desc")
			if name != "" {
				out = append(out, cql.Column{Name: name, Desc: desc})
			}
		}
		return out
	}
	return read(ingest.FactPartitionKey), read(ingest.FactClustering)
}

// A cost is what share of it each pattern of a table has. Its measure is one that all requests carry.
type cost struct {
	by    string // units, time or bytes; empty: no measure is in all requests
	total uint64
}

// The measures of cost, the best first: what is paid for, how long the store works, what is moved.
var costMeasures = []string{"units", "time", "bytes"}

// of gives what a pattern costs, by the weights of detect.ByCost, in microseconds or bytes.
func (c cost) of(s *detect.PatternStats) uint64 {
	switch c.by {
	case "units":
		return detect.AddSat(s.ReadMilli, detect.MulSat(3, s.WriteMilli))
	case "time":
		if s.Latency == nil {
			return 0
		}
		return s.Latency.Sum()
	}
	return s.Bytes
}

// known reports whether all requests of a pattern that were served carry the measure.
func (c cost) known(s *detect.PatternStats) bool {
	n := s.BytesKnown
	switch {
	case c.by == "units":
		n = s.UnitsKnown
	case c.by == "time" && s.Latency == nil:
		n = 0
	case c.by == "time":
		n = s.Latency.Count()
	}
	return detect.AddSat(n, s.Refused) >= s.Requests
}

// costsOf gives the cost of each table with its indexes.
func costsOf(v *detect.View) map[detect.Target]cost {
	tables := map[detect.Target][]*detect.PatternStats{}
	for _, t := range v.Targets {
		for i := range t.Patterns {
			id := baseOf(t.Target)
			tables[id] = append(tables[id], &t.Patterns[i])
		}
	}
	out := map[detect.Target]cost{}
	for id, all := range tables {
		for _, by := range costMeasures {
			c := cost{by: by}
			if slices.ContainsFunc(all, func(s *detect.PatternStats) bool { return !c.known(s) }) {
				continue
			}
			for _, s := range all {
				c.total = detect.AddSat(c.total, c.of(s))
			}
			if c.total > 0 {
				out[id] = c
				break
			}
		}
	}
	return out
}

// baseOf gives the table that an index is of.
func baseOf(t detect.Target) detect.Target { return detect.Target{Store: t.Store, Table: t.Table} }

// perOne gives sum/n in thousandths, rounded down; it saturates.
func perOne(sum, n uint64) detect.Milli {
	hi, lo := bits.Mul64(sum, 1000)
	if hi >= n {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, n)
	return detect.Milli(q)
}
