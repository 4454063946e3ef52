package propose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// Candidates proposes keys for the findings of the targets that wants names, at most so many: shards by the
// formulas of shard-suffix, each further column alone and beside today's key, and buckets for what grows or
// scans. Without a finding that a key may change it proposes none.
func Candidates(v *detect.View, found []detect.Finding, wants func(detect.Target) bool, columns []string, most int) []*CandidateKey {
	p := proposer{view: v}
	for i := range found {
		if f := &found[i]; wants(f.Subject.Target) && Mendable(f.Rule) {
			p.take(f)
		}
	}
	for _, t := range v.Targets {
		if wants(t.Target) {
			p.takeGrowth(t)
		}
	}
	texts := p.texts(columns)
	keys := []*CandidateKey{}
	for _, text := range texts[:min(len(texts), most)] {
		if k, err := ParseCandidate(text); err == nil { // names of columns come from outside
			keys = append(keys, k)
		}
	}
	return keys
}

// A proposer gathers what findings ask of a key.
type proposer struct {
	view    *detect.View
	shards  uint64 // 0: none are asked for
	columns bool   // another column may help
	sorted  bool   // the sort keys of hot partitions are known, and none has half of the load
	unit    string // of a bucket; empty: none is asked for
	scanned bool   // reads scan tombstones
}

func (p *proposer) take(f *detect.Finding) {
	if !worthKey(f) {
		return
	}
	switch f.Rule {
	case growing: // a replay projects growth by itself
		return
	case dense:
		p.scanned = true
		return
	case scans:
		p.columns = true
		return
	}
	v := p.view
	want := max(shardsForRate(v, f), shardsForShare(v, f), shardsForKeys(v, f), shardsForSize(v, f), shardsForSkew(v, f))
	if f.Rule == moving {
		want = max(want, shardsForMoving(v, f))
	}
	if want > 0 {
		p.shards = max(p.shards, min(powerOfTwo(want), max(v.Limits.Count(detect.ShardMax), 2)))
	}
	p.columns = true
	if k := keyOf(v, f); k != nil && k.Exact != nil {
		item := detect.Ratio(k.Exact.TopSort.Low, max(k.Exact.SortKnown, 1))
		known := detect.Ratio(k.Exact.SortKnown, max(k.Exact.Totals[detect.Requests], 1))
		p.sorted = p.sorted || known >= 500 && item < 500
	}
}

// shardsForSkew gives the shards that bring the share of the ten busiest partitions well under its floor.
func shardsForSkew(v *detect.View, f *detect.Finding) uint64 {
	if f.Rule != "skewed-key" {
		return 0
	}
	e, ok := measured(f, "top_ten_share")
	if !ok {
		return 0
	}
	each := v.Limits.Of(detect.SkewTopTen).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
	return ceilDiv(uint64(e.Value), uint64(each))
}

// shardsForMoving gives the shards that bring the key of a time under its floor.
func shardsForMoving(v *detect.View, f *detect.Finding) uint64 {
	e, ok := measured(f, "share")
	if !ok {
		return 0
	}
	each := v.Limits.Of(detect.MovingShare).Value.Scaled(v.Limits.Of(detect.ShardHeadroom).Value)
	return ceilDiv(uint64(e.Value), uint64(each))
}

// takeGrowth asks for a bucket in which the partition that is written most stays under the size to aim at,
// if it would pass that in the projected time.
func (p *proposer) takeGrowth(t *detect.TargetView) {
	if _, limited := growthLimit(p.view, t.Target); !limited {
		return
	}
	target := uint64(p.view.Limits.Of(detect.PartitionTarget).Value / 1000)
	if !isCQL(t.Target.Store) {
		target = uint64(p.view.Limits.Of(detect.CollectionHighBytes).Value.Scaled(p.view.Limits.Of(detect.ShardHeadroom).Value) / 1000)
	}
	span := uint64(max(t.Span.End-t.Span.Start, 0))
	daily := uint64(0)
	for _, k := range t.Keys {
		if k.Exact == nil || k.Exact.Totals.Writes() < minAppended || span < 3600 {
			continue
		}
		x := &k.Exact.Totals
		bytes := uint64(float64(x[detect.Bytes]) * float64(x.Writes()) / float64(x[detect.Requests]))
		if bytes >= minGrowth {
			daily = max(daily, uint64(float64(bytes)*daySeconds/float64(span)))
		}
	}
	if daily > target/detect.ProjectedDays {
		p.unit = longestUnit(target * daySeconds / daily)
	}
}

// longestUnit gives the longest bucket of at most so many seconds, an hour at least.
func longestUnit(seconds uint64) string {
	for _, u := range bucketUnits {
		if unitSeconds(u) <= seconds {
			return u
		}
	}
	return "hour"
}

// texts gives the keys to try, those that change least first.
func (p *proposer) texts(columns []string) []string {
	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if p.shards > 0 && p.sorted {
		add("key, shard_by(sk, %d)", p.shards)
	}
	if p.shards > 0 {
		add("key, shard(%d)", p.shards)
	}
	if p.unit != "" {
		add("key, bucket(%s, ts)", p.unit)
	}
	if p.unit != "" && p.shards > 0 {
		add("key, bucket(%s, ts), shard(%d)", p.unit, p.shards)
	}
	if p.scanned {
		add("key, bucket(day, ts)")
		add("key, bucket(hour, ts)")
	}
	if p.columns {
		for _, c := range Likeliest(columns) {
			add("%s", c)
			add("key, %s", c)
		}
	}
	return unique(out)
}

func unique(texts []string) []string {
	out := []string{}
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// Likeliest gives the columns to try, at most four: first those whose names are of something that rows are filed under.
func Likeliest(columns []string) []string {
	kept := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == "key" })
	unlikely := func(name string) int {
		lower := strings.ToLower(name)
		for i, word := range []string{"tenant", "customer", "account", "user", "device", "order", "id", "key"} {
			if strings.Contains(lower, word) {
				return i
			}
		}
		return 100
	}
	slices.SortStableFunc(kept, func(a, b string) int { return cmp.Compare(unlikely(a), unlikely(b)) })
	return kept[:min(len(kept), detect.MostColumns)]
}

// maxShown is how many proposed keys a result keeps.
const maxShown = 4

// keepBest keeps of proposed keys the best, and of those that change nothing a few where none does.
func keepBest(s *detect.Simulation, order []int, mends bool) {
	keys := []detect.Simulated{s.Keys[0]}
	for _, i := range order {
		if useful := len(s.Keys[i].Removes) > 0; mends && len(keys) <= maxShown && (useful || s.Best == 0) {
			keys = append(keys, s.Keys[i])
		}
	}
	s.Keys = keys
	s.Best = min(s.Best, 1)
}

// Unjudged gives the rules of which findings are worth another key, and which a replay does not show: they rest
// on sizes in logs, on metrics, or on records of bad requests alone.
func Unjudged(found []detect.Finding, wants func(detect.Target) bool, s *detect.Simulation) []string {
	rules := []string{}
	for i := range found {
		f := &found[i]
		if wants(f.Subject.Target) && Mendable(f.Rule) && worthKey(f) && !slices.Contains(s.Keys[0].Keeps, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}
