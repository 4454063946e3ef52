package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// fewKeyed gives 1,000 writes to 20 keys over ten minutes.
func fewKeyed(minutes int, change func(t *detect.TargetView)) *detect.View {
	t := aTarget(ingest.DynamoDB, 95, aKey("OPEN", times(minutes, 5)...))
	t.Distinct = detect.Distinct{Value: 20, Low: 20, High: 20, Exact: true}
	if change != nil {
		change(t)
	}
	return aView(minutes, t)
}

func TestLowCardinalityKey(t *testing.T) {
	op := func(o ingest.Op) detect.Counter { return detect.ByOp + detect.Counter(o) }
	for _, c := range []struct {
		name    string
		minutes int
		change  func(t *detect.TargetView)
		want    string
	}{
		{"20 keys share 1,000 requests over ten minutes", 10, nil, "low certain"},
		{"21 keys", 10, func(t *detect.TargetView) { t.Distinct.High = 21 }, ""},
		{"999 requests", 10, func(t *detect.TargetView) { t.Totals[detect.Requests] = 999 }, ""},
		{"nine minutes", 9, func(t *detect.TargetView) { t.Totals[detect.Requests] = 1000 }, ""},
		{"a request without a key may be of another one", 10, func(t *detect.TargetView) { t.Totals[detect.KeyUnknown] = 1 }, ""},
		{"a scan is of no key", 10, func(t *detect.TargetView) { t.Totals[detect.KeyUnknown], t.Totals[op(ingest.OpScan)] = 1, 1 }, "low certain"},
		{"25 keys where the peak needs 25 partitions", 10, func(t *detect.TargetView) {
			t.Distinct.High = 25
			t.Panes[3].Totals[detect.PaneWriteMilli] = 24_001 * 60 * 1000
		}, "low certain"},
		{"25 keys where the peak needs 24", 10, func(t *detect.TargetView) {
			t.Distinct.High = 25
			t.Panes[3].Totals[detect.PaneWriteMilli] = 24_000 * 60 * 1000
		}, ""},
		{"a key at a quarter of the limit", 10, func(t *detect.TargetView) {
			t.Keys[0].Panes[2].Writes = exact(250 * 60 * 1000)
			t.Totals[detect.WriteMilli] = 1
		}, "medium certain"},
		{"a key just under a quarter of the limit", 10, func(t *detect.TargetView) { t.Keys[0].Panes[2].Writes = exact(249 * 60 * 1000) }, "low certain"},
		{"a lookup table is read only", 10, func(t *detect.TargetView) {
			t.Totals[op(ingest.OpRead)], t.Totals[op(ingest.OpWrite)] = 991, 9
		}, ""},
		{"a table of which one in a hundred writes is no lookup table", 10, func(t *detect.TargetView) {
			t.Totals[op(ingest.OpRead)], t.Totals[op(ingest.OpWrite)] = 990, 10
		}, "low certain"},
		{"a lookup table near a limit", 10, func(t *detect.TargetView) {
			t.Totals[op(ingest.OpRead)], t.Totals[op(ingest.OpWrite)] = 1000, 0
			t.Keys[0].Panes[2].Reads = exact(750 * 60 * 1000)
		}, "medium certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &LowCardinalityKey, fewKeyed(c.minutes, c.change))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLowCardinalityKeySaysWhatItCouldNotJudge(t *testing.T) {
	v := fewKeyed(10, func(t *detect.TargetView) { t.Totals[detect.KeyUnknown] = 1 })
	if got := missing(&LowCardinalityKey, v); len(got) != 1 || got[0] != "key" {
		t.Errorf("missing %v, want key", got)
	}
	v = fewKeyed(10, func(t *detect.TargetView) { t.Totals[detect.Untimed] = t.Totals[detect.Requests] })
	if got := missing(&LowCardinalityKey, v); len(got) != 1 || got[0] != "time" {
		t.Errorf("missing %v, want time", got)
	}
}
