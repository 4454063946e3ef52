package propose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A situation is a view and a finding of it, in which a remedy is proposed.
type situation struct {
	v *detect.View
	f *detect.Finding
	t *detect.TargetView
	k *detect.KeyView
}

// situationOf gives a certain, severe finding of a store's table that lasts to the end of two hours.
func situationOf(store ingest.Store, rule string, evidence ...detect.Evidence) *situation {
	target := detect.Target{Store: store, Table: "shop.jobs"}
	k := &detect.KeyView{Key: []byte("CUSTOMER#42"), Exact: &detect.ExactKey{}}
	s := &situation{f: aFinding(rule, evidence...), k: k, t: &detect.TargetView{Target: target, Keys: []*detect.KeyView{k}}}
	s.f.Subject.Target = target
	s.f.Span = detect.Span{Start: 0, End: 7200}
	s.v = &detect.View{Limits: detect.DefaultLimits(), Targets: []*detect.TargetView{s.t}, Span: detect.Span{Start: 0, End: 7200}, Width: 60, Second: true}
	return s
}

func (s *situation) fact(name, value string) {
	s.v.Facts = append(s.v.Facts, detect.FactStats{Target: s.t.Target, Name: name, Value: value})
}

func (s *situation) version(value string) {
	s.v.Facts = append(s.v.Facts, detect.FactStats{Name: ingest.FactVersion, Value: value})
}

func (s *situation) requests(op ingest.Op, n uint64) {
	s.t.Totals[detect.ByOp+detect.Counter(op)] += n
	s.t.Totals[detect.Requests] += n
}

func (s *situation) keyRequests(op ingest.Op, n uint64) {
	s.k.Exact.Totals[detect.ByOp+detect.Counter(op)] += n
	s.k.Exact.Totals[detect.Requests] += n
}

func (s *situation) index() {
	s.t.Target.Index = "byStatus"
	s.f.Subject.Target.Index = "byStatus"
}

// The cases show that each remedy is proposed, and what takes its gate away. A change that leaves one fact
// missing leads to a proposal that says which.
func TestRemediesKeepTheirGates(t *testing.T) {
	state := func(kinds ingest.TombstoneKinds, days ...detect.DayMax) detect.StateStats {
		return detect.StateStats{Measure: ingest.PartitionTombstones, Key: "CUSTOMER#42", KeyKnown: true, Kinds: kinds, Days: days}
	}
	rated := func(s *situation) {
		s.requests(ingest.OpWrite, 36_000)
		s.t.Totals[detect.WriteMilli] = 36_000_000
		s.t.Panes = []detect.TargetPane{{}}
		s.t.Panes[0].Totals[detect.PaneWriteMilli] = 30_000_000 // 500 units a second
	}
	table := value("throttled_table", 50_000)
	for _, c := range []struct {
		remedy  *detect.Remedy
		make    func() *situation
		without map[string]func(s *situation)
		lacks   map[string]func(s *situation) // by a word of what is missing
	}{
		{&OwnTable, func() *situation {
			s := situationOf(ingest.Cassandra, "hot-partition", value("share", 700))
			s.requests(ingest.OpRead, 1000)
			s.t.Distinct.Low = 100
			s.k.Requests = detect.Range{Low: 700, High: 700}
			s.t.Keys = append(s.t.Keys, &detect.KeyView{Key: []byte("b"), Requests: detect.Range{Low: 9, High: 9}})
			return s
		}, map[string]func(*situation){
			"few keys":             func(s *situation) { s.t.Distinct.Low = 99 },
			"a next key near it":   func(s *situation) { s.t.Keys[1].Requests.High = 71 },
			"too small a share":    func(s *situation) { s.k.Requests.Low = 499 },
			"a low finding":        func(s *situation) { s.f.Severity = detect.Low },
			"one item":             func(s *situation) { s.k.Exact.SortKnown, s.k.Exact.TopSort.Low = 700, 350 },
			"an index":             func(s *situation) { s.index() },
			"nothing of its share": func(s *situation) { s.f.Evidence = nil },
		}, nil},
		{&EventualReads, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-partition", value("read_units_per_second", 4_000_000))
			s.t.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Op: ingest.OpRead}, Strong: 250, ConsistencyKnown: 1000}}
			return s
		}, map[string]func(*situation){
			"few strong reads":  func(s *situation) { s.t.Patterns[0].Strong = 249 },
			"not told":          func(s *situation) { s.t.Patterns = nil },
			"no read units":     func(s *situation) { s.f.Evidence = nil },
			"a possible effect": func(s *situation) { s.f.Confidence = detect.Maybe },
		}, map[string]func(*situation){"replication factor": func(s *situation) { s.t.Target.Store, s.f.Subject.Target.Store = ingest.Cassandra, ingest.Cassandra }}},
		{&EventualReads, func() *situation {
			s := situationOf(ingest.Cassandra, "hot-partition")
			s.t.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Op: ingest.OpRead}, Strong: 500, ConsistencyKnown: 1000}}
			s.fact(ingest.FactReplicas, "3")
			return s
		}, map[string]func(*situation){
			"few strong reads": func(s *situation) { s.t.Patterns[0].Strong = 249 },
			"a single replica": func(s *situation) { s.v.Facts[0].Value = "1" },
		}, map[string]func(*situation){"DESCRIBE KEYSPACE shop": func(s *situation) { s.v.Facts = nil }}},
		{&ReadCopies, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-partition", value("read_units_per_second", 4_800_000))
			s.keyRequests(ingest.OpRead, 90)
			s.keyRequests(ingest.OpWrite, 10)
			s.k.Exact.SortKnown, s.k.Exact.TopSort.Low = 100, 50
			s.k.Exact.Seconds = []detect.ExactSecond{{Second: 1, Requests: 100, Reads: 90, ReadMilli: 4_800_000}}
			return s
		}, map[string]func(*situation){
			"a tenth more writes":                   func(s *situation) { s.keyRequests(ingest.OpWrite, 1) },
			"many items":                            func(s *situation) { s.k.Exact.TopSort.Low = 49 },
			"not counted":                           func(s *situation) { s.k.Exact = nil },
			"an index":                              func(s *situation) { s.index() },
			"under half of what a partition serves": func(s *situation) { s.f.Evidence[0].Value = 1_500_000 },
		}, nil},
		{&CircuitBreaker, func() *situation {
			return situationOf(ingest.DynamoDB, "hot-partition", value("write_units_per_second", 1_840_000))
		}, map[string]func(*situation){
			"it is over":      func(s *situation) { s.f.Span.End = 6000 },
			"medium":          func(s *situation) { s.f.Severity = detect.Medium },
			"under the limit": func(s *situation) { s.f.Evidence[0].Value = 900_000 },
			"no key":          func(s *situation) { s.f.Subject.HasKey = false },
		}, nil},
		{&Denylist, func() *situation {
			s := situationOf(ingest.Cassandra, "tombstone-dense-read", value("tombstones_per_read", 100_001_000))
			s.f.Severity = detect.Critical
			s.version("4.1.3")
			return s
		}, map[string]func(*situation){
			"ScyllaDB":   func(s *situation) { s.f.Subject.Target.Store = ingest.Scylla },
			"4.0":        func(s *situation) { s.v.Facts[0].Value = "4.0.11" },
			"high":       func(s *situation) { s.f.Severity = detect.High },
			"it is over": func(s *situation) { s.f.Span.End = 6000 },
		}, map[string]func(*situation){"nodetool version": func(s *situation) { s.v.Facts = nil }}},
		{&RateLimit, func() *situation {
			s := situationOf(ingest.Scylla, "hot-partition")
			s.k.PeakSecond.N = 900
			s.t.Keys = append(s.t.Keys, &detect.KeyView{Key: []byte("b"), PeakSecond: sketch.Peak{N: 5}})
			return s
		}, map[string]func(*situation){
			"Cassandra":              func(s *situation) { s.f.Subject.Target.Store = ingest.Cassandra },
			"others nearly as busy":  func(s *situation) { s.t.Keys[1].PeakSecond.N = 90 },
			"no second of any other": func(s *situation) { s.t.Keys[1].PeakSecond.N = 0 },
			"it is over":             func(s *situation) { s.f.Span.End = 6000 },
		}, nil},
		{&UncheckedCompaction, func() *situation {
			s := situationOf(ingest.Cassandra, "purge-blocked", value("droppable_ratio", 300))
			s.fact(ingest.FactCompaction, "SizeTieredCompactionStrategy")
			return s
		}, map[string]func(*situation){"a fifth": func(s *situation) { s.f.Evidence[0].Value = 200 }},
			map[string]func(*situation){"compaction class": func(s *situation) { s.v.Facts = nil }}},
		{&GarbageCollect, func() *situation {
			s := situationOf(ingest.Cassandra, "tombstone-partition")
			s.t.States = []detect.StateStats{state(ingest.TombstoneKinds{Rows: 100, RowDeletes: 50})}
			return s
		}, map[string]func(*situation){
			"fewer than half":    func(s *situation) { s.t.States[0].Kinds.RowDeletes = 49 },
			"another key":        func(s *situation) { s.t.States[0].Key = "b" },
			"windows of time":    func(s *situation) { s.fact(ingest.FactCompaction, "TimeWindowCompactionStrategy") },
			"ScyllaDB":           func(s *situation) { s.f.Subject.Target.Store = ingest.Scylla },
			"kinds are not told": func(s *situation) { s.t.States = nil },
		}, nil},
		{&TargetedCompaction, func() *situation {
			s := situationOf(ingest.Cassandra, "tombstone-partition")
			s.t.States = []detect.StateStats{state(ingest.TombstoneKinds{}, detect.DayMax{Day: 1, Value: 20}, detect.DayMax{Day: 11, Value: 90})}
			s.fact(ingest.FactGCGrace, "864000")
			return s
		}, map[string]func(*situation){
			"measured within gc grace": func(s *situation) { s.t.States[0].Days[0].Day = 2 },
			"measured once":            func(s *situation) { s.t.States[0].Days = s.t.States[0].Days[:1] },
			"no key":                   func(s *situation) { s.f.Subject.HasKey = false },
		}, map[string]func(*situation){"gc_grace_seconds": func(s *situation) { s.v.Facts = nil }}},
		{&GCGrace, func() *situation {
			s := situationOf(ingest.Cassandra, "tombstone-dense-read", value("tombstones_per_read", 9_000_000))
			s.f.Mechanism, s.f.MechanismConfidence = "queue", "schema"
			s.fact(ingest.FactGCGrace, "864000")
			if err := s.v.Limits.Override(map[string]detect.Milli{"gc-grace.repair-interval": detect.Whole(86_400)}); err != nil {
				t.Fatal(err)
			}
			return s
		}, map[string]func(*situation){
			"known by its shape alone": func(s *situation) { s.f.MechanismConfidence = "shape" },
			"nulls":                    func(s *situation) { s.f.Mechanism = "null-insert" },
			"gc grace not told":        func(s *situation) { s.v.Facts = nil },
			"too short already":        func(s *situation) { s.v.Facts[0].Value = "259200" },
		}, map[string]func(*situation){"full repair": func(s *situation) { s.v.Limits = detect.DefaultLimits() }}},
		{&RaiseThreshold, func() *situation {
			s := situationOf(ingest.Cassandra, "tombstone-dense-read", value("largest_read_tombstones", 100_001_000))
			s.f.Severity = detect.Critical
			return s
		}, map[string]func(*situation){
			"a scan":     func(s *situation) { s.f.Mechanism = "scan" },
			"high":       func(s *situation) { s.f.Severity = detect.High },
			"it is over": func(s *situation) { s.f.Span.End = 6000 },
		}, nil},
		{&SmallerPage, func() *situation {
			s := situationOf(ingest.Cassandra, "large-partition")
			s.t.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Op: ingest.OpRead}, Rows: 10_000, RowsKnown: 10}}
			return s
		}, map[string]func(*situation){
			"few rows a read": func(s *situation) { s.t.Patterns[0].Rows = 9_999 },
			"DynamoDB":        func(s *situation) { s.f.Subject.Target.Store, s.t.Target.Store = ingest.DynamoDB, ingest.DynamoDB },
			"only writes":     func(s *situation) { s.t.Patterns[0].Op = ingest.OpWrite },
		}, nil},
		{&Guardrail, func() *situation {
			s := situationOf(ingest.Cassandra, "large-partition")
			s.version("5.0.2")
			return s
		}, map[string]func(*situation){
			"4.0 warns there already": func(s *situation) { s.v.Facts[0].Value = "4.0.11" },
			"ScyllaDB":                func(s *situation) { s.f.Subject.Target.Store = ingest.Scylla },
		}, map[string]func(*situation){"settings' names": func(s *situation) { s.version("4.1.1") }}},
		{&ProvisionedCapacity, func() *situation {
			s := situationOf(ingest.DynamoDB, "throttling", table)
			rated(s)
			s.fact(ingest.FactBilling, "PROVISIONED")
			s.fact(ingest.FactWriteUnits, "500")
			return s
		}, map[string]func(*situation){
			"key ranges":          func(s *situation) { s.f.Evidence = append(s.f.Evidence, value("throttled_key_range", 50_000)) },
			"on demand":           func(s *situation) { s.v.Facts[0].Value = "PAY_PER_REQUEST" },
			"enough":              func(s *situation) { s.v.Facts[1].Value = "715" },
			"reason is not known": func(s *situation) { s.f.Evidence = nil },
		}, map[string]func(*situation){
			"billing mode":   func(s *situation) { s.v.Facts = nil },
			"busiest minute": func(s *situation) { s.t.Panes = nil },
		}},
		{&OnDemand, func() *situation {
			s := situationOf(ingest.DynamoDB, "throttling", table)
			rated(s)
			s.fact(ingest.FactBilling, "PROVISIONED")
			s.fact(ingest.FactWriteUnits, "500")
			return s
		}, map[string]func(*situation){
			"steady load":   func(s *situation) { s.t.Panes[0].Totals[detect.PaneWriteMilli] = 1_199_000 }, // 4 x 5 a second are 20
			"half an hour":  func(s *situation) { s.v.Span.End = 3599 },
			"billing mode":  func(s *situation) { s.v.Facts = s.v.Facts[1:] },
			"on an index":   func(s *situation) { s.index() },
			"mode is there": func(s *situation) { s.v.Facts[0].Value = "PAY_PER_REQUEST" },
		}, nil},
		{&WarmThroughput, func() *situation {
			s := situationOf(ingest.DynamoDB, "throttling", table)
			rated(s)
			s.t.Panes[0].Totals[detect.PaneWriteMilli] = 60 * 4_001_000
			s.fact(ingest.FactBilling, "PAY_PER_REQUEST")
			return s
		}, map[string]func(*situation){
			"a new table takes it": func(s *situation) { s.t.Panes[0].Totals[detect.PaneWriteMilli] = 60 * 4_000_000 },
			"provisioned":          func(s *situation) { s.v.Facts[0].Value = "PROVISIONED" },
			"mode not told":        func(s *situation) { s.v.Facts = nil },
		}, nil},
		{&TTLDeletes, func() *situation {
			s := situationOf(ingest.DynamoDB, "throttling")
			s.requests(ingest.OpDelete, 20)
			s.requests(ingest.OpWrite, 80)
			return s
		}, map[string]func(*situation){
			"few deletes": func(s *situation) { s.requests(ingest.OpWrite, 20) },
			"Cassandra":   func(s *situation) { s.f.Subject.Target.Store, s.t.Target.Store = ingest.Cassandra, ingest.Cassandra },
			"an index":    func(s *situation) { s.index() },
		}, nil},
		{&SparseIndex, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-index")
			s.index()
			s.requests(ingest.OpWrite, 500)
			s.requests(ingest.OpRead, 40)
			s.keyRequests(ingest.OpWrite, 360)
			s.t.Distinct.High = 20
			return s
		}, map[string]func(*situation){
			"it is read":  func(s *situation) { s.keyRequests(ingest.OpRead, 1) },
			"many values": func(s *situation) { s.t.Distinct.High = 21 },
			"not counted": func(s *situation) { s.k.Exact = nil },
		}, map[string]func(*situation){"whether anybody queries it": func(s *situation) { s.t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = 0 }}},
		{&MultiAttributeKey, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-index", value("write_units_per_second", 1_600_000))
			s.index()
			return s
		}, map[string]func(*situation){
			"a base table": func(s *situation) { s.f.Subject.Target.Index, s.t.Target.Index = "", "" },
			"no rate":      func(s *situation) { s.f.Evidence = nil },
		}, nil},
		{&DropLocalIndex, func() *situation {
			s := situationOf(ingest.DynamoDB, "large-partition", value("collection_bytes", detect.Whole(9<<30)))
			s.fact(ingest.FactLocalIndex, "byDate")
			return s
		}, map[string]func(*situation){
			"no local index": func(s *situation) { s.v.Facts[0].Value = "" },
			"no collection":  func(s *situation) { s.f.Evidence = nil },
		}, map[string]func(*situation){"local secondary index": func(s *situation) { s.v.Facts = nil }}},
		{&CounterShards, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-partition", value("write_units_per_second", 2_400_000))
			s.keyRequests(ingest.OpUpdate, 90)
			s.keyRequests(ingest.OpWrite, 10)
			return s
		}, map[string]func(*situation){
			"fewer updates": func(s *situation) { s.keyRequests(ingest.OpWrite, 1) },
			"many items":    func(s *situation) { s.k.Exact.SortKnown, s.k.Exact.TopSort.Low = 100, 49 },
			"not counted":   func(s *situation) { s.k.Exact = nil },
		}, nil},
		{&WaitForSplit, func() *situation {
			s := situationOf(ingest.DynamoDB, "hot-partition", value("write_units_per_second", 1_840_000))
			s.k.Exact.SortKeys = sketch.NewDistinct(10)
			for i := range uint64(100) {
				s.k.Exact.SortKeys.Add(sketch.Hash([]byte{byte(i)}))
			}
			s.k.Exact.SortKnown, s.k.Exact.TopSort.Low = 1000, 10
			s.fact(ingest.FactPartitionKey, "pk")
			return s
		}, map[string]func(*situation){
			"one item has the heat": func(s *situation) { s.k.Exact.TopSort.Low = 600 },
			"a local index":         func(s *situation) { s.fact(ingest.FactLocalIndex, "byDate") },
			"appended":              func(s *situation) { s.k.Exact.Ordered, s.k.Exact.Ascending = 1000, 1000 },
			"sort keys not known":   func(s *situation) { s.k.Exact.SortKeys = nil },
		}, map[string]func(*situation){"local secondary index": func(s *situation) { s.v.Facts = nil }}},
	} {
		t.Run(c.remedy.Kind, func(t *testing.T) {
			s := c.make()
			all := c.remedy.Propose(s.v, s.f)
			if len(all) != 1 || all[0].Kind != c.remedy.Kind || len(all[0].Effects) == 0 || len(all[0].Costs) == 0 || len(all[0].Risks) == 0 || len(all[0].Steps) == 0 || all[0].Verify == "" {
				t.Fatalf("with its gate: %+v", all)
			}
			if text := strings.Join(append(append(all[0].Steps, all[0].Title, all[0].Change), all[0].Risks...), "\n"); strings.Contains(text, "CUSTOMER#42") {
				t.Errorf("it names the key:\n%s", text)
			}
			for _, e := range all[0].Effects {
				if e.Before == e.After {
					t.Errorf("no effect on %s", e.Measure)
				}
			}
			for why, change := range c.without {
				s := c.make()
				change(s)
				if got := c.remedy.Propose(s.v, s.f); len(got) > 0 {
					t.Errorf("%s: proposed %s", why, got[0].Title)
				}
			}
			for fact, change := range c.lacks {
				s := c.make()
				change(s)
				got := c.remedy.Propose(s.v, s.f)
				if len(got) != 1 || got[0].Kind != "confirm" || !strings.Contains(got[0].Title+strings.Join(got[0].Steps, " "), fact) {
					t.Errorf("without one fact: %+v, want what says that %q is missing", got, fact)
				}
			}
			s.f.Confidence = detect.Maybe
			if got := c.remedy.Propose(s.v, s.f); len(got) > 0 {
				t.Errorf("proposed for what is possible only")
			}
		})
	}
}

// 100 reads of 2 units in two hours, 8 shards: each read that names no item asks 7 more for half a unit.
func TestShardsCostReadUnits(t *testing.T) {
	s := situationOf(ingest.DynamoDB, "hot-partition", value("share", 700))
	s.keyRequests(ingest.OpRead, 100)
	s.k.Exact.Totals[detect.ReadMilli] = 200_000
	p := ShardSuffix.Propose(s.v, s.f)[0]
	// 200 units in 7,200 s are 72,000 in 30 days; 100 x 7 x 0.5 = 350 more are 198,000.
	if diff := cmp.Diff(effectsOf(p)["read_units_per_month"], [2]detect.Milli{72_000_000, 198_000_000}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	s.v.Span.End = 3599
	if _, ok := effectsOf(ShardSuffix.Propose(s.v, s.f)[0])["read_units_per_month"]; ok {
		t.Error("a month is told from less than an hour")
	}
}

func TestVersionsAreReadAsFarAsTheyGo(t *testing.T) {
	for version, want := range map[string][2]int{"4.1.3": {4, 1}, "5.0-rc1": {5, 0}, "5": {5, 0}, "": {0, 0}, "x": {0, 0}} {
		if got := majorMinor(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

func TestReadsInCQLWaitForFewerReplicas(t *testing.T) {
	for replicas, want := range map[string]detect.Milli{"2": 1500, "3": 1500, "5": 2000, "3,5": 2000} {
		s := situationOf(ingest.Cassandra, "hot-partition")
		s.t.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Op: ingest.OpRead}, Strong: 500, ConsistencyKnown: 1000}}
		s.fact(ingest.FactReplicas, replicas)
		if d := cmp.Diff(effectsOf(EventualReads.Propose(s.v, s.f)[0]), map[string][2]detect.Milli{"replicas_per_read": {want, 1000}}); d != "" {
			t.Errorf("%s replicas (-got +want):\n%s", replicas, d)
		}
	}
}
