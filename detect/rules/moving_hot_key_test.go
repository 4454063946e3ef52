package rules

import (
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// at gives the numbers of a key that is hot in the panes from..to only.
func at(minutes, from, to int, hot uint64) []uint64 {
	all := times(minutes, 0)
	for i := from; i < to; i++ {
		all[i] = hot
	}
	return all
}

func TestMovingHotKey(t *testing.T) {
	three := func(hot uint64) []*detect.KeyView {
		return []*detect.KeyView{aKey("a", at(30, 0, 10, hot)...), aKey("b", at(30, 10, 20, hot)...), aKey("c", at(30, 20, 30, hot)...)}
	}
	for _, c := range []struct {
		name string
		view func() *detect.View
		want string
	}{
		{"three keys follow each other with 100 requests and 20 %", func() *detect.View {
			return aView(30, aTarget(ingest.DynamoDB, 40, three(10)...))
		}, "low certain"},
		{"two keys follow each other", func() *detect.View {
			return aView(20, aTarget(ingest.DynamoDB, 40, aKey("a", at(20, 0, 10, 20)...), aKey("b", at(20, 10, 20, 20)...)))
		}, ""},
		{"one of three has 99 requests", func() *detect.View {
			keys := three(10)
			keys[1].Panes[12].Requests, keys[1].Requests = exact(9), exact(99)
			return aView(30, aTarget(ingest.DynamoDB, 35, keys...))
		}, ""},
		{"each has under 20 % of its run", func() *detect.View {
			return aView(30, aTarget(ingest.DynamoDB, 41, three(10)...))
		}, ""},
		{"three with 1,000 requests each are medium", func() *detect.View {
			return aView(30, aTarget(ingest.DynamoDB, 40, three(100)...))
		}, "medium certain"},
		{"a key that comes back does not move", func() *detect.View {
			keys := three(20)
			for i := 25; i < 30; i++ {
				keys[0].Panes[i].Requests, keys[2].Panes[i].Requests = exact(20), exact(0)
			}
			return aView(30, aTarget(ingest.DynamoDB, 40, keys...))
		}, ""},
		{"two equal keys that change rank do not move", func() *detect.View {
			a, b := times(30, 50), times(30, 50)
			for i := range a {
				a[i] += uint64(i % 2)
			}
			return aView(30, aTarget(ingest.DynamoDB, 40, aKey("a", a...), aKey("b", b...)))
		}, ""},
		{"three equal keys that are on top once each do not move", func() *detect.View {
			a, b, c := times(30, 50), times(30, 50), times(30, 50)
			for i := range 10 {
				a[i], b[10+i], c[20+i] = 52, 52, 52
			}
			return aView(30, aTarget(ingest.DynamoDB, 0, aKey("a", a...), aKey("b", b...), aKey("c", c...)))
		}, ""},
		{"minutes in which no key is hot are passed over", func() *detect.View {
			keys := []*detect.KeyView{aKey("a", at(30, 0, 9, 20)...), aKey("b", at(30, 11, 19, 20)...), aKey("c", at(30, 21, 30, 20)...)}
			return aView(30, aTarget(ingest.DynamoDB, 40, keys...))
		}, "low certain"},
		{"one key that is today's date is possible at once", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 40, aKey("2026-06-04", times(10, 10)...)))
		}, "low possible"},
		{"today's date with 99 requests", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 30, aKey("2026-06-04", append(times(9, 10), 9)...)))
		}, ""},
		{"today's date with under 20 %", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 41, aKey("2026-06-04", times(10, 10)...)))
		}, ""},
		{"a date of last year", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 40, aKey("2025-06-04", times(10, 10)...)))
		}, ""},
		{"a key with a date in it", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 40, aKey("tenant-7:2026-06-04", times(10, 10)...)))
		}, ""},
		{"a steady hot key does not move", func() *detect.View {
			return aView(10, aTarget(ingest.DynamoDB, 40, aKey("a", times(10, 100)...)))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &MovingHotKey, c.view())); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMovingHotKeyNamesTheLatest(t *testing.T) {
	v := aView(30, aTarget(ingest.DynamoDB, 40, aKey("a", at(30, 0, 10, 20)...), aKey("b", at(30, 10, 25, 20)...), aKey("c", at(30, 25, 30, 20)...)))
	found := judged(t, &MovingHotKey, v)
	if len(found) != 1 || string(found[0].Subject.Key) != "c" {
		t.Fatalf("got %+v, want one finding of c", found)
	}
	if got := evidenceOf(&found[0], "longest_run"); got != 900 {
		t.Errorf("longest run %d s, want 900", got)
	}
}

func TestMovingHotKeyNeedsTimes(t *testing.T) {
	v := aView(1, aTarget(ingest.DynamoDB, 40, aKey("a", 100)))
	v.Targets[0].Totals[detect.Untimed] = v.Targets[0].Totals[detect.Requests]
	if got := missing(&MovingHotKey, v); len(got) != 1 || got[0] != "time" {
		t.Errorf("missing %v, want time", got)
	}
}

func TestMovingHotKeyIsHalfAsHotOutsideItsRunAtMost(t *testing.T) {
	for outside, want := range map[uint64]string{24: "low certain", 25: ""} {
		keys := []*detect.KeyView{}
		for i := range 3 {
			perPane := times(30, outside)
			for j := range 10 {
				perPane[10*i+j] = 50
			}
			keys = append(keys, aKey(string(rune('a'+i)), perPane...))
		}
		v := aView(30, aTarget(ingest.DynamoDB, 0, keys...))
		for i := range v.Targets[0].Panes {
			v.Targets[0].Panes[i].Totals[detect.PaneRequests] = 100
		}
		if got := level(judged(t, &MovingHotKey, v)); got != want {
			t.Errorf("50 %% in their runs, %d %% outside: got %q, want %q", outside, got, want)
		}
	}
}
