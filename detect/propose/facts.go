package propose

import (
	"fmt"
	"strconv"

	"github.com/keyheat/keyheat/detect"
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
