package nightly

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(n int) time.Time { return time.Date(2026, time.June, n, 0, 0, 0, 0, time.UTC) }

func TestADayIsPutIntoNames(t *testing.T) {
	got, err := expand("a-%Y/%m-%d_%j 100%%.log", day(4))
	if err != nil || got != "a-2026/06-04_155 100%.log" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"%", "%H", "a%"} {
		if _, err := expand(bad, day(4)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestTheNightIsTheLastDayThatIsOver(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"2026-06-05T00:30:00Z": "2026-06-04", // 01:30 there
		"2026-06-04T23:30:00Z": "2026-06-04", // 00:30 of the fifth there
		"2026-06-04T22:30:00Z": "2026-06-03",
		"2026-03-29T01:30:00Z": "2026-03-28", // clocks go forward
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := nightOf(now, lisbon).Format(time.DateOnly); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

func TestMissedAndFailedNightsAreDue(t *testing.T) {
	made := func(dates ...string) []*Night {
		out := []*Night{}
		for _, d := range dates {
			n := &Night{Date: d}
			if d[0] == '!' {
				n.Date, n.Failed = d[1:], "broken"
			}
			out = append(out, n)
		}
		return out
	}
	dated, plain := &Job{Inputs: []string{"%Y%m%d"}}, &Job{Inputs: []string{"100%%"}}
	for name, tc := range map[string]struct {
		job  *Job
		kept []*Night
		want []string
	}{
		"the first run makes one night":               {dated, nil, []string{"2026-06-10"}},
		"nothing is due when the night is there":      {dated, made("2026-06-10"), nil},
		"two missed nights are made in order":         {dated, made("2026-06-07"), []string{"2026-06-08", "2026-06-09", "2026-06-10"}},
		"a failed night is tried again":               {dated, made("2026-06-08", "!2026-06-09"), []string{"2026-06-09", "2026-06-10"}},
		"nights before the first are not due":         {dated, made("2026-06-09"), []string{"2026-06-10"}},
		"nights too far back are not due":             {dated, made("2026-06-01"), []string{"2026-06-07", "2026-06-08", "2026-06-09", "2026-06-10"}},
		"inputs without a date cannot be made up for": {plain, made("2026-06-07"), []string{"2026-06-10"}},
		"events of a day alone can":                   {&Job{Inputs: []string{"x"}, DayOnly: true}, made("2026-06-08"), []string{"2026-06-09", "2026-06-10"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range due(tc.job, tc.kept, day(10), 3) {
				got = append(got, d.Format(time.DateOnly))
			}
			if d := cmp.Diff(got, tc.want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}
