package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyheat/keyheat/detect"
)

// parses checks a parser against texts and what they mean; an empty meaning is a fault.
func parses[T comparable](t *testing.T, parse func(string) (T, error), show func(T) string, want map[string]string) {
	t.Helper()
	for text, meaning := range want {
		got := ""
		if v, err := parse(text); err == nil {
			got = show(v)
		}
		if got != meaning {
			t.Errorf("%q means %q, want %q", text, got, meaning)
		}
	}
}

func TestSizes(t *testing.T) {
	parses(t, parseSize(10, 2<<30), showSize, map[string]string{
		"64MiB": "64MiB", "64M": "64MiB", "64mb": "64MiB", "1048576": "1MiB", "1g": "1GiB", "1025": "1025B", "2k": "2KiB", "10": "10B",
		"2g": "2GiB", "3g": "", "9": "", "": "", "M": "", "1.5M": "", "-1": "", "1T": "", "99999999999999999999": "", "18446744073709551615G": "", "1 M": "", "1MM": "",
	})
}

func TestDecimals(t *testing.T) {
	parses(t, parseMilli, showMilli, map[string]string{
		"0": "0", "1": "1", "1.5": "1.5", "0.001": "0.001", "1000": "1000", "1.750": "1.75", "10": "10",
		"": "", ".5": "", "1.2345": "", "-1": "", "1e3": "", "x": "", "1..5": "",
	})
}

func TestSampleRates(t *testing.T) {
	show := func(r detect.Rate) string { return fmt.Sprintf("%d/%d", r.Num, r.Den) }
	parses(t, parseRate, show, map[string]string{
		"1": "1/1", "0.01": "1/100", "1/100": "1/100", "2/200": "1/100", "1%": "1/100", "0.5%": "1/200", "1.0": "1/1", "unknown": "0/1",
		"0": "", "2": "", "3/2": "", "1/0": "", "": "", "-1": "", "x": "", "1e-2": "", "0/5": "",
	})
}

func TestWidthsOfPanes(t *testing.T) {
	show := func(d time.Duration) string { return showWidth(uint32(d / time.Second)) }
	parses(t, parseWidth, show, map[string]string{
		"1m": "1m", "60s": "1m", "12m": "12m", "1h": "1h", "24h": "1d", "7d": "7d", "168h": "7d",
		"5m": "", "90s": "", "1": "", "": "", "-1m": "", "1.5m": "", "1000000000000d": "",
	})
}

func TestDurationsBeforeTheEnd(t *testing.T) {
	parses(t, parseAgo, time.Duration.String, map[string]string{
		"2h": "2h0m0s", "90s": "1m30s", "7d": "168h0m0s", "0s": "", "-2h": "", "x": "", "d": "", "": "",
	})
}

func TestBoundsOfTime(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2026-06-04":                "2026-06-03T23:00:00Z",
		"2026-06-04 10:00":          "2026-06-04T09:00:00Z",
		"2026-06-04T10:00:00":       "2026-06-04T09:00:00Z",
		"2026-06-04T10:00:00Z":      "2026-06-04T10:00:00Z",
		"2026-06-04T10:00:00+02:00": "2026-06-04T08:00:00Z",
		"2h":                        "2026-06-04T10:00:00Z",
	} {
		b, err := parseBound(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		end := time.Date(2026, 6, 4, 12, 0, 0, 0, time.UTC)
		if got := time.Unix(0, b.nanos(lisbon, end)).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestHowManyRecordsMayBeBad(t *testing.T) {
	for _, tt := range []struct {
		text     string
		bad, all uint64
		want     bool
	}{
		{"", 100, 100, true},
		{"", 101, 200, false},
		{"", 101, 10_100, true},
		{"", 102, 10_100, false},
		{"1%", 1, 100, true},
		{"1%", 2, 100, false},
		{"1%", 1, 99, false},
		{"0%", 0, 0, true},
		{"0%", 1, 1 << 40, false},
		{"0.1%", 1, 1000, true},
		{"100%", 1 << 63, 1 << 63, true},
		{"5", 5, 5, true},
		{"5", 6, 1 << 40, false},
		{"0", 0, 10, true},
		{"0", 1, 10, false},
	} {
		limit, err := parseMaxBad(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		if got := limit.allows(tt.bad, tt.all); got != tt.want {
			t.Errorf("--max-bad %q allows %d of %d: got %v, want %v", tt.text, tt.bad, tt.all, got, tt.want)
		}
	}
	for _, text := range []string{"x", "-1", "101%", "%", "1/2", "1.5"} {
		if _, err := parseMaxBad(text); err == nil {
			t.Errorf("--max-bad %q is taken", text)
		}
	}
}

func TestWorkersThatDoNotFitTheMemoryAreNotStarted(t *testing.T) {
	f := &readFlags{}
	for _, tt := range []struct {
		memory uint64
		asked  int
		want   int
	}{
		{256 << 20, 2, 2},
		{256 << 20, 64, 5},
		{64 << 20, 8, 1},
		{1 << 30, 64, 5},
		{1 << 30, 3, 3},
	} {
		f.memory.of, f.workers.of = tt.memory, tt.asked
		if got := f.fittingWorkers(); got != tt.want {
			t.Errorf("%d workers with %s: got %d, want %d", tt.asked, showSize(tt.memory), got, tt.want)
		}
	}
}
