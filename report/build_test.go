package report

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

func keyView(name string, low, high uint64) *detect.KeyView {
	return &detect.KeyView{Key: []byte(name), Requests: detect.Range{Low: low, High: high}, Cost: detect.Range{Low: low, High: high}}
}

func targetView(table string, requests uint64, keys ...*detect.KeyView) *detect.TargetView {
	t := &detect.TargetView{Target: detect.Target{Table: table}, Keys: keys, Latency: &sketch.Histogram{}, Panes: make([]detect.TargetPane, 2)}
	t.Totals[detect.Requests] = requests
	t.Panes[0].Totals[detect.PaneRequests] = requests
	return t
}

func view(coverage ingest.Coverage, targets ...*detect.TargetView) *detect.View {
	return &detect.View{Limits: detect.DefaultLimits(), Targets: targets, Panes: []detect.PaneSpan{{Start: 0, End: 60}, {Start: 60, End: 120}}, Width: 60,
		Inputs: []detect.InputStats{{Name: "a", Events: 10, Coverage: coverage}, {Name: "empty"}}}
}

func TestFindingsStandInOrderOfSeverityThenCostThenSubject(t *testing.T) {
	finding := func(table string, s detect.Severity, cost detect.Milli) detect.Finding {
		return detect.Finding{Rule: "r", Severity: s, Cost: cost, Subject: detect.Subject{Target: detect.Target{Table: table}}}
	}
	r := Build(&Parts{View: view(ingest.Traffic), Findings: []detect.Finding{
		finding("c", detect.Low, 900), finding("b", detect.High, 5), finding("a", detect.High, 5), finding("d", detect.High, 7), finding("e", detect.Critical, 0)}})
	got := ""
	for _, f := range r.Findings {
		got += f.Subject.Target.Table
	}
	if want := "edabc"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestAFindingKeepsItsIdentity(t *testing.T) {
	s := detect.Subject{Target: detect.Target{Store: ingest.DynamoDB, Table: "orders"}, Key: []byte("CUSTOMER#42"), HasKey: true}
	if got, want := FindingID("hot-partition", s), "d1f519fea68df219"; got != want {
		t.Errorf("identity %s, want %s: users suppress findings by it, and nightly runs compare by it", got, want)
	}
	changed := detect.Finding{Rule: "hot-partition", Subject: s, Severity: detect.High, Message: "worse"}
	if got, want := Build(&Parts{View: view(ingest.Traffic), Findings: []detect.Finding{changed}}).Findings[0].ID, FindingID("hot-partition", s); got != want {
		t.Errorf("identity %s, want %s whatever the severity", got, want)
	}
}

func TestAKeyIsCertifiedWhenNoKeyAfterItCanBeLarger(t *testing.T) {
	tests := []struct {
		name   string
		keys   []*detect.KeyView
		untold uint64
		want   []bool
	}{
		{"exact counts", []*detect.KeyView{keyView("a", 9, 9), keyView("b", 5, 5)}, 0, []bool{true, true}},
		{"equal counts", []*detect.KeyView{keyView("a", 5, 5), keyView("b", 5, 5)}, 0, []bool{true, true}},
		{"bounds that overlap", []*detect.KeyView{keyView("a", 4, 9), keyView("b", 4, 6)}, 0, []bool{false, true}},
		{"a key that is not held", []*detect.KeyView{keyView("a", 9, 9), keyView("b", 5, 5)}, 6, []bool{true, false}},
		{"a later key reaches further than the next", []*detect.KeyView{keyView("a", 6, 8), keyView("b", 6, 6), keyView("c", 1, 7)}, 0, []bool{false, false, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target := targetView("t", 100, tt.keys...)
			target.Untold.Requests = tt.untold
			var got []bool
			for _, k := range Build(&Parts{View: view(ingest.Traffic, target)}).Tables[0].TopKeys {
				got = append(got, k.Certified)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestComplaintsAreReportedBesideTraffic(t *testing.T) {
	target := targetView("t", 100, keyView("a", 60, 60))
	for _, shape := range []string{"SELECT ?", "SELECT ?", ""} {
		s := &detect.SelectedView{Shape: shape}
		s.Counts[detect.SelectedRecords] = detect.Range{Low: 7, High: 20}
		target.Selected = append(target.Selected, s)
	}
	r := Build(&Parts{View: view(ingest.Traffic, target)})
	if got := r.Tables[0]; got.Requests.High != 100 || got.Reported != 21 || got.TopKeys[0].Share.Value != 600 {
		t.Errorf("requests %v, reported %d, share %v, want 100, 21, 600", got.Requests, got.Reported, got.TopKeys[0].Share)
	}
	want := []Pattern{{Target: target.Target, Shape: "SELECT ?", Requests: detect.Range{Low: 14, High: 40}, Selected: true}}
	if diff := cmp.Diff(r.Patterns, want); diff != "" {
		t.Errorf("patterns (-got +want):\n%s", diff)
	}
}

func TestTopKeysAreLimitedAfterTheyAreCertified(t *testing.T) {
	target := targetView("t", 100, keyView("a", 5, 5), keyView("b", 1, 7))
	top := Build(&Parts{View: view(ingest.Traffic, target), Limit: 1}).Tables[0].TopKeys
	if len(top) != 1 || top[0].Certified {
		t.Errorf("%d keys, certified %v, want 1 that is not", len(top), top[0].Certified)
	}
}

func TestSharesHoldTheTruthForAllCounts(t *testing.T) {
	seed := uint64(3)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		whole := 1 + rng.Uint64()>>rng.IntN(64)
		if whole == 0 {
			whole = math.MaxUint64
		}
		low := rng.Uint64N(whole)
		high := low + rng.Uint64N(whole-low)
		s := shareOf(detect.Range{Low: low, High: high}, whole)
		if !holds(s.Low, low, whole, -1) || !holds(s.High, high, whole, 1) || s.Low > s.Value || s.Value > s.High || s.High > 1000 {
			t.Fatalf("seed %d: [%d, %d] of %d is %v", seed, low, high, whole, s)
		}
	}
}

// holds reports whether share is on the given side of part/whole, and less than a thousandth off.
func holds(share detect.Milli, part, whole uint64, side int) bool {
	exact := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).SetUint64(part), big.NewInt(1000)), new(big.Int).SetUint64(whole))
	off := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(share)), exact)
	if off.Sign() == -side {
		return false
	}
	return off.Abs(off).Cmp(big.NewRat(1, 1)) < 0
}

func TestThePartsThatCapsHeldTogetherAreNoted(t *testing.T) {
	v := view(ingest.Traffic)
	v.Lost = detect.Lost{Targets: 7}
	got := Build(&Parts{View: v, Notes: []string{"first"}}).Notes
	want := []string{"first", "7 requests are of tables beyond the first 4096: they are counted together as (other tables)"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestGapsAreSortedAndSaidOnce(t *testing.T) {
	gap := detect.NotAssessed{Rule: "b", Missing: []string{"time"}, GetIt: "x"}
	r := Build(&Parts{View: view(ingest.Traffic), NotAssessed: []detect.NotAssessed{gap, {Rule: "a"}, gap}})
	if len(r.NotAssessed) != 2 || r.NotAssessed[0].Rule != "a" {
		t.Errorf("got %v, want a and b", r.NotAssessed)
	}
}
