package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

var keyText = &KeyRenderer{
	Name:   "text",
	Title:  "for a person at a terminal",
	Doc:    "Everything known of one key, as bounds.",
	Render: renderKeyText,
}

func renderKeyText(w io.Writer, k *report.KeyReport, o Options) error {
	k = k.Masked(o.Mask)
	p := &page{pen: pen{width: o.width(), color: o.Color}, o: o, r: &report.Report{Inputs: k.Inputs, PaneSeconds: k.PaneSeconds}}
	if n := len(k.Panes); n > 0 {
		p.r.Span = detect.Span{Start: k.Panes[0].Start, End: k.Panes[n-1].End}
	}
	p.times = timesOf(p.r.Span)
	p.lines("table", bold, []string{fit(tableName(k.Target), p.width-labelWidth)})
	p.lines("key", bold, chop(visibleKey(k.Key), p.width-labelWidth))
	if n := nameKey(k.Key); n.cut {
		p.labelled("", dim, fmt.Sprintf("the first 1 KiB of %s bytes; hash %s", grouped(n.length), n.hash))
	}
	p.keyBounds(k)
	p.keyPanes(k)
	p.keyExact(k)
	p.keyPlaces(k)
	for i := range k.Findings {
		p.card(&k.Findings[i], nil)
	}
	_, err := w.Write(p.Bytes())
	return err
}

// keyBounds writes what is known of the key over the whole input.
func (p *page) keyBounds(k *report.KeyReport) {
	if !k.Held {
		p.fact("", "not among the keys that are told apart: the amounts are what it cannot exceed, and may be 0")
	}
	p.fact("total", digits(k.Requests)+" requests")
	if k.Rank > 0 {
		p.fact("share", shareBounds(k.Share).String()+" of the table, number "+strconv.Itoa(k.Rank)+" by requests")
	} else {
		p.fact("share", shareBounds(k.Share).String()+" of the table")
	}
	switch {
	case k.Cost.High == 0:
	case k.CostMilli:
		p.fact("cost", bounded{value: detect.Milli(k.Cost.Middle()), low: detect.Milli(k.Cost.Low), high: detect.Milli(k.Cost.High), unit: "units (3 × write + read)"}.String())
	default:
		p.fact("bytes", bounded{value: detect.Whole(k.Cost.Middle()), low: detect.Whole(k.Cost.Low), high: detect.Whole(k.Cost.High), unit: "bytes"}.String())
	}
	if k.Tombstones.High > 0 {
		p.fact("read", digits(k.Tombstones)+" tombstones")
	}
	if k.PeakPerSec > 0 {
		p.fact("peak", fmt.Sprintf("%s requests in the second at %s", peakText(k.PeakPerSec, k.Exact != nil), time.Unix(k.PeakSecond, 0).UTC().Format("2006-01-02 15:04:05")))
	}
}

// digits gives a count with all its digits, which is what one asks of a single key.
func digits(r detect.Range) string {
	switch {
	case r.Exact():
		return "exactly " + grouped(r.Low)
	case r.Low == 0:
		return "at most " + grouped(r.High)
	}
	return fmt.Sprintf("%s (%s–%s)", grouped(r.Middle()), grouped(r.Low), grouped(r.High))
}

func (p *page) fact(label, text string) { p.labelled(label, "", text) }

func (p *page) keyPanes(k *report.KeyReport) {
	if len(k.PerPane) == 0 {
		return
	}
	lows, busiest := make([]uint64, len(k.PerPane)), 0
	for i := range k.PerPane {
		if lows[i] = k.PerPane[i].Requests.Low; lows[i] > lows[busiest] {
			busiest = i
		}
	}
	span := p.at(k.Panes[0].Start) + " → " + p.at(k.Panes[len(k.Panes)-1].End)
	p.line(p.paint(dim, padRight("  over", labelWidth)), sparkline(lows, p.width-labelWidth))
	p.fact("", fmt.Sprintf("requests in panes of %s, %s; most in the pane of %s: %s", paneName(k.PaneSeconds), span,
		p.at(k.Panes[busiest].Start), digits(k.PerPane[busiest].Requests)))
}

// keyExact writes what the second pass counted.
func (p *page) keyExact(k *report.KeyReport) {
	x := k.Exact
	if x == nil {
		return
	}
	var ops []string
	for op := ingest.OpUnknown; op < ingest.Ops; op++ {
		if n := x.Totals[detect.ByOp+detect.Counter(op)]; n > 0 {
			ops = append(ops, plural(n, opNoun(op)))
		}
	}
	p.fact("kinds", strings.Join(ops, ", "))
	if n := x.Totals.Throttled() + x.Totals[detect.Failed]; n > 0 {
		p.fact("refused", fmt.Sprintf("%s throttled, %s timed out or aborted", count(x.Totals.Throttled()), count(x.Totals[detect.Failed])))
	}
	if x.SortKeys != nil && x.SortKnown > 0 {
		p.fact("sort", sortKeysText(x))
	}
	if x.Latency != nil && x.Latency.Count() > 0 {
		p50, _ := x.Latency.Quantile(50, 100)
		p99, _ := x.Latency.Quantile(99, 100)
		p.fact("latency", fmt.Sprintf("p50 %s ms, p99 %s ms", amount(detect.Milli(p50)), amount(detect.Milli(p99))))
	}
	if len(x.Nodes) > 0 {
		names := make([]string, 0, 6)
		for _, n := range x.Nodes[:min(len(x.Nodes), 6)] {
			names = append(names, visible(n.Node)+" "+count(n.Requests))
		}
		if n := len(x.Nodes) - 6; n > 0 {
			names = append(names, fmt.Sprintf("%d more", n))
		}
		p.fact("nodes", strings.Join(names, ", "))
	}
}

func opNoun(op ingest.Op) string {
	if op == ingest.OpUnknown {
		return "request of unknown kind"
	}
	return op.String()
}

func sortKeysText(x *detect.ExactKey) string {
	value, low, high := x.SortKeys.Estimate()
	said := fmt.Sprintf("%s different sort keys", bounded{value: detect.Whole(value), low: detect.Whole(low), high: detect.Whole(high)})
	if x.TopSort.High > 0 {
		said += fmt.Sprintf(", the busiest with %s of %s", plural(x.TopSort.Middle(), "request"), count(x.SortKnown))
	}
	if x.Ordered > 0 {
		said += fmt.Sprintf("; %s of writes append in order", percent(detect.Milli(float64(x.Ascending)/float64(x.Ordered)*1000)))
	}
	return said
}

func (p *page) keyPlaces(k *report.KeyReport) {
	var places []string
	for _, at := range k.Positions[:min(len(k.Positions), cardPositions)] {
		places = append(places, p.place(at))
	}
	p.dotted(padRight("  see", labelWidth), "", places)
}
