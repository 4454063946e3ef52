package systable

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// Tell hands over a metric's reading of the statistic; false: the text is no number.
func Tell(to ingest.Sink, p ingest.Point, name, stat string, text []byte) bool {
	milli, ok := Milli(text)
	if !ok {
		return false
	}
	p.Name, p.Stat, p.Milli = []byte(name), stat, milli
	to.Point(&p)
	return true
}

// Milli reads a decimal number in thousandths; NaN, infinity and negative numbers are none. The sign
// of decimals may be a comma: Java prints by the locale of the machine.
func Milli(text []byte) (uint64, bool) {
	s := string(bytes.TrimSpace(text))
	if strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 1e15 {
		return 0, false
	}
	return uint64(math.Round(f * 1000)), true
}

// Count reads a whole number; one that is printed as a decimal (2299.0) is rounded.
func Count(text []byte) (uint64, bool) {
	s := string(bytes.TrimSpace(text))
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n, true
	}
	milli, ok := Milli(text)
	return (milli + 500) / 1000, ok
}

// units are powers of 1,024 by their first letter, as Cassandra's FileUtils and FBUtilities mean them,
// also where they print kB.
const units = "kmgtpe"

// Bytes reads a size with or without a unit: 14530764, 16.922MiB, 16.92 MiB, 0B, 0 bytes, 3,2 GB.
func Bytes(text []byte) (uint64, bool) {
	s := strings.ToLower(string(bytes.TrimSpace(text)))
	i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
	if i < 0 {
		return Count([]byte(s))
	}
	number, unit := s[:i], strings.TrimSpace(s[i:])
	scale := 1.0
	switch k := strings.IndexByte(units, unit[0]); {
	case k >= 0 && (unit[1:] == "ib" || unit[1:] == "b"):
		scale = math.Pow(1024, float64(k+1))
	case unit != "b" && unit != "bytes":
		return 0, false
	}
	if strings.Count(number, ",") == 1 {
		number = strings.Replace(number, ",", ".", 1)
	}
	f, err := strconv.ParseFloat(number, 64)
	if f *= scale; err != nil || f > 1e18 {
		return 0, false
	}
	return uint64(math.Round(f)), true
}
