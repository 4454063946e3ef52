package propose

import (
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

var jobs = detect.Target{Store: ingest.Cassandra, Table: "shop.jobs"}

// ofReads is a certain finding about tombstones with a mechanism.
func ofReads(mechanism, confidence string, evidence ...detect.Evidence) *detect.Finding {
	f := aFinding("tombstone-dense-read", evidence...)
	f.Subject.Target, f.Mechanism, f.MechanismConfidence = jobs, mechanism, confidence
	return f
}

func withFacts(facts map[string]string, states ...detect.StateStats) *detect.View {
	v := &detect.View{Limits: detect.DefaultLimits(), Targets: []*detect.TargetView{{Target: jobs, States: states}}}
	for _, name := range []string{ingest.FactCompaction, ingest.FactDefaultTTL, ingest.FactGCGrace} {
		if value, ok := facts[name]; ok {
			v.Facts = append(v.Facts, detect.FactStats{Target: jobs, Name: name, Value: value})
		}
	}
	return v
}

// Each remedy of tombstones is proposed for its mechanism, when it is known well enough, and for no other.
func TestRemediesFollowTheMechanism(t *testing.T) {
	facts := map[string]string{ingest.FactCompaction: "SizeTieredCompactionStrategy", ingest.FactDefaultTTL: "2592000", ingest.FactGCGrace: "864000"}
	evidence := []detect.Evidence{
		value("largest_read_tombstones", 40_026_000), value("tombstones_per_read", 1_150_000),
		value("tombstones_per_live_row", 115_000), value("partition_tombstones", 36_000_000),
	}
	for _, c := range []struct{ mechanism, confidence, want string }{
		{"queue", "shape", "read-after-cursor"},
		{"queue", "schema", "read-after-cursor queue-buckets confirm"},
		{"null-insert", "shape", "unset"},
		{"null-insert", "measured", "unset"},
		{"collection-overwrite", "shape", "confirm"},
		{"collection-overwrite", "schema", "collection-update"},
		{"range-delete", "measured", "aligned-delete confirm"},
		{"ttl", "shape", "time-bound-read"},
		{"ttl", "schema", "time-bound-read time-window confirm"},
		{"scan", "shape", "scan-owner"},
		{"unknown", "", "confirm"},
	} {
		f := ofReads(c.mechanism, c.confidence, evidence...)
		kinds := []string{}
		for _, r := range Catalogue() {
			for _, rule := range r.Rules {
				if rule == f.Rule {
					f.Proposals = append(f.Proposals, r.Propose(withFacts(facts), f)...)
				}
			}
		}
		for _, p := range f.Proposals {
			kinds = append(kinds, p.Kind)
			if p.Kind != "confirm" && (len(p.Effects) == 0 || len(p.Risks) == 0 || len(p.Steps) == 0 || p.Verify == "") {
				t.Errorf("%s: %s has no effects, risks, steps or way to verify", c.mechanism, p.Kind)
			}
			for _, e := range p.Effects {
				if e.Before == e.After {
					t.Errorf("%s: %s has no effect on %s", c.mechanism, p.Kind, e.Measure)
				}
			}
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("%s at %q: got %q, want %q", c.mechanism, c.confidence, got, c.want)
		}
		for _, r := range Catalogue() {
			f.Confidence, f.Proposals = detect.Maybe, nil
			if r.Kind != "confirm" && len(r.Propose(withFacts(facts), f)) > 0 {
				t.Errorf("%s: %s is proposed for a finding that is possible only", c.mechanism, r.Kind)
			}
		}
	}
}

func TestTimeWindowSnapsToWholeUnits(t *testing.T) {
	for _, c := range []struct{ ttl, class, want string }{
		{"86400", "SizeTieredCompactionStrategy", "1 HOURS"},
		{"604800", "SizeTieredCompactionStrategy", "7 HOURS"},
		{"2592000", "LeveledCompactionStrategy", "1 DAYS"},
		{"7776000", "SizeTieredCompactionStrategy", "4 DAYS"},
		{"3600", "SizeTieredCompactionStrategy", "3 MINUTES"},
		{"600", "SizeTieredCompactionStrategy", ""},
		{"86400", "TimeWindowCompactionStrategy", ""},
		{"86400", "", "confirm"},
		{"0", "SizeTieredCompactionStrategy", ""},
	} {
		facts := map[string]string{ingest.FactDefaultTTL: c.ttl}
		if c.class != "" {
			facts[ingest.FactCompaction] = c.class
		}
		got := ""
		if all := TimeWindow.Propose(withFacts(facts), ofReads("ttl", "schema", value("tombstones_per_read", 9000))); len(all) > 0 {
			_, rest, _ := strings.Cut(all[0].Change, "'compaction_window_unit': '")
			unit, rest, _ := strings.Cut(rest, "'")
			size := strings.TrimSuffix(rest[min(strings.LastIndex(rest, ": '")+3, len(rest)):], "'}")
			if got = size + " " + unit; all[0].Kind == "confirm" {
				got = all[0].Kind
			}
		}
		if got != c.want {
			t.Errorf("time to live of %s s, %q: got %q, want %q", c.ttl, c.class, got, c.want)
		}
	}
}

// Windows are never proposed for a table in which rows are deleted.
func TestTimeWindowNotWithDeletes(t *testing.T) {
	facts := map[string]string{ingest.FactDefaultTTL: "86400", ingest.FactCompaction: "SizeTieredCompactionStrategy"}
	f := ofReads("ttl", "schema", value("tombstones_per_read", 9000))
	for name, kinds := range map[string]ingest.TombstoneKinds{"rows": {RowDeletes: 1}, "ranges": {Ranges: 1}, "partitions": {Partition: 1}} {
		if got := TimeWindow.Propose(withFacts(facts, detect.StateStats{Measure: ingest.PartitionTombstones, Kinds: kinds}), f); len(got) > 0 {
			t.Errorf("proposed though %s are deleted", name)
		}
	}
	if got := TimeWindow.Propose(withFacts(facts, detect.StateStats{Measure: ingest.PartitionTombstones, Kinds: ingest.TombstoneKinds{Expired: 5}}), f); len(got) != 1 {
		t.Errorf("not proposed where all tombstones are expired rows")
	}
}

func TestQueueBucketsHoldAsManyTombstonesAsTheStoreWarnsOf(t *testing.T) {
	facts := map[string]string{ingest.FactGCGrace: "864000"}
	for _, c := range []struct {
		tombs  uint64
		bucket string
		each   detect.Milli
	}{
		{240_000, "hour", 1000_000},
		{36_000, "hour", 150_000},
		{10_000, "day", 1000_000},
		{300, "", 0},
	} {
		all := QueueBuckets.Propose(withFacts(facts), ofReads("queue", "measured", value("partition_tombstones", detect.Whole(c.tombs))))
		switch {
		case c.bucket == "" && len(all) > 0:
			t.Errorf("%d tombstones: proposed %s, want nothing", c.tombs, all[0].Title)
		case c.bucket != "" && (len(all) != 1 || all[0].Bucket != c.bucket || all[0].Effects[0].After != c.each):
			t.Errorf("%d tombstones: got %+v, want a bucket of one %s with %d", c.tombs, all, c.bucket, c.each)
		}
	}
}

func TestScanOwnerSplitsTheScan(t *testing.T) {
	for _, c := range []struct{ tombs, after detect.Milli }{
		{40_026_000, 625_407}, // 41 parts, so 64
		{1_000_000, 500_000},
		{100_001_000, 781_258},
	} {
		p := ScanOwner.Propose(aView(), ofReads("scan", "shape", value("largest_read_tombstones", c.tombs)))[0]
		if got := p.Effects[0].After; got != c.after {
			t.Errorf("%d: %d after, want %d", c.tombs, got, c.after)
		}
	}
}

func TestSizesAreSplit(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name, rule string
		remedy     *detect.Remedy
		evidence   []detect.Evidence
		shards     uint64
		bucket     string
	}{
		{"332 MiB in parts of 50 are 7, so 8", "large-partition", &ShardSuffix, []detect.Evidence{value("partition_bytes", detect.Whole(332*mib))}, 8, ""},
		{"9 GiB in parts of 4 are 3, so 4", "large-partition", &ShardSuffix, []detect.Evidence{value("collection_bytes", detect.Whole(9<<30))}, 4, ""},
		{"380 KiB in parts of 200 are 2", "large-item", &ChildTable, []detect.Evidence{value("item_bytes", detect.Whole(380<<10))}, 2, ""},
		{"5 MiB a day: 10 days hold 50", "growing-partition", &TimeBucket,
			[]detect.Evidence{value("growth_bytes_per_day", detect.Whole(5*mib)), value("partition_bytes", detect.Whole(75*mib))}, 0, "week"},
		{"200 MiB a day: 6 hours hold 50", "growing-partition", &TimeBucket,
			[]detect.Evidence{value("growth_bytes_per_day", detect.Whole(200*mib)), value("partition_bytes", detect.Whole(900*mib))}, 0, "hour"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := aFinding(c.rule, c.evidence...)
			if c.bucket != "" {
				f.Subject.Target = jobs
			}
			all := c.remedy.Propose(aView(), f)
			if len(all) != 1 || all[0].Shards != c.shards || all[0].Bucket != c.bucket {
				t.Fatalf("got %+v, want %d shards, bucket %q", all, c.shards, c.bucket)
			}
			for _, e := range all[0].Effects {
				if e.Measure == c.evidence[len(c.evidence)-1].Measure && e.After >= e.Before {
					t.Errorf("%s: %d before, %d after", e.Measure, e.Before, e.After)
				}
			}
		})
	}
}

// What a report must never do, of C7: each step that can bring deleted data back says so.
func TestPurgeOrderIsSafe(t *testing.T) {
	f := aFinding("purge-blocked", value("droppable_ratio", 720), value("gc_grace", detect.Whole(864_000)))
	f.Subject.Target = jobs
	p := PurgeOrder.Propose(aView(), f)[0]
	text := strings.Join(append(append([]string{p.Title, p.Change}, p.Steps...), p.Risks...), "\n")
	for _, want := range []string{"repair -full", "10 days (gc grace)", "bring deleted data back", "shop jobs", "forcecompact ignores gc grace: do not use it"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
	if strings.Contains(text, "gc_grace_seconds =") {
		t.Errorf("it lowers gc grace:\n%s", text)
	}
	repair, compact := strings.Index(text, "repair -full"), strings.Index(text, "compact --user-defined")
	if repair > compact {
		t.Error("it compacts before the repair")
	}
}

// Names of tables come from outside: none reaches a statement or command unless it is a plain word.
func TestRemediesQuoteNoHostileName(t *testing.T) {
	facts := map[string]string{ingest.FactCompaction: "SizeTieredCompactionStrategy", ingest.FactDefaultTTL: "86400", ingest.FactGCGrace: "864000"}
	for _, f := range []*detect.Finding{
		ofReads("ttl", "schema", value("tombstones_per_read", 9000)),
		aFinding("purge-blocked", value("droppable_ratio", 720), value("gc_grace", 864_000_000)),
	} {
		hostile := detect.Target{Store: ingest.Cassandra, Table: "ks.t; DROP TABLE x"}
		f.Subject.Target = hostile
		v := withFacts(facts)
		v.Targets[0].Target = hostile
		for i := range v.Facts {
			v.Facts[i].Target = hostile
		}
		for _, r := range Catalogue() {
			for _, rule := range r.Rules {
				if rule != f.Rule {
					continue
				}
				for _, p := range r.Propose(v, f) {
					if text := strings.Join(append(p.Steps, p.Change, p.Title, p.Verify), "\n"); strings.Contains(text, "DROP") {
						t.Errorf("%s: %s", r.Kind, text)
					}
				}
			}
		}
	}
}
