package formats

import (
	"bytes"
	"strings"
)

// time reads the date and time of a record.
func (d *cassandra) time(text []byte) (unixNano int64, cause string) {
	if n := clNamedDate(text); n > 0 {
		return d.times.Parse(clNumberedDate(text[:n]))
	}
	// With a T the time is UTC: the layout of 5.0.7 and later.
	if d.role == "" && len(text) == 23 && text[10] == 'T' {
		var utc [24]byte
		copy(utc[:], text)
		utc[23] = 'Z'
		return d.times.Parse(utc[:])
	}
	return d.times.Parse(text)
}

const clMonths = "JanFebMarAprMayJunJulAugSepOctNovDec"

// clNamedDate gives the length of a date as `16 Jun 2020 04:00:22,644` at the beginning of text; 0: none.
func clNamedDate(text []byte) int {
	const size = len("16 Jun 2020 04:00:22")
	if len(text) < size || !clDigit(text[0]) || text[2] != ' ' || text[6] != ' ' || text[11] != ' ' || !clClock(text[12:]) ||
		strings.Index(clMonths, string(text[3:6]))%3 != 0 {
		return 0
	}
	n := size
	if n < len(text) && (text[n] == ',' || text[n] == '.') {
		for n++; n < len(text) && clDigit(text[n]); n++ {
		}
	}
	return n
}

// clNumberedDate writes such a date with a number for its month.
func clNumberedDate(text []byte) []byte {
	month := strings.Index(clMonths, string(text[3:6]))/3 + 1
	out := make([]byte, 0, 32)
	out = append(append(out, text[7:11]...), '-', byte('0'+month/10), byte('0'+month%10), '-')
	return append(append(append(out, text[:2]...), ' '), text[12:]...)
}

// clTimeIn finds a date with a time near the beginning of a line.
func clTimeIn(line []byte) []byte {
	line = line[:min(len(line), 120)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for i := range line {
		if !clDigit(line[i]) || i > 0 && (clDigit(line[i-1]) || line[i-1] == '-') {
			continue
		}
		if n := clDate(line[i:]); n > 0 {
			return bytes.TrimRight(line[i:i+n], ",;|")
		}
		if n := clNamedDate(line[i:]); n > 0 {
			return line[i : i+n]
		}
	}
	return nil
}
