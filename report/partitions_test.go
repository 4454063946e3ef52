package report

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestTablesThatOnlySettingsTellOfHaveAnEstimate(t *testing.T) {
	of := func(table, index, name, value string) detect.FactStats {
		return detect.FactStats{Target: detect.Target{Store: ingest.DynamoDB, Table: table, Index: index}, Name: name, Value: value}
	}
	v := &detect.View{
		Limits:  detect.DefaultLimits(),
		Targets: []*detect.TargetView{{Target: detect.Target{Store: ingest.DynamoDB, Table: "Busy"}}},
		Facts: []detect.FactStats{
			of("Busy", "", ingest.FactWriteUnits, "9000"), of("Idle", "", ingest.FactReadUnits, "100"), of("Idle", "", ingest.FactWriteUnits, "6001"),
			of("Idle", "byDay", ingest.FactBilling, "PAY_PER_REQUEST"), of("Small", "", ingest.FactTableBytes, "9"),
		},
	}
	want := []string{
		"partitions of Idle, of which no traffic was read, an estimate: 7 or more (at least 7 by provisioned)",
		"partitions of index byDay of Idle, of which no traffic was read, an estimate: 1 or more (about 4 by on demand)",
	}
	if d := cmp.Diff(idlePartitions(v), want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestPartitionsAreEstimatedFromEachSource(t *testing.T) {
	orders := detect.Target{Store: ingest.DynamoDB, Table: "Orders"}
	fact := func(name, value string) detect.FactStats {
		return detect.FactStats{Target: orders, Name: name, Value: value}
	}
	file := func(key string) detect.FactStats {
		return detect.FactStats{Target: detect.Target{Store: ingest.DynamoDB}, Node: key, Name: ingest.FactExportItems, Value: "8"}
	}
	peak := detect.PointStats{Target: orders, Name: "ConsumedWriteCapacityUnits", Stat: "sum", Values: []detect.PointValue{{Unix: 60, Seconds: 60, Milli: 60 * 4500 * 1000}, {Unix: 120, Seconds: 60, Milli: 1}}}
	for _, tt := range []struct {
		name      string
		facts     []detect.FactStats
		points    []detect.PointStats
		stored    detect.StoredItems
		low, high uint64
		sources   string
	}{
		{"size", []detect.FactStats{fact(ingest.FactTableBytes, "32212254721")}, nil, detect.StoredItems{}, 4, 0, "size at least 4; "}, // 30 GiB and a byte
		{"provisioned", []detect.FactStats{fact(ingest.FactReadUnits, "3001"), fact(ingest.FactWriteUnits, "500")}, nil, detect.StoredItems{}, 2, 0, "provisioned at least 2; "},
		{"warm throughput", []detect.FactStats{fact(ingest.FactWarmRead, "12000"), fact(ingest.FactWarmWrite, "7000")}, nil, detect.StoredItems{}, 7, 0, "warm-throughput at least 7; "},
		{"on-demand, which bounds nothing", []detect.FactStats{fact(ingest.FactBilling, "PAY_PER_REQUEST")}, nil, detect.StoredItems{}, 1, 0, "on-demand about 4; "},
		{"a past peak of 4,500 write units", nil, []detect.PointStats{peak}, detect.StoredItems{}, 5, 0, "peak at least 5; "},
		{"open shards, which are no bound", []detect.FactStats{fact(ingest.FactOpenShards, "12")}, nil, detect.StoredItems{}, 1, 0, "open-shards about 12; "},
		{"data files of an export", []detect.FactStats{file("a"), file("b"), file("c")}, nil, detect.StoredItems{UnixNano: 5, Items: 3, Bytes: 99}, 1, 3, "size at least 1; export-files at most 3; "},
		{"nothing", nil, nil, detect.StoredItems{}, 0, 0, ""},
		{"no more than that there is one", []detect.FactStats{fact(ingest.FactTableBytes, "4096")}, nil, detect.StoredItems{}, 0, 0, ""},
	} {
		x := &detect.TargetView{Target: orders, Stored: tt.stored}
		v := &detect.View{Limits: detect.DefaultLimits(), Targets: []*detect.TargetView{x}, Facts: tt.facts, Points: tt.points}
		low, high, sources := uint64(0), uint64(0), ""
		if p := partitionsOf(v, x); p != nil {
			low, high = p.Low, p.High
			for _, s := range p.Sources {
				sources += s.Name + " " + s.Kind + " " + strconv.FormatUint(s.Number, 10) + "; "
			}
		}
		if low != tt.low || high != tt.high || cmp.Diff(sources, tt.sources) != "" {
			t.Errorf("%s: %d to %d by %q; want %d to %d by %q", tt.name, low, high, sources, tt.low, tt.high, tt.sources)
		}
	}
}
