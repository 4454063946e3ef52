package propose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A rail is one guardrail: what it is set to for findings of a rule, and under which names.
type rail struct {
	rules      []string
	unit       string
	names      []railName // the oldest version first
	warn, fail string     // names of facts; fail may be empty
	// want gives the amounts to set; a zero one is left as it is.
	want  func(v *detect.View, f *detect.Finding) (warn, fail uint64)
	safe  string // when it is safe to set what fails
	shows string // where the store tells of it
}

// A railName is how a guardrail is called from a version on.
type railName struct {
	major, minor int
	warn, fail   string
	usual        [2]uint64 // warn and fail unless set; 0: off
	nodetool     bool      // setguardrailsconfig knows it by the name without _warn_threshold
}

// thresholds gives the name of a guardrail that is called alike in all that sets it.
func thresholds(major, minor int, name string) railName {
	return railName{major: major, minor: minor, warn: name + "_warn_threshold", fail: name + "_fail_threshold", nodetool: true}
}

const mebi = 1 << 20

var rails = []rail{
	{
		rules: []string{"large-partition"}, unit: "bytes",
		names: []railName{
			{warn: "compaction_large_partition_warning_threshold_mb", usual: [2]uint64{100 * mebi}},
			{major: 4, minor: 1, warn: "compaction_large_partition_warning_threshold", usual: [2]uint64{100 * mebi}},
			thresholds(5, 0, "partition_size"),
		},
		warn: ingest.FactPartitionWarn, fail: ingest.FactPartitionFail,
		want: func(v *detect.View, _ *detect.Finding) (warn, fail uint64) {
			return 2 * v.Limits.Count(detect.PartitionTarget), v.Limits.Count(detect.PartitionHighBytes)
		},
		safe:  "at any time: when a partition is written it logs an error and refuses nothing",
		shows: "nodetool compact of a table with a large partition makes it tell",
	},
	{
		rules: []string{"large-partition"}, unit: "bytes",
		names: []railName{{major: 4, minor: 1, warn: "local_read_size_warn_threshold"}},
		warn:  ingest.FactLocalReadWarn,
		want: func(v *detect.View, _ *detect.Finding) (warn, fail uint64) {
			return 2 * v.Limits.Count(detect.PartitionTarget), 0
		},
		shows: "a read of a whole large partition warns its client",
	},
	{
		rules: []string{"large-partition"}, unit: "rows",
		names: []railName{thresholds(4, 1, "page_size")},
		warn:  ingest.FactPageWarn, fail: ingest.FactPageFail,
		want: func(v *detect.View, f *detect.Finding) (warn, fail uint64) {
			if rows, _ := widestRead(v, f); rows < v.Limits.Of(detect.PageFromRows).Value {
				return 0, 0
			}
			return v.Limits.Count(detect.PageFromRows), 0
		},
		shows: "a query with a larger page warns its client",
	},
	{
		rules: []string{"tombstone-dense-read", "tombstone-partition"}, unit: "tombstones",
		names: []railName{
			{major: 4, minor: 1, warn: "compaction_tombstone_warning_threshold", usual: [2]uint64{100_000}},
			thresholds(5, 0, "partition_tombstones"),
		},
		warn: ingest.FactPartitionTombsWarn, fail: ingest.FactPartitionTombsFail,
		want: func(v *detect.View, f *detect.Finding) (warn, fail uint64) {
			if f.Mechanism == "scan" {
				return 0, 0 // no partition is bad
			}
			return v.Limits.Count(detect.TombPartitionMedium), v.Limits.Count(detect.TombPartitionHigh)
		},
		safe:  "at any time: when a partition is written it logs an error and refuses nothing",
		shows: "nodetool compact of the table makes it tell",
	},
	{
		rules: []string{"tombstone-dense-read"}, unit: "tombstones",
		names: []railName{{warn: "tombstone_warn_threshold", fail: "tombstone_failure_threshold", usual: [2]uint64{1000, 100_000}}},
		warn:  ingest.FactTombstoneWarn, fail: ingest.FactTombstoneFail,
		want: func(v *detect.View, _ *detect.Finding) (warn, fail uint64) {
			return v.Limits.Count(detect.TombstonesWarnRead), 100_000
		},
		safe:  "when no read of the log of a week has as many: those that have are ended again",
		shows: "reads of more tombstones are warned of",
	},
	{
		rules: []string{"large-item"}, unit: "bytes",
		names: []railName{thresholds(5, 0, "column_value_size")},
		warn:  ingest.FactCellWarn, fail: ingest.FactCellFail, want: wantOfMutation,
		safe: wholeMutation, shows: "a write of a larger value warns its client",
	},
	{
		rules: []string{"large-item"}, unit: "bytes",
		names: []railName{thresholds(4, 1, "collection_size")},
		warn:  ingest.FactCollectionWarn, fail: ingest.FactCollectionFail, want: wantOfMutation,
		safe: wholeMutation, shows: "a write of a larger collection warns its client",
	},
	{
		rules: []string{"fan-out"}, unit: "partitions",
		names: []railName{thresholds(4, 1, "partition_keys_in_select")},
		warn:  ingest.FactKeysInSelectWarn, fail: ingest.FactKeysInSelectFail,
		want: func(v *detect.View, f *detect.Finding) (warn, fail uint64) { return wantOfLists(v, f, 1) },
		safe: "when no client asks for as many any more: such a query is refused", shows: "a query with a longer list warns its client",
	},
	{
		rules: []string{"fan-out"}, unit: "combinations",
		names: []railName{thresholds(4, 1, "in_select_cartesian_product")},
		warn:  ingest.FactCartesianWarn, fail: ingest.FactCartesianFail,
		want: func(v *detect.View, f *detect.Finding) (warn, fail uint64) { return wantOfLists(v, f, 2) },
		safe: "when no client asks for as many any more: such a query is refused", shows: "a query with longer lists warns its client",
	},
	{
		rules: []string{"fan-out"}, unit: "partitions",
		names: []railName{{warn: "unlogged_batch_across_partitions_warn_threshold", usual: [2]uint64{10}}},
		warn:  ingest.FactBatchWarn,
		want: func(_ *detect.View, f *detect.Finding) (warn, fail uint64) {
			if !strings.Contains(f.Subject.Shape, "BATCH") {
				return 0, 0
			}
			return 10, 0
		},
		shows: "a batch over more partitions is warned of",
	},
}

const wholeMutation = "at any time: a write of as much is refused by its whole size already"

func wantOfMutation(v *detect.View, f *detect.Finding) (warn, fail uint64) {
	if _, ok := measured(f, "cell_bytes"); !ok {
		return 0, 0
	}
	most := v.Limits.Count(detect.CassandraMutationBytes)
	return most / 2, most
}

// wantOfLists is of queries with so many lists of values at least.
func wantOfLists(v *detect.View, f *detect.Finding, lists int) (warn, fail uint64) {
	shape := f.Subject.Shape
	if strings.Contains(shape, "BATCH") || lists > 1 && strings.Count(strings.ToUpper(shape), " IN ") < lists {
		return 0, 0
	}
	return v.Limits.Count(detect.FanPartitions), v.Limits.Count(detect.FanWide)
}

// A guarded is a guardrail that is to be set.
type guarded struct {
	*rail
	warn, fail threshold
	nodetool   string // its name there, empty: it does not set it
}

// A threshold is one of the two values of a guardrail; to is 0 where it stays.
type threshold struct {
	name     string // in cassandra.yaml
	unit     string
	from, to uint64 // 0: off
	told     bool   // from is; else it is the default
}

// of gives what is to be set for a finding; false where the store warns there already, or cannot.
func (r *rail) of(v *detect.View, f *detect.Finding, version string) (guarded, bool) {
	name := r.nameOf(version)
	wanted := false
	for _, rule := range r.rules {
		wanted = wanted || rule == f.Rule
	}
	if !wanted || name == nil {
		return guarded{}, false
	}
	warn, fail := r.want(v, f)
	g := guarded{rail: r, warn: r.threshold(v, name.warn, r.warn, name.usual[0], warn), fail: r.threshold(v, name.fail, r.fail, name.usual[1], fail)}
	if name.nodetool {
		g.nodetool = strings.TrimSuffix(name.warn, "_warn_threshold")
	}
	if from := g.fail.from; from > 0 && g.warn.to >= from && g.fail.to == 0 {
		g.warn.to = 0 // a warning must come before the failure
	}
	return g, g.warn.to > 0
}

func (r *rail) nameOf(version string) *railName {
	for i := len(r.names) - 1; i >= 0; i-- {
		if n := &r.names[i]; !olderThan(version, n.major, n.minor) {
			return n
		}
	}
	return nil
}

// threshold gives one of the values; to is 0 where what is set is as strict.
func (r *rail) threshold(v *detect.View, name, fact string, usual, to uint64) threshold {
	t := threshold{name: name, unit: r.unit, from: usual, to: to}
	if name == "" {
		t.to = 0
		return t
	}
	if value, ok := v.Fact(detect.Target{}, fact); ok {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			t.from, t.told = n, true
		}
	}
	if t.from > 0 && t.from <= t.to {
		t.to = 0
	}
	return t
}

// text writes a value as cassandra.yaml has it.
func (t *threshold) text(n uint64) string {
	switch {
	case n == 0 && t.unit == "bytes":
		return "null"
	case n == 0:
		return "-1"
	case strings.HasSuffix(t.name, "_mb"):
		return strconv.FormatUint(n>>20, 10)
	case t.unit != "bytes":
		return strconv.FormatUint(n, 10)
	case n%mebi == 0:
		return strconv.FormatUint(n>>20, 10) + "MiB"
	}
	return strconv.FormatUint(n, 10) + "B"
}

// now writes what is set now.
func (t *threshold) now() string { return t.text(t.from) }

// warned is what the title says.
func (g *guarded) warned() string {
	now := g.warn.now()
	if g.warn.from == 0 {
		now = "off"
	}
	return fmt.Sprintf("%s: %s in place of %s", g.warn.name, g.warn.text(g.warn.to), now)
}

func (g *guarded) lines() string {
	s := g.warn.name + ": " + g.warn.text(g.warn.to)
	if g.warn.name == "local_read_size_warn_threshold" {
		s = "read_thresholds_enabled: true; " + s
	}
	if g.fail.to > 0 {
		s += "; later " + g.fail.name + ": " + g.fail.text(g.fail.to)
	}
	return s
}

func (g *guarded) effects() []detect.Effect {
	out := []detect.Effect{settled(g.warn.name, g.unit, detect.Whole(g.warn.from), detect.Whole(g.warn.to))}
	if g.fail.to > 0 {
		out = append(out, settled(g.fail.name, g.unit, detect.Whole(g.fail.from), detect.Whole(g.fail.to)))
	}
	return out
}

func (g *guarded) conditions() []string {
	if g.fail.to == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s is safe %s", g.fail.name, g.fail.text(g.fail.to), g.safe)}
}

func (g *guarded) back() string {
	s := g.warn.name + ": " + g.warn.now()
	if g.fail.to > 0 {
		s += ", " + g.fail.name + ": " + g.fail.now()
	}
	return s
}
