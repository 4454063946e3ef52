package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func tableView() *detect.View {
	a := targetView("a", 100, keyView("k1", 50, 60), keyView("k2", 30, 30), keyView("none", 0, 0))
	b := targetView("b", 10, keyView("k3", 30, 30))
	a.Keys[1].Tombstones = detect.Range{Low: 7, High: 7}
	a.Totals[detect.Tombstones], a.Totals[detect.KeyUnknown] = 7, 50
	return view(ingest.Traffic, a, b)
}

func rowNames(t *KeyTable) (out []string) {
	for _, r := range t.Rows {
		out = append(out, fmt.Sprintf("%s %s %d-%d %d", r.Target.Table, r.Key, r.Amount.Low, r.Amount.High, r.Share.Value))
	}
	return out
}

func TestKeyTablesAreRankedByTheirWeight(t *testing.T) {
	panes := func(_ *detect.TargetView, k *detect.KeyView) []detect.KeyPane {
		return []detect.KeyPane{{Requests: k.Requests}, {Requests: detect.Range{High: k.Requests.High / 30}}}
	}
	tests := []struct {
		name string
		s    KeySelect
		want []string
	}{
		{"by requests, shares of known keys", KeySelect{}, []string{"a k1 50-60 1000", "a k2 30-30 600", "b k3 30-30 1000"}},
		{"of one table", KeySelect{Table: "b"}, []string{"b k3 30-30 1000"}},
		{"the first", KeySelect{Limit: 1}, []string{"a k1 50-60 1000"}},
		{"by tombstones, without keys that have none", KeySelect{By: Tombstones}, []string{"a k2 7-7 1000"}},
		{"of each pane", KeySelect{Panes: panes, Limit: 2}, []string{"a k1 50-60 550", "a k2 30-30 300", "a k1 0-2 0", "a k2 0-1 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(rowNames(BuildKeyTable(tableView(), tt.s)), tt.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestCostIsInUnitsWhereRecordsCarryThem(t *testing.T) {
	v := tableView()
	if got := BuildKeyTable(v, KeySelect{By: Cost}); got.Milli {
		t.Error("bytes are taken for thousandths of units")
	}
	v.Targets[0].Totals[detect.UnitsKnown] = 1
	if got := BuildKeyTable(v, KeySelect{By: Cost}); !got.Milli {
		t.Error("thousandths of units are taken for bytes")
	}
}

func TestOneKeyIsHeldOrBounded(t *testing.T) {
	v := tableView()
	v.Targets[0].Untold = detect.Untold{Requests: 12}
	r := Build(&Parts{View: v, Findings: []detect.Finding{
		{Rule: "r", Subject: detect.Subject{Target: detect.Target{Table: "a"}, Key: []byte("k2"), HasKey: true}},
		{Rule: "r", Subject: detect.Subject{Target: detect.Target{Table: "b"}, Key: []byte("k2"), HasKey: true}}}})
	held, ok := BuildKey(v, r, detect.Target{Table: "a"}, []byte("k2"), nil)
	if !ok || !held.Held || held.Rank != 2 || held.Requests.Low != 30 || len(held.Findings) != 1 {
		t.Errorf("got %+v, want a held key, second, with 30 requests and a finding", held)
	}
	small, ok := BuildKey(v, r, detect.Target{Table: "a"}, []byte("nobody"), nil)
	if !ok || small.Held || small.Requests != (detect.Range{High: 12}) {
		t.Errorf("got %+v, want a key of at most 12 requests", small)
	}
	if _, ok := BuildKey(v, r, detect.Target{Table: "nothing"}, []byte("k2"), nil); ok {
		t.Error("a table that is not there has a key")
	}
}

func TestTheRankOfAKeyIsGivenOnlyWhenItIsCertain(t *testing.T) {
	keys := []*detect.KeyView{keyView("first", 90, 100), keyView("second", 50, 60), keyView("third", 40, 55), keyView("fourth", 9, 9)}
	v := view(ingest.Traffic, targetView("a", 1000, keys...))
	v.Targets[0].Untold.Requests = 9
	for name, want := range map[string]int{"first": 1, "second": 0, "third": 0, "fourth": 4} {
		got, _ := BuildKey(v, &Report{}, v.Targets[0].Target, []byte(name), nil)
		if got.Rank != want {
			t.Errorf("%s: got rank %d, want %d", name, got.Rank, want)
		}
	}
	v.Targets[0].Untold.Requests = 10
	if got, _ := BuildKey(v, &Report{}, v.Targets[0].Target, []byte("fourth"), nil); got.Rank != 0 {
		t.Errorf("a key that is not held may pass it: got rank %d, want 0", got.Rank)
	}
}
