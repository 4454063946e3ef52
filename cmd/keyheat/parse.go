package main

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
)

// sizeUnits are powers of 1,024, whatever the spelling.
var sizeUnits = map[string]uint64{
	"": 1, "b": 1,
	"k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}

// parseSize gives a function that reads bytes between two bounds: 64MiB, 64M, 67108864.
func parseSize(least, most uint64) func(string) (uint64, error) {
	return func(text string) (uint64, error) {
		digits := strings.TrimRight(strings.ToLower(text), "bikmg")
		unit, ok := sizeUnits[strings.ToLower(text)[len(digits):]]
		n, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil {
			return 0, errors.New("must be a size like 64MiB")
		}
		hi, size := bits.Mul64(n, unit)
		switch {
		case hi != 0 || size > most:
			return 0, fmt.Errorf("must be at most %s", showSize(most))
		case size < least:
			return 0, fmt.Errorf("must be at least %s", showSize(least))
		}
		return size, nil
	}
}

// showSize gives bytes in the largest unit that divides them.
func showSize(n uint64) string {
	for _, u := range []struct {
		name string
		size uint64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatUint(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatUint(n, 10) + "B"
}

// parseMilli reads a decimal number of at most three decimals, exactly.
func parseMilli(text string) (detect.Milli, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 3 {
		return 0, errors.New("must have at most three decimals")
	}
	n, err := strconv.ParseUint(whole+decimals+strings.Repeat("0", 3-len(decimals)), 10, 64)
	if whole == "" || err != nil {
		return 0, errors.New("must be a number of 0 or more, without exponent")
	}
	return detect.Milli(n), nil
}

// showMilli gives the shortest decimal form of m.
func showMilli(m detect.Milli) string {
	text := fmt.Sprintf("%d.%03d", m/1000, m%1000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// unknownRate is the text of a sample whose rate is not known.
const unknownRate = "unknown"

// parseRate reads a share over 0, at most 1, exactly: 0.01, 1/100 or 1%.
func parseRate(text string) (detect.Rate, error) {
	if text == unknownRate {
		return detect.Rate{Den: 1}, nil
	}
	r, ok := readFraction(text)
	switch {
	case !ok:
		return r, errors.New("must be a share like 0.01 or 1/100")
	case r.Num == 0 || r.Num > r.Den:
		return r, errors.New("must be over 0 and at most 1")
	}
	d := gcd(r.Num, r.Den)
	return detect.Rate{Num: r.Num / d, Den: r.Den / d}, nil
}

func readFraction(text string) (detect.Rate, bool) {
	if num, den, ok := strings.Cut(text, "/"); ok {
		n, errN := strconv.ParseUint(num, 10, 32)
		d, errD := strconv.ParseUint(den, 10, 32)
		return detect.Rate{Num: n, Den: d}, errN == nil && errD == nil && d > 0
	}
	text, percent := strings.CutSuffix(text, "%")
	whole, decimals, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+decimals, 10, 32)
	if err != nil || len(decimals) > 9 {
		return detect.Rate{}, false
	}
	den := uint64(1)
	for range decimals {
		den *= 10
	}
	if percent {
		den *= 100
	}
	return detect.Rate{Num: n, Den: den}, true
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A badLimit is how many records may be bad before a run counts as partial: the larger of both.
type badLimit struct {
	count uint64
	share detect.Rate // of the records that were recognised
}

// atLeastBad is the floor of the default share: in a small input one bad line is no alarm.
const atLeastBad = 100

// parseMaxBad reads a count or a percentage; empty is 1 %, at least atLeastBad records.
func parseMaxBad(text string) (badLimit, error) {
	if text == "" {
		return badLimit{atLeastBad, detect.Rate{Num: 1, Den: 100}}, nil
	}
	if strings.HasSuffix(text, "%") {
		share, ok := readFraction(text)
		if !ok || share.Num > share.Den {
			return badLimit{}, errors.New("must be a percentage of 0 to 100")
		}
		return badLimit{share: share}, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return badLimit{}, errors.New("must be a count or a percentage: 500 or 1%")
	}
	return badLimit{count: n, share: detect.Rate{Den: 1}}, nil
}

// allows reports whether bad of all records may be bad.
func (l badLimit) allows(bad, all uint64) bool {
	if bad <= l.count {
		return true
	}
	badHi, badLo := bits.Mul64(bad, l.share.Den)
	mayHi, mayLo := bits.Mul64(all, l.share.Num)
	return badHi < mayHi || badHi == mayHi && badLo <= mayLo
}

// parseWidth reads the width of a pane, one of detect.Widths.
func parseWidth(text string) (time.Duration, error) {
	d, err := parseAgo(text)
	if err == nil && d%time.Second == 0 && slices.Contains(detect.Widths, uint32(d/time.Second)) {
		return d, nil
	}
	names := []string{}
	for _, w := range detect.Widths {
		names = append(names, showWidth(w))
	}
	return 0, fmt.Errorf("must be one of %s", strings.Join(names, ", "))
}

// showWidth gives seconds in the largest unit that divides them: 1m, 3h, 7d.
func showWidth(seconds uint32) string {
	switch {
	case seconds%86400 == 0:
		return fmt.Sprintf("%dd", seconds/86400)
	case seconds%3600 == 0:
		return fmt.Sprintf("%dh", seconds/3600)
	case seconds%60 == 0:
		return fmt.Sprintf("%dm", seconds/60)
	}
	return fmt.Sprintf("%ds", seconds)
}

// parseAgo reads a duration of Go's form, or of days: 90s, 2h, 7d.
func parseAgo(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, errors.New("must be a duration like 2h or 7d")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("must be a duration like 2h or 7d")
	}
	return d, nil
}

// A bound is one end of the time that is read. The zero bound is none.
type bound struct {
	text string
	at   string        // absolute; read by timeIn once the zone is known
	ago  time.Duration // before the end of the input; 0: at is meant
}

// boundLayouts are the absolute forms of a bound, besides RFC 3339.
var boundLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

func parseBound(text string) (bound, error) {
	if text == "" {
		return bound{}, nil
	}
	if d, err := parseAgo(text); err == nil {
		return bound{text: text, ago: d}, nil
	}
	b := bound{text: text, at: text}
	if _, ok := b.timeIn(time.UTC); !ok {
		return bound{}, errors.New("must be a time like 2026-06-04T10:00:00Z or a duration like 2h before the end of the input")
	}
	return b, nil
}

// timeIn gives an absolute bound, in zone where it names none.
func (b bound) timeIn(zone *time.Location) (time.Time, bool) {
	for _, layout := range boundLayouts {
		if t, err := time.ParseInLocation(layout, b.at, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func parseZone(text string) (*time.Location, error) {
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, errors.New("must be a zone like UTC or Europe/Lisbon")
	}
	return zone, nil
}

// A mapping says which field of the input holds a generic field.
type mapping struct{ field, path string }

func parseMapping(text string) (mapping, error) {
	field, path, ok := strings.Cut(text, "=")
	if !ok || field == "" || path == "" {
		return mapping{}, errors.New("must be field=path, like pk=user.id")
	}
	return mapping{field, path}, nil
}

func parseText(text string) (string, error) {
	if text == "" {
		return "", errors.New("must not be empty")
	}
	return text, nil
}

// parseCount gives a function that reads a whole number, at least least.
func parseCount(least int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return 0, fmt.Errorf("must be a whole number of at least %d", least)
		}
		return n, nil
	}
}
