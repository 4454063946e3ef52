package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// reading gives a table whose reads are of one shape.
func reading(s detect.ShapeStats, change func(t *detect.TargetView)) *detect.View {
	k := aKey("mail-out", 100)
	k.Tombstones = exact(s.Tombstones)
	t := aTarget(ingest.Cassandra, 0, k)
	t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = s.Reads
	t.Totals[detect.TombstonesKnown], t.Totals[detect.RowsKnown] = s.Reads, s.RowsKnown
	t.Totals[detect.Tombstones], t.Totals[detect.Rows] = s.Tombstones, s.Rows
	t.Shapes = []detect.ShapeStats{s}
	if change != nil {
		change(t)
	}
	return aView(1, t)
}

func largest(tombstones, rows uint64) detect.ReadSize {
	return detect.ReadSize{Tombstones: tombstones, Rows: rows, RowsKnown: true, At: shown[0]}
}

func TestTombstoneDenseRead(t *testing.T) {
	scan := func(t *detect.TargetView) {
		t.Totals[detect.ByOp+detect.Counter(ingest.OpScan)], t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = 5, 0
	}
	system := func(t *detect.TargetView) { t.Target.Table = "system_auth.roles" }
	for _, c := range []struct {
		name   string
		shape  detect.ShapeStats
		change func(t *detect.TargetView)
		want   string
	}{
		{"three reads of 100 tombstones on average, four a live row",
			detect.ShapeStats{Reads: 3, RowsKnown: 3, Rows: 75, Tombstones: 300, Largest: largest(100, 25)}, nil, "low certain"},
		{"two reads", detect.ShapeStats{Reads: 2, RowsKnown: 2, Rows: 50, Tombstones: 200, Largest: largest(100, 25)}, nil, ""},
		{"99 on average", detect.ShapeStats{Reads: 3, RowsKnown: 3, Rows: 10, Tombstones: 299, Largest: largest(100, 2)}, nil, ""},
		{"under four a live row", detect.ShapeStats{Reads: 3, RowsKnown: 3, Rows: 76, Tombstones: 300, Largest: largest(100, 25)}, nil, ""},
		{"live rows that are not known", detect.ShapeStats{Reads: 3, Tombstones: 300, Largest: detect.ReadSize{Tombstones: 100}}, nil, ""},
		{"a read of 1,000 and a quarter of what it read", detect.ShapeStats{Reads: 1, RowsKnown: 1, Rows: 3000, Tombstones: 1000, Largest: largest(1000, 3000)}, nil, "low certain"},
		{"a read of 1,000 and less than a quarter", detect.ShapeStats{Reads: 1, RowsKnown: 1, Rows: 3100, Tombstones: 1000, Largest: largest(1000, 3100)}, nil, ""},
		{"a read of 1,000 of which live rows are not known", detect.ShapeStats{Reads: 1, Tombstones: 1000, Largest: detect.ReadSize{Tombstones: 1000, At: shown[0]}}, nil, "low certain"},
		{"a read of 999", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 999, Largest: largest(999, 0)}, nil, ""},
		{"a read of 10,000", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 10_000, Largest: largest(10_000, 0)}, nil, "medium certain"},
		{"a read of 9,999", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 9_999, Largest: largest(9_999, 0)}, nil, "low certain"},
		{"100,000 in all", detect.ShapeStats{Reads: 200, RowsKnown: 200, Rows: 100, Tombstones: 100_000, Largest: largest(500, 0)}, nil, "medium certain"},
		{"99,999 in all", detect.ShapeStats{Reads: 200, RowsKnown: 200, Rows: 100, Tombstones: 99_999, Largest: largest(500, 0)}, nil, "low certain"},
		{"100,000 in a million reads are nothing", detect.ShapeStats{Reads: 1_000_000, RowsKnown: 1_000_000, Rows: 1_000_000, Tombstones: 100_000, Largest: largest(10, 0)}, nil, ""},
		{"a read of 50,000", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 50_000, Largest: largest(50_000, 0)}, nil, "high certain"},
		{"10 million in one hour", detect.ShapeStats{Reads: 50_000, RowsKnown: 50_000, Rows: 1, Tombstones: 10_000_000, Largest: largest(900, 0),
			First: start * 1e9, Last: (start + 3599) * 1e9}, nil, "high certain"},
		{"10 million in two hours", detect.ShapeStats{Reads: 50_000, RowsKnown: 50_000, Rows: 1, Tombstones: 10_000_000, Largest: largest(900, 0),
			First: start * 1e9, Last: (start + 7199) * 1e9}, nil, "medium certain"},
		{"half of 100 reads over the warn limit", detect.ShapeStats{Reads: 100, RowsKnown: 100, Rows: 10, Tombstones: 60_000, Dense: 50, Largest: largest(1200, 0)}, nil, "high certain"},
		{"49 of 100 reads over the warn limit", detect.ShapeStats{Reads: 100, RowsKnown: 100, Rows: 10, Tombstones: 60_000, Dense: 49, Largest: largest(1200, 0)}, nil, "low certain"},
		{"50 of 99 reads over the warn limit", detect.ShapeStats{Reads: 99, RowsKnown: 99, Rows: 10, Tombstones: 60_000, Dense: 50, Largest: largest(1200, 0)}, nil, "low certain"},
		{"aborted", detect.ShapeStats{Reads: 1, Tombstones: 100_001, Failed: 1, Largest: detect.ReadSize{Tombstones: 100_001, At: shown[0]}}, nil, "critical certain"},
		{"a time-out of a smaller read is no abort", detect.ShapeStats{Reads: 1, Tombstones: 99_999, Failed: 1, Largest: detect.ReadSize{Tombstones: 99_999, At: shown[0]}}, nil, "high certain"},
		{"a scan is medium at most", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 60_000, Largest: largest(60_000, 0)}, scan, "medium certain"},
		{"an aborted scan", detect.ShapeStats{Reads: 1, Tombstones: 100_001, Failed: 1, Largest: detect.ReadSize{Tombstones: 100_001, At: shown[0]}}, scan, "critical certain"},
		{"a keyspace of the system is one level lower", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 10_000, Largest: largest(10_000, 0)}, system, "low certain"},
		{"low of a keyspace of the system is nothing", detect.ShapeStats{Reads: 1, RowsKnown: 1, Tombstones: 9_999, Largest: largest(9_999, 0)}, system, ""},
		{"reads without tombstones are quiet", detect.ShapeStats{Reads: 1000, RowsKnown: 1000, Rows: 5000}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &TombstoneDenseRead, reading(c.shape, c.change))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTombstoneDenseReadMechanism(t *testing.T) {
	const queue = "SELECT * FROM shop.outbox WHERE queue = ? LIMIT 10"
	dense := func(shape string) detect.ShapeStats {
		return detect.ShapeStats{Shape: shape, Reads: 3, RowsKnown: 3, Rows: 30, Tombstones: 3000, Largest: largest(1100, 10)}
	}
	for _, c := range []struct {
		name      string
		shape     detect.ShapeStats
		mechanism string
		key       string
	}{
		{"a queue", dense(queue), "queue", "mail-out"},
		{"a page size is no limit of its own", dense("SELECT * FROM shop.outbox WHERE queue = ? LIMIT 5000"), "unknown", "mail-out"},
		{"no limit", dense("SELECT * FROM shop.outbox WHERE queue = ?"), "unknown", "mail-out"},
		{"a lower clustering bound", dense("SELECT * FROM shop.outbox WHERE queue = ? AND at > ? LIMIT 10"), "unknown", "mail-out"},
		{"a token range", dense("SELECT * FROM shop.outbox WHERE token(queue) > ? AND token(queue) <= ? LIMIT 10"), "scan", ""},
		{"no restriction", dense("SELECT * FROM shop.outbox LIMIT 10"), "scan", ""},
		{"filtering on a bound key", dense("SELECT * FROM shop.outbox WHERE queue = ? LIMIT 10 ALLOW FILTERING"), "queue", "mail-out"},
		{"under ten tombstones a live row", detect.ShapeStats{Shape: queue, Reads: 3, RowsKnown: 3, Rows: 31, Tombstones: 309, Largest: largest(103, 10)}, "unknown", "mail-out"},
		{"no statement", dense(""), "unknown", "mail-out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judged(t, &TombstoneDenseRead, reading(c.shape, nil))
			if len(found) != 1 {
				t.Fatalf("got %d findings, want 1", len(found))
			}
			f := found[0]
			if f.Mechanism != c.mechanism || string(f.Subject.Key) != c.key || f.Subject.HasKey != (c.key != "") {
				t.Errorf("got %q of %q, want %q of %q", f.Mechanism, f.Subject.Key, c.mechanism, c.key)
			}
			if known := f.MechanismConfidence == "shape"; known != (c.mechanism != "unknown") {
				t.Errorf("mechanism %q with confidence %q", f.Mechanism, f.MechanismConfidence)
			}
		})
	}
}

func TestTombstoneDenseReadNamesNoKeyWithLessThanHalf(t *testing.T) {
	v := reading(detect.ShapeStats{Reads: 3, RowsKnown: 3, Rows: 30, Tombstones: 3000, Largest: largest(1100, 10)}, func(t *detect.TargetView) {
		t.Keys[0].Tombstones = detect.Range{Low: 1499, High: 2000}
	})
	found := judged(t, &TombstoneDenseRead, v)
	if len(found) != 1 || found[0].Subject.HasKey {
		t.Errorf("got %+v, want one finding without a key", found)
	}
}

// The reads of a queue are a few among many of the same table without a statement.
func TestTombstoneDenseReadOfOneKeyAmongMany(t *testing.T) {
	v := reading(detect.ShapeStats{Reads: 10_000, RowsKnown: 10_000, Rows: 20_000, Tombstones: 3000, Largest: largest(600, 0)}, func(t *detect.TargetView) {
		k := t.Keys[0]
		k.Exact = &detect.ExactKey{Positions: shown}
		k.Exact.Totals[detect.TombstonesKnown], k.Exact.Totals[detect.RowsKnown] = 10, 10
		k.Exact.Totals[detect.Tombstones], k.Exact.Totals[detect.Rows] = 3000, 50
	})
	found := judged(t, &TombstoneDenseRead, v)
	if level(found) != "low certain" || !found[0].Subject.HasKey {
		t.Fatalf("got %+v", found)
	}
	if got := evidenceOf(&found[0], "tombstones_per_read"); got != 300 {
		t.Errorf("%d tombstones a read, want 300", got)
	}
}

func TestTombstoneDenseReadSaysWhatItCouldNotJudge(t *testing.T) {
	v := reading(detect.ShapeStats{Reads: 3, Tombstones: 300, Largest: detect.ReadSize{Tombstones: 100}}, nil)
	if got := missing(&TombstoneDenseRead, v); len(got) != 1 || got[0] != "live_rows" {
		t.Errorf("missing %v, want live_rows", got)
	}
	v = reading(detect.ShapeStats{}, func(t *detect.TargetView) { t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = 3 })
	if got := missing(&TombstoneDenseRead, v); len(got) != 1 || got[0] != "tombstones" {
		t.Errorf("missing %v, want tombstones", got)
	}
}
