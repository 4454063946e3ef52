package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// skewed gives a table of 10,000 requests over ten minutes without a hot key.
func skewed(change func(t *detect.TargetView)) *detect.View {
	t := aTarget(ingest.DynamoDB, 950, aKey("a", times(10, 50)...))
	t.Distinct = detect.Distinct{Value: 100, Low: 100, High: 100, Exact: true}
	t.Skew = detect.Skew{Known: true, Top10: detect.ShareRange{Value: 520, Low: 500, High: 540}, Effective: 39_999, Gini: 800}
	if change != nil {
		change(t)
	}
	return aView(10, t)
}

func TestSkewedKey(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *detect.TargetView)
		want   string
	}{
		{"half of 10,000 requests on ten of 100 keys, under 40 effective partitions", nil, "low certain"},
		{"9,999 requests", func(t *detect.TargetView) { t.Totals[detect.Requests] = 9_999 }, ""},
		{"99 keys", func(t *detect.TargetView) { t.Distinct.Low = 99 }, ""},
		{"a lower share of 49.9 %", func(t *detect.TargetView) { t.Skew.Top10.Low = 499 }, ""},
		{"40 effective partitions", func(t *detect.TargetView) { t.Skew.Effective = 40_000 }, ""},
		{"ordinary Zipf traffic: the top ten have half, 60 effective partitions", func(t *detect.TargetView) { t.Skew.Effective = 60_000 }, ""},
		{"a hot partition on that table says more", func(t *detect.TargetView) { t.Keys[0].Requests = exact(2000) }, ""},
		{"a peak of 500 WCU/s for each of 20 effective partitions", func(t *detect.TargetView) {
			t.Skew.Effective = 20_000
			t.Panes[4].Totals[detect.PaneWriteMilli] = 10_000 * 60 * 1000
		}, "medium certain"},
		{"a peak of just under 500 WCU/s for each", func(t *detect.TargetView) {
			t.Skew.Effective = 20_000
			t.Panes[4].Totals[detect.PaneWriteMilli] = 9_999 * 60 * 1000
		}, "low certain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &SkewedKey, skewed(c.change))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSkewedKeySaysWhenSkewIsNotKnown(t *testing.T) {
	v := skewed(func(t *detect.TargetView) { t.Skew.Known = false })
	if got := missing(&SkewedKey, v); len(got) != 1 || got[0] != "skew" {
		t.Errorf("missing %v, want skew", got)
	}
}
