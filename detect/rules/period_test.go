package rules

import (
	"testing"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestParsePeriod(t *testing.T) {
	const day, hour, week, month, weekday = "day", "hour", "week", "month", "weekday"
	for _, c := range []struct {
		text, unit, from string // from is empty for weekdays
	}{
		{"2026-06-04", day, "2026-06-04T00"}, {"20260604", day, "2026-06-04T00"}, {"2026/06/04", day, "2026-06-04T00"},
		{"04.06.2026", day, "2026-06-04T00"}, {"04/06/2026", day, "2026-06-04T00"}, {"DAY#2026-06-04", day, "2026-06-04T00"},
		{"2026-06-04T10", hour, "2026-06-04T10"}, {"2026060410", hour, "2026-06-04T10"}, {"2026-06-04 10:30", hour, "2026-06-04T10"},
		{"2026-06-04T10:00:00Z", hour, "2026-06-04T10"}, {"2026-06-04T12:00:00+02:00", hour, "2026-06-04T10"},
		{"2026-W23", week, "2026-06-01T00"}, {"2026W23", week, "2026-06-01T00"}, {"week 23 2026", week, "2026-06-01T00"},
		{"semana 23 2026", week, "2026-06-01T00"}, {"KW 23/2026", week, "2026-06-01T00"}, {"Woche 23, 2026", week, "2026-06-01T00"},
		{"semaine 23 2026", week, "2026-06-01T00"}, {"2026-W01", week, "2025-12-29T00"}, {"2026-06", month, "2026-06-01T00"}, {"202606", month, "2026-06-01T00"},
		{"4 June 2026", day, "2026-06-04T00"}, {"June 4th, 2026", day, "2026-06-04T00"}, {"04-Jun-2026", day, "2026-06-04T00"},
		{"4 de junho de 2026", day, "2026-06-04T00"}, {"4 de junio de 2026", day, "2026-06-04T00"}, {"4. Juni 2026", day, "2026-06-04T00"},
		{"1. März 2026", day, "2026-03-01T00"}, {"1er août 2026", day, "2026-08-01T00"}, {"jeudi 4 juin 2026", day, "2026-06-04T00"},
		{"março 2026", month, "2026-03-01T00"}, {"diciembre-2026", month, "2026-12-01T00"}, {"Dezember 2026", month, "2026-12-01T00"},
		{"Thursday", weekday, ""}, {"thu", weekday, ""}, {"quinta-feira", weekday, ""}, {"jueves", weekday, ""}, {"Donnerstag", weekday, ""},
		{"jeudi", weekday, ""}, {"terça", weekday, ""}, {"miércoles", weekday, ""},
	} {
		p, ok := parsePeriod(c.text)
		from := ""
		if ok && p.unit != weekday {
			from = p.start.UTC().Format("2006-01-02T15")
		}
		if !ok || p.unit != c.unit || from != c.from {
			t.Errorf("%q: got %s from %s (%v), want %s from %s", c.text, p.unit, from, ok, c.unit, c.from)
		}
	}
}

func TestParsePeriodRefusesWhatIsNoTime(t *testing.T) {
	for _, text := range []string{
		"", "CUSTOMER#42", "customer-2026-06-04", "supplier_payables:20160726:GLKX", "2026", "42", "20261304", "2026-13-01",
		"31 June 2026", "week", "2026-W54", "may", "user 4 June 2026", "order#2026-06-04", "12345678", "00000000", "10:30", "W23",
	} {
		if p, ok := parsePeriod(text); ok {
			t.Errorf("%q was read as the %s from %s", text, p.unit, p.start)
		}
	}
}

func TestKeyPeriodOfComponents(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"a date alone", []string{"2026-06-04"}, "day"},
		{"a date and an hour", []string{"2026-06-04", "10"}, "day"},
		{"a date and a shard", []string{"2026-06-04", "3"}, "day"},
		{"an entity and a date are no period", []string{"eu-west", "2026-06-04"}, ""},
		{"an entity's long number and a date are no period", []string{"4711", "2026-06-04"}, ""},
		{"numbers alone are no period", []string{"3", "10"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := [][]byte{}
			for _, p := range c.parts {
				parts = append(parts, []byte(p))
			}
			p, ok := keyPeriod(ingest.AppendKey(nil, parts...))
			if p.unit != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v, want %q", p.unit, ok, c.want)
			}
		})
	}
}

func TestPeriodWithinASpan(t *testing.T) {
	span := detect.Span{Start: start, End: start + 3600} // Thursday 10:00 to 11:00 UTC
	for _, c := range []struct {
		text string
		want bool
	}{
		{"2026-06-04", true}, {"2026-06-03", true}, {"2026-06-05", true}, // today, or so in some zone
		{"2026-06-02", false}, {"2026-06-06", false}, {"2025-06-04", false},
		{"2026-06-04T10", true}, {"2026-06-03T10", false}, {"2026-W23", true}, {"2026-W21", false}, {"2026-06", true}, {"2026-08", false},
		{"thursday", true}, {"lundi", false}, {"sonntag", false},
	} {
		p, ok := parsePeriod(c.text)
		if !ok || p.within(span) != c.want {
			t.Errorf("%q within %s: got %v, want %v", c.text, time.Unix(start, 0).UTC(), !c.want, c.want)
		}
	}
	if p, _ := parsePeriod("2026-06-04"); p.within(detect.Span{}) {
		t.Error("a period lies within no time")
	}
}
