package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestWindowsAreTheShortestWithoutAGap(t *testing.T) {
	v := aView(6, aTarget(ingest.Cassandra, 1, aKey("a", times(6, 0)...)))
	for i := range v.Panes[4:] { // a gap before the fifth pane
		v.Panes[4+i].Start, v.Panes[4+i].End = v.Panes[4+i].Start+60, v.Panes[4+i].End+60
	}
	got := windows(v, 3)
	if diff := cmp.Diff(got, []window{{0, 3}, {1, 4}}, cmp.AllowUnexported(window{})); diff != "" {
		t.Errorf("windows (-got +want):\n%s", diff)
	}
}

func TestStretchesJoinWhatOverlapsAsLongAsTheWholePasses(t *testing.T) {
	spans := []window{{0, 3}, {1, 4}, {2, 5}, {3, 6}, {6, 9}, {7, 10}}
	for _, c := range []struct {
		name   string
		passes func(w window) bool
		want   []window
	}{
		{"all pass", func(window) bool { return true }, []window{{0, 6}, {6, 10}}},
		{"none passes", func(window) bool { return false }, []window{}},
		{"five panes at most", func(w window) bool { return w.to-w.from <= 5 }, []window{{0, 5}, {3, 6}, {6, 10}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(stretches(spans, c.passes), c.want, cmp.AllowUnexported(window{})); diff != "" {
				t.Errorf("stretches (-got +want):\n%s", diff)
			}
		})
	}
}

func TestInARowGivesTheFirstLongestRun(t *testing.T) {
	v := aView(12, aTarget(ingest.Cassandra, 1, aKey("a", times(12, 0)...)))
	holds := []bool{true, true, false, true, true, true, false, true, true, true, false, true}
	run, ok := inARow(v, 3, func(i int) bool { return holds[i] })
	if !ok || run != (window{3, 6}) {
		t.Errorf("got %v, %v, want {3 6}", run, ok)
	}
	if _, ok := inARow(v, 4, func(i int) bool { return holds[i] }); ok {
		t.Error("four minutes in a row were found in runs of three")
	}
}

func TestJoinedHoldsBoth(t *testing.T) {
	a, b, none := detect.Span{Start: 1, End: 5}, detect.Span{Start: 3, End: 9}, detect.Span{}
	for _, c := range []struct{ a, b, want detect.Span }{
		{a, b, detect.Span{Start: 1, End: 9}}, {b, a, detect.Span{Start: 1, End: 9}}, {a, none, a}, {none, b, b},
		{detect.Span{Start: 1, End: 9}, b, detect.Span{Start: 1, End: 9}},
	} {
		if got := joined(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestMostInCountsAWidePaneWithItsShare(t *testing.T) {
	v := aView(1, aTarget(ingest.Cassandra, 1, aKey("a", 0)))
	v.Panes[0].End = v.Panes[0].Start + 3600
	if got := mostIn(v, 10, func(int) uint64 { return 600 }); got != 100 {
		t.Errorf("600 in an hour: got %d within ten minutes, want 100", got)
	}
}

func TestNumbersAreWrittenForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(1234567), "1,234,567"},
		{percent(412), "41.2 %"}, {percent(1000), "100.0 %"}, {whole(1_840_000), "1,840"}, {whole(2_345), "2.3"}, {whole(2_050), "2"},
		{whole(99_900), "99.9"}, {whole(100_900), "100"}, {plural(1, "node"), "1 node"}, {plural(2000, "node"), "2,000 nodes"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
