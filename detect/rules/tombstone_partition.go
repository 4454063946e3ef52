package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/tombstone-partition.md
var tombstonePartitionDoc string

// TombstonePartition finds partitions that hold very many tombstones though no read is known to meet them.
var TombstonePartition = detect.Rule{
	ID:    "tombstone-partition",
	Title: "A partition holds very many tombstones",
	Needs: "numbers of tombstones of partitions",
	Doc:   tombstonePartitionDoc,
	Judge: judgeTombstonePartition,
}

func judgeTombstonePartition(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found := []detect.Finding{}
	for _, t := range v.Targets {
		if t.Target.Store == ingest.DynamoDB {
			continue
		}
		read := map[string]bool{}
		dense := []detect.Finding{}
		for _, c := range conditionsOf(t, ingest.PartitionTombstones) {
			if f, ok := tombstoneFinding(v, t, c); ok {
				dense = append(dense, f)
			}
		}
		if len(dense) == 0 {
			continue
		}
		for _, f := range denseOf(v, t) {
			if f.Subject.HasKey {
				read[string(f.Subject.Key)] = true
			}
		}
		dense = slices.DeleteFunc(dense, func(f detect.Finding) bool { return f.Subject.HasKey && read[string(f.Subject.Key)] })
		slices.SortStableFunc(dense, func(a, b detect.Finding) int { return int(b.Severity) - int(a.Severity) })
		found = append(found, withoutNameless(dense)...)
	}
	return found, nil
}

func tombstoneFinding(v *detect.View, t *detect.TargetView, c *condition) (detect.Finding, bool) {
	l, n := v.Limits, c.size().low
	rows := c.best.Kinds.Rows
	if rows == 0 {
		rows = rowsOf(t, c)
	}
	f := detect.Finding{Subject: c.subject(t), Span: c.span, Cost: detect.Whole(c.best.Max)}
	limit := l.Of(detect.TombPartition)
	if rows == 0 || detect.Ratio(c.best.Max, rows) >= l.Of(detect.TombPartitionOfRows).Value {
		f.Severity = numberSeverity(l, n, rows > 0)
	}
	if c.said != nil {
		f.Severity, limit = max(f.Severity, detect.Low), c.limitOf(limit)
	}
	if isSystem(t.Target) && f.Severity > 0 && c.said == nil {
		f.Severity--
	}
	if f.Severity == 0 {
		return f, false
	}
	f.Evidence = []detect.Evidence{c.evidence("tombstones", limit.Value, limit.Source)}
	f.Message = fmt.Sprintf("a partition holds %s tombstones", grouped(c.best.Max))
	if rows > 0 {
		f.Evidence = append(f.Evidence, stored(exactly(rows), "partition_rows", "rows"))
		f.Message += fmt.Sprintf(" and %s", plural(rows, "row"))
	}
	f.Evidence = append(f.Evidence, kindsEvidence(&c.best.Kinds)...)
	f.Message += "; reads that meet them are slow, though none is known to"
	u := &cause{key: []byte(c.key), hasKey: c.keyKnown, tombs: c.best.Max}
	if !u.measured(&f, t) {
		u.bySchema(&f, v, t)
	}
	if c.said != nil {
		return told(f, c.at), true
	}
	return settle(f, c.at), true
}

// numberSeverity gives the level of a number of tombstones, 0 for none; where the rows beside them are
// not known it is medium at most.
func numberSeverity(l *detect.Limits, n detect.Milli, rows bool) detect.Severity {
	switch {
	case n >= l.Of(detect.TombPartitionHigh).Value && rows:
		return detect.High
	case n >= l.Of(detect.TombPartitionMedium).Value:
		return detect.Medium
	case n >= l.Of(detect.TombPartition).Value:
		return detect.Low
	}
	return 0
}

// rowsOf gives the rows that the same statement of the store tells of the partition, 0 when none does.
func rowsOf(t *detect.TargetView, c *condition) uint64 {
	for i := range t.States {
		s := &t.States[i]
		if s.Measure == ingest.PartitionRows && s.Key == c.key && s.KeyKnown == c.keyKnown && s.Node == c.best.Node && s.Source == c.best.Source {
			return s.Max
		}
	}
	return 0
}

// kindsEvidence tells what the tombstones are, as far as that is known.
func kindsEvidence(k *ingest.TombstoneKinds) []detect.Evidence {
	all := []detect.Evidence{}
	for _, x := range []struct {
		n    uint64
		name string
	}{
		{k.RowDeletes, "deleted_rows"}, {k.Ranges, "range_markers"}, {k.Complex, "collection_markers"},
		{k.Cells, "deleted_cells"}, {k.Expired, "expired"}, {k.Partition, "partition_deletions"},
	} {
		if x.n > 0 {
			all = append(all, stored(exactly(x.n), x.name, "tombstones"))
		}
	}
	return all
}
