package nightly

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

const (
	maxMessage = 3000 // bytes: below what every service takes whole
	maxLine    = 400  // bytes
	soonDays   = 14   // a partition that passes its limit within is worth a message
)

// Text gives the trend of a night for people, one finding a line: what changed, with keys as they are.
func (t *Trend) Text() string {
	lines := append([]string{t.headline()}, t.changed(t.Lines, keyText)...)
	for i := range t.Growths {
		lines = append(lines, t.Growths[i].text(keyText))
	}
	return strings.Join(append(lines, t.remarks()...), "\n") + "\n"
}

func (t *Trend) headline() string {
	facts := []string{"keyheat nightly", t.Night.Job, t.Night.Date}
	counts := []string{}
	for of := report.New; of < report.Changes; of++ {
		n := 0
		for i := range t.Lines {
			if t.Lines[i].Change == of {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, of))
		}
	}
	if len(counts) == 0 {
		counts = []string{"no findings"}
	}
	if p := t.Night.Digest.Partial; p != "" {
		counts = append(counts, "partial: "+visible(p))
	}
	return clip(strings.Join(append(facts, strings.Join(counts, ", ")), " · "), maxLine)
}

// remarks gives what is not about one finding.
func (t *Trend) remarks() []string {
	out := []string{}
	if len(t.Silent) > 0 {
		out = append(out, clip("not seen tonight: no records of node "+visible(strings.Join(t.Silent, ", ")), maxLine))
	}
	for _, n := range t.Night.Notes {
		out = append(out, clip("note: "+visible(n), maxLine))
	}
	return out
}

// changed gives the lines of findings that are not as they were.
func (t *Trend) changed(lines []Line, show keyShower) []string {
	out := []string{}
	for i := range lines {
		if l := &lines[i]; l.Change != report.Unchanged {
			out = append(out, l.text(t, show))
		}
	}
	return out
}

func (l *Line) text(t *Trend, show keyShower) string {
	f := &l.Finding
	facts := []string{f.Rule, l.severity()}
	switch {
	case l.Change == report.Gone:
		facts = append(facts, fmt.Sprintf("found at %s", nightsText(l.Nights)))
	case l.Change == report.Unseen:
		facts = append(facts, visible(l.Because), "last seen "+l.Last)
	case l.Measure != nil:
		facts = append(facts, strings.ReplaceAll(l.Measure.Is.Measure, "_", " ")+" "+inUnit(l.Measure.Was.Value, l.Measure.Is.Unit)+" → "+inUnit(l.Measure.Is.Value, l.Measure.Is.Unit))
	}
	if l.Change == report.New && f.Span != (detect.Span{}) {
		facts = append(facts, "since "+time.Unix(f.Span.Start, 0).UTC().Format("15:04")+" UTC")
	}
	if l.Change < report.Gone && l.First != t.Night.Date {
		facts = append(facts, fmt.Sprintf("first seen %s, at %d of %s", l.First, l.Nights, nightsText(l.Of)))
	}
	if t.Weekday != "" && l.Week < report.Unchanged && l.Week != l.Change {
		facts = append(facts, fmt.Sprintf("%s since %s", l.Week, t.Weekday))
	}
	if l.Owner != nil {
		facts = append(facts, "owner "+visible(l.Owner.Name))
	}
	return clip(fmt.Sprintf("%-9s %s: %s", strings.ToUpper(l.Change.String()), where(&f.Subject, show), strings.Join(facts, ", ")), maxLine)
}

func (l *Line) severity() string {
	now := l.Finding.Severity.String()
	if l.Was != nil && l.Was.Severity != l.Finding.Severity {
		return l.Was.Severity.String() + " → " + now
	}
	return now
}

func nightsText(n int) string {
	if n == 1 {
		return "1 night"
	}
	return fmt.Sprintf("%d nights", n)
}

// text gives a growth in a line: how much it was and is, how fast, and when it passes its limit.
func (g *Growth) text(show keyShower) string {
	key := "its largest partition"
	if g.KeyKnown {
		key = show(g.Key)
	}
	rate := "+" + g.amountOf(uint64(max(g.PerNight, 0)))
	if g.Percent {
		rate = fmt.Sprintf("%+.1f %%", 100*g.PerNight)
	}
	text := fmt.Sprintf("%-9s %s %s: %s → %s, %s a night", "GROWS", tableText(g.Target), key, g.amountOf(g.Was), g.amountOf(g.Value), rate)
	if !g.Passes.IsZero() {
		text += fmt.Sprintf(", passes %s on %s", g.amountOf(g.Limit), g.Passes.Format(time.DateOnly))
		if g.Early != g.Late {
			text += fmt.Sprintf(" (%s to %s)", g.Early.Format(time.DateOnly), g.Late.Format(time.DateOnly))
		}
	}
	return clip(text, maxLine)
}

// soon reports a partition that passes its limit within soonDays of a night.
func (g *Growth) soon(date string) bool {
	return !g.Passes.IsZero() && float64(g.Passes.Unix()/86400) <= days(date)+soonDays
}

// messageTo gives what a target is told of a trend: only what changed, of its severity and its tables;
// empty when that is nothing. before are the growths of the night before.
func (t *Trend) messageTo(j *Job, to *Target, before []Growth, show keyShower, dir string) string {
	mine := []Line{}
	for _, l := range t.Lines {
		if l.Change != report.Unchanged && l.Finding.Severity >= to.MinSeverity && slices.Contains(j.route(l.Owner), to) {
			mine = append(mine, l)
		}
	}
	lines := t.changed(mine, show)
	for i := range t.Growths {
		g := &t.Growths[i]
		told := slices.ContainsFunc(before, func(o Growth) bool { return o.series() == g.series() && o.soon(t.Against) })
		if g.soon(t.Night.Date) && !told && slices.Contains(j.route(j.ownerOf(g.Target)), to) {
			lines = append(lines, g.text(show))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return bounded(t.headline(), lines, append(t.remarks(), "report: "+dir))
}

// route gives who is told of an owner's tables.
func (j *Job) route(o *Owner) []*Target {
	if o != nil && len(o.Notify) > 0 {
		return o.Notify
	}
	return j.Notify
}

// bounded joins the parts of a message; lines that do not fit are counted.
func bounded(head string, lines, foot []string) string {
	room := maxMessage - len(head) - len("… 1000000 more\n")
	end := ""
	for _, f := range foot {
		if len(end)+len(f) < maxMessage/3 {
			end += f + "\n"
		}
	}
	room -= len(end)
	out := head + "\n"
	for i, l := range lines {
		if room -= len(l) + 1; room < 0 {
			out += fmt.Sprintf("… %d more\n", len(lines)-i)
			break
		}
		out += l + "\n"
	}
	return out + end
}
