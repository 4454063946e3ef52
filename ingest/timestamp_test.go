package ingest

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestTimes(t *testing.T) {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	const base = 1772359205 // 2026-03-01T10:00:05Z
	for _, c := range []struct {
		text  string
		zone  *time.Location
		want  int64
		cause string
	}{
		{"2026-03-01T10:00:05Z", nil, base * 1e9, ""},
		{"2026-03-01t10:00:05z", nil, base * 1e9, ""},
		{"2026-03-01 10:00:05", nil, base * 1e9, ""},
		{"2026-03-01 10:00:05.5", nil, base*1e9 + 5e8, ""},
		{"2026-03-01 10:00:05,123", nil, base*1e9 + 123e6, ""},
		{"2026-03-01T10:00:05.123456789Z", nil, base*1e9 + 123456789, ""},
		{"2026-03-01T10:00:05.1234567899Z", nil, base*1e9 + 123456789, ""},
		{"2026-03-01T12:30:05+02:30", nil, base * 1e9, ""},
		{"2026-03-01 05:00:05.000000-0500", nil, base * 1e9, ""},
		{"2026-03-01 05:00:05-05", nil, base * 1e9, ""},
		{"2026-03-01 10:00:05.000 UTC", nil, base * 1e9, ""},
		{"2026-03-01 11:00:05", madrid, base * 1e9, ""},
		{"2026-07-01 12:00:00", madrid, 1782900000 * 1e9, ""},
		{"2016-12-31T23:59:60.5Z", nil, 1483228799*1e9 + 5e8, ""},
		{"1772359205", nil, base * 1e9, ""},
		{"1772359205.25", nil, base*1e9 + 25e7, ""},
		{"1772359205123", nil, base*1e9 + 123e6, ""},
		{"1772359205123.5", nil, base*1e9 + 1235e5, ""},
		{"1772359205123456", nil, base*1e9 + 123456e3, ""},
		{"1772359205123456789", nil, base*1e9 + 123456789, ""},
		{"946684800", nil, minUnix * 1e9, ""},
		{"4102444800000", nil, maxUnix * 1e9, ""},
		{"946684799", nil, 0, TimeOutOfRange},
		{"4102444801", nil, 0, TimeOutOfRange},
		{"99999999999999999999", nil, 0, TimeOutOfRange},
		{"1999-12-31T23:59:59Z", nil, 0, TimeOutOfRange},
		{"2100-01-01T00:00:01Z", nil, 0, TimeOutOfRange},
		{"2026-02-29T10:00:05Z", nil, 0, TimeUnreadable},
		{"2026-03-01T24:00:05Z", nil, 0, TimeUnreadable},
		{"2026-03-01T10:00:61Z", nil, 0, TimeUnreadable},
		{"2026-03-01T10:00Z", nil, 0, TimeUnreadable},
		{"2026-03-01T10:00:05.Z", nil, 0, TimeUnreadable},
		{"2026-03-01T10:00:05+1:00", nil, 0, TimeUnreadable},
		{"2026-03-01T10:00:05 CET", nil, 0, TimeUnreadable},
		{"1772359205.", nil, 0, TimeUnreadable},
		{"1.7723592e9", nil, 0, TimeUnreadable},
		{"", nil, 0, TimeUnreadable},
		{"today", nil, 0, TimeUnreadable},
	} {
		got, cause := ParseTime([]byte(c.text), c.zone)
		if got != c.want || cause != c.cause {
			t.Errorf("%q: got %d %q, want %d %q", c.text, got, cause, c.want, c.cause)
		}
	}
}

// FuzzTime holds a parser that remembers a minute against one that does not, and both against package time.
func FuzzTime(f *testing.F) {
	f.Add("2026-03-01T10:00:05.123Z", "2026-03-01T10:00:59.1Z")
	f.Add("2026-03-01T10:00:05+01:00", "2026-03-01T10:00:60+01:00")
	f.Add("2026-03-01 10:00:05,5", "2026-03-01 10:00:05,56+0100")
	f.Add("1772359205", "1772359205123.5")
	f.Add("0", "0000-01-01T00:00:00+00:60")
	f.Add("2026-03-01T10:00:05+01:00", "2026-03-01T10:00\x00\x00\x00\x00\x00\x00\x00\x00")
	f.Add("", strings.Repeat("\x00", 24))
	f.Fuzz(func(t *testing.T, before, text string) {
		var p TimeParser
		p.Parse([]byte(before))
		got, gotCause := p.Parse([]byte(text))
		want, wantCause := ParseTime([]byte(text), nil)
		if got != want || gotCause != wantCause {
			t.Fatalf("after %q, %q: got %d %q, want %d %q", before, text, got, gotCause, want, wantCause)
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err == nil && text[13] == ':' && !strings.HasSuffix(text, ":60") && gotCause != TimeOutOfRange { // package time takes hours of one digit, and zones of 60 minutes
			if gotCause != "" || got != at.UnixNano() {
				t.Errorf("%q: got %d %q, package time says %d", text, got, gotCause, at.UnixNano())
			}
		}
	})
}

func BenchmarkTimeParser(b *testing.B) {
	var p TimeParser
	for b.Loop() {
		p.Parse([]byte("2026-03-01T10:00:05.123Z"))
	}
}
