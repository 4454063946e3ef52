package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// A page is a text report being written.
type page struct {
	pen
	r *report.Report
	o Options
	times
}

// header says what was looked at, how much of it was understood, and what to know before reading on.
func (p *page) header() {
	facts := []string{"keyheat " + visible(orUnknown(p.r.Version)), plural(uint64(len(p.r.Inputs)), "input")}
	if p.r.Nodes > 0 {
		facts = append(facts, plural(uint64(p.r.Nodes), "node"))
	}
	if bytes := bytesOf(p.r.Inputs); bytes > 0 || len(p.r.Inputs) == 0 { // live sources have none
		facts = append(facts, size(bytes))
	}
	p.dotted("", bold, append(facts, p.whole(p.r.Span)))
	p.dotted("", "", p.understood())
	if p.r.Partial != "" {
		p.hanging("PARTIAL  ", yellow, visible(p.r.Partial))
	}
	for _, n := range p.r.Notes {
		p.hanging("note  ", dim, visible(n))
	}
}

// bytesOf gives the bytes of all inputs.
func bytesOf(inputs []report.Input) uint64 {
	sum := uint64(0)
	for i := range inputs {
		sum += inputs[i].Bytes
	}
	return sum
}

// understood gives how much of the input was understood, and what was not.
func (p *page) understood() []string {
	records, events, bad := uint64(0), uint64(0), uint64(0)
	for i := range p.r.Inputs {
		records, events, bad = records+p.r.Inputs[i].Records, events+p.r.Inputs[i].Events, bad+p.r.Inputs[i].Problems
	}
	var out []string
	switch {
	case records == 0:
		out = append(out, "no record was recognised")
	case bad == 0:
		out = append(out, "understood all of "+recordCount(records))
	default:
		out = append(out, fmt.Sprintf("understood %s of %s", understoodShare(records-min(bad, records), records), recordCount(records)))
	}
	if p.r.Problems.Total > 0 {
		out = append(out, plural(p.r.Problems.Total, "problem"))
	}
	if n := len(p.r.Unread); n > 0 {
		out = append(out, plural(uint64(n), "input")+" not read")
	}
	if n := p.unassessedRules(); n > 0 {
		out = append(out, plural(uint64(n), "rule")+" not assessed (see end)")
	}
	if p.r.Second {
		out = append(out, "top keys counted exactly")
	}
	return out
}

// verdict says in one sentence what was found.
func (p *page) verdict() string {
	kept, _ := shown(p.r, p.o)
	if len(kept) == 0 {
		if len(p.looked()) == 0 {
			return "nothing seen that could be judged"
		}
		return "no findings"
	}
	by := map[detect.Severity]int{}
	for _, f := range kept {
		by[f.Severity]++
	}
	var parts []string
	for s := detect.Critical; s >= detect.Low; s-- {
		if by[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[s], s))
		}
	}
	return plural(uint64(len(kept)), "finding") + ": " + strings.Join(parts, ", ")
}

// section writes the heading of a part of the page.
func (p *page) section(title, about string) {
	p.line()
	if about == "" {
		p.line(p.paint(bold, title))
		return
	}
	p.hanging(title+gap, bold, about)
}

// more says that a list goes on.
func (p *page) more(n int, what string) {
	if n > 0 {
		p.hanging("  … ", dim, plural(uint64(n), "more "+what)+": run with a higher --limit, or --format json")
	}
}

func newPage(r *report.Report, o Options) *page {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	p := &page{pen: pen{width: o.width(), color: o.Color}, r: r.Masked(o.Mask), o: o}
	p.times = timesOf(r.Span)
	return p
}

func recordCount(n uint64) string {
	if n == 1 {
		return "1 record"
	}
	return grouped(n) + " records"
}

// understoodShare never says 100 % of less than all.
func understoodShare(good, all uint64) string {
	share := min(float64(good)/float64(all)*100, 99.99)
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", share), "0"), ".") + " %"
}

// times prints times no longer than the span of the report needs.
type times struct{ layout string }

func (t times) at(unix int64) string { return time.Unix(unix, 0).UTC().Format(t.layout) }

// whole gives the span of the report with its date.
func (t times) whole(s detect.Span) string {
	const full = "2006-01-02 15:04"
	if s == (detect.Span{}) {
		return "no times"
	}
	end := time.Unix(s.End, 0).UTC().Format(full)
	if t.layout == "15:04" {
		end = t.at(s.End)
	}
	return time.Unix(s.Start, 0).UTC().Format(full) + " → " + end + " UTC"
}

func timesOf(s detect.Span) times {
	start, end := time.Unix(s.Start, 0).UTC(), time.Unix(s.End, 0).UTC()
	switch {
	case start.Format(time.DateOnly) == end.Format(time.DateOnly):
		return times{"15:04"}
	case start.Year() == end.Year():
		return times{"01-02 15:04"}
	}
	return times{"2006-01-02 15:04"}
}

// duration gives a length of time in its two largest units.
func duration(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d min", seconds/60)
	case seconds < 86400:
		return strings.TrimSuffix(fmt.Sprintf("%d h %d min", seconds/3600, seconds/60%60), " 0 min")
	}
	return strings.TrimSuffix(fmt.Sprintf("%d d %d h", seconds/86400, seconds/3600%24), " 0 h")
}

// defaultLimit is how many rows each list of text shows.
const defaultLimit = 20
