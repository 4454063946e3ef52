package rules

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A condition is what nodes, SSTables and statements of the store tell of one measure of one subject: a
// partition, or a part of it. They are not added up; the largest speaks.
type condition struct {
	measure  ingest.Measure
	key      string
	keyKnown bool
	part     string
	best     *detect.StateStats // the largest value
	said     *detect.StateStats // the largest that the store reported as passing a limit; nil: none
	span     detect.Span
	at       []ingest.Position
}

// conditionsOf gives the conditions of a target by these measures, largest first of each.
func conditionsOf(t *detect.TargetView, measures ...ingest.Measure) []*condition {
	type subject struct {
		measure  ingest.Measure
		key      string
		keyKnown bool
		part     string
	}
	found := map[subject]*condition{}
	all := []*condition{}
	for i := range t.States {
		s := &t.States[i]
		if !slices.Contains(measures, s.Measure) {
			continue
		}
		id := subject{s.Measure, s.Key, s.KeyKnown, s.Part}
		c := found[id]
		if c == nil {
			c = &condition{measure: s.Measure, key: s.Key, keyKnown: s.KeyKnown, part: s.Part, best: s}
			found[id] = c
			all = append(all, c)
		}
		c.add(s)
	}
	for _, c := range all {
		c.at = slices.Clone(c.best.Positions)
		if c.said != nil && c.said != c.best {
			c.at = append(c.at[:min(len(c.at), maxPositions-1)], c.said.Positions...)
		}
	}
	slices.SortStableFunc(all, func(a, b *condition) int {
		return cmp.Or(cmp.Compare(a.measure, b.measure), cmp.Compare(b.best.Max, a.best.Max))
	})
	return all
}

func (c *condition) add(s *detect.StateStats) {
	if s.Max > c.best.Max {
		c.best = s
	}
	if s.Said && (c.said == nil || s.Max > c.said.Max) {
		c.said = s
	}
	if s.First != 0 || s.Last != 0 {
		c.span = joined(c.span, detect.Span{Start: s.First / 1e9, End: s.Last/1e9 + 1})
	}
}

// size gives the largest value. Of a bucket's top the lower bound is its floor.
func (c *condition) size() measure {
	m := exactly(c.best.Max)
	m.low = detect.Whole(c.best.Least())
	return m
}

// evidence gives the size, held against a limit.
func (c *condition) evidence(unit string, limit detect.Milli, source string) detect.Evidence {
	m := c.size()
	e := m.against(c.measure.String(), unit, limit, source)
	e.How, e.Open = detect.Stored, c.best.AtLeast
	return e
}

// subject names a partition of a target, or none.
func (c *condition) subject(t *detect.TargetView) detect.Subject {
	s := detect.Subject{Target: t.Target}
	if c.keyKnown {
		s.Key, s.HasKey = []byte(c.key), true
	}
	return s
}

// limitOf gives the limit that the record names, else the one of the store.
func (c *condition) limitOf(l detect.Limit) detect.Limit {
	if c.said != nil && c.said.Limit > 0 {
		return detect.Limit{Value: detect.Whole(c.said.Limit), Source: "the store's own setting, as its record tells"}
	}
	return l
}

// sized writes bytes as people do: 332.4 MiB.
func sized(n uint64) string {
	units := [...]string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := max(bits.Len64(n)-1, 0) / 10
	if i == 0 {
		return plural(n, "byte")
	}
	unit := uint64(1) << (10 * i)
	return fmt.Sprintf("%d.%d %s", n/unit, n%unit*10/unit, units[i])
}

// withoutNameless leaves out what is told of no key where a partition that is named is as bad: it is
// most likely the same. Of many the first are kept.
func withoutNameless(found []detect.Finding) []detect.Finding {
	worst := detect.Severity(0)
	for i := range found {
		if found[i].Subject.HasKey {
			worst = max(worst, found[i].Severity)
		}
	}
	found = slices.DeleteFunc(found, func(f detect.Finding) bool { return !f.Subject.HasKey && f.Severity <= worst })
	if n := len(found) - maxLarge; n > 0 {
		found = found[:maxLarge]
		found[0].Message += fmt.Sprintf("; %s of the table likewise", plural(uint64(n), "more partition"))
	}
	return found
}

// maxLarge is the most partitions named of one table, the largest.
const maxLarge = 10

// partitionLimits gives the limits of a table's store; Cassandra's where it is not known.
func partitionLimits(v *detect.View, t *detect.TargetView) (bytes, rows detect.Limit) {
	if t.Target.Store == ingest.Scylla {
		return v.Limits.Of(detect.ScyllaPartitionBytes), v.Limits.Of(detect.ScyllaPartitionRows)
	}
	return v.Limits.Of(detect.CassandraPartitionBytes), v.Limits.Of(detect.CassandraPartitionRows)
}

// costOf gives what a size weighs beside requests and tombstones: each kilobyte counts as one.
func costOf(bytes uint64) detect.Milli { return detect.Whole(bytes >> 10) }
