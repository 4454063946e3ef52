package main

import (
	"fmt"
	"io"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// A progress shows on a terminal how far reading is: bytes, rate and time left. On anything else it
// shows nothing.
type progress struct {
	w      io.Writer // nil: quiet
	now    func() time.Time
	doing  string
	start  time.Time
	shown  time.Time
	latest ingest.Progress
}

// progressEvery is the least time between two lines, so that a slow terminal holds nothing up.
const progressEvery = 200 * time.Millisecond

// clearLine returns to the start of the line and erases it: ECMA-48 EL.
const clearLine = "\r\x1b[K"

func newProgress(e *env, quiet bool, doing string) *progress {
	p := &progress{now: e.now, doing: doing, start: e.now()}
	if e.errTerminal && !quiet {
		p.w = e.stderr
	}
	return p
}

// show is an ingest.Options.Progress.
func (p *progress) show(now ingest.Progress) {
	p.latest = now
	at := p.now()
	if p.w == nil || at.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = at
	fmt.Fprint(p.w, clearLine, p.line(at.Sub(p.start)))
}

func (p *progress) line(took time.Duration) string {
	rate := perSecond(p.latest.Bytes, took)
	line := fmt.Sprintf("%s %s", p.doing, roughSize(p.latest.Bytes))
	if p.latest.Total > 0 {
		line += " of " + roughSize(p.latest.Total)
	}
	line += ", " + roughSize(rate) + "/s"
	if rate > 0 && p.latest.Total > p.latest.Bytes {
		left := time.Duration((p.latest.Total-p.latest.Bytes)/rate+1) * time.Second
		line += ", " + left.String() + " left"
	}
	return line
}

// end leaves one line that says how long reading took.
func (p *progress) end() {
	if p.w == nil {
		return
	}
	took := p.now().Sub(p.start)
	fmt.Fprintf(p.w, "%s%s %s took %s, %s/s\n", clearLine, p.doing, roughSize(p.latest.Bytes),
		took.Round(10*time.Millisecond), roughSize(perSecond(p.latest.Bytes, took)))
}

func perSecond(n uint64, took time.Duration) uint64 {
	if took < time.Millisecond {
		took = time.Millisecond
	}
	return uint64(float64(n) / took.Seconds())
}

// roughSize gives bytes with three digits.
func roughSize(n uint64) string {
	size, unit := float64(n), 0
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if unit == 0 || size >= 100 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
