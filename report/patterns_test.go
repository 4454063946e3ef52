package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/sketch"
)

func TestStatementsTellWhatIsBoundAndHowTheyAreServed(t *testing.T) {
	schema := []cql.Column{{Name: "tenant"}, {Name: "day"}}
	clustering := []cql.Column{{Name: "ts", Desc: true}}
	for _, tt := range []struct {
		shape         string
		parts         []string // nil: not known
		served        string
		blind         []string // without a schema
		blindlyServed string
	}{
		{"SELECT * FROM ks.t WHERE tenant = ? AND day = ?", []string{"tenant", "day"}, "partition", []string{"tenant", "day"}, ""},
		{"SELECT * FROM ks.t WHERE tenant = ? AND day = ? AND ts > ? LIMIT 10", []string{"tenant", "day", "ts >"}, "range", []string{"tenant", "day", "ts >"}, ""},
		{"SELECT * FROM ks.t WHERE tenant = ? AND day IN (?)", []string{"tenant", "day IN"}, "in", []string{"tenant", "day IN"}, "partition"},
		{"SELECT * FROM ks.t WHERE tenant = ?", []string{"tenant"}, "scan", []string{"tenant"}, "partition"},
		{"SELECT * FROM ks.t", []string{}, "scan", []string{}, "scan"},
		{"SELECT * FROM ks.t WHERE token(tenant, day) > ?", []string{"token(tenant) >", "token(day) >"}, "scan", []string{"token(tenant) >", "token(day) >"}, "scan"},
		{"SELECT * FROM ks.t WHERE status = ?", []string{"status"}, "index", []string{"status"}, "partition"},
		{"SELECT * FROM ks.t WHERE status = ? ALLOW FILTERING", []string{}, "scan", []string{"status"}, ""},
		{"INSERT INTO ks.t (tenant, day, ts, body) VALUES (?, ?, ?, ?)", []string{"tenant", "day", "ts"}, "partition", nil, "partition"},
		{"UPDATE ks.t SET body = ? WHERE tenant = ? AND day = ? AND ts = ?", []string{"tenant", "day", "ts"}, "partition", []string{"tenant", "day", "ts"}, "partition"},
		{"DELETE FROM ks.t WHERE tenant = ? AND day = ? AND ts < ?", []string{"tenant", "day", "ts <"}, "range", []string{"tenant", "day", "ts <"}, "range"},
		{"BEGIN BATCH INSERT INTO ks.t (tenant, day, ts) VALUES (?, ?, ?); APPLY BATCH", []string{"tenant", "day", "ts"}, "in", nil, "in"},
		{"INSERT INTO ks.t JSON ?", nil, "partition", nil, "partition"},
		{"my own name of it", nil, "", nil, ""},
	} {
		t.Run(tt.shape, func(t *testing.T) {
			p := patterns{key: schema, clustering: clustering, parser: cql.Parser{Client: true}}
			parts, served := p.statement(tt.shape)
			if diff := cmp.Diff(parts, tt.parts); diff != "" || served != tt.served {
				t.Errorf("served %q, want %q; parts (-got +want):\n%s", served, tt.served, diff)
			}
			p.key, p.clustering = nil, nil
			parts, served = p.statement(tt.shape)
			if diff := cmp.Diff(parts, tt.blind); diff != "" || served != tt.blindlyServed {
				t.Errorf("without a schema served %q, want %q; parts (-got +want):\n%s", served, tt.blindlyServed, diff)
			}
		})
	}
}

func stats(op ingest.Op, requests uint64, change func(*detect.PatternStats)) detect.PatternStats {
	s := detect.PatternStats{PatternKey: detect.PatternKey{Op: op}, Requests: requests}
	if change != nil {
		change(&s)
	}
	return s
}

func TestPatternsOfRecordsWithoutStatements(t *testing.T) {
	latency := &sketch.Histogram{}
	latency.Add(2000, 100)
	table := targetView("orders", 150)
	table.Target.Store, table.Span = ingest.DynamoDB, detect.Span{Start: 100, End: 200}
	table.Patterns = []detect.PatternStats{
		stats(ingest.OpRead, 100, func(s *detect.PatternStats) {
			s.Bound, s.Entity, s.SortEntity = detect.BoundPartition|detect.BoundSort, "USER", "ORDER"
			s.Rows, s.RowsKnown, s.ReadMilli, s.UnitsKnown, s.Latency, s.Peak.N = 250, 100, 100_000, 100, latency, 9
		}),
		stats(ingest.OpScan, 10, func(s *detect.PatternStats) { s.ReadMilli, s.UnitsKnown = 200_000, 10 }),
	}
	index := targetView("orders", 40)
	index.Target = detect.Target{Store: ingest.DynamoDB, Table: "orders", Index: "byStatus"}
	index.Patterns = []detect.PatternStats{
		stats(ingest.OpRead, 40, func(s *detect.PatternStats) { s.ReadMilli, s.UnitsKnown, s.Refused = 100_000, 30, 10 }),
	}
	v := view(ingest.Traffic, table, index)
	v.Facts = []detect.FactStats{{Target: table.Target, Name: ingest.FactPartitionKey, Value: "pk"}, {Target: table.Target, Name: ingest.FactClustering, Value: "sk"}}
	want := []Pattern{
		{Target: table.Target, Shape: "read", Entity: "USER / ORDER", KeyParts: []string{"pk", "sk"}, Requests: detect.Range{Low: 100, High: 100},
			PerSecond: 1000, RateKnown: true, Peak: 9, Rows: 2500, RowsKnown: true, P50: 2000, P99: 2000, Timed: true, Served: "partition", CostShare: 250, CostBy: "units"},
		{Target: index.Target, Shape: "read", Requests: detect.Range{Low: 40, High: 40}, Served: "index", CostShare: 250, CostBy: "units"},
		{Target: table.Target, Shape: "scan", KeyParts: []string{}, Requests: detect.Range{Low: 10, High: 10}, PerSecond: 100, RateKnown: true, Served: "scan", CostShare: 500, CostBy: "units"},
	}
	if diff := cmp.Diff(BuildPatterns(v, 0).Patterns, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// Cost is compared by a measure that all requests of the table carry, or not at all.
func TestCostIsSharedByWhatAllRequestsCarry(t *testing.T) {
	latency := &sketch.Histogram{}
	latency.Add(100, 10)
	for _, tt := range []struct {
		name         string
		first, other func(*detect.PatternStats)
		want         string
	}{
		{"nothing is known", nil, nil, ""},
		{"bytes of all", func(s *detect.PatternStats) { s.Bytes, s.BytesKnown = 10, 10 }, func(s *detect.PatternStats) { s.Bytes, s.BytesKnown = 30, 10 }, "bytes"},
		{"bytes of one", func(s *detect.PatternStats) { s.Bytes, s.BytesKnown = 10, 10 }, nil, ""},
		{"time of all", func(s *detect.PatternStats) { s.Latency = latency }, func(s *detect.PatternStats) { s.Latency = latency }, "time"},
		{"no units at all", func(s *detect.PatternStats) { s.UnitsKnown = 10 }, func(s *detect.PatternStats) { s.UnitsKnown = 10 }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := targetView("t", 20)
			table.Patterns = []detect.PatternStats{stats(ingest.OpRead, 10, tt.first), stats(ingest.OpWrite, 10, tt.other)}
			for _, p := range BuildPatterns(view(ingest.Traffic, table), 0).Patterns {
				if p.CostBy != tt.want {
					t.Errorf("%s by %q, want %q", p.Shape, p.CostBy, tt.want)
				}
			}
		})
	}
}

func TestEntitiesAreMasked(t *testing.T) {
	table := &PatternTable{Patterns: []Pattern{{Entity: "ALICE"}, {}}}
	masked := table.Masked(func(key []byte) []byte { return append([]byte("masked "), byte('0'+len(key))) })
	if got, want := masked.Patterns[0].Entity+masked.Patterns[1].Entity, "masked 5"; got != want || table.Patterns[0].Entity != "ALICE" {
		t.Errorf("got %q and left %q, want %q and ALICE", got, table.Patterns[0].Entity, want)
	}
}
