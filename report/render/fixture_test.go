package render

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// The reports below are written by hand, so that goldens show the renderer and nothing else.

const day = 1780531200 // 2026-06-04 00:00 UTC

func clock(hour, minute int64) int64 { return day + hour*3600 + minute*60 }

func stored(n uint64) detect.Range { return detect.Range{Low: n, High: n} }

func spanPanes(s detect.Span, width int64) []detect.PaneSpan {
	var out []detect.PaneSpan
	for at := s.Start; at < s.End; at += width {
		out = append(out, detect.PaneSpan{Start: at, End: at + width})
	}
	return out
}

// ramp gives n values: low until from, then rising to top.
func ramp(n, from int, low, top uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		if out[i] = low; i >= from {
			out[i] = low + (top-low)*uint64(i-from+1)/uint64(n-from)
		}
	}
	return out
}

func input(name, format string, bytes, records, problems uint64) report.Input {
	return report.Input{InputStats: detect.InputStats{Name: name, Format: format, Coverage: ingest.Traffic, Bytes: bytes, Lines: records,
		Records: records, Events: records - problems, Problems: problems}}
}

func checklist(cardinality, growth, deletes string) []report.Answer {
	return []report.Answer{{Question: "access-patterns", Answer: "unknown", Because: "no read was seen"}, {Question: "cardinality", Answer: cardinality, Because: "38 keys"},
		{Question: "growth", Answer: growth, Because: "no size of a partition was measured", GetIt: "sizes of three days"}, {Question: "deletes", Answer: deletes, Because: "1,311 tombstones a live row"}}
}

// incident is a night at which three things go wrong at once.
func incident() *report.Report {
	span := detect.Span{Start: clock(9, 10), End: clock(10, 42)}
	carts := detect.Target{Store: ingest.Cassandra, Table: "shop.carts"}
	queue := detect.Target{Store: ingest.Cassandra, Table: "shop.order_queue"}
	r := &report.Report{
		Version: "0.1.0", Nodes: 6, Span: span, PaneSeconds: 60, Panes: spanPanes(span, 60), Second: true,
		Inputs: []report.Input{
			input("/var/log/cassandra/10.0.3.17/system.log", "cassandra-log", 1_288_490_188, 4_204_331, 9),
			input("bundle.tar.gz/nodes/10.0.3.18/logs/cassandra/system.log", "cassandra-log", 2_040_109_465, 7_000_000, 3),
		},
		Unread: []report.Unread{{Name: "bundle.tar.gz/nodes/10.0.3.18/heap.hprof", Why: "no format knows it; nearest: cassandra-log (no line begins with a level)"}},
		Tables: []report.Table{
			{Target: carts, Requests: stored(5_412_331), Distinct: detect.Distinct{Value: 1_104_212, Low: 1_080_000, High: 1_130_000},
				TopKeys: []report.TopKey{{Key: []byte("tenant-42"), Requests: detect.Range{Low: 3_300_000, High: 3_520_000}, Share: detect.ShareRange{Value: 630, Low: 610, High: 650}, PeakPerSecond: 1840, Certified: true},
					{Key: []byte("tenant-7"), Requests: detect.Range{Low: 51_006, High: 51_034}, Share: detect.ShareRange{Value: 9, Low: 9, High: 10}, PeakPerSecond: 133}},
				Skew: detect.Skew{Known: true, Top1: detect.ShareRange{Value: 630, Low: 610, High: 650}, Top10: detect.ShareRange{Value: 700, Low: 690, High: 710}, Effective: 2500, Gini: 810}, PerPane: ramp(92, 40, 20_000, 120_000), Checklist: checklist("yes", "unknown", "yes")},
			{Target: queue, Requests: stored(1_204_001), Distinct: detect.Distinct{Value: 38, Low: 38, High: 38, Exact: true},
				TopKeys: []report.TopKey{{Key: ingest.AppendKey(nil, []byte("eu-west"), []byte("2026-06-04")), Requests: stored(1_095_640), Tombstones: stored(91_000_000), Share: detect.ShareRange{Value: 910, Low: 910, High: 910}, PeakPerSecond: 412, Certified: true}},
				PerPane: ramp(92, 42, 100, 900), Checklist: checklist("no", "unknown", "no")},
		},
		Patterns: []report.Pattern{{Target: queue, Shape: "SELECT * FROM shop.order_queue WHERE region = ? AND day = ? LIMIT 50", KeyParts: []string{"region", "day"},
			Requests: stored(1_204_001), PerSecond: 218_000, RateKnown: true, Peak: 412, Rows: 41_500, RowsKnown: true, P50: 12_400, P99: 5_000_000, Timed: true,
			Served: "partition", CostShare: 990, CostBy: "time"},
			{Target: carts, Shape: "write", Entity: "CART / ITEM", KeyParts: []string{}, Requests: detect.Range{Low: 40, High: 90}, Selected: true, Bytes: 2_048_000, BytesKnown: true}},
		Findings: []report.Finding{queueFinding(queue), cartsFinding(carts), lowFinding(carts, "tenant-7"), lowFinding(carts, "tenant-9")},
		NotAssessed: []detect.NotAssessed{
			{Rule: "growing-partition", Missing: []string{"states"}, GetIt: "give two days of logs, or nodetool tablestats of each node"},
			{Rule: "tombstone-dense-read", Target: carts, Missing: []string{"live_rows", "tombstones"}, GetIt: "nodetool settraceprobability 0.001 for 10 minutes on 2 nodes, then give the traces"},
		},
		Problems: detect.Problems{Total: 12, Causes: []detect.ProblemCause{
			{Cause: "no time in the first 64 bytes", Count: 9, Examples: []ingest.Problem{{Cause: "no time in the first 64 bytes", Text: "WARN  [ReadStage-12] Read 50 live rows and", At: ingest.Position{Byte: 8812, Line: 41}}}},
			{Cause: "record over 1 MiB", Count: 3, Examples: []ingest.Problem{{Cause: "record over 1 MiB", At: ingest.Position{Input: 1, Byte: 99_120_331}}}}}},
	}
	r.Settings = []report.Setting{{Name: "since", Value: "2h"}, {Name: "table", Value: "shop.carts"}}
	r.Tables[0].Heat = heatMap(92, r.Tables[0].PerPane, []byte("tenant-42"), []byte("tenant-7"), []byte("tenant-9"))
	queued := heatMap(92, r.Tables[1].PerPane, r.Tables[1].TopKeys[0].Key)
	queued.Total[report.HeatTombstones] = ramp(92, 42, 12, 900)
	queued.Rows[0].Series[report.HeatTombstones] = queued.Rows[0].Series[report.HeatRequests]
	queued.Rest.Series[report.HeatTombstones] = make([]detect.Range, 92)
	r.Tables[1].Heat = queued
	return r
}

// heatMap gives a map of keys with requests alone: flat amounts, but the first key rises in the last
// third, with bounds of a tenth.
func heatMap(panes int, totals []uint64, keys ...[]byte) *report.HeatMap {
	h := &report.HeatMap{Bytes: true}
	h.Total[report.HeatRequests] = totals
	h.Rest.Series[report.HeatRequests] = make([]detect.Range, panes)
	for i, key := range keys {
		row := report.HeatRow{Key: key}
		series := make([]detect.Range, panes)
		for at := range series {
			n := totals[at] / uint64(10*(i+2))
			if series[at] = stored(n); i == 0 && at >= panes*2/3 {
				n = totals[at] * 6 / 10
				series[at] = detect.Range{Low: n - n/10, High: n + n/10}
			}
		}
		row.Series[report.HeatRequests] = series
		h.Rows = append(h.Rows, row)
	}
	for at, total := range totals {
		h.Rest.Series[report.HeatRequests][at] = detect.Range{Low: total / 8, High: total / 4}
	}
	return h
}

func queueFinding(t detect.Target) report.Finding {
	s := detect.Subject{Target: t, Key: ingest.AppendKey(nil, []byte("eu-west"), []byte("2026-06-04")), HasKey: true}
	return report.Finding{ID: report.FindingID("tombstone-dense-read", s), Finding: detect.Finding{
		Rule: "tombstone-dense-read", Severity: detect.Critical, Confidence: detect.Sure, Subject: s, Mechanism: "queue", MechanismConfidence: "schema",
		Span: detect.Span{Start: clock(9, 52), End: clock(10, 42)}, Message: "reads scan 1,311 tombstones a live row; 214 reads were aborted",
		Series: ramp(92, 42, 12, 900), SeriesOf: "tombstones",
		Evidence: []detect.Evidence{
			{Measure: "tombstones_per_live_row", Unit: "tombstones", Value: 1_311_000, Low: 1_311_000, High: 1_311_000, Limit: 4000, LimitSource: "https://example.org/rules", How: detect.Counted},
			{Measure: "largest_read", Unit: "tombstones", Value: 100_001_000, Low: 100_001_000, Open: true, Limit: 1_000_000, LimitSource: "https://example.org/yaml", How: detect.Stored,
				Positions: []ingest.Position{{Byte: 88_213_412, Line: 88213}, {Input: 1, Byte: 90_110_002, Line: 90110}, {Input: 1, Byte: 90_210_002, Line: 90111}, {Input: 1, Byte: 91_110_002}, {Input: 1, Byte: 92_110_002}}},
			{Measure: "aborted_reads", Unit: "reads", Value: 214_000, Low: 214_000, Open: true, How: detect.Stored},
			{Measure: "share_of_tombstones", Unit: "share", Value: 980, Low: 975, High: 984, How: detect.Estimated},
		},
		Proposals: []detect.Proposal{
			{Kind: "read-after-cursor", Title: "now: read after the cursor", Change: "… AND created_at > :last_seen LIMIT 50",
				Effects: []detect.Effect{{Measure: "tombstones_per_read", Unit: "tombstones", Before: 54_000_000, After: 50_000, Low: 50_000, High: 50_000, How: detect.Inferred}},
				Steps:   []string{"keep created_at of the last row that was handled", "read from there; delete as before"}, Verify: "tombstones a read fall under 100 within a minute"},
			{Kind: "time-bucket", Title: "keep: bucket by hour and drop whole buckets", Bucket: "hour", Change: "PRIMARY KEY ((region, day, hour), created_at)",
				Effects: []detect.Effect{{Measure: "largest_partition", Unit: "bytes", Before: 412 << 20 * 1000, After: 17 << 20 * 1000, Low: 17 << 20 * 1000, Open: true, How: detect.Estimated}},
				Costs:   []string{"a new table and dual writes while it fills"}, Risks: []string{"a reader that missed an hour must ask for that bucket too"}},
		},
	}}
}

func cartsFinding(t detect.Target) report.Finding {
	s := detect.Subject{Target: t, Key: []byte("tenant-42"), HasKey: true}
	return report.Finding{ID: report.FindingID("hot-partition", s), Finding: detect.Finding{
		Rule: "hot-partition", Severity: detect.High, Confidence: detect.Sure, Subject: s,
		Span: detect.Span{Start: clock(9, 50), End: clock(10, 20)}, Message: "one partition takes 63 % of writes, 1,840 a second at its peak",
		Series: append(ramp(70, 40, 40, 1840), make([]uint64, 22)...), SeriesOf: "writes",
		Evidence: []detect.Evidence{
			{Measure: "share", Unit: "share", Value: 630, Low: 610, High: 650, Limit: 200, LimitSource: "https://example.org/rules", How: detect.Estimated, Positions: []ingest.Position{{Byte: 12, Line: 1}}},
			{Measure: "requests_per_second", Unit: "requests/s", Value: 1_840_000, Low: 1_840_000, High: 1_840_000, Limit: 1_000_000, LimitSource: "https://example.org/rules", How: detect.Counted},
			{Measure: "requests", Unit: "requests", Value: 3_410_000_000, Low: 3_300_000_000, High: 3_520_000_000, How: detect.Estimated},
		},
		Proposals: []detect.Proposal{{Kind: "shard-suffix", Title: "spread the key over 4 partitions with a shard suffix", Shards: 4, Change: "PRIMARY KEY ((tenant, shard), item) with shard = hash(item) % 4",
			Effects: []detect.Effect{{Measure: "peak_per_partition", Unit: "requests/s", Before: 1_840_000, After: 487_000, Low: 487_000, High: 487_000, How: detect.Counted}, {Measure: "share", Unit: "share", Before: 630, After: 158, Low: 151, High: 170, How: detect.Estimated}},
			Basis:   "simulated: each recorded request of the key was put under its shard",
			Costs:   []string{"reads without item ask 4 partitions"}, Steps: []string{"write to the new key first, read from both", "copy old rows", "stop reading the old key"}, Verify: "keyheat keys, a day later: no key over 20 %"}},
	}}
}

func lowFinding(t detect.Target, key string) report.Finding {
	s := detect.Subject{Target: t, Key: []byte(key), HasKey: true}
	return report.Finding{ID: report.FindingID("hot-partition", s), Finding: detect.Finding{
		Rule: "hot-partition", Severity: detect.Low, Subject: s, Span: detect.Span{Start: clock(9, 10), End: clock(10, 42)},
		Message:  "one partition takes more than its share",
		Evidence: []detect.Evidence{{Measure: "share", Unit: "share", Value: 220, Low: 190, High: 250, Limit: 200, LimitSource: "https://example.org/rules", How: detect.Estimated}},
	}}
}

// quietNight has traffic and no trouble.
func quietNight() *report.Report {
	r := incident()
	r.Findings, r.Problems, r.Unread = nil, detect.Problems{}, nil
	r.Inputs = []report.Input{input("events.ndjson", "key-events-ndjson", 3<<30, 6_616_332, 0)}
	r.Second, r.Nodes = false, 0
	return r
}

// hostileNight has keys, names and texts that try to break out of the page.
func hostileNight() *report.Report {
	evil := "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\n\r\tCRITICAL  shop.fake"
	keys := [][]byte{
		[]byte(evil), []byte("注文キュー二〇二六年六月四日の西日本リージョンの非常に長いパーティション"), []byte("👩‍👩‍👧‍👦 family 🇩🇪"), {0xde, 0xad, 0xbe, 0xef}, {}, []byte("=cmd|' /C calc'!A0"),
		ingest.AppendKey(nil, []byte("a, b"), []byte{0xff, 0}, []byte("")), []byte("z" + strings.Repeat("\u0301", 40)), []byte("<script>alert('&')</script>"),
		ingest.AppendKey(nil, []byte(strings.Repeat("ключ", 400))), ingest.AppendKey(nil, []byte("tenant"), []byte(strings.Repeat("x", 5000))),
	}
	span := detect.Span{Start: clock(23, 50), End: clock(24, 20)}
	r := &report.Report{Version: "0.1.0", Span: span, PaneSeconds: 60, Panes: spanPanes(span, 60), Partial: "more than 1 % of records were bad " + evil,
		Inputs: []report.Input{input("dir/"+evil+"\xff.log", "key-events-ndjson", 4096, 1000, 500)},
		Notes:  []string{"keys are masked with a random secret: the masks hold for this report only " + evil}, Unread: []report.Unread{{Name: evil, Why: "open: " + evil}},
		Problems: detect.Problems{Total: 500, Causes: []detect.ProblemCause{{Cause: "not a JSON object", Count: 500, Examples: []ingest.Problem{{Text: evil + "\xfe", At: ingest.Position{Line: 7}}}}}},
	}
	for i, k := range keys {
		target := detect.Target{Store: ingest.DynamoDB, Table: []string{"orders", "表", evil}[i%3], Index: []string{"", "", "by-\u2066day"}[i%3]}
		f := lowFinding(target, string(k))
		f.Severity, f.Message = detect.Medium, "one partition takes more than its share of "+string(k[:min(len(k), 20)])
		r.Findings = append(r.Findings, f)
		r.Tables = append(r.Tables, report.Table{Target: detect.Target{Store: target.Store, Table: target.Table + fmt.Sprint(i), Index: target.Index}, Requests: stored(1000 + uint64(i)), Distinct: detect.Distinct{Value: 40, Low: 38, High: 45},
			TopKeys: []report.TopKey{{Key: k, Requests: detect.Range{Low: 190, High: 250}, Share: detect.ShareRange{Value: 220, Low: 190, High: 250}}}, Checklist: checklist("yes", "unknown", "unknown")})
	}
	r.Tables[0].Heat = heatMap(30, ramp(30, 10, 100, 5000), keys...)
	r.Tables[0].Stored = storedOf(keys...)
	return r
}

// wholeExport is the report of an export, with a local and a global index, and of nothing else.
func wholeExport() *report.Report {
	table := detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	r := &report.Report{Version: "0.1.0", Second: true, Inputs: []report.Input{input("AWSDynamoDB/data/abc.json.gz", "dynamodb-export", 15_000_000_000, 1_204_118, 0)}}
	for _, index := range []string{"", "byDay", "byStatus"} {
		table.Index = index
		t := report.Table{Target: table, Stored: storedOf([]byte("TENANT#42"), []byte("TENANT#7"), ingest.AppendKey(nil, []byte("a"), []byte("b"))), Checklist: checklist("unknown", "no", "unknown")}
		t.Stored.Local = index == "byDay"
		if index != "byDay" {
			t.Copies = detect.Copies{Records: 4000, Value: 12, Low: 9, High: 17}
			t.Design = &report.Design{Kinds: []string{"inverted", "overloaded"}, Entities: []report.Entity{{Name: "ORDER\x1b[31m", Items: 9, Bytes: 900, Requests: 3}, {Items: 1, Bytes: 7}}}
			t.Partitions = &report.Partitions{Low: 2, High: 9, Sources: []report.PartitionSource{
				{Name: "size", Kind: "at least", Number: 2, Because: "it holds 13958643712 bytes, a partition 10 GiB at most"},
				{Name: "export-files", Kind: "at most", Number: 9, Because: "its export has so many data files, at least one for each partition"},
			}}
		}
		r.Tables = append(r.Tables, t)
	}
	return r
}

// storedOf is what an export tells of a table with these collections.
func storedOf(keys ...[]byte) *report.Stored {
	s := &report.Stored{UnixNano: 1_793_604_514_000_000_000, Items: 1_204_118, Bytes: 13 << 30, Keyless: 3, Keys: detect.Distinct{Value: 812, Low: 800, High: 824},
		PerKey: []detect.KeyQuantile{{Permille: 500, Items: 12, Bytes: 9_400}, {Permille: 900, Items: 80, Bytes: 71_000}, {Permille: 990, Items: 14_000, Bytes: 4 << 20}},
		Item:   [3]uint64{900, 12_000, 391_000}}
	for i, k := range keys {
		n := uint64(9<<30) >> i
		s.Collections = append(s.Collections, report.Collection{Key: k, Items: stored(n >> 13), Bytes: detect.Range{Low: n, High: n + uint64(i)<<20},
			Local: stored(n >> 4), Storage: detect.Range{Low: n + n>>3, High: n + n>>3 + uint64(i)<<20}, OfLimit: detect.Ratio(n+n>>3, 10<<30),
			Share: detect.ShareRange{Value: 692, Low: 692, High: 692}, Files: stored(uint64(i))})
	}
	return s
}

// manyFindings is more than anybody reads.
func manyFindings() *report.Report {
	r := quietNight()
	for i := range 200 {
		f := lowFinding(r.Tables[0].Target, fmt.Sprintf("tenant-%03d", i))
		f.Severity = detect.Severity(4 - i/50)
		r.Findings = append(r.Findings, f)
		t := r.Tables[i%2]
		t.Target.Table = fmt.Sprintf("shop.t%03d", i)
		r.Tables = append(r.Tables, t)
		r.NotAssessed = append(r.NotAssessed, detect.NotAssessed{Rule: "skewed-key", Target: t.Target, Missing: []string{"requests"}, GetIt: "give a longer log"})
	}
	return r
}

// allLow has nothing worse than low.
func allLow() *report.Report {
	r := quietNight()
	r.Findings = []report.Finding{lowFinding(r.Tables[0].Target, "tenant-7"), lowFinding(r.Tables[0].Target, "tenant-9")}
	r.Tables[1].Requests, r.Tables[1].Reported = detect.Range{}, 161
	return r
}

func reports() map[string]*report.Report {
	return map[string]*report.Report{"incident": incident(), "quiet": quietNight(), "hostile": hostileNight(), "many": manyFindings(), "low": allLow(), "stored": wholeExport(), "empty": {Version: "0.1.0"}}
}

// randomReport gives a report of odd but possible values.
func randomReport(rng *rand.Rand) *report.Report {
	all := []func() *report.Report{incident, quietNight, hostileNight, manyFindings, allLow}
	r := all[rng.IntN(len(all))]()
	for i := range r.Tables {
		t := &r.Tables[i]
		t.Requests, t.Distinct = stored(rng.Uint64()), detect.Distinct{Value: 5, Low: 3, High: rng.Uint64()}
		t.Skew.Known = rng.IntN(2) == 0
		for j := range t.TopKeys {
			low := rng.Uint64() / 2
			t.TopKeys[j] = report.TopKey{Key: randomKey(rng), Requests: detect.Range{Low: low, High: low + rng.Uint64()/2}, Tombstones: stored(rng.Uint64() >> rng.IntN(64)), PeakPerSecond: rng.Uint64() >> rng.IntN(64)}
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Subject.Key, f.Subject.HasKey = randomKey(rng), rng.IntN(4) > 0
		f.Subject.Shape, f.Subject.Node = string(randomKey(rng)), string(randomKey(rng))
		f.Message += string(randomKey(rng))
		for j := range f.Evidence {
			low := detect.Milli(rng.Uint64() >> (2 + rng.IntN(60)))
			f.Evidence[j].Low, f.Evidence[j].Value, f.Evidence[j].High = low, low+1, low+2
			f.Evidence[j].Open, f.Evidence[j].How = rng.IntN(3) == 0, detect.How(rng.IntN(4))
		}
		if rng.IntN(3) == 0 {
			f.Span, f.Series, f.Proposals = detect.Span{}, nil, nil
		}
	}
	return r
}

func randomKey(rng *rand.Rand) []byte {
	parts := make([][]byte, 1+rng.IntN(3))
	for i := range parts {
		parts[i] = make([]byte, rng.IntN(30)*rng.IntN(60))
		for j := range parts[i] {
			parts[i][j] = "abc\xff\x00 é\x1b\n語"[rng.IntN(13)]
		}
	}
	return ingest.AppendKey(nil, parts...)
}
