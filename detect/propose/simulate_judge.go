package propose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Judge gives the findings of a view.
type Judge func(v *detect.View) []detect.Finding

// mendable are the rules whose findings follow from the partition key and from traffic, so that a replay
// under another key can judge them again.
var mendable = []string{
	heat, "hot-index", moving, "skewed-key", "low-cardinality-key", "throttling", "large-partition", growing, dense, scans,
}

const (
	growing = "growing-partition"
	dense   = "tombstone-dense-read"
	heat    = "hot-partition"
	moving  = "moving-hot-key"
	scans   = "full-scan"
)

// Mendable reports whether a replay under another key judges a rule again.
func Mendable(rule string) bool { return slices.Contains(mendable, rule) }

// A verdict is the worst finding of a rule under one key.
type verdict struct {
	severity detect.Severity
	worth    bool // it may have a proposal
}

// Result gives the figures of all keys, today's first, each judged by the same rules. ok is false when no
// record of the table or index was seen. Of keys that were proposed (auto) only the best are kept. It is
// called once.
func (r *Replay) Result(limits *detect.Limits, sampling detect.Rate, judge Judge, auto bool) (s *detect.Simulation, ok bool) {
	r.end()
	s = &detect.Simulation{}
	lanes := make([]*measuredLane, len(r.lanes))
	told := detect.Told(0)
	for i, l := range r.lanes {
		views := l.views(limits, sampling)
		if i == 0 {
			told = toldOf(views[0])
		}
		for j := range views {
			believe(views[j], told)
		}
		lanes[i] = &measuredLane{lane: l, tally: l.tallies.of(told), view: views[0], of: busiest(views[0]), sizes: l.sizesOf(views)}
		s.Keys = append(s.Keys, lanes[i].measure())
	}
	first := lanes[0]
	if first.of == nil {
		return nil, false
	}
	s.Notes = witnessNotes(first.of)
	s.Target, s.Span, s.Requests, s.Reads = first.of.Target, first.of.Span, first.tally.sums[requests], first.tally.sums[allReads]
	if first.of.Target.Store == ingest.DynamoDB {
		s.WriteLimit, s.ReadLimit = limits.Of(detect.PartitionWriteUnits).Value, limits.Of(detect.PartitionReadUnits).Value
	}
	for i, l := range lanes {
		l.found = l.verdicts(judge(l.view), &s.Keys[i])
	}
	for i := range s.Keys {
		compareVerdicts(&s.Keys[i], first.found, lanes[i].found)
	}
	order := ranked(s.Keys, first.found)
	if len(order) > 0 && len(s.Keys[order[0]].Removes) > 0 && gain(&s.Keys[order[0]], first.found) > 0 {
		s.Best = order[0]
	}
	if s.Auto = auto; auto {
		keepBest(s, order, mends(first.found))
	}
	return s, true
}

// toldOf says who tells of today's traffic: the witness that a report would believe.
func toldOf(v *detect.View) detect.Told {
	if t := busiest(v); t != nil {
		return t.Told
	}
	return 0
}

// believe puts what these witnesses tell in the first place under another key too, where another witness may tell of
// more requests to partitions.
func believe(v *detect.View, told detect.Told) {
	for i, t := range v.Targets {
		for j, o := range t.Also {
			if o.Told == told && t.Told != told {
				o.Also = slices.Concat([]*detect.TargetView{t}, t.Also[:j], t.Also[j+1:])
				v.Targets[i] = o
				break
			}
		}
	}
}

// witnessNotes says which of several witnesses of the same requests was replayed.
func witnessNotes(t *detect.TargetView) []string {
	if len(t.Also) == 0 {
		return nil
	}
	names := []string{}
	for _, w := range t.Told.Witnesses() {
		names = append(names, cmp.Or(w.String(), "records of requests"))
	}
	others := uint64(0)
	for _, o := range t.Also {
		others = detect.AddSat(others, o.Totals[detect.Requests])
	}
	return []string{fmt.Sprintf("%s tell of most requests: %d others, which may be the same ones, are not replayed", strings.Join(names, " and "), others)}
}

// busiest gives the target of most requests or stored items; nil when there is none.
func busiest(v *detect.View) (most *detect.TargetView) {
	for _, t := range v.Targets {
		if most == nil || t.Totals[detect.Requests]+t.Stored.Items > most.Totals[detect.Requests]+most.Stored.Items {
			most = t
		}
	}
	return most
}

// verdicts gives the worst finding of each mendable rule. Of tombstones and of growth the replay judges
// by its own figures: no record tells what a read would have scanned in another partition.
func (l *measuredLane) verdicts(found []detect.Finding, s *detect.Simulated) map[string]verdict {
	out := map[string]verdict{}
	for i := range found {
		f := &found[i]
		if !Mendable(f.Rule) || l.of == nil || f.Subject.Target != l.of.Target || f.Rule == growing {
			continue
		}
		if f.Rule == dense && l.scansLess() {
			continue
		}
		v := verdict{f.Severity, worthKey(f)}
		if o := out[f.Rule]; v.severity > o.severity || v.worth && !o.worth {
			out[f.Rule] = verdict{max(v.severity, o.severity), v.worth || o.worth}
		}
	}
	if l.grows(s) {
		out[growing] = verdict{detect.Medium, true}
	}
	return out
}

// worthKey reports whether a finding is worth another key: whatever has a proposal, keys that surely move, and
// scans that are counted as traffic, which no record singles out.
func worthKey(f *detect.Finding) bool {
	switch f.Rule {
	case moving:
		return f.Confidence == detect.Sure
	case scans:
		return f.Severity >= detect.Medium
	}
	return worthIt(f)
}

// scansLess reports whether the deletes of a bucket are too few for a read to meet many tombstones, where
// deletes make them.
func (l *measuredLane) scansLess() bool {
	few := detect.Whole(l.sizes.deleted.High) < l.view.Limits.Of(detect.TombstonesMeanRead).Value
	return l.key.has(bucketTerm) && l.sizes.deleted.High > 0 && few
}

// grows reports whether the partition that is written most will pass its store's limit in the projected
// time, or in its bucket, and is appended to: almost each write of it is a row of its own.
func (l *measuredLane) grows(s *detect.Simulated) bool {
	limit, ok := growthLimit(l.view, l.of.Target)
	if !ok {
		return false
	}
	least := detect.Whole(minGrowth)
	return s.Projected.Known && s.Projected.High >= limit && !s.Stored && s.Largest.Low >= least && l.appended()
}

// growthLimit gives the size that a partition of a table must not pass. An item collection of DynamoDB
// has none without a local secondary index.
func growthLimit(v *detect.View, t detect.Target) (detect.Milli, bool) {
	if t.Store == ingest.DynamoDB {
		local, _ := v.Fact(t, ingest.FactLocalIndex)
		return v.Limits.Of(detect.DynamoPartitionBytes).Value, local != ""
	}
	return v.Limits.Of(detect.CassandraPartitionBytes).Value, true
}

const (
	minGrowth   = 1 << 20 // bytes: less tells nothing of a rate; docs/rules.md, growing-partition
	minAppended = 100     // writes, likewise
	newRows     = 900     // thousandths of writes that are rows of their own
)

// appended reports whether some key of many writes has a new row with almost each of them.
func (l *measuredLane) appended() bool {
	return slices.ContainsFunc(l.of.Keys, func(k *detect.KeyView) bool {
		if k.Exact == nil || k.Exact.SortKeys == nil {
			return false
		}
		rows, _, _ := k.Exact.SortKeys.Estimate()
		writes := k.Exact.Totals.Writes()
		return writes >= minAppended && detect.Ratio(rows, writes) >= newRows
	})
}

// compareVerdicts says what a key does to the findings of today's traffic.
func compareVerdicts(s *detect.Simulated, today, then map[string]verdict) {
	for _, rule := range slices.Sorted(maps.Keys(today)) {
		was, is := today[rule], then[rule]
		switch {
		case !was.worth:
		case rule == "throttling" && then[heat].severity >= detect.High:
			s.Keeps = append(s.Keeps, rule)
		case is.severity == 0:
			s.Removes = append(s.Removes, rule)
		case is.severity < was.severity:
			s.Lowers = append(s.Lowers, rule)
		default:
			s.Keeps = append(s.Keeps, rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(then)) {
		if !today[rule].worth && then[rule].worth {
			s.Adds = append(s.Adds, rule)
		}
	}
}

// ranked gives the numbers of the candidates: first those that remove the most severe findings, then those
// that add the least, are over a limit the fewest seconds, ask fewest partitions a read, replay most and spread best.
func ranked(keys []detect.Simulated, today map[string]verdict) []int {
	order := make([]int, len(keys)-1)
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &keys[i], &keys[j]
		return cmp.Or(
			-cmp.Compare(gain(a, today), gain(b, today)),
			cmp.Compare(a.SecondsOver.Value, b.SecondsOver.Value),
			cmp.Compare(max(a.FanoutMean.High, one), max(b.FanoutMean.High, one)),
			cmp.Compare(a.SumNotReplayed(), b.SumNotReplayed()),
			cmp.Compare(a.TopShare.High, b.TopShare.High),
		)
	})
	return order
}

// gain weighs what a key does to findings: one of a severity counts twice one of the severity below.
func gain(s *detect.Simulated, today map[string]verdict) int {
	sum := -4 * len(s.Adds)
	for _, rule := range s.Removes {
		sum += 2 << today[rule].severity
	}
	for _, rule := range s.Lowers {
		sum += 1 << today[rule].severity / 2
	}
	return sum
}

// mends reports whether there is a finding that a key may remove.
func mends(today map[string]verdict) bool {
	for _, v := range today {
		if v.worth {
			return true
		}
	}
	return false
}
