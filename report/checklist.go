package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// The answers of the checklist: yes is good, no is trouble.
const (
	yes     = "yes"
	no      = "no"
	unknown = "unknown"
)

// Questions are those of the modelling checklist, in order.
var Questions = []string{"access-patterns", "cardinality", "growth", "consistency", "deletes", "aggregate-size", "write-fan-out"}

// An answerer answers the questions for one target, from what was seen of it and found about it.
type answerer struct {
	view     *detect.View
	limits   *detect.Limits
	target   *detect.TargetView
	patterns []Pattern // of the target
	findings []detect.Finding
}

// checklist answers the questions. What the input cannot tell is unknown, with what would tell it.
func (a *answerer) checklist() []Answer {
	out := []Answer{a.accessPatterns(), a.cardinality(), a.growth(), a.consistency(), a.deletes(), a.aggregateSize(), a.writeFanOut()}
	for i := range out {
		out[i].Question = Questions[i]
	}
	return out
}

func good(format string, args ...any) Answer {
	return Answer{Answer: yes, Because: fmt.Sprintf(format, args...)}
}

func bad(format string, args ...any) Answer {
	return Answer{Answer: no, Because: fmt.Sprintf(format, args...)}
}

func missing(getIt, format string, args ...any) Answer {
	return Answer{Answer: unknown, Because: fmt.Sprintf(format, args...), GetIt: getIt}
}

// What would tell of requests, by store.
const (
	getTraffic      = "records of requests: see keyheat formats, coverage traffic"
	getDynamoReads  = "CloudTrail data events of the table"
	getCQLReads     = "nodetool settraceprobability 0.001 on two nodes for ten minutes, then 0, and the traces"
	getPartitions   = "nodetool tablestats and sstablepartitions --min-size 50MiB of each node, on three days"
	getCollections  = "an export of the table (aws dynamodb export-table-to-point-in-time), on three days"
	getUpdatedParts = "look in the application for one change that updates many items; its batches and transactions show in audit logs and CloudTrail"
)

func (a *answerer) dynamo() bool { return a.target.Target.Store == ingest.DynamoDB }

func (a *answerer) byStore(dynamo, other string) string {
	if a.dynamo() {
		return dynamo
	}
	return other
}

// accessPatterns asks whether each read names its partition.
func (a *answerer) accessPatterns() Answer {
	t := &a.target.Totals
	reads, scans := t.Reads(), scansOf(t)
	get := a.byStore(getDynamoReads, getCQLReads)
	switch {
	case scans > 0:
		return bad("%d of %d reads name no partition%s", scans, reads, a.worstScan())
	case a.reportedScans() > 0:
		return bad("the store reported at least %d reads that name no partition", a.reportedScans())
	case reads+t.Writes() == 0 && t[detect.Requests] == 0:
		return missing(get, "no traffic of this table was seen")
	case reads+t.Writes() == 0:
		return missing(get, "records do not tell the operation")
	case reads == 0:
		return missing(get, "no read was seen")
	}
	return good("each of %d reads names its partition", reads)
}

// reportedScans gives the reads without a partition that selected records tell of.
func (a *answerer) reportedScans() uint64 {
	n := uint64(0)
	for _, s := range a.target.Selected {
		if s.Op == ingest.OpScan {
			n = detect.AddSat(n, s.Counts[detect.SelectedRecords].Low)
		}
	}
	return n
}

// worstScan names the scan that costs most, else the most frequent.
func (a *answerer) worstScan() string {
	var worst *Pattern
	for i := range a.patterns {
		p := &a.patterns[i]
		if p.Served == "scan" && !p.Selected && (worst == nil || p.CostShare > worst.CostShare) {
			worst = p
		}
	}
	switch {
	case worst == nil || worst.Shape == ingest.OpScan.String() && worst.CostBy == "":
		return ""
	case worst.CostBy == "":
		return ": " + worst.Shape
	}
	return fmt.Sprintf(": %s, %s of the table's %s", worst.Shape, permilles(worst.CostShare), worst.CostBy)
}

func permilles(m detect.Milli) string { return fmt.Sprintf("%d.%d %%", m/10, m%10) }

// cardinality asks whether there are enough keys for load to spread; floors as of low-cardinality-key.
func (a *answerer) cardinality() Answer {
	few, floor, requests := a.limits.Count(detect.CardinalityDistinct), a.limits.Count(detect.CardinalityRequests), knownKeys(a.target)
	d := a.target.Distinct
	switch {
	case a.target.Totals[detect.Requests] == 0:
		return missing(getTraffic, "no traffic of this table was seen")
	case requests == 0:
		return missing(a.byStore("stream records or CloudTrail data events", getCQLReads), "records do not tell the key")
	case d.Low > few:
		return good("at least %d different keys", d.Low)
	case requests < floor:
		return missing("a longer input", "%d requests are too few to tell (fewer than %d)", requests, floor)
	case d.High <= few:
		return bad("at most %d different keys in %d requests", d.High, requests)
	}
	return missing("keyheat analyze --table TABLE, without other tables", "between %d and %d different keys", d.Low, d.High)
}

// finding gives the worst finding of a rule about the target.
func (a *answerer) finding(rule string) *detect.Finding {
	for i := range a.findings {
		if f := &a.findings[i]; f.Rule == rule && f.Subject.Target == a.target.Target {
			return f
		}
	}
	return nil
}

// growth asks whether partitions stay under the limit of their store, and if not, when one passes it.
func (a *answerer) growth() Answer {
	if f := a.finding("growing-partition"); f != nil {
		return bad("%s", f.Message)
	}
	get := a.byStore(getCollections, getPartitions)
	if f := a.finding("large-partition"); f != nil {
		return bad("%s: it has passed the limit already", f.Message)
	}
	measured, compared := 0, 0
	for i := range a.target.States {
		s := &a.target.States[i]
		if s.Measure != ingest.PartitionBytes || s.AtLeast {
			continue
		}
		measured++
		if uint64(len(s.Days)) >= a.limits.Count(detect.GrowingDays) {
			compared++
		}
	}
	switch {
	case compared > 0:
		return good("%d partitions were measured on several days, and none passes a limit within %d days", compared, a.limits.Count(detect.GrowingLowDays))
	case measured > 0:
		return missing(get, "no partition was measured on %d days by the same means", a.limits.Count(detect.GrowingDays))
	}
	return missing(get, "no size of a partition was measured")
}

// consistency asks whether reads ask for no more than they need.
func (a *answerer) consistency() Answer {
	strong, known := uint64(0), uint64(0)
	most := (*detect.PatternStats)(nil)
	for i := range a.target.Patterns {
		p := &a.target.Patterns[i]
		strong, known = detect.AddSat(strong, p.Strong), detect.AddSat(known, p.ConsistencyKnown)
		if p.Strong > 0 && (most == nil || p.Strong > most.Strong) {
			most = p
		}
	}
	switch {
	case a.global():
		return good("reads of a global index are eventually consistent, all of them")
	case a.target.Totals.Reads() == 0:
		return missing(a.byStore(getDynamoReads, getCQLReads), "no read was seen")
	case known == 0:
		return missing(a.byStore(getDynamoReads, getCQLReads), "records do not tell the consistency of reads")
	case strong == 0:
		return good("none of %d reads waits for a majority of replicas", known)
	}
	said := fmt.Sprintf("%d of %d reads (%s) are strongly consistent or wait for a majority, most of them %s", strong, known,
		permilles(permille(strong, known, known/2)), nameOf(most))
	if a.target.Totals.Writes() == 0 {
		said += "; no write was seen, so they could be eventual"
	}
	if permille(strong, known, 0) < a.limits.Of(detect.ChecklistStrong).Value {
		return good("%s", said)
	}
	return bad("%s: ask whether they must, each costs %s", said, a.byStore("twice the read units", "an answer of more replicas"))
}

// global reports whether the target is known to be a global index of DynamoDB.
func (a *answerer) global() bool {
	t := a.target.Target
	names, _ := a.view.Fact(detect.Target{Store: t.Store, Table: t.Table}, ingest.FactGlobalIndex)
	return a.dynamo() && t.Index != "" && slices.Contains(strings.Split(names, ","), t.Index)
}

func nameOf(p *detect.PatternStats) string {
	if p.Shape != "" {
		return p.Shape
	}
	return p.Op.String()
}

// deletes asks whether reads are spared the tombstones of what was deleted (floors as of
// tombstone-dense-read), and of DynamoDB, which has none, whether writes are spent on deletes that a time
// to live would do for nothing.
func (a *answerer) deletes() Answer {
	if a.dynamo() {
		return a.dynamoDeletes()
	}
	t := &a.target.Teller(detect.TombstonesKnown).Totals
	tombs, known := t[detect.Tombstones], t[detect.TombstonesKnown]
	warned := uint64(0)
	for _, s := range a.target.Selected {
		warned = detect.AddSat(warned, s.Reads().Low)
	}
	if warned > 0 {
		return bad("the store warned of the tombstones of at least %d reads%s", warned, a.ttl())
	}
	if known == 0 {
		return missing(getCQLReads, "records do not tell the tombstones of reads%s", a.ttl())
	}
	said := fmt.Sprintf("%d tombstones in %d reads", tombs, known)
	few := perOne(tombs, known) < a.limits.Of(detect.TombstonesMeanRead).Value
	if rows := t[detect.Rows]; !few && t[detect.RowsKnown] > 0 && rows > 0 {
		said += fmt.Sprintf(", %d live rows", rows)
		few = perOne(tombs, rows) < a.limits.Of(detect.TombstonesPerLiveRow).Value
	}
	if f := a.finding("tombstone-dense-read"); few && f != nil {
		return bad("%s; %s%s", said, f.Message, a.ttl())
	}
	if few {
		return good("%s%s", said, a.ttl())
	}
	return bad("%s%s", said, a.ttl())
}

// ttl says how rows go: deleted one by one, by a time to live, or both.
func (a *answerer) ttl() string {
	var out []string
	if n := a.target.Totals[detect.ByOp+detect.Counter(ingest.OpDelete)]; n > 0 {
		out = append(out, fmt.Sprintf("%d of %d writes delete", n, a.target.Totals.Writes()))
	}
	if seconds, ok := a.view.Fact(a.target.Target, ingest.FactDefaultTTL); ok && seconds != "0" {
		out = append(out, "default time to live "+seconds+" s")
	}
	if len(out) == 0 {
		return ""
	}
	return "; " + strings.Join(out, ", ")
}

func (a *answerer) dynamoDeletes() Answer {
	n, writes := a.target.Totals[detect.ByOp+detect.Counter(ingest.OpDelete)], a.target.Totals.Writes()
	switch {
	case writes == 0:
		return missing("stream records or CloudTrail data events", "no write was seen")
	case writes < a.limits.Count(detect.ShareRequestsOfTable):
		return missing("a longer input", "%d writes are too few to tell", writes)
	case n == 0:
		return good("none of %d writes deletes", writes)
	case permille(n, writes, 0) < a.limits.Of(detect.ChecklistDeletes).Value:
		return good("%d of %d writes delete", n, writes)
	}
	return bad("%d of %d writes delete, each for write units: a time to live deletes for nothing", n, writes)
}

// aggregateSize asks whether what is kept together stays small: partitions, and items.
func (a *answerer) aggregateSize() Answer {
	if f := a.finding("large-item"); f != nil {
		return bad("%s", f.Message)
	}
	limit := a.limits.Count(detect.CassandraPartitionBytes)
	if a.dynamo() {
		limit = a.limits.Count(detect.DynamoPartitionBytes)
	}
	partition, item, whole := uint64(0), uint64(0), false
	for i := range a.target.States {
		switch s := &a.target.States[i]; s.Measure {
		case ingest.PartitionBytes:
			if s.Said || s.Least() >= limit {
				return bad("a partition has at least %d bytes", s.Least())
			}
			partition, whole = max(partition, s.Max), whole || !s.AtLeast
		case ingest.ItemBytes, ingest.RowBytes, ingest.CellBytes:
			item = max(item, s.Max)
		}
	}
	if c := a.target.Stored.Collections; len(c) > 0 {
		if c[0].Bytes.Low >= limit {
			return bad("a partition has at least %d bytes", c[0].Bytes.Low)
		}
		partition, whole = max(partition, c[0].Bytes.High), true
	}
	switch {
	case whole && partition < limit:
		return good("the largest partition that was measured has %d bytes", partition)
	case item > 0:
		return good("the largest item that was measured has %d bytes; no size of a whole partition was measured", item)
	}
	return missing(a.byStore(getCollections, getPartitions), "no size of a whole partition was measured")
}

// writeFanOut asks whether one change is written to many partitions, as duplicated data must be. Requests
// that write many show it; values that single requests repeat are not compared.
func (a *answerer) writeFanOut() Answer {
	wide, widest := uint64(0), uint64(0)
	for i := range a.target.Shapes {
		if s := &a.target.Shapes[i]; s.Op.Writes() && s.FanOut > 0 {
			wide, widest = detect.AddSat(wide, s.FanOut), max(widest, s.Widest.Partitions)
		}
	}
	if wide > 0 {
		return bad("%d requests wrote %d partitions or more at once, the widest %d", wide, detect.FanOutPartitions, widest)
	}
	return a.rewritten()
}

// rewritten asks whether one value is written to many partitions within a minute by single writes, as far as records tell
// what they change. A value that few others stand beside may as well be a state that many rows come to on their own.
func (a *answerer) rewritten() Answer {
	changes, copied, state := uint64(0), (*detect.RewriteStats)(nil), (*detect.RewriteStats)(nil)
	few := a.limits.Count(detect.CardinalityDistinct)
	for i := range a.target.Rewrites {
		x := &a.target.Rewrites[i]
		changes = detect.AddSat(changes, x.Changes)
		if x.Widest.Partitions < detect.FanOutPartitions {
			continue
		}
		to := &state
		if _, low, _ := x.Values.Estimate(); low > few {
			to = &copied
		}
		if *to == nil || x.Widest.Partitions > (*to).Widest.Partitions {
			*to = x
		}
	}
	switch {
	case copied != nil:
		return bad("one value of %s was written to at least %d partitions within a minute, and it has many values: data that is kept twice is changed", cut(copied.Attribute), copied.Widest.Partitions)
	case state != nil:
		return missing(getUpdatedParts, "one value of %s was written to at least %d partitions within a minute, of few that it has: it may be a state that each comes to on its own, or a copy", cut(state.Attribute), state.Widest.Partitions)
	case changes >= a.limits.Count(detect.ShareRequestsOfTable):
		return good("no value of %d changes was seen in %d partitions within a minute, and no request wrote so many at once", changes, detect.FanOutPartitions)
	}
	return missing(getUpdatedParts, "no request wrote %d partitions at once; what single writes change is told by stream records with both images, and by audit and query logs with their values", detect.FanOutPartitions)
}

func scansOf(t *detect.Totals) uint64 { return t[detect.ByOp+detect.Counter(ingest.OpScan)] }
