package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// denseOf judges all that is told of a table's reads: those that were counted, those that the store
// complains of, and its statistics.
func denseOf(v *detect.View, t *detect.TargetView) []detect.Finding {
	dense := []detect.Finding{}
	counted := t.Teller(detect.TombstonesKnown)
	for i := range counted.Shapes {
		if f, ok := denseFinding(v, counted, shapeReads(v, counted, &counted.Shapes[i])); ok {
			dense = append(dense, f)
		}
	}
	if len(dense) == 0 {
		dense = denseKeys(v, counted)
	}
	return joinDense(dense, denseSelected(v, t), denseStatistics(v, t))
}

// denseReads are the counted reads of one shape, or of one key.
type denseReads struct {
	key       *detect.KeyView // nil: none to name
	shape     string
	scan      bool
	reads     uint64
	all       uint64 // reads of the shape, where those are of one of its keys
	rows      uint64
	rowsKnown uint64
	tombs     uint64
	dense     uint64
	failed    uint64
	largest   detect.ReadSize
	span      detect.Span
	at        []ingest.Position
}

func shapeReads(v *detect.View, t *detect.TargetView, s *detect.ShapeStats) *denseReads {
	d := &denseReads{
		shape: s.Shape, scan: isScan(t, s.Shape), reads: s.Reads, all: s.Reads, rows: s.Rows, rowsKnown: s.RowsKnown,
		tombs: s.Tombstones, dense: s.Dense, failed: s.Failed, largest: s.Largest,
	}
	if s.Last > 0 {
		d.span = detect.Span{Start: s.First / 1e9, End: s.Last/1e9 + 1}
	}
	if s.Largest.Tombstones > 0 {
		d.at = []ingest.Position{s.Largest.At}
	}
	if !d.scan {
		d.key = mostTombstones(v, t)
	}
	if d.key != nil && d.key.Exact != nil && len(t.Shapes) == 1 {
		d.ofKey()
	}
	return d
}

// ofKey takes the counts of the key in place of those of the shape, which other keys dilute. The
// largest read and the failed ones are known of the shape only.
func (d *denseReads) ofKey() {
	n := &d.key.Exact.Totals
	if n[detect.TombstonesKnown] == 0 {
		return
	}
	d.reads, d.rows, d.rowsKnown, d.tombs = n[detect.TombstonesKnown], n[detect.Rows], n[detect.RowsKnown], n[detect.Tombstones]
	d.at = append(d.at, positions(d.key)...)
}

// isScan reports whether the reads of a shape have no bound partition key: their text says so, or the records that have
// it. Without a text it is told from the operations of the table, when all its reads are scans.
func isScan(t *detect.TargetView, shape string) bool {
	if shape != "" {
		return readShape(shape).scan || slices.ContainsFunc(t.Patterns, func(p detect.PatternStats) bool { return p.Shape == shape && p.Op == ingest.OpScan })
	}
	scans, reads := t.Totals[detect.ByOp+detect.Counter(ingest.OpScan)], t.Totals[detect.ByOp+detect.Counter(ingest.OpRead)]
	return scans > 0 && reads == 0
}

// mostTombstones gives the key that surely has most of a table's tombstones, nil when none has.
func mostTombstones(v *detect.View, t *detect.TargetView) *detect.KeyView {
	for _, k := range t.Keys {
		if n := tombstones(k); n.Low > 0 && detect.Ratio(n.Low, t.Totals[detect.Tombstones]) >= v.Limits.Of(detect.TombstonesOfKey).Value {
			return k
		}
	}
	return nil
}

func tombstones(k *detect.KeyView) detect.Range {
	if k.Exact != nil {
		n := k.Exact.Totals[detect.Tombstones]
		return detect.Range{Low: n, High: n}
	}
	return k.Tombstones
}

// maxDenseKeys is the most keys named of a table whose reads as a whole are not dense.
const maxDenseKeys = 10

// denseKeys judges keys that the second pass counted, those with most tombstones first.
func denseKeys(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	for _, k := range t.Keys {
		if k.Exact == nil {
			continue
		}
		n := &k.Exact.Totals
		d := &denseReads{
			key: k, reads: n[detect.TombstonesKnown], rows: n[detect.Rows], rowsKnown: n[detect.RowsKnown],
			tombs: n[detect.Tombstones], span: t.Span, at: positions(k),
		}
		if f, ok := denseFinding(v, t, d); ok {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b detect.Finding) int { return cmp.Compare(b.Cost, a.Cost) })
	return found[:min(len(found), maxDenseKeys)]
}

// liveRows gives the live rows of all reads: as counted, or scaled up from the reads that tell theirs.
func (d *denseReads) liveRows() (rows uint64, known bool) {
	if d.rowsKnown == 0 {
		return 0, false
	}
	if d.rowsKnown < d.reads {
		return mul(d.rows, d.reads) / d.rowsKnown, true
	}
	return d.rows, true
}

// onAverage reports whether the reads are dense on average.
func (d *denseReads) onAverage(l *detect.Limits) bool {
	rows, known := d.liveRows()
	return known && d.reads >= l.Count(detect.TombstonesReads) &&
		d.tombs >= mul(d.reads, l.Count(detect.TombstonesMeanRead)) &&
		d.tombs >= mul(rows, l.Count(detect.TombstonesPerLiveRow))
}

// byLargest reports whether the largest read is dense.
func (d *denseReads) byLargest(l *detect.Limits) bool {
	n := d.largest
	if n.Tombstones < l.Count(detect.TombstonesWarnRead) {
		return false
	}
	return !n.RowsKnown || detect.Ratio(n.Tombstones, n.Tombstones+n.Rows) >= l.Of(detect.TombstonesOfRead).Value
}

// aborted reports whether reads failed at the number of tombstones where the store gives up.
func (d *denseReads) aborted(l *detect.Limits) bool {
	return d.failed > 0 && d.largest.Tombstones >= l.Count(detect.TombstonesAbortRead)
}

// severity gives the level of reads that are dense; 0 for none.
func (d *denseReads) severity(l *detect.Limits, system bool) detect.Severity {
	s := detect.Low
	switch {
	case d.aborted(l):
		s = detect.Critical
	case d.largest.Tombstones >= l.Count(detect.TombstonesHighRead),
		anHour(d.tombs, d.span) >= l.Count(detect.TombstonesHighHour),
		d.all >= l.Count(detect.TombstonesDenseReads) && detect.Ratio(d.dense, d.all) >= l.Of(detect.TombstonesDenseShare).Value:
		s = detect.High
	case d.largest.Tombstones >= l.Count(detect.TombstonesMediumRead), d.tombs >= l.Count(detect.TombstonesMediumTotal):
		s = detect.Medium
	}
	if d.scan && s != detect.Critical {
		s = min(s, detect.Medium)
	}
	if system {
		s--
	}
	return s
}

func denseFinding(v *detect.View, t *detect.TargetView, d *denseReads) (detect.Finding, bool) {
	if !d.onAverage(v.Limits) && !d.byLargest(v.Limits) {
		return detect.Finding{}, false
	}
	severity := d.severity(v.Limits, isSystem(t.Target))
	if severity == 0 {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Severity: severity,
		Subject:  detect.Subject{Target: t.Target, Shape: d.shape},
		Span:     d.span,
		Evidence: d.evidence(v.Limits),
		Message:  d.message(),
		Series:   make([]uint64, len(v.Panes)), SeriesOf: "tombstones",
		Cost: detect.Whole(d.tombs),
	}
	for i := range f.Series {
		f.Series[i] = pane(t, i).Totals[detect.PaneTombstones]
	}
	if d.key != nil {
		f.Subject.Key, f.Subject.HasKey = d.key.Key, true
		panes := series(v, d.key)
		f.Series = middles(panes, func(p *detect.KeyPane) detect.Range { return p.Tombstones })
	}
	d.cause().explain(&f, v, t)
	return settle(f, d.at), true
}

// cause gives what the reads tell of how the tombstones came to be.
func (d *denseReads) cause() *cause {
	c := &cause{scan: d.scan, shape: d.shape, reads: d.reads, tombs: d.tombs}
	c.rows, c.rowsKnown = d.liveRows()
	if d.key != nil {
		c.key, c.hasKey = d.key.Key, true
	}
	return c
}

// evidence gives the numbers that are known, the largest read first where it is dense.
func (d *denseReads) evidence(l *detect.Limits) []detect.Evidence {
	all := []detect.Evidence{}
	add := func(m measure, name, unit string, id detect.LimitID) {
		all = append(all, m.against(name, unit, l.Of(id).Value, l.Of(id).Source))
	}
	if d.largest.Tombstones > 0 {
		add(exactly(d.largest.Tombstones), "largest_read_tombstones", "tombstones", detect.TombstonesWarnRead)
		if d.aborted(l) {
			all[0].Open = true
		}
	}
	mean := detect.Ratio(d.tombs, d.reads)
	add(measure{mean, mean, mean}, "tombstones_per_read", "tombstones", detect.TombstonesMeanRead)
	add(exactly(d.tombs), "tombstones", "tombstones", detect.TombstonesMediumTotal)
	if rows, known := d.liveRows(); known {
		live := detect.Ratio(d.tombs, max(rows, 1))
		add(measure{live, live, live}, "tombstones_per_live_row", "tombstones", detect.TombstonesPerLiveRow)
		if d.rowsKnown < d.reads {
			all[len(all)-1].How = detect.Inferred
		}
	}
	all = append(all, exactly(d.reads).evidence("reads", "reads"))
	if d.dense > 0 {
		all = append(all, exactly(d.dense).evidence("reads_over_warn_limit", "reads"))
	}
	if d.failed > 0 {
		all = append(all, exactly(d.failed).evidence("failed_reads", "reads"))
	}
	return all
}

func (d *denseReads) message() string {
	said := fmt.Sprintf("%s scanned %s tombstones each on average", plural(d.reads, "read"), whole(detect.Ratio(d.tombs, d.reads)))
	if rows, known := d.liveRows(); known {
		said += fmt.Sprintf(", %s a live row", whole(detect.Ratio(d.tombs, max(rows, 1))))
	}
	if d.largest.Tombstones > 0 {
		said += fmt.Sprintf(", and %s at most", grouped(d.largest.Tombstones))
	}
	if d.failed > 0 {
		said += fmt.Sprintf("; %s failed", plural(d.failed, "read"))
	}
	return said
}
