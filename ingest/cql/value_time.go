package cql

import (
	"encoding/binary"
	"time"
)

// A clock reads the parts of a date and time from left to right.
type clock struct {
	b  []byte
	ok bool
}

// number reads between least and most digits.
func (c *clock) number(least, most int) int {
	n, i := 0, 0
	for i < len(c.b) && i < most && isDigit(c.b[i]) {
		n, i = n*10+int(c.b[i]-'0'), i+1
	}
	c.ok = c.ok && i >= least
	c.b = c.b[i:]
	return n
}

// take reads one byte of the set, or nothing.
func (c *clock) take(set string) bool {
	if len(c.b) > 0 {
		for i := range len(set) {
			if set[i] == c.b[0] {
				c.b = c.b[1:]
				return true
			}
		}
	}
	return false
}

func (c *clock) need(set string) { c.ok = c.take(set) && c.ok }

// fraction reads a decimal fraction of a second as nanoseconds.
func (c *clock) fraction() int {
	n, digits := 0, 0
	for len(c.b) > 0 && isDigit(c.b[0]) && digits < 9 {
		n, digits, c.b = n*10+int(c.b[0]-'0'), digits+1, c.b[1:]
	}
	c.ok = c.ok && digits > 0
	for ; digits < 9; digits++ {
		n *= 10
	}
	return n
}

func (c *clock) date() time.Time {
	y := c.number(4, 4)
	c.need("-")
	m := c.number(1, 2)
	c.need("-")
	d := c.number(1, 2)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	c.ok = c.ok && t.Day() == d && int(t.Month()) == m
	return t
}

// ofDay reads HH:mm[:ss[.f]].
func (c *clock) ofDay() time.Duration {
	h := c.number(1, 2)
	c.need(":")
	m := c.number(2, 2)
	s, ns := 0, 0
	if c.take(":") {
		s = c.number(2, 2)
		if c.take(".") {
			ns = c.fraction()
		}
	}
	c.ok = c.ok && h < 24 && m < 60 && s < 60
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(ns)
}

// zone reads Z, UTC, GMT, ±hh, ±hhmm or ±hh:mm; nothing is UTC.
func (c *clock) zone() time.Duration {
	c.take(" ")
	if len(c.b) == 0 || string(c.b) == "Z" || string(c.b) == "UTC" || string(c.b) == "GMT" {
		c.b = nil
		return 0
	}
	minus := c.b[0] == '-'
	c.need("+-")
	h, m := c.number(2, 2), 0
	c.take(":")
	if len(c.b) > 0 {
		m = c.number(2, 2)
	}
	offset := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if minus {
		return -offset
	}
	return offset
}

// timestamp is the time that the text prints, in milliseconds since 1970; exact is false when it is
// printed to the minute only, as keys are up to 3.11.
func timestamp(b []byte) (ms int64, exact, ok bool) {
	if n, ok := integer(b, 8); ok {
		return n, true, true
	}
	c := clock{b: b, ok: true}
	t := c.date()
	exact = true
	if len(c.b) > 0 && (c.b[0] == 'T' || c.b[0] == ' ') {
		c.b = c.b[1:]
		before := len(c.b)
		t = t.Add(c.ofDay())
		exact = before-len(c.b) > len("hh:mm")
	}
	t = t.Add(-c.zone())
	return t.UnixMilli(), exact, c.ok && len(c.b) == 0
}

func appendTimestamp(dst, b []byte) ([]byte, error) {
	ms, _, ok := timestamp(b)
	if !ok {
		return dst, ErrValue
	}
	return binary.BigEndian.AppendUint64(dst, uint64(ms)), nil
}

// appendDate appends days since 1970, moved by 2^31 (SimpleDateSerializer). A number is that form.
func appendDate(dst, b []byte) ([]byte, error) {
	if n, ok := integer(b, 8); ok {
		if n < 0 || n > 1<<32-1 {
			return dst, ErrValue
		}
		return binary.BigEndian.AppendUint32(dst, uint32(n)), nil
	}
	c := clock{b: b, ok: true}
	t := c.date()
	if !c.ok || len(c.b) > 0 {
		return dst, ErrValue
	}
	return binary.BigEndian.AppendUint32(dst, uint32(t.Unix()/86400+1<<31)), nil
}

// appendTime appends nanoseconds since midnight (TimeSerializer).
func appendTime(dst, b []byte) ([]byte, error) {
	if n, ok := integer(b, 8); ok && n >= 0 && n < int64(24*time.Hour) {
		return binary.BigEndian.AppendUint64(dst, uint64(n)), nil
	}
	c := clock{b: b, ok: true}
	d := c.ofDay()
	if !c.ok || len(c.b) > 0 {
		return dst, ErrValue
	}
	return binary.BigEndian.AppendUint64(dst, uint64(d)), nil
}

func appendTimeText(dst []byte, d time.Duration) []byte {
	return time.Unix(0, int64(d)).UTC().AppendFormat(dst, "15:04:05.000000000")
}
