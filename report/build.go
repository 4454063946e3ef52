package report

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// Parts are what a report is built from. The report shares their memory.
type Parts struct {
	Version     string // of keyheat
	View        *detect.View
	Findings    []detect.Finding // in any order
	NotAssessed []detect.NotAssessed
	Problems    detect.Problems
	Unread      []Unread
	Notes       []string
	Partial     string // why the report covers less than was asked
	Limit       int    // top keys and patterns kept of each table; 0: all
	Settings    []Setting
}

// Build puts a report together in its final order: findings by severity, then cost, then subject.
func Build(p *Parts) *Report {
	v := p.View
	r := &Report{
		Version: p.Version, Unread: p.Unread, Nodes: len(v.Nodes), Span: v.Span, PaneSeconds: v.Width, Panes: v.Panes,
		Partial: p.Partial, Problems: p.Problems, Second: v.Second, Notes: slices.Concat(p.Notes, lostNotes(v.Lost), conflictNotes(v), witnessNotes(v), copyNotes(v), sampleNotes(v), idlePartitions(v), indexDesigns(v), typeDesigns(v)),
		Findings: orderFindings(p.Findings), NotAssessed: orderNotAssessed(p.NotAssessed), Settings: p.Settings,
	}
	r.typeNotes = len(typeDesigns(v))
	for _, in := range v.Inputs {
		r.Inputs = append(r.Inputs, Input{InputStats: in, SampleRate: v.Sampling})
	}
	patterns := patternsOf(v)
	for i, t := range v.Targets {
		table := buildTable(t, p.Limit)
		table.Stored = storedOf(v, t, p.Limit)
		table.Partitions = partitionsOf(v, t)
		table.Design = designOf(v, t)
		a := answerer{view: v, limits: v.Limits, target: t, patterns: patterns[i], findings: p.Findings}
		table.Checklist = a.checklist()
		r.Tables = append(r.Tables, table)
	}
	r.addHeat(v)
	r.Patterns = firstPatterns(patterns, p.Limit)
	return r
}

// lostNotes tells what the caps of the Profile held together or left out; no request is missing from the totals.
func lostNotes(l detect.Lost) []string {
	var notes []string
	note := func(n uint64, format string, most int) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, n, most))
		}
	}
	note(l.Targets, "%d requests are of tables beyond the first %d: they are counted together as "+detect.OtherTarget.Table, detect.MaxTargets)
	note(l.Nodes, "%d requests are of nodes beyond the first %d: they are counted for no node", detect.MaxNodes)
	note(l.Shapes, "%d reads are of statement shapes beyond the first %d of their table: they are counted for no shape", detect.MaxShapes)
	note(l.Selected, "%d reported requests are beyond the %d kinds kept of each table, and were not judged", detect.MaxSelected)
	note(l.States, "%d measured conditions are beyond the %d largest kept of each table, and were not judged", detect.MaxStates)
	note(l.Stored, "%d items are of exports before the last %d, and were not judged", detect.MaxInventories)
	if n := l.Facts + l.Points; n > 0 {
		notes = append(notes, fmt.Sprintf("%d settings and metrics are beyond those kept, and were not judged", n))
	}
	return notes
}

func orderFindings(in []detect.Finding) []Finding {
	out := make([]Finding, 0, len(in))
	for _, f := range in {
		out = append(out, Finding{ID: FindingID(f.Rule, f.Subject), Finding: f})
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Cost, a.Cost), compareSubjects(a.Subject, b.Subject),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Mechanism, b.Mechanism))
	})
	return out
}

func compareSubjects(a, b detect.Subject) int {
	return cmp.Or(compareTargets(a.Target, b.Target), strings.Compare(string(a.Key), string(b.Key)),
		strings.Compare(a.Shape, b.Shape), strings.Compare(a.Node, b.Node))
}

func compareTargets(a, b detect.Target) int {
	return cmp.Or(cmp.Compare(a.Store, b.Store), strings.Compare(a.Table, b.Table), strings.Compare(a.Index, b.Index))
}

func orderNotAssessed(in []detect.NotAssessed) []detect.NotAssessed {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b detect.NotAssessed) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), compareTargets(a.Target, b.Target), slices.Compare(a.Missing, b.Missing))
	})
	return slices.CompactFunc(out, func(a, b detect.NotAssessed) bool {
		return a.Rule == b.Rule && a.Target == b.Target && a.GetIt == b.GetIt && slices.Equal(a.Missing, b.Missing)
	})
}

func buildTable(t *detect.TargetView, limit int) Table {
	total := t.Totals[detect.Requests]
	out := Table{Target: t.Target, Requests: detect.Range{Low: total, High: total + min(t.Missed, ^total)}, Reported: reported(t), Totals: t.Totals,
		Copies: t.Copies, Distinct: t.Distinct, Skew: t.Skew, TopKeys: topKeys(t, limit)}
	for i := range t.Panes {
		out.PerPane = append(out.PerPane, t.Panes[i].Totals[detect.PaneRequests])
	}
	return out
}

// reported gives the requests that selected records tell of: "at least", of one observer of each kind.
func reported(t *detect.TargetView) uint64 {
	sum := uint64(0)
	for _, s := range t.Selected {
		var carry uint64
		sum, carry = bits.Add64(sum, s.Counts[detect.SelectedRecords].Low, 0)
		sum |= -carry
	}
	return sum
}

// topKeys gives the first keys of a target. The n-th is certified when its lower bound reaches the
// upper bound of every key after it, held or not.
func topKeys(t *detect.TargetView, limit int) []TopKey {
	reach := make([]uint64, len(t.Keys)+1) // upper bound of all keys from i on
	reach[len(t.Keys)] = t.Untold.Requests
	for i := len(t.Keys) - 1; i >= 0; i-- {
		reach[i] = max(reach[i+1], t.Keys[i].Requests.High)
	}
	var out []TopKey
	for i, k := range t.Keys[:limited(len(t.Keys), limit)] {
		top := TopKey{Key: k.Key, Requests: k.Requests, Cost: k.Cost, Tombstones: k.Tombstones, PeakPerSecond: k.PeakSecond.N,
			Share: shareOf(k.Requests, knownKeys(t)), Certified: k.Requests.Low >= reach[i+1]}
		out = append(out, top)
	}
	return out
}

func limited(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}

// knownKeys gives the requests whose key is known: what shares are of.
func knownKeys(t *detect.TargetView) uint64 {
	return t.Totals[detect.Requests] - min(t.Totals[detect.Requests], t.Totals[detect.KeyUnknown])
}

// shareOf gives part of whole in thousandths: the value rounded to the nearest, the bounds outwards.
func shareOf(part detect.Range, whole uint64) detect.ShareRange {
	if whole == 0 {
		return detect.ShareRange{}
	}
	return detect.ShareRange{
		Value: permille(part.Middle(), whole, whole/2),
		Low:   permille(part.Low, whole, 0),
		High:  permille(part.High, whole, whole-1),
	}
}

// permille gives (1000*part + round) / whole, at most 1000; round is less than whole.
func permille(part, whole, round uint64) detect.Milli {
	hi, lo := bits.Mul64(min(part, whole), 1000)
	lo, carry := bits.Add64(lo, round, 0)
	q, _ := bits.Div64(hi+carry, lo, max(whole, 1001)) // hi < 1001, whatever the counts
	if whole < 1001 {
		q = lo / whole
	}
	return detect.Milli(min(q, 1000))
}
