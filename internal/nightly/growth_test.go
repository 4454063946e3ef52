package nightly

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// sized gives nights from 2026-06-01 on at which one partition has these sizes; 0: nothing tells it.
func sized(limit uint64, of ...uint64) []*Night {
	out := []*Night{}
	for i, v := range of {
		n := aNight(fmt.Sprintf("2026-06-%02d", i+1))
		if v > 0 {
			n.Sizes = []Size{{Target: detect.Target{Store: ingest.Cassandra, Table: "t"}, Key: []byte("k"), KeyKnown: true, Measure: "partition_bytes", Value: v, Limit: limit}}
		}
		out = append(out, n)
	}
	return out
}

func curve(n int, f func(x float64) float64) []uint64 {
	out := []uint64{}
	for i := range n {
		out = append(out, uint64(math.Round(f(float64(i)))))
	}
	return out
}

func TestGrowthTellsTheDayOnWhichALimitIsPassed(t *testing.T) {
	for name, tc := range map[string]struct {
		nights  []*Night
		percent bool
		passes  string // empty: no date; "-": no growth
	}{
		"by the same amount each night":               {sized(2000, curve(8, func(x float64) float64 { return 1000 + 100*x })...), false, "2026-06-11"},
		"by the same share each night":                {sized(200e6, curve(8, func(x float64) float64 { return 100e6 * math.Pow(1.04, x) })...), true, "2026-06-19"},
		"a night that tells no size is passed over":   {sized(2000, 1000, 1100, 0, 1300, 1400), false, "2026-06-11"},
		"over every limit there is no date":           {sized(0, 1000, 1100, 1200), false, ""},
		"beyond a year there is no date":              {sized(1e9, 1000, 1100, 1200), false, ""},
		"two nights are too few":                      {sized(2000, 1000, 1100), false, "-"},
		"a partition that shrinks does not grow":      {sized(2000, 1200, 1100, 1000), false, "-"},
		"one that stays does not grow":                {sized(2000, 1000, 1000, 1000, 1000), false, "-"},
		"ups and downs are no growth that is certain": {sized(2000, 1000, 1300, 900, 1250, 1010), false, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			got := growths(tc.nights)
			if (len(got) == 0) != (tc.passes == "-") {
				t.Fatalf("got %+v", got)
			}
			if len(got) == 0 {
				return
			}
			date := ""
			if !got[0].Passes.IsZero() {
				date = got[0].Passes.Format(time.DateOnly)
			}
			if date != tc.passes || got[0].Percent != tc.percent {
				t.Errorf("passes %q, percent %v; want %q, %v", date, got[0].Percent, tc.passes, tc.percent)
			}
		})
	}
}

// The interval of the slope holds the true one in 95 of 100 cases: of 400 series with noise at least 360.
func TestTheIntervalHoldsTheTrueDay(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	inside, all := 0, 0
	for range 400 {
		nights := sized(300_000, curve(10, func(x float64) float64 { return 100_000 + 5000*x + 3000*random.NormFloat64() })...)
		got := growths(nights)
		if len(got) == 0 || got[0].Passes.IsZero() || got[0].Percent {
			continue
		}
		all++
		truth := day(1).AddDate(0, 0, 40)
		if g := got[0]; !truth.Before(g.Early.AddDate(0, 0, -1)) && !truth.After(g.Late.AddDate(0, 0, 1)) {
			inside++
		}
	}
	if all < 100 || inside*100 < 85*all {
		t.Errorf("seed %d: %d of %d intervals hold the day", seed, inside, all)
	}
}

func TestSizesOfUnlikeStatementsDoNotMix(t *testing.T) {
	nights := sized(2000, 1000, 1100, 1200)
	nights[1].Sizes[0].Source = "flush"
	if got := growths(nights); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestTheLargestPartitionsOfAProfileAreKept(t *testing.T) {
	p := &detect.Profile{Targets: []detect.TargetStats{{Target: detect.Target{Store: ingest.Cassandra, Table: "t"}}}}
	states := &p.Targets[0].States
	for i := range 30 {
		*states = append(*states, detect.StateStats{Measure: ingest.PartitionBytes, Key: fmt.Sprint("k", i), KeyKnown: true, Node: "n1", Max: uint64(i) << 20},
			detect.StateStats{Measure: ingest.PartitionBytes, Key: fmt.Sprint("k", i), KeyKnown: true, Node: "n2", Max: uint64(i+100) << 20},
			detect.StateStats{Measure: ingest.RowBytes, Key: fmt.Sprint("k", i), KeyKnown: true, Max: 1 << 40})
	}
	got := sizesOf(p, detect.DefaultLimits())
	if len(got) != maxSizes || got[0].Value != 129<<20 || string(got[0].Key) != "k29" || got[0].Limit != 256<<20 {
		t.Errorf("%d sizes, the first %+v", len(got), got[0])
	}
}

func TestPatternsOfTables(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"shop.*", "shop.orders", true}, {"shop.*", "shop2.orders", false}, {"*", "", true}, {"*.orders", "a.b.orders", true},
		{"a*b*c", "a1b2c", true}, {"a*b*c", "acb", false}, {"orders", "orders", true}, {"orders", "orders2", false},
	} {
		if got := fits(tc.pattern, tc.name); got != tc.want {
			t.Errorf("%q fits %q: %v, want %v", tc.pattern, tc.name, got, tc.want)
		}
	}
}

func TestAMessageIsBounded(t *testing.T) {
	j := &Job{Name: "job", Notify: []*Target{{Name: "chat"}}}
	n := aNight("2026-06-01")
	for i := range 300 {
		s := detect.Subject{Target: detect.Target{Table: fmt.Sprint("t", i)}, Key: make([]byte, 900), HasKey: true}
		n.Digest.Findings = append(n.Digest.Findings, report.Finding{ID: fmt.Sprint(i), Finding: detect.Finding{Rule: "hot-partition", Severity: detect.High, Subject: s}})
		n.Notes = append(n.Notes, "a note that is told with every message of this night")
	}
	text := trendOf(j, []*Night{n}).messageTo(j, j.Notify[0], nil, keyText, "/state/job/2026-06-01.1")
	if len(text) > maxMessage || len(text) < maxMessage/2 {
		t.Errorf("%d bytes", len(text))
	}
}
