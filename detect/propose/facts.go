package propose

import (
	"fmt"
	"strconv"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// secondsOf gives a setting of the finding's table in seconds, 0 where it is not known.
func secondsOf(v *detect.View, f *detect.Finding, name string) uint64 {
	value, _ := v.Fact(f.Subject.Target, name)
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return 0
	}
	return seconds
}

// lasting writes a time in the largest unit that fits.
func lasting(seconds uint64) string {
	for _, u := range []struct {
		name    string
		seconds uint64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		if n := seconds / u.seconds; n > 1 {
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return fmt.Sprintf("%d seconds", seconds)
}

// versionOf gives the version of the servers where all that tell agree in their first two numbers, else
// nothing.
func versionOf(v *detect.View) string {
	version := ""
	for i := range v.Facts {
		if f := &v.Facts[i]; f.Name == ingest.FactVersion {
			if version != "" && majorMinor(version) != majorMinor(f.Value) {
				return ""
			}
			version = f.Value
		}
	}
	return version
}

func majorMinor(version string) [2]int {
	out := [2]int{}
	part := 0
	for _, c := range version {
		switch {
		case c >= '0' && c <= '9' && out[part] < 1000:
			out[part] = out[part]*10 + int(c-'0')
		case c == '.' && part == 0:
			part = 1
		default:
			return out
		}
	}
	return out
}

func olderThan(version string, major, minor int) bool {
	v := majorMinor(version)
	return v[0] < major || v[0] == major && v[1] < minor
}
