package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
)

// A Change says what became of a finding between two reports.
type Change uint8

// The changes, in the order in which they are shown.
const (
	New Change = iota
	Worse
	Better
	Gone
	// Unseen is a finding of the earlier report that the later one could not have made: absent is not gone.
	Unseen
	Unchanged
	Changes // number of changes
)

// String gives the name used in outputs.
func (c Change) String() string {
	return [...]string{"new", "worse", "better", "gone", "unseen", "unchanged"}[min(c, Unchanged)]
}

// A Comparison tells two reports apart. Changes stand in order of kind, then as in their report.
type Comparison struct {
	Before, After Side
	Changes       []Changed
	Notes         []string // what makes the two hard to compare
}

// A Side is one of the two reports.
type Side struct {
	Name    string
	Span    detect.Span
	Partial string
}

// A Changed is one finding of either report.
type Changed struct {
	Change  Change
	Finding Finding  // of the later report where it has it, else of the earlier
	Was     *Finding // of the earlier report; nil for new ones
	// Measure is what shows the change; nil where none of both is comparable.
	Measure *Shift
	Because string // why it is unseen, or what to know of it
}

// A Shift is one measure in both reports.
type Shift struct{ Was, Is detect.Evidence }

// Count gives the number of findings with a change.
func (c *Comparison) Count(of Change) int {
	n := 0
	for i := range c.Changes {
		if c.Changes[i].Change == of {
			n++
		}
	}
	return n
}

// Compare tells what became of the findings of before, and which of after are new. Findings are matched
// by identity, so both must have been masked with the same secret, or neither.
func Compare(before, after *Digest) *Comparison {
	c := &Comparison{Before: Side{Span: before.Span, Partial: before.Partial}, After: Side{Span: after.Span, Partial: after.Partial}}
	if unlike(before.Span, after.Span) {
		c.Notes = append(c.Notes, "the reports cover spans of unlike length: counts are not compared, only rates, shares and sizes")
	}
	was := byID(before.Findings)
	for i := range after.Findings {
		f := &after.Findings[i]
		old := was[f.ID]
		delete(was, f.ID)
		c.Changes = append(c.Changes, compareFindings(before, after, old, f))
	}
	for i := range before.Findings {
		if f := &before.Findings[i]; was[f.ID] != nil {
			c.Changes = append(c.Changes, lostFinding(after, f))
		}
	}
	slices.SortStableFunc(c.Changes, func(a, b Changed) int { return cmp.Compare(a.Change, b.Change) })
	return c
}

func byID(list []Finding) map[string]*Finding {
	out := map[string]*Finding{}
	for i := range list {
		out[list[i].ID] = &list[i]
	}
	return out
}

// unlike reports spans of which one is over a tenth longer than the other.
func unlike(a, b detect.Span) bool {
	x, y := a.End-a.Start, b.End-b.Start
	return 10*max(x, y) > 11*min(x, y)
}

func compareFindings(before, after *Digest, old, f *Finding) Changed {
	if old == nil {
		return Changed{Change: New, Finding: *f, Because: before.BlindTo(f)}
	}
	out := Changed{Change: Unchanged, Finding: *f, Was: old}
	out.Measure = shiftOf(old, f, unlike(before.Span, after.Span))
	switch {
	case f.Severity != old.Severity:
		out.Change = worseWhen(f.Severity > old.Severity)
	case out.Measure.moved():
		out.Change = worseWhen(out.Measure.up() == !lessIsWorse(out.Measure.Is.Measure))
	}
	return out
}

func worseWhen(worse bool) Change {
	if worse {
		return Worse
	}
	return Better
}

// lostFinding tells a finding that is gone from one that the later report could not have made.
func lostFinding(after *Digest, f *Finding) Changed {
	why := after.BlindTo(f)
	if why == "" {
		return Changed{Change: Gone, Finding: *f, Was: f}
	}
	return Changed{Change: Unseen, Finding: *f, Was: f, Because: why}
}

// BlindTo gives why a report could not have made a finding, in words of the report that could; empty when
// it could.
func (d *Digest) BlindTo(f *Finding) string {
	t := f.Subject.Target
	switch {
	case d.LeftOut > 0:
		return fmt.Sprintf("the other report leaves out %d findings of lower severity", d.LeftOut)
	case t != detect.Target{} && !slices.Contains(d.Targets, t):
		return "the other report tells nothing of this table"
	}
	for _, n := range d.NotAssessed {
		if n.Rule == f.Rule && (n.Target == t || n.Target == detect.Target{}) {
			return "the other report could not assess this rule"
		}
	}
	if d.Partial != "" {
		return "the other report is partial"
	}
	return ""
}

// shiftOf gives the measure that shows the change: the first that is held against a limit in both, else
// the first that both have. Counts over spans of unlike length are not comparable.
func shiftOf(was, is *Finding, unlike bool) *Shift {
	var first *Shift
	for _, e := range is.Evidence {
		i := slices.IndexFunc(was.Evidence, func(o detect.Evidence) bool { return o.Measure == e.Measure && o.Unit == e.Unit })
		if i < 0 || unlike && isCount(e.Unit) {
			continue
		}
		s := &Shift{was.Evidence[i], e}
		if e.Limit > 0 {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// isCount reports whether a measure grows with the span that it is counted over.
func isCount(unit string) bool {
	return slices.Contains([]string{"requests", "reads", "writes", "tombstones", "warnings", "seconds", "minutes"}, unit)
}

func isSize(unit string) bool { return slices.Contains([]string{"bytes", "rows", "cells"}, unit) }

// lessIsWorse reports whether a smaller value of a measure is worse.
func lessIsWorse(measure string) bool {
	return slices.Contains([]string{"distinct_keys", "effective_partitions"}, measure)
}

// The changes, in thousandths of the earlier value, below which a measure is the same: traffic of two
// days is never equal, a size that was not written to is.
const (
	movedAtLeast     = 100
	sizeMovedAtLeast = 10
)

// moved reports a change that the bounds do not explain and that is worth a word.
func (s *Shift) moved() bool {
	if s == nil {
		return false
	}
	was, is := &s.Was, &s.Is
	apart := is.Low > was.High && !was.Open || was.Low > is.High && !is.Open
	if was.Open && is.Open { // two values of which each is "at least": what the store said is compared
		apart = was.Value != is.Value
	}
	least := detect.Milli(movedAtLeast)
	if isSize(is.Unit) {
		least = sizeMovedAtLeast
	}
	far := max(was.Value, is.Value)-min(was.Value, is.Value) >= was.Value/1000*least+was.Value%1000*least/1000
	return apart && far
}

func (s *Shift) up() bool { return s.Is.Value > s.Was.Value }
