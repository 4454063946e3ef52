package nightly

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// expand puts a day into the patterns of an input's name: %Y %m %d %j, %% for a percent sign.
func expand(name string, day time.Time) (string, error) {
	layouts := map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'j': "002"}
	out := strings.Builder{}
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			out.WriteByte(name[i])
			continue
		}
		i++
		switch {
		case i < len(name) && name[i] == '%':
			out.WriteByte('%')
		case i < len(name) && layouts[name[i]] != "":
			out.WriteString(day.Format(layouts[name[i]]))
		default:
			return "", fmt.Errorf("%q: after %% must stand Y, m, d, j or %%", name)
		}
	}
	return out.String(), nil
}

// dated reports whether the inputs of a job differ from night to night, so that a missed one can be
// caught up.
func (j *Job) dated() bool {
	return j.DayOnly || slices.ContainsFunc(j.Inputs, func(in string) bool {
		return strings.Contains(strings.ReplaceAll(in, "%%", ""), "%")
	})
}

// nightOf gives the last day that is over at a time: the night that a run is about.
func nightOf(now time.Time, zone *time.Location) time.Time {
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d-1, 0, 0, 0, 0, zone)
}

// due gives the nights that a run must make, in order: the last one, and of those before it, at most
// catchUp, what was missed or failed since the job began.
func due(j *Job, kept []*Night, last time.Time, catchUp int) []time.Time {
	state := map[string]bool{} // of a kept night: whether it has a report
	for _, n := range kept {
		state[n.Date] = n.Failed == ""
	}
	back := 0
	if len(kept) > 0 && j.dated() {
		back = catchUp
	}
	out := []time.Time{}
	for i := back; i >= 0; i-- {
		day := time.Date(last.Year(), last.Month(), last.Day()-i, 0, 0, 0, 0, last.Location())
		date := day.Format(time.DateOnly)
		before := len(kept) > 0 && date < kept[0].Date
		if !state[date] && !before {
			out = append(out, day)
		}
	}
	return out
}
