package rules

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A period is the time that a key names: an hour, day, week or month, or a weekday of any week.
type period struct {
	unit    string // hour, day, week, month, weekday
	start   time.Time
	end     time.Time
	weekday time.Weekday
}

// Zones reach from 12 hours behind UTC to 14 ahead, and a key does not tell its own.
const (
	zoneAhead  = 14 * time.Hour
	zoneBehind = 12 * time.Hour
)

// within reports whether the period, in some zone, overlaps a span.
func (p *period) within(s detect.Span) bool {
	if s == (detect.Span{}) {
		return false
	}
	from, to := time.Unix(s.Start, 0).UTC(), time.Unix(s.End, 0).UTC()
	if p.unit != "weekday" {
		return p.start.Add(-zoneAhead).Before(to) && p.end.Add(zoneBehind).After(from)
	}
	for day := from.Add(-zoneBehind).Truncate(24 * time.Hour); day.Before(to.Add(zoneAhead)) && day.Sub(from) < 9*24*time.Hour; day = day.Add(24 * time.Hour) {
		if day.Weekday() == p.weekday {
			return true
		}
	}
	return false
}

// keyPeriod reads a whole key as a period: every component is one, or the hour or a small number
// beside one. A key with a date and an entity in it is none.
func keyPeriod(key []byte) (period, bool) {
	k := ingest.ParseKey(key)
	if k.Cut || k.Length > 64 {
		return period{}, false
	}
	found := false
	p := period{}
	for _, part := range k.Parts {
		q, ok := parsePeriod(string(part))
		switch {
		case ok && (!found || q.end.Sub(q.start) < p.end.Sub(p.start)):
			p, found = q, true
		case !ok && !smallNumber(string(part)):
			return period{}, false
		}
	}
	return p, found
}

// smallNumber reports whether a component is a shard or an hour: at most three digits.
func smallNumber(s string) bool {
	return len(s) > 0 && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// parsePeriod reads the whole text as a date, hour, week, month or weekday, with an upper-case label
// before it at most (DAY#2026-06-04). Month and weekday names are English, Portuguese, Spanish, German or French.
func parsePeriod(s string) (period, bool) {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(s, "#"); i > 0 && label(s[:i]) {
		s = s[i+1:]
	}
	if day, ok := weekdays[strings.ToLower(strings.TrimSuffix(s, "."))]; ok {
		return period{unit: "weekday", weekday: day, end: time.Time{}.Add(24 * time.Hour)}, true
	}
	for _, read := range []func(string) (period, bool){byLayout, byWeek, byMonthName} {
		if p, ok := read(s); ok {
			return p, true
		}
	}
	return period{}, false
}

// label reports whether s is a word in capitals, as DynamoDB designs put before values.
func label(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsUpper(r) && r != '_' }) < 0
}

var periodLayouts = []struct {
	layout, unit string
}{
	{"2006-01-02", "day"}, {"2006/01/02", "day"}, {"2006.01.02", "day"}, {"20060102", "day"}, {"2006_01_02", "day"},
	{"02-01-2006", "day"}, {"02/01/2006", "day"}, {"02.01.2006", "day"}, {"01/02/2006", "day"},
	{"2006-01-02T15", "hour"}, {"2006-01-02 15", "hour"}, {"2006-01-02-15", "hour"}, {"2006-01-02T15:04", "hour"}, {"2006-01-02 15:04", "hour"},
	{"2006-01-02T15:04Z07:00", "hour"}, {time.RFC3339, "hour"}, {"2006-01-02 15:04:05", "hour"}, {"2006010215", "hour"}, {"20060102T15", "hour"}, {"2006/01/02/15", "hour"},
	{"02/01/2006 15", "hour"}, {"02.01.2006 15", "hour"},
	{"2006-01", "month"}, {"2006/01", "month"}, {"200601", "month"},
}

// byLayout reads the written forms of dates that need no names.
func byLayout(s string) (period, bool) {
	for _, l := range periodLayouts {
		at, err := time.Parse(l.layout, s)
		if err != nil || at.Year() < 1990 || at.Year() > 2100 {
			continue
		}
		return spanning(at.UTC(), l.unit), true
	}
	return period{}, false
}

// spanning gives the period of a unit that holds a time.
func spanning(at time.Time, unit string) period {
	p := period{unit: unit}
	switch unit {
	case "hour":
		p.start = at.Truncate(time.Hour)
		p.end = p.start.Add(time.Hour)
	case "month":
		p.start = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		p.end = p.start.AddDate(0, 1, 0)
	default:
		p.start = at.Truncate(24 * time.Hour)
		p.end = p.start.AddDate(0, 0, 1)
	}
	return p
}

// byWeek reads ISO weeks: 2026-W23, 2026W23, and week, semana, Woche, KW or semaine 23 with the year
// before or after it.
func byWeek(s string) (period, bool) {
	words := fields(s)
	year, week, named := 0, 0, false
	for _, w := range words {
		n, err := strconv.Atoi(w)
		switch {
		case weekWords[w]:
			named = true
		case err == nil && len(w) == 4 && year == 0:
			year = n
		case err == nil && len(w) <= 2 && week == 0:
			week = n
		default:
			return period{}, false
		}
	}
	if !named || year < 1990 || year > 2100 || week < 1 || week > 53 {
		return period{}, false
	}
	// 4 January is always in week 1.
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	monday := first.AddDate(0, 0, -int(first.Weekday()+6)%7)
	start := monday.AddDate(0, 0, 7*(week-1))
	return period{unit: "week", start: start, end: start.AddDate(0, 0, 7)}, true
}

// byMonthName reads a day, or a month, whose month is written: 4 June 2026, 4 de junho de 2026,
// 4. Juni 2026, june-2026. A weekday before it is allowed.
func byMonthName(s string) (period, bool) {
	year, day, month := 0, 0, time.Month(0)
	for _, w := range fields(s) {
		n, err := strconv.Atoi(w)
		m, isMonth := months[w]
		_, isDay := weekdays[w]
		switch {
		case isMonth && month == 0:
			month = m
		case err == nil && len(w) == 4 && year == 0:
			year = n
		case err == nil && len(w) <= 2 && n >= 1 && n <= 31 && day == 0:
			day = n
		case isDay || fillers[w]:
		default:
			return period{}, false
		}
	}
	if month == 0 || year < 1990 || year > 2100 {
		return period{}, false
	}
	if day == 0 {
		return spanning(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), "month"), true
	}
	at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return spanning(at, "day"), at.Month() == month
}

// fields splits text into lower-case words and numbers: 2026W23 is 2026, w, 23.
func fields(s string) []string {
	words, last := []string{}, 0
	for _, r := range strings.ToLower(s) {
		kind := 0
		switch {
		case unicode.IsDigit(r):
			kind = 1
		case unicode.IsLetter(r):
			kind = 2
		}
		switch {
		case kind == 0:
		case kind != last:
			words = append(words, string(r))
		default:
			words[len(words)-1] += string(r)
		}
		last = kind
	}
	return words
}
