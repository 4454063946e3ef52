package rules

import (
	"cmp"
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/full-scan.md
var fullScanDoc string

// FullScan finds reads without a bound partition key.
var FullScan = detect.Rule{
	ID:     "full-scan",
	Title:  "Reads without a bound partition key",
	Needs:  "the text or the operation of reads",
	Counts: true,
	Doc:    fullScanDoc,
	Judge:  judgeFullScan,
}

func judgeFullScan(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found := []detect.Finding{}
	for _, t := range v.Targets {
		if t.Target.Table == "" || isSystem(t.Target) {
			continue
		}
		if f, ok := scansOf(v, t).finding(v, t); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// scans are the reads of a table without a bound partition key.
type scans struct {
	views   []*detect.SelectedView // those that stores complain of, most first
	told    detect.Range           // in them
	bad     uint64                 // of them timed out or aborted
	counted uint64                 // as traffic, where that is counted
	reads   uint64                 // all reads that are counted as traffic
	span    detect.Span
	shape   string // the one of most
	job     bool   // a statement by token ranges, read many times
	at      []ingest.Position
}

func scansOf(v *detect.View, t *detect.TargetView) *scans {
	s := &scans{reads: t.Totals.Reads(), counted: t.Totals[detect.ByOp+detect.Counter(ingest.OpScan)]}
	for _, x := range t.Selected {
		if x.Op != ingest.OpScan {
			continue
		}
		s.views = append(s.views, x)
		s.bad += max(x.Counts[detect.SelectedTimedOut].Low, x.Counts[detect.SelectedAborted].Low)
		s.job = s.job || byToken(x.Shape) && x.Counts[detect.SelectedRecords].Low >= v.Limits.Count(detect.ScanJobReads)
	}
	slices.SortStableFunc(s.views, func(a, b *detect.SelectedView) int {
		return cmp.Compare(b.Counts[detect.SelectedRecords].Low, a.Counts[detect.SelectedRecords].Low)
	})
	s.told = apart(s.views, (*detect.SelectedView).Once)
	s.span, s.at = spanOfAll(s.views), placesOf(s.views)
	if len(s.views) > 0 {
		s.shape = s.views[0].Shape
	}
	most := uint64(0)
	for i := range t.Shapes {
		x := &t.Shapes[i]
		if x.Op != ingest.OpScan {
			continue
		}
		s.job = s.job || byToken(x.Shape) && x.Reads >= v.Limits.Count(detect.ScanJobReads)
		if len(s.views) == 0 && x.Reads > most {
			s.shape, most = x.Shape, x.Reads
		}
		if x.Largest.Tombstones > 0 {
			s.at = append(s.at, x.Largest.At)
		}
	}
	if s.counted > 0 {
		s.span = joined(s.span, t.Span)
	}
	return s
}

// byToken reports whether a statement reads a range of tokens.
func byToken(shape string) bool { return slices.Contains(tokens(shape), "token") }

// severity gives the level of the scans. Records of bad ones alone have no share of the reads.
func (s *scans) severity(l *detect.Limits) detect.Severity {
	hourly := l.Count(detect.ScanHour)
	often := anHour(s.counted, s.span) >= hourly && detect.Ratio(s.counted, s.reads) >= l.Of(detect.ScanShare).Value
	switch {
	case anHour(s.bad, s.span) >= hourly:
		return detect.High
	case s.job:
		return detect.Low
	case s.bad > 0 || often:
		return detect.Medium
	}
	return detect.Low
}

func (s *scans) finding(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	n := detect.Range{Low: max(s.told.Low, s.counted), High: max(s.told.High, s.counted)}
	if n.Low == 0 {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Severity: s.severity(v.Limits),
		Subject:  detect.Subject{Target: t.Target, Shape: s.shape},
		Span:     s.span,
		Series:   seriesOfAll(v, s.views, func(n *detect.SelectedTotals) uint64 { return n[detect.SelectedRecords] }), SeriesOf: "scans",
		Cost: detect.Whole(n.Low),
	}
	limit := v.Limits.Of(detect.ScanHour)
	f.Evidence = []detect.Evidence{atLeast(n).evidence("scans", "reads")}
	f.Evidence[0].How = detect.Counted
	hour := anHour(n.Low, s.span)
	f.Evidence = append(f.Evidence, exactly(hour).against("scans_an_hour", "reads/h", limit.Value, limit.Source))
	if s.bad > 0 {
		f.Evidence = append(f.Evidence, stored(exactly(s.bad), "scans_timed_out_or_aborted", "reads"))
	}
	if s.counted > 0 && s.reads > 0 {
		share := detect.Ratio(s.counted, s.reads)
		f.Evidence = append(f.Evidence, measure{share, share, share}.evidence("share_of_reads", "share"))
	}
	f.Message = s.message(n.Low, t.Target.Store)
	return told(f, s.at), true
}

func (s *scans) message(n uint64, store ingest.Store) string {
	said := fmt.Sprintf("%s had no bound partition key, so that every node was asked", plural(n, "read"))
	if store == ingest.DynamoDB {
		said = fmt.Sprintf("%s read the table from one end to the other, and paid for all of it", plural(n, "request"))
	}
	if s.counted == 0 {
		said = "at least " + said
	}
	if s.bad > 0 {
		said += fmt.Sprintf("; %s timed out or aborted", grouped(s.bad))
	}
	if s.job {
		said += "; they read by token ranges, as analytics jobs and backups do"
	}
	return said
}
