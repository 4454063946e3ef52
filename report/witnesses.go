package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// maxTwice bounds the tables that notes tell to have several witnesses.
const maxTwice = 4

// witnessNotes tells which tables have requests that several witnesses tell of, and which was counted.
func witnessNotes(v *detect.View) []string {
	var notes []string
	more := 0
	for _, t := range v.Targets {
		switch {
		case len(t.Also) == 0:
		case len(notes) >= maxTwice:
			more++
		default:
			notes = append(notes, witnessNote(t))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("more tables whose requests are told twice: %d", more))
	}
	return notes
}

// copyNotes tells of which tables records were read once more.
func copyNotes(v *detect.View) []string {
	var notes []string
	more := 0
	for _, t := range v.Targets {
		switch {
		case t.Copies.Value == 0:
		case len(notes) >= maxTwice:
			more++
		default:
			notes = append(notes, copyNote(t))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("more tables with records that were read more than once: %d", more))
	}
	return notes
}

func copyNote(t *detect.TargetView) string {
	c := &t.Copies
	number := fmt.Sprint(c.Value)
	if c.Low < c.High {
		number = fmt.Sprintf("about %d (%d to %d)", c.Value, c.Low, c.High)
	}
	of := cut(t.Target.Table)
	if t.Target.Index != "" {
		of = cut(t.Target.Index) + " of " + of
	}
	return fmt.Sprintf("of %d records of %s %s are the same as others, by their ids: inputs overlap. Its requests, units and rates are that much too high, and what rests on them is only possible",
		c.Records, of, number)
}

// sampleNotes tells that traces hold a known share of requests, or one that nodes tell differently.
func sampleNotes(v *detect.View) []string {
	tables, rate := 0, detect.Rate{}
	for _, t := range v.Targets {
		if r := v.SamplingOf(t); r != v.Sampling {
			tables, rate = tables+1, r
		}
	}
	switch {
	case tables == 0:
		return nil
	case rate.Unknown():
		return []string{"nodes trace unlike shares of their requests: shares of traced requests are judged, rates are not (--sample-rate)"}
	}
	return []string{fmt.Sprintf("traces hold %s of the requests of %d tables, as nodes say: numbers of requests are those of the traces, shares have the bounds of a sample",
		strconv.FormatFloat(float64(rate.Num)/float64(rate.Den), 'g', 6, 64), tables)}
}

func witnessNote(t *detect.TargetView) string {
	told := func(t *detect.TargetView) string {
		var names []string
		for _, w := range t.Told.Witnesses() {
			names = append(names, cmp.Or(w.String(), "event records"))
		}
		return fmt.Sprintf("%s (%d)", strings.Join(names, " and "), t.Totals[detect.Requests])
	}
	var others []string
	for _, o := range t.Also {
		others = append(others, told(o))
	}
	return fmt.Sprintf("requests of %s are told by %s and again by %s: the first are counted, of the others only tombstones, sizes and capacity units where the first tell none",
		cut(t.Target.Table), told(t), strings.Join(others, ", "))
}
