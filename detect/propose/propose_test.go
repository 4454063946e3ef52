package propose

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

func aView(keys ...*detect.KeyView) *detect.View {
	return &detect.View{
		Limits:  detect.DefaultLimits(),
		Targets: []*detect.TargetView{{Target: orders, Keys: keys}},
	}
}

var orders = detect.Target{Store: ingest.DynamoDB, Table: "orders"}

// aFinding is certain and high, with evidence of these measures in thousandths.
func aFinding(rule string, evidence ...detect.Evidence) *detect.Finding {
	return &detect.Finding{
		Rule: rule, Severity: detect.High, Confidence: detect.Sure,
		Subject:  detect.Subject{Target: orders, Key: []byte("CUSTOMER#42"), HasKey: true},
		Evidence: evidence,
	}
}

func value(measure string, v detect.Milli) detect.Evidence {
	return detect.Evidence{Measure: measure, Value: v, Low: v, High: v}
}

func effectsOf(p detect.Proposal) map[string][2]detect.Milli {
	all := map[string][2]detect.Milli{}
	for _, e := range p.Effects {
		all[e.Measure] = [2]detect.Milli{e.Before, e.After}
	}
	return all
}

func TestShardSuffixCountsShards(t *testing.T) {
	for _, c := range []struct {
		name     string
		evidence []detect.Evidence
		shards   uint64
		effect   string
		after    detect.Milli
	}{
		{"1,840 WCU/s at 500 a shard are 3.68, so 4", []detect.Evidence{value("write_units_per_second", 1_840_000)}, 4, "write_units_per_second", 460_000},
		{"2,000 WCU/s are 4", []detect.Evidence{value("write_units_per_second", 2_000_000)}, 4, "write_units_per_second", 500_000},
		{"2,001 WCU/s are over 4, so 8", []detect.Evidence{value("write_units_per_second", 2_001_000)}, 8, "write_units_per_second", 250_125},
		{"4,500 RCU/s at 1,500 a shard are 3, so 4", []detect.Evidence{value("read_units_per_second", 4_500_000)}, 4, "read_units_per_second", 1_125_000},
		{"the larger of reads and writes decides", []detect.Evidence{value("write_units_per_second", 600_000), value("read_units_per_second", 9_000_000)}, 8, "read_units_per_second", 1_125_000},
		{"a mean stands for seconds that are not known", []detect.Evidence{value("write_units_per_second_mean", 1_200_000)}, 4, "write_units_per_second_mean", 300_000},
		{"seconds go before the mean", []detect.Evidence{value("write_units_per_second_mean", 600_000), value("write_units_per_second", 3_600_000)}, 8, "write_units_per_second", 450_000},
		{"a share of 63 % in parts of 10 % are 7, so 8", []detect.Evidence{value("share", 630)}, 8, "share", 79},
		{"a share of 20 % are 2", []detect.Evidence{value("share", 200)}, 2, "share", 100},
		{"8 keys: 20 over 8 x 0.5 are 5, so 8", []detect.Evidence{value("distinct_keys", 8000)}, 8, "distinct_keys", 64_000},
		{"25 keys that need 40 partitions: 3.2, so 4", []detect.Evidence{value("distinct_keys", 25_000), value("needed_partitions", 40_000)}, 4, "distinct_keys", 100_000},
		{"64 at most", []detect.Evidence{value("write_units_per_second", 90_000_000)}, 64, "write_units_per_second", 1_406_250},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := ShardSuffix.Propose(aView(), aFinding("hot-partition", c.evidence...))
			if len(all) != 1 {
				t.Fatalf("got %d proposals, want 1", len(all))
			}
			if all[0].Shards != c.shards {
				t.Errorf("%d shards, want %d", all[0].Shards, c.shards)
			}
			if got := effectsOf(all[0])[c.effect][1]; got != c.after {
				t.Errorf("%s after: %d, want %d", c.effect, got, c.after)
			}
		})
	}
}

func TestShardSuffixFollowsTheSortKeys(t *testing.T) {
	key := func(top, reads uint64) *detect.KeyView {
		k := &detect.KeyView{Key: []byte("CUSTOMER#42"), Exact: &detect.ExactKey{SortKnown: 1000, TopSort: detect.Range{Low: top, High: top}}}
		k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = reads
		return k
	}
	for _, c := range []struct {
		name  string
		view  *detect.View
		step  string
		after detect.Milli
	}{
		{"items are read: the shard is calculated", aView(key(10, 5)), "hash(sort key) mod 8, so that", 79},
		{"a calculated shard does not divide the busiest item", aView(key(400, 5)), "hash(sort key) mod 8, so that", 252},
		{"one item has half of the load: random shards divide it", aView(key(500, 5)), "a random shard of 0 to 7, because one item has 50.0 %", 79},
		{"no item is read", aView(key(10, 0)), "a random shard of 0 to 7, as no single item is read", 79},
		{"sort keys are not known", aView(), "where single items are read, else to a random shard", 79},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := ShardSuffix.Propose(c.view, aFinding("hot-partition", value("share", 630)))[0]
			if !strings.Contains(p.Steps[0], c.step) {
				t.Errorf("first step %q, want %q in it", p.Steps[0], c.step)
			}
			if got := effectsOf(p)["share"][1]; got != c.after {
				t.Errorf("share after: %d, want %d", got, c.after)
			}
		})
	}
}

func TestShardSuffixWritesTheKeyAsPeopleDo(t *testing.T) {
	for store, want := range map[ingest.Store]string{
		ingest.DynamoDB:  "PK becomes PK#0 … PK#7",
		ingest.Cassandra: "PRIMARY KEY ((partition key, shard), clustering columns), shard 0 to 7",
		ingest.Scylla:    "PRIMARY KEY ((partition key, shard), clustering columns), shard 0 to 7",
	} {
		f := aFinding("hot-partition", value("share", 630))
		f.Subject.Target.Store = store
		if got := ShardSuffix.Propose(aView(), f)[0].Change; got != want {
			t.Errorf("%v: %q, want %q", store, got, want)
		}
	}
}

func TestTimeBucket(t *testing.T) {
	f := aFinding("moving-hot-key", value("share", 400), value("longest_run", 3_600_000))
	all := TimeBucket.Propose(aView(), f)
	if len(all) != 1 {
		t.Fatalf("got %d proposals, want 1", len(all))
	}
	p := all[0]
	if p.Bucket != "hour" || p.Shards != 4 {
		t.Errorf("got %s and %d shards, want hour and 4", p.Bucket, p.Shards)
	}
	if want := "the hour alone becomes entity#hour, or hour#0 … hour#3"; p.Change != want {
		t.Errorf("change %q, want %q", p.Change, want)
	}
	if diff := cmp.Diff(effectsOf(p)["share"], [2]detect.Milli{400, 100}); diff != "" {
		t.Errorf("share (-got +want):\n%s", diff)
	}
	for seconds, want := range map[uint64]string{0: "minute", 3599: "minute", 3600: "hour", 86399: "hour", 86400: "day", 7 * 86400: "week", 30 * 86400: "month"} {
		if got := bucketOf(seconds); got != want {
			t.Errorf("%d s: %s, want %s", seconds, got, want)
		}
	}
}

func TestReadAfterCursor(t *testing.T) {
	f := aFinding("tombstone-dense-read", value("tombstones_per_read", 1_150_000), value("tombstones_per_live_row", 115_000))
	f.Mechanism, f.MechanismConfidence = "queue", "shape"
	all := ReadAfterCursor.Propose(aView(), f)
	if len(all) != 1 {
		t.Fatalf("got %d proposals, want 1", len(all))
	}
	// 1,150 tombstones and 10 live rows a read; after it the 10 rows.
	if diff := cmp.Diff(effectsOf(all[0])["scanned_per_read"], [2]detect.Milli{1_160_000, 10_000}); diff != "" {
		t.Errorf("scanned (-got +want):\n%s", diff)
	}
	f.Mechanism = "unknown"
	if got := ReadAfterCursor.Propose(aView(), f); len(got) > 0 {
		t.Errorf("proposed without a queue: %+v", got)
	}
}

func TestCache(t *testing.T) {
	key := func(reads, writes, peak uint64) *detect.KeyView {
		k := &detect.KeyView{Key: []byte("CUSTOMER#42"), PeakSecond: sketch.Peak{N: peak}, Exact: &detect.ExactKey{}}
		k.Exact.Totals[detect.Requests] = reads + writes
		k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = reads
		k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)] = writes
		k.Exact.Seconds = []detect.ExactSecond{{Second: 1, Requests: peak, Reads: peak - 10}, {Second: 2, Requests: 90, Reads: 78}}
		return k
	}
	f := func() *detect.Finding { return aFinding("hot-partition", value("share", 630)) }
	all := Cache.Propose(aView(key(950, 50, 200)), f())
	if len(all) != 1 {
		t.Fatalf("got %d proposals, want 1", len(all))
	}
	// 10 of 200 requests write in the busiest second and 12 of 90 in another, where one read is left, too.
	if diff := cmp.Diff(effectsOf(all[0])["requests_per_second"], [2]detect.Milli{200_000, 13_000}); diff != "" {
		t.Errorf("requests (-got +want):\n%s", diff)
	}
	for name, k := range map[string]*detect.KeyView{
		"under nine in ten reads": key(899, 101, 200), "under ten in a second": key(950, 50, 9), "not counted": {Key: []byte("CUSTOMER#42")},
	} {
		if got := Cache.Propose(aView(k), f()); len(got) > 0 {
			t.Errorf("%s: proposed %+v", name, got)
		}
	}
}

func TestOnlyConfirmIsProposedForWhatIsPossible(t *testing.T) {
	for _, r := range Catalogue() {
		for _, rule := range r.Rules {
			f := aFinding(rule, value("share", 630), value("longest_run", 3_600_000), value("tombstones_per_read", 1000), value("tombstones_per_live_row", 1000))
			f.Confidence, f.Mechanism = detect.Maybe, "queue"
			got := r.Propose(aView(), f)
			if r.Kind == "confirm" && (len(got) != 1 || len(got[0].Steps) == 0) {
				t.Errorf("%s: no steps to confirm a possible %s: %+v", r.Kind, rule, got)
			}
			if r.Kind != "confirm" && len(got) > 0 {
				t.Errorf("%s for a possible %s: %+v", r.Kind, rule, got)
			}
		}
	}
}

// Every finding of at least medium gets a proposal that holds a number, or steps to confirm it.
func TestMediumFindingsGetAProposal(t *testing.T) {
	rules := []string{}
	for _, r := range Catalogue() {
		rules = append(rules, r.Rules...)
	}
	slices.Sort(rules)
	for _, rule := range slices.Compact(rules) {
		f := aFinding(rule, value("requests", 1_000_000))
		f.Severity = detect.Medium
		for _, r := range Catalogue() {
			if slices.Contains(r.Rules, rule) {
				f.Proposals = append(f.Proposals, r.Propose(aView(), f)...)
			}
		}
		if len(f.Proposals) == 0 {
			t.Errorf("%s: no proposal", rule)
		}
		for _, p := range f.Proposals {
			if p.Kind == "confirm" && len(p.Steps) == 0 || p.Kind != "confirm" && len(p.Effects) == 0 {
				t.Errorf("%s: %s has neither steps nor effects", rule, p.Kind)
			}
		}
	}
}

func TestConfirmIsSilentWhereSomethingElseIsProposed(t *testing.T) {
	f := aFinding("hot-partition", value("share", 630))
	f.Proposals = ShardSuffix.Propose(aView(), f)
	if got := Confirm.Propose(aView(), f); len(got) > 0 {
		t.Errorf("confirm beside a proposal: %+v", got)
	}
}

// Names come from outside: what is no plain word never reaches a command line.
func TestConfirmQuotesNoHostileName(t *testing.T) {
	for _, rule := range Confirm.Rules {
		for _, table := range []string{"x; rm -rf /", "$(reboot)", "--all", "a\nb", "ks.`id`", ""} {
			f := aFinding(rule)
			f.Subject.Target = detect.Target{Store: ingest.Cassandra, Table: table, Index: table}
			f.Confidence = detect.Maybe
			for _, store := range []ingest.Store{ingest.Cassandra, ingest.DynamoDB} {
				f.Subject.Target.Store = store
				for _, step := range Confirm.Propose(aView(), f)[0].Steps {
					if strings.ContainsAny(step, "`$\n") || strings.Contains(step, "rm -rf") || strings.Contains(step, "--all") {
						t.Errorf("%s of %q: %q", rule, table, step)
					}
				}
			}
		}
	}
}

// Buckets of what grows 100 MiB a day: 50 MiB in CQL, fewer where 50,000 rows are reached before, 4 GiB in DynamoDB.
func TestBucketsOfGrowthFollowTheStore(t *testing.T) {
	for _, c := range []struct {
		name  string
		store ingest.Store
		rows  uint64 // of 1,000 MiB
		want  string
	}{
		{"half a day in CQL, so an hour", ingest.Cassandra, 0, "hour"},
		{"rows of 4 KiB: bytes decide", ingest.Cassandra, 256_000, "hour"},
		{"rows of 25 bytes: 2.4 MiB are 100,000 of them, in 34 minutes", ingest.Cassandra, 41_943_040, "minute"},
		{"40 days of DynamoDB, so a month", ingest.DynamoDB, 0, "month"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := situationOf(c.store, "growing-partition", value("growth_bytes_per_day", detect.Whole(100<<20)), value("partition_bytes", detect.Whole(1000<<20)))
			if c.rows > 0 {
				s.t.States = []detect.StateStats{{Measure: ingest.PartitionRows, Key: string(s.f.Subject.Key), KeyKnown: true, Max: c.rows}}
			}
			all := TimeBucket.Propose(s.v, s.f)
			if len(all) != 1 || all[0].Bucket != c.want {
				t.Errorf("got %+v, want a bucket of a %s", all, c.want)
			}
		})
	}
}

// A partition of 400 MiB and 900,000 rows: 8 shards of 50 MiB have 112,500 rows each, 16 have 56,250.
func TestShardsOfALargePartitionFollowItsRows(t *testing.T) {
	f := aFinding("large-partition", value("partition_bytes", detect.Whole(400<<20)), value("partition_rows", detect.Whole(900_000)))
	p := ShardSuffix.Propose(aView(), f)[0]
	if got := effectsOf(p)["partition_rows"]; p.Shards != 16 || got[1] != detect.Whole(56_250) {
		t.Errorf("%d shards of %d rows, want 16 of 56,250", p.Shards, got[1])
	}
}
