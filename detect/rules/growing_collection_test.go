package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

const aDay = 86400_000_000_000 // nanoseconds

// exportsOf gives a table of which exports tell the size of one collection, a day apart each.
func exportsOf(days int64, sizes ...uint64) *detect.TargetView {
	t := &detect.TargetView{Target: detect.Target{Store: ingest.DynamoDB, Table: "Orders"}}
	all := []detect.StoredItems{}
	for i, n := range sizes {
		all = append(all, detect.StoredItems{UnixNano: start*1e9 + int64(i)*days*aDay,
			Collections: []detect.Collection{{Key: []byte("TENANT#1"), Bytes: exact(n), Storage: exact(n), At: shown}}})
	}
	t.Earlier, t.Stored = all[:len(all)-1], all[len(all)-1]
	return t
}

// changesOf gives a table of which records over so many hours tell by how much a key's items grew.
func changesOf(hours int64, grown, shrunk, changes uint64) *detect.TargetView {
	return &detect.TargetView{
		Target:  detect.Target{Store: ingest.DynamoDB, Table: "Orders"},
		Grew:    detect.Span{Start: start, End: start + hours*3600},
		Growing: []detect.GrowingKey{{Key: []byte("TENANT#1"), Grown: exact(grown), Shrunk: exact(shrunk), Changes: exact(changes), At: shown}},
	}
}

// withSize adds what item collection metrics tell of the key.
func withSize(t *detect.TargetView, gib uint64) *detect.TargetView {
	t.States = []detect.StateStats{{Measure: ingest.PartitionBytes, Key: "TENANT#1", KeyKnown: true, Source: "item collection metrics", Max: gib << 30, AtLeast: true, Positions: shown}}
	return t
}

// inPanes spreads a key's growth evenly over minutes, as the second pass counts it.
func inPanes(t *detect.TargetView, minutes int) *detect.TargetView {
	k := &t.Growing[0]
	for i := range minutes {
		k.Panes = append(k.Panes, detect.ExactPane{Start: uint32(start + 60*i), Grown: k.Grown.Low / uint64(minutes)})
	}
	return t
}

func TestGrowthOfItemCollections(t *testing.T) {
	const mib, gib = uint64(1 << 20), uint64(1 << 30)
	local := []detect.FactStats{{Target: detect.Target{Store: ingest.DynamoDB, Table: "Orders"}, Name: ingest.FactLocalIndex, Value: "byDay"}}
	for _, tt := range []struct {
		name  string
		t     *detect.TargetView
		facts []detect.FactStats
		want  string // severity, confidence
		says  string
	}{
		{"two exports, grown by a twentieth", exportsOf(2, 9*gib, 9*gib+gib/2), nil, "", ""},
		{"two exports, 2 days before the limit", exportsOf(2, 8*gib, 9*gib), nil, "medium possible", "two times tell no interval"},
		{"a wall under a local index", exportsOf(2, 8*gib, 9*gib), local, "medium possible", "ItemCollectionSizeLimitExceeded"},
		{"three exports tell an interval", exportsOf(2, 7*gib, 8*gib, 9*gib), nil, "medium certain", "passes 10.0 GiB about"},
		{"two exports of an hour's distance are nothing", exportsOf(0, 8*gib, 9*gib), nil, "", ""},
		{"grown by less than a tenth", exportsOf(2, 9*gib, 9*gib+100*mib), nil, "", ""},
		{"far from the limit", exportsOf(2, 100*mib, 200*mib), nil, "", ""},
		{"a stream without a size has no date", changesOf(2, 5*mib, mib, 200), nil, "low certain", "is not told"},
		{"a stream beside metrics near the limit", withSize(changesOf(2, 20*mib, 0, 200), 9), nil, "medium certain", "they pass 10.0 GiB about 2026-06-08 "},
		{"a stream beside metrics far from it", withSize(changesOf(2, 20*mib, 0, 200), 1), nil, "low certain", "they pass 10.0 GiB about"},
		{"an interval from the panes", inPanes(withSize(changesOf(2, 20*mib, 0, 200), 9), 120), nil, "medium certain", "(2026-06-04 to 2026-06-08)"},
		{"what is deleted is taken off", changesOf(2, 5*mib, 5*mib, 200), nil, "", ""},
		{"few writes", changesOf(2, 5*mib, 0, 99), nil, "", ""},
		{"half an hour", changesOf(0, 5*mib, 0, 200), nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &detect.View{Limits: detect.DefaultLimits(), Width: 60, Targets: []*detect.TargetView{tt.t}, Facts: tt.facts}
			found, _ := judgeGrowingPartition(v)
			got, said := "", ""
			for _, f := range found {
				got, said = fmt.Sprintf("%s %s", f.Severity, f.Confidence), f.Message
			}
			if got != tt.want || tt.want != "" && !strings.Contains(said, tt.says) {
				t.Errorf("got %q: %s; want %q that says %q", got, said, tt.want, tt.says)
			}
		})
	}
}

func TestFewKeysOfStoredItems(t *testing.T) {
	for _, tt := range []struct {
		name       string
		keys, size uint64
		want       bool
	}{
		{"three keys, one of 200 MiB", 3, 200 << 20, true},
		{"twenty keys", 20, 200 << 20, true},
		{"more keys", 21, 200 << 20, false},
		{"three small keys", 3, 99 << 20, false},
	} {
		x := &detect.TargetView{Target: detect.Target{Store: ingest.DynamoDB, Table: "Orders", Index: "byStatus"}}
		x.Stored = detect.StoredItems{Items: 1000, Bytes: 3 * tt.size, Distinct: detect.Distinct{Value: tt.keys, Low: tt.keys, High: tt.keys},
			Collections: []detect.Collection{{Key: []byte("open"), Bytes: exact(tt.size), At: shown}}}
		found, _ := judgeLowCardinalityKey(&detect.View{Limits: detect.DefaultLimits(), Targets: []*detect.TargetView{x}})
		if got := len(found) == 1; got != tt.want {
			t.Errorf("%s: got %v, want %t", tt.name, found, tt.want)
		}
	}
}
