package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// refusing gives a table with refused requests for the key range in each pane, of so many requests a pane.
func refusing(minutes int, of uint64, refused ...uint64) *detect.View {
	t := aTarget(ingest.DynamoDB, of, aKey("a", times(minutes, 0)...))
	for i, n := range refused {
		t.Panes[i].Totals[detect.PaneThrottle+detect.PaneCounter(ingest.ThrottledKeyRange)] = n
		t.Totals[detect.Throttle+detect.Counter(ingest.ThrottledKeyRange)] += n
	}
	return aView(minutes, t)
}

func TestThrottling(t *testing.T) {
	for _, c := range []struct {
		name string
		view *detect.View
		want string
	}{
		{"none is quiet", refusing(60, 1000), ""},
		{"one", refusing(60, 1000, 1), "low possible"},
		{"100 within ten minutes", refusing(60, 10_000, 50, 0, 0, 0, 0, 0, 0, 0, 0, 50), "medium possible"},
		{"100 within eleven minutes", refusing(60, 10_000, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50), "low possible"},
		{"five successive minutes", refusing(60, 10_000, 1, 1, 1, 1, 1), "medium possible"},
		{"four successive minutes", refusing(60, 10_000, 1, 1, 1, 1, 0, 1), "low possible"},
		{"1 % of 1,000 requests", refusing(60, 20, 6, 0, 6), "medium possible"},
		{"1 % of 960 requests", refusing(60, 16, 5, 0, 5), "low possible"},
		{"0.9 % of 6,000 requests", refusing(60, 100, 27, 0, 27), "low possible"},
		{"5 % for five minutes, over before the last third", refusing(60, 1000, 50, 50, 50, 50, 50), "medium possible"},
		{"5 % for five minutes, still on", refusing(6, 1000, 0, 50, 50, 50, 50, 50), "high possible"},
		{"4.9 % all the time is never above medium", refusing(6, 1000, 49, 49, 49, 49, 49, 49), "medium possible"},
		{"5 % for four minutes", refusing(6, 1000, 0, 0, 50, 50, 50, 50), "medium possible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &Throttling, c.view)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestThrottlingTellsReasonsApart(t *testing.T) {
	v := refusing(6, 1000, 5)
	v.Targets[0].Totals[detect.Throttle+detect.Counter(ingest.ThrottledTable)] = 7
	found := judged(t, &Throttling, v)
	if len(found) != 1 {
		t.Fatalf("got %d findings, want 1", len(found))
	}
	for measure, want := range map[string]int64{"throttled_requests": 12, "throttled_key_range": 5, "throttled_table": 7, "throttled_index": -1} {
		if got := evidenceOf(&found[0], measure); got != want {
			t.Errorf("%s: got %d, want %d", measure, got, want)
		}
	}
	if want := "12 of 6,000 requests were refused for rate: 5 for its key range, 7 for its table's capacity"; found[0].Message != want {
		t.Errorf("message %q, want %q", found[0].Message, want)
	}
}

func TestThrottlingTellsRetries(t *testing.T) {
	told := refusing(6, 1000, 0, 50, 50, 50, 50, 50)
	told.Targets[0].Totals[detect.Retried] = 200
	alike := refusing(6, 1000, 0, 50, 50, 50, 50, 50)
	alike.Targets[0].Keys[0].Exact = &detect.ExactKey{Repeats: detect.Repeats{Refused: 130, Requests: 40, Longest: 5}}
	for _, c := range []struct {
		name     string
		view     *detect.View
		evidence map[string]int64
		says     string
	}{
		{"as their records say", told, map[string]int64{"retries": 200, "throttled_requests": 250},
			"250 of 6,000 requests were refused for rate: 250 for its key range; 200 of all requests are retries, which are no load of their own: each counted once, 0.8 % were refused for good"},
		{"as their rhythm tells", alike, map[string]int64{"likely_retries": 130, "most_attempts": 5},
			"250 of 6,000 requests were refused for rate: 250 for its key range; at least 130 of the refusals look like a storm of retries: the same operation on the same item, up to 5 times, at growing intervals"},
	} {
		found := judged(t, &Throttling, c.view)
		if len(found) != 1 {
			t.Fatalf("%s: %d findings, want 1", c.name, len(found))
		}
		for measure, want := range c.evidence {
			if got := evidenceOf(&found[0], measure); got != want {
				t.Errorf("%s: %s: got %d, want %d", c.name, measure, got, want)
			}
		}
		if found[0].Message != c.says {
			t.Errorf("%s: message %q, want %q", c.name, found[0].Message, c.says)
		}
	}
}
