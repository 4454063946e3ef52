package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// heavyReads are the selected reads of one table that one finding tells: those of a key, whatever their
// statements; or those that name no key, scans apart from others.
type heavyReads struct {
	key     []byte
	hasKey  bool
	scan    bool
	views   []*detect.SelectedView // most tombstones first
	reads   detect.Range
	tombs   detect.Range
	aborted detect.Range
	warned  detect.Range
	largest detect.ReadSize
	span    detect.Span
}

// denseSelected judges the reads that stores complain of, or that samplers list.
func denseSelected(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	keys, more := 0, uint64(0)
	for _, h := range heavyOf(v, t) {
		severity := h.severity(v.Limits, isSystem(t.Target))
		switch {
		case severity == 0:
		case h.hasKey && keys >= maxDenseKeys:
			more++
		default:
			found = append(found, h.finding(v, t, severity))
			if h.hasKey {
				keys++
			}
		}
	}
	if more > 0 {
		found[0].Message += fmt.Sprintf("; %s of the table likewise", plural(more, "more key"))
	}
	return found
}

// heavyOf brings the reads of a table together whose tombstones are to be judged, those that were
// aborted first and then those of most tombstones.
func heavyOf(v *detect.View, t *detect.TargetView) []*heavyReads {
	groups := map[string]*heavyReads{}
	for _, s := range t.Selected { // most tombstones first
		if !denseView(v.Limits, s) {
			continue
		}
		id := "key " + string(s.Key)
		if !s.KeyKnown {
			id = s.Op.String() + " of no key"
			if s.Op != ingest.OpScan {
				id = "no key"
			}
		}
		h := groups[id]
		if h == nil {
			h = &heavyReads{key: s.Key, hasKey: s.KeyKnown, scan: !s.KeyKnown && s.Op == ingest.OpScan}
			groups[id] = h
		}
		h.views = append(h.views, s)
	}
	all := []*heavyReads{}
	for _, h := range groups {
		h.sum()
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *heavyReads) int {
		return cmp.Or(
			cmp.Compare(min(b.aborted.Low, 1), min(a.aborted.Low, 1)), cmp.Compare(b.tombs.Low, a.tombs.Low),
			bytes.Compare(a.key, b.key), cmp.Compare(a.views[0].Op, b.views[0].Op),
		)
	})
	return all
}

// denseView reports whether the tombstones of one kind of read are worth telling: the store ended it; or
// warned of it and at least a quarter of what it read were tombstones; or a sampler lists such reads.
func denseView(l *detect.Limits, s *detect.SelectedView) bool {
	if s.Counts[detect.SelectedAborted].Low > 0 {
		return true
	}
	rows, known := s.Counts[detect.SelectedRows].Low, s.Counts[detect.SelectedRowsKnown].Low > 0
	tombs, reads := s.Counts[detect.SelectedTombstones].Low, s.Counts[detect.SelectedTombstonesKnown].Low
	quarter := l.Of(detect.TombstonesOfRead).Value
	some := !known || detect.Ratio(tombs, tombs+rows) >= quarter ||
		s.Largest.RowsKnown && detect.Ratio(s.Largest.Tombstones, s.Largest.Tombstones+s.Largest.Rows) >= quarter
	if s.Counts[detect.SelectedWarned].Low > 0 {
		return some
	}
	average := reads >= l.Count(detect.TombstonesReads) && tombs >= mul(reads, l.Count(detect.TombstonesMeanRead)) &&
		(!known || tombs >= mul(rows, l.Count(detect.TombstonesPerLiveRow)))
	return average || some && s.Largest.Tombstones >= l.Count(detect.TombstonesWarnRead)
}

// sum adds up the views.
func (h *heavyReads) sum() {
	for _, s := range h.views {
		if s.Largest.Tombstones > h.largest.Tombstones {
			h.largest = s.Largest
		}
	}
	h.reads, h.tombs = apart(h.views, readsOf), apart(h.views, (*detect.SelectedView).Tombstones)
	h.warned, h.aborted = countOf(h.views, detect.SelectedWarned), countOf(h.views, detect.SelectedAborted)
	h.span = spanOfAll(h.views)
}

// readsOf gives the reads that a view tells of: warned or ended ones, else those of a list.
func readsOf(s *detect.SelectedView) detect.Range {
	if n := s.Reads(); n.Low > 0 {
		return n
	}
	return s.Counts[detect.SelectedRecords]
}

// severity gives the level of the reads; 0 for none.
func (h *heavyReads) severity(l *detect.Limits, system bool) detect.Severity {
	s := detect.Low
	switch {
	case h.aborted.Low > 0:
		s = detect.Critical
	case h.largest.Tombstones >= l.Count(detect.TombstonesHighRead), anHour(h.tombs.Low, h.span) >= l.Count(detect.TombstonesHighHour):
		s = detect.High
	case h.largest.Tombstones >= l.Count(detect.TombstonesMediumRead), h.tombs.Low >= l.Count(detect.TombstonesMediumTotal),
		h.warned.Low >= l.Count(detect.TombstonesWarnings):
		s = detect.Medium
	}
	if h.scan && s != detect.Critical {
		s = min(s, detect.Medium)
	}
	if system {
		s--
	}
	return s
}

func (h *heavyReads) finding(v *detect.View, t *detect.TargetView, severity detect.Severity) detect.Finding {
	main := h.views[0]
	f := detect.Finding{
		Severity: severity,
		Subject:  detect.Subject{Target: t.Target, Key: h.key, HasKey: h.hasKey, Shape: main.Shape},
		Span:     h.span,
		Evidence: h.evidence(v, t),
		Message:  h.message(),
		Series: seriesOfAll(v, h.views, func(n *detect.SelectedTotals) uint64 {
			return max(n[detect.SelectedTombstones], n[detect.SelectedAbortedTombstones])
		}),
		SeriesOf: "tombstones",
		Cost:     detect.Whole(h.tombs.Low),
	}
	if !h.hasKey {
		f.Subject.Key = nil
	}
	h.cause().explain(&f, v, t)
	return told(f, h.places())
}

// places gives where the largest read stands, and others.
func (h *heavyReads) places() []ingest.Position {
	at := placesOf(h.views)
	if h.largest.Tombstones == 0 {
		return at
	}
	at = slices.DeleteFunc(at, func(p ingest.Position) bool { return p == h.largest.At })
	return append([]ingest.Position{h.largest.At}, at[:min(len(at), maxPositions-1)]...)
}

// cause gives what the reads of the main statement tell of how the tombstones came to be.
func (h *heavyReads) cause() *cause {
	s := h.views[0]
	known := s.Counts[detect.SelectedRowsKnown].Low > 0
	return &cause{
		key: h.key, hasKey: h.hasKey, scan: h.scan, shape: s.Shape, reads: readsOf(s).Low,
		tombs: s.Tombstones().Low, rows: s.Counts[detect.SelectedRows].Low, rowsKnown: known,
	}
}

// evidence gives the numbers that are known. Of an aborted read the count is where the store gave up,
// and Scylla limits the rate of its warnings, so that there is no upper bound.
func (h *heavyReads) evidence(v *detect.View, t *detect.TargetView) []detect.Evidence {
	all := []detect.Evidence{}
	add := func(m measure, name, unit string, id detect.LimitID, open bool) {
		e := m.against(name, unit, v.Limits.Of(id).Value, v.Limits.Of(id).Source)
		e.How, e.Open = detect.Stored, open
		all = append(all, e)
	}
	ended := h.aborted.Low > 0
	rated := t.Target.Store == ingest.Scylla
	if n := h.largest.Tombstones; n > 0 {
		add(exactly(n), "largest_read_tombstones", "tombstones", detect.TombstonesWarnRead, ended)
	}
	if h.tombs.Low > 0 {
		add(atLeast(h.tombs), "tombstones", "tombstones", detect.TombstonesMediumTotal, ended || rated)
	}
	if main := h.cause(); main.tombs > 0 {
		mean := detect.Ratio(main.tombs, main.reads)
		e := measure{mean, mean, mean}.evidence("tombstones_per_read", "tombstones")
		e.Open = ended
		all = append(all, e)
		if main.rowsKnown {
			live := detect.Ratio(main.tombs, max(main.rows, 1))
			all = append(all, measure{live, live, live}.evidence("tombstones_per_live_row", "tombstones"))
		}
	}
	if ended {
		e := stored(atLeast(h.aborted), "aborted_reads", "reads")
		e.Open = rated
		all = append(all, e)
	}
	e := atLeast(h.reads).evidence("reads", "reads")
	e.How, e.Open = detect.Counted, rated
	all = append(all, e)
	if s := tombstonesOf(t, h.key, h.hasKey, func(*detect.StateStats) bool { return true }); s != nil {
		e := stored(exactly(s.Max), "partition_tombstones", "tombstones")
		e.Open, e.Positions = s.AtLeast, s.Positions[:min(len(s.Positions), 1)]
		all = append(all, e)
	}
	return append(all, tableEvidence(v, t)...)
}

// tableEvidence is what the store's statistics say of all reads of the table: whether the reads that it
// complains of are few among them.
func tableEvidence(v *detect.View, t *detect.TargetView) []detect.Evidence {
	s := statisticsOf(v, t)
	if s.mean.value <= detect.Whole(1) { // old and new versions print 0 or 1 where reads met none
		return nil
	}
	e := stored(s.mean, "table_tombstones_per_read", "tombstones")
	e.Positions = []ingest.Position{s.meanAt}
	return []detect.Evidence{e}
}

func (h *heavyReads) message() string {
	said := fmt.Sprintf("at least %s", plural(h.reads.Low, "read"))
	if n := h.largest; n.Tombstones > 0 {
		said += fmt.Sprintf(" scanned %s tombstones", grouped(h.tombs.Low))
		if h.tombs.Low > n.Tombstones {
			said += fmt.Sprintf(", up to %s in one", grouped(n.Tombstones))
		}
		if n.RowsKnown {
			said += fmt.Sprintf(" beside %s", plural(n.Rows, "live row"))
		}
	} else {
		said += " met too many tombstones"
	}
	if h.aborted.Low > 0 {
		said += fmt.Sprintf("; at least %s ended by the store", plural(h.aborted.Low, "read"))
		if h.span != (detect.Span{}) {
			said += ", last seen " + moment(h.span.End-1)
		}
	}
	if h.scan {
		said += "; it is a scan over many partitions, where it stopped is no culprit"
	}
	if n := len(h.views); n > 1 {
		said += fmt.Sprintf("; %d kinds of statement, the heaviest is shown", n)
	}
	return said
}

// joinDense brings together what several sources tell of a table. Of one key, or of scans, or of reads
// without a key, the worst finding stands; statistics of the table are told when nothing else is.
func joinDense(traffic, selected, statistics []detect.Finding) []detect.Finding {
	all := slices.Concat(selected, traffic)
	slices.SortStableFunc(all, func(a, b detect.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Cost, a.Cost))
	})
	if len(all) == 0 {
		return statistics
	}
	if len(selected) == 0 {
		return traffic
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(f detect.Finding) bool {
		id := fmt.Sprintf("%t %t %s", f.Subject.HasKey, f.Mechanism == "scan", f.Subject.Key)
		twice := seen[id]
		seen[id] = true
		return twice
	})
}
