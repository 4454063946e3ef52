package ingest

import (
	"encoding/binary"
	"time"
)

// The causes of a time that cannot be used.
const (
	TimeUnreadable = "time not understood"
	TimeOutOfRange = "time before 2000 or after 2100"
)

// Times outside this span are refused: one wrong digit must not stretch a report over millennia.
const (
	minUnix = 946_684_800   // 2000-01-01T00:00:00Z
	maxUnix = 4_102_444_800 // 2100-01-01T00:00:00Z
)

// A TimeParser reads the times of one input's records. It remembers the last minute, since the next
// record is nearly always of the same one: the usual time costs two comparisons and its seconds. The
// zero value is ready for use; it serves one goroutine.
type TimeParser struct {
	// Location is the zone of times that name none; nil is UTC.
	Location *time.Location

	head [2]uint64 // "2006-01-02T15:04"
	zone [8]byte   // what stood after the fraction
	size int       // bytes of zone
	tail uint64    // ":00.000Z" with the point and the zone of the last time, when that has this form
	base int64     // Unix nanoseconds of the minute
	warm bool      // a minute is held; it may end at the bounds of time, but not pass them
}

// Parse gives the Unix nanoseconds of a time, or the cause of its being unusable. It reads
//
//   - 2006-01-02T15:04:05 with T, t or a space; a fraction of any length after a point or comma, cut to
//     nanoseconds; and Z, z, UTC, ±hh, ±hhmm, ±hh:mm or nothing as zone, a space before it allowed;
//   - numbers since 1970, with or without a fraction, whose unit follows from their size, as the ranges
//     of 2000 to 2100 do not overlap: seconds 946684800 to 4102444800, milliseconds from 946684800000,
//     microseconds from 946684800000000, nanoseconds from 946684800000000000.
//
// A leap second, :60, is the second before it, so that it stays in its minute and day.
func (p *TimeParser) Parse(text []byte) (unixNano int64, cause string) {
	if at, ok := p.SameMinute(text); ok {
		return inRange(at)
	}
	if len(text) > 4 && text[4] != '-' {
		return parseEpoch(text)
	}
	return p.parseDate(text)
}

// SameMinute reads a time that differs from the last one that was a date in its second and fraction
// only; ok is false for any other text, which then must go to Parse.
func (p *TimeParser) SameMinute(text []byte) (unixNano int64, ok bool) {
	if len(text) == 24 {
		if milli, ok := p.Milli(text); ok {
			return p.OfMinute(milli)
		}
	}
	return p.sameMinute(text)
}

// Milli is the beginning of SameMinute for texts of 24 bytes, the commonest form: it reports whether a text differs
// from the last one in its second and millisecond only, and gives its digits for OfMinute.
func (p *TimeParser) Milli(text []byte) (digits uint64, ok bool) {
	b := text[:24:24]
	digits = binary.LittleEndian.Uint64(b[16:]) ^ p.tail
	return digits, p.tail != noTail && (binary.LittleEndian.Uint64(b)^p.head[0])|(binary.LittleEndian.Uint64(b[8:])^p.head[1])|(digits+tailLimit|digits)&highBits == 0
}

// OfMinute gives the time that Milli found; ok is false when its second is above 59.
func (p *TimeParser) OfMinute(digits uint64) (unixNano int64, ok bool) {
	milli := digits>>8&15*10000 + digits>>16&15*1000 + digits>>32&15*100 + digits>>40&15*10 + digits>>48&15
	return p.base + int64(milli)*1e6, milli < 60_000
}

// sameMinute is SameMinute for times of any form.
func (p *TimeParser) sameMinute(text []byte) (unixNano int64, ok bool) {
	if !p.warm || len(text) < 19 ||
		binary.LittleEndian.Uint64(text) != p.head[0] || binary.LittleEndian.Uint64(text[8:]) != p.head[1] {
		return 0, false
	}
	second, zone, ok := secondOf(text)
	return p.base + second, ok && second < 60*1e9 && string(zone) == string(p.zone[:p.size])
}

// ParseTime is TimeParser.Parse for a single time.
func ParseTime(text []byte, zone *time.Location) (unixNano int64, cause string) {
	p := TimeParser{Location: zone}
	return p.Parse(text)
}

func inRange(unixNano int64) (int64, string) {
	if unixNano < minUnix*1e9 || unixNano > maxUnix*1e9 {
		return 0, TimeOutOfRange
	}
	return unixNano, ""
}

// secondOf reads ":05", a fraction and what is left from text[16:], in nanoseconds of the minute.
func secondOf(text []byte) (nanos int64, zone []byte, ok bool) {
	tens, ones := text[17]-'0', text[18]-'0'
	if text[16] != ':' || tens > 6 || ones > 9 {
		return 0, nil, false
	}
	nanos, rest := (int64(tens)*10+int64(ones))*1e9, text[19:]
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
		if millis, ok := millisOf(rest); ok {
			return nanos + millis, rest[4:], true
		}
		frac, n := fraction(rest[1:])
		if n == 0 {
			return 0, nil, false
		}
		return nanos + frac, rest[1+n:], true
	}
	return nanos, rest, true
}

// millisOf reads a fraction of three digits, the commonest, after its point.
func millisOf(rest []byte) (nanos int64, ok bool) {
	if len(rest) < 4 || len(rest) > 4 && rest[4]-'0' <= 9 {
		return 0, false
	}
	a, b, c := rest[1]-'0', rest[2]-'0', rest[3]-'0'
	return (int64(a)*100 + int64(b)*10 + int64(c)) * 1e6, a <= 9 && b <= 9 && c <= 9
}

var tenTo = [...]int64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1}

// fraction reads digits as billionths, cutting those after the ninth, and gives their number.
func fraction(text []byte) (billionths int64, n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		if n < 9 {
			billionths = billionths*10 + int64(text[n]-'0')
		}
		n++
	}
	return billionths * tenTo[min(n, 9)], n
}

// parseDate reads a date and remembers its minute.
func (p *TimeParser) parseDate(text []byte) (int64, string) {
	if len(text) < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
		(text[10] != 'T' && text[10] != 't' && text[10] != ' ') {
		return 0, TimeUnreadable
	}
	year, ok0 := digits(text[0:4])
	month, ok1 := digits(text[5:7])
	day, ok2 := digits(text[8:10])
	hour, ok3 := digits(text[11:13])
	minute, ok4 := digits(text[14:16])
	second, zone, ok5 := secondOf(text)
	loc, offset, ok6 := p.zoneOf(zone)
	if !(ok0 && ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || month < 1 || month > 12 || day < 1 ||
		day > daysIn(year, month) || hour > 23 || minute > 59 || second >= 61*1e9 {
		return 0, TimeUnreadable
	}
	base := (time.Date(year, time.Month(month), day, hour, minute, 0, 0, loc).Unix() - offset)
	if base < minUnix-60 || base > maxUnix {
		return 0, TimeOutOfRange
	}
	if second >= 60*1e9 {
		second -= 1e9
	}
	p.remember(text, zone, base*1e9)
	return inRange(base*1e9 + second)
}

func (p *TimeParser) remember(text, zone []byte, base int64) {
	p.tail = noTail
	if p.warm = len(zone) <= len(p.zone); !p.warm {
		return
	}
	p.head = [2]uint64{binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])}
	p.size, p.base = copy(p.zone[:], zone), base
	if len(text) == 24 && len(zone) == 1 {
		p.tail = binary.LittleEndian.Uint64([]byte{':', '0', '0', text[19], '0', '0', '0', zone[0]})
	}
}

// noTail is the tail of a time without that form: no digits follow from it.
const noTail = 0

// tailLimit added to ":05.123Z" less ":00.000Z" sets the high bit of each byte that is more than 9 where
// a digit belongs, or anything but 0 elsewhere.
const tailLimit = 0x7F_76_76_76_7F_76_76_7F

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// digits reads a number that is all digits.
func digits(text []byte) (n int, ok bool) {
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// zoneOf reads a zone: its location, and seconds east of UTC.
func (p *TimeParser) zoneOf(text []byte) (loc *time.Location, offset int64, ok bool) {
	if len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	switch string(text) {
	case "":
		if p.Location != nil {
			return p.Location, 0, true
		}
		return time.UTC, 0, true
	case "Z", "z", "UTC":
		return time.UTC, 0, true
	}
	if text[0] != '+' && text[0] != '-' {
		return nil, 0, false
	}
	var minutes int
	hours, ok := digits(text[1:min(3, len(text))])
	switch {
	case len(text) == 3:
	case len(text) == 5:
		minutes, ok = and(text[3:], ok)
	case len(text) == 6 && text[3] == ':':
		minutes, ok = and(text[4:], ok)
	default:
		return nil, 0, false
	}
	offset = int64(hours*3600 + minutes*60)
	if text[0] == '-' {
		offset = -offset
	}
	return time.UTC, offset, ok && hours < 24 && minutes < 60
}

func and(text []byte, before bool) (int, bool) {
	n, ok := digits(text)
	return n, ok && before
}

// parseEpoch reads a number since 1970.
func parseEpoch(text []byte) (int64, string) {
	var whole int64
	n := 0
	for n < len(text) && text[n]-'0' <= 9 {
		if n == 19 {
			return 0, TimeOutOfRange
		}
		whole = whole*10 + int64(text[n]-'0')
		n++
	}
	var billionths int64
	if rest := text[n:]; len(rest) > 0 {
		frac, size := fraction(rest[1:])
		if n == 0 || rest[0] != '.' || size == 0 || size+1 != len(rest) {
			return 0, TimeUnreadable
		}
		billionths = frac
	}
	for unit := int64(1); unit <= 1e9; unit *= 1000 { // of a second
		if whole >= minUnix*unit && whole <= maxUnix*unit {
			nano := 1e9 / unit
			return inRange(whole*nano + billionths/unit)
		}
	}
	return 0, TimeOutOfRange
}
