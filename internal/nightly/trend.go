package nightly

import (
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// A Trend is what changed at a night.
type Trend struct {
	Night   *Night
	Against string // date of the night before that has a report; empty: this is the first
	Weekday string // date of the same weekday a week before; empty: it has no report
	Lines   []Line // in order of kind of change, then severity
	Growths []Growth
	Silent  []string // nodes that logged at the night before, and not at this one
}

// A Line is one finding and its course.
type Line struct {
	report.Changed
	// Week is what became of it since the same weekday a week before; report.Changes when that is not known.
	Week   report.Change
	First  string // date of the first and the last night that found it
	Last   string
	Nights int // that found it: its hot degree
	Of     int // nights with a report
	Owner  *Owner
}

// trendOf compares the last of the nights, which has a report, with those before it.
func trendOf(j *Job, nights []*Night) *Trend {
	nights = reported(nights)
	last := nights[len(nights)-1]
	t := &Trend{Night: last, Growths: growths(nights)}
	before, week := &report.Digest{Span: last.Digest.Span, Targets: last.Digest.Targets}, map[string]report.Change{}
	if len(nights) > 1 {
		prev := nights[len(nights)-2]
		t.Against, before, t.Silent = prev.Date, prev.Digest, missing(prev.Nodes, last.Nodes)
	}
	if w := weekBefore(nights); w != nil {
		t.Weekday = w.Date
		for _, c := range report.Compare(w.Digest, last.Digest).Changes {
			week[c.Finding.ID] = c.Change
		}
	}
	for _, c := range report.Compare(before, last.Digest).Changes {
		l := Line{Changed: c, Week: report.Changes, Owner: j.ownerOf(c.Finding.Subject.Target), Of: len(nights)}
		if of, ok := week[c.Finding.ID]; ok {
			l.Week = of
		}
		l.course(nights)
		t.Lines = append(t.Lines, l)
	}
	return t
}

// course sets since when and how often a finding was there.
func (l *Line) course(nights []*Night) {
	for _, n := range nights {
		if slices.ContainsFunc(n.Digest.Findings, func(f report.Finding) bool { return f.ID == l.Finding.ID }) {
			if l.Nights++; l.Nights == 1 {
				l.First = n.Date
			}
			l.Last = n.Date
		}
	}
}

// weekBefore gives the night seven days before the last one; nil when there is none.
func weekBefore(nights []*Night) *Night {
	last, err := time.Parse(time.DateOnly, nights[len(nights)-1].Date)
	if err != nil {
		return nil
	}
	date := last.AddDate(0, 0, -7).Format(time.DateOnly)
	i := slices.IndexFunc(nights, func(n *Night) bool { return n.Date == date })
	if i < 0 {
		return nil
	}
	return nights[i]
}

func missing(before, now []string) []string {
	out := []string{}
	for _, n := range before {
		if !slices.Contains(now, n) {
			out = append(out, n)
		}
	}
	return out
}

// ownerOf gives the first owner whose pattern fits a table; nil when none does.
func (j *Job) ownerOf(t detect.Target) *Owner {
	for i := range j.Owners {
		if slices.ContainsFunc(j.Owners[i].Tables, func(pattern string) bool { return fits(pattern, t.Table) }) {
			return &j.Owners[i]
		}
	}
	return nil
}

// fits reports whether a name has the form of a pattern, in which * is any text.
func fits(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	name, ok := strings.CutPrefix(name, first)
	if !ok || !star {
		return ok && name == ""
	}
	for i := range len(name) + 1 {
		if fits(rest, name[i:]) {
			return true
		}
	}
	return false
}
