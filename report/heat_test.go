package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// paned gives a key with requests in the two panes of view.
func paned(name string, first, second detect.Range) *detect.KeyView {
	k := keyView(name, first.Low+second.Low, first.High+second.High)
	k.Panes = []detect.KeyPane{{Requests: first}, {Requests: second}}
	return k
}

func span(low, high uint64) detect.Range { return detect.Range{Low: low, High: high} }

func TestAHeatMapTellsOfAllKeysTogether(t *testing.T) {
	target := targetView("t", 100, paned("a", span(40, 50), span(0, 0)), paned("b", span(10, 10), span(5, 9)))
	target.Panes[1].Totals[detect.PaneRequests] = 7
	h := Build(&Parts{View: view(ingest.Traffic, target)}).Tables[0].Heat
	want := [][]detect.Range{{span(40, 50), span(0, 0)}, {span(10, 10), span(5, 9)}, {span(40, 50), span(0, 2)}}
	got := [][]detect.Range{h.Rows[0].Series[HeatRequests], h.Rows[1].Series[HeatRequests], h.Rest.Series[HeatRequests]}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("rows and rest (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(h.Total, [Measures][]uint64{HeatRequests: {100, 7}}); diff != "" {
		t.Errorf("totals (-got +want):\n%s", diff)
	}
}

func TestThrottlesOfAKeyAreThoseOfTheSecondPass(t *testing.T) {
	k := paned("a", span(5, 5), span(5, 5))
	k.Exact = &detect.ExactKey{Panes: []detect.ExactPane{{Start: 60, Throttled: 3}}}
	target := targetView("t", 10, k, paned("b", span(0, 1), span(0, 1)))
	target.Panes[1].Totals[detect.PaneThrottle+1] = 4
	h := Build(&Parts{View: view(ingest.Traffic, target)}).Tables[0].Heat
	got := [][]detect.Range{h.Rows[0].Series[HeatThrottles], h.Rows[1].Series[HeatThrottles], h.Rest.Series[HeatThrottles]}
	if diff := cmp.Diff(got, [][]detect.Range{{span(0, 0), span(3, 3)}, nil, {span(0, 0), span(1, 1)}}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestTheKeyOfAFindingHasARowHoweverSmallItIs(t *testing.T) {
	var keys []*detect.KeyView
	for i := range 100 {
		keys = append(keys, paned(fmt.Sprint("k", i), span(uint64(200-i), uint64(200-i)), span(0, 0)))
	}
	target := targetView("t", 30000, keys...)
	found := detect.Finding{Severity: detect.High, Subject: detect.Subject{Target: target.Target, Key: []byte("k99"), HasKey: true}}
	h := Build(&Parts{View: view(ingest.Traffic, target), Findings: []detect.Finding{found}}).Tables[0].Heat
	if got := len(h.Rows); got != heatRows {
		t.Errorf("%d rows, want %d", got, heatRows)
	}
	if got := string(h.Rows[len(h.Rows)-1].Key); got != "k99" {
		t.Errorf("last row is of %s, want the key of the finding", got)
	}
}

func TestOnlySomeTablesHaveAHeatMap(t *testing.T) {
	var targets []*detect.TargetView
	for i := range 40 {
		targets = append(targets, targetView(fmt.Sprintf("t%02d", i), uint64(i), paned("a", span(0, 1), span(0, 0))))
	}
	found := detect.Finding{Severity: detect.Low, Subject: detect.Subject{Target: targets[1].Target}}
	r := Build(&Parts{View: view(ingest.Traffic, targets...), Findings: []detect.Finding{found}})
	maps := 0
	for i := range r.Tables {
		if r.Tables[i].Heat != nil {
			maps++
		}
	}
	if maps != heatTables || r.Tables[0].Heat != nil || r.Tables[1].Heat == nil || r.Tables[39].Heat == nil {
		t.Errorf("%d maps, want %d: of the table with a finding and of the busiest", maps, heatTables)
	}
}

func TestAMaskedHeatMapHidesItsKeys(t *testing.T) {
	target := targetView("t", 10, paned("secret", span(5, 5), span(5, 5)))
	r := Build(&Parts{View: view(ingest.Traffic, target)})
	masked := r.Masked(func([]byte) []byte { return []byte("mask") })
	if got := string(masked.Tables[0].Heat.Rows[0].Key); got != "mask" {
		t.Errorf("row of %q, want its mask", got)
	}
	if got := string(r.Tables[0].Heat.Rows[0].Key); got != "secret" {
		t.Errorf("the report itself was changed to %q", got)
	}
}
