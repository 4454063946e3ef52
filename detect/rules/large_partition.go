package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/large-partition.md
var largePartitionDoc string

// LargePartition finds partitions and item collections that are larger than their store serves well.
var LargePartition = detect.Rule{
	ID:    "large-partition",
	Title: "A partition is larger than its store serves well",
	Needs: "sizes or rows of partitions",
	Doc:   largePartitionDoc,
	Judge: judgeLargePartition,
}

func judgeLargePartition(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found := []detect.Finding{}
	for _, t := range v.Targets {
		judge := largePartitions
		if t.Target.Store == ingest.DynamoDB {
			judge = largeCollections
		}
		found = append(found, withoutNameless(judge(v, t))...)
	}
	return found, nil
}

// partition holds the sizes and rows that are told of one partition; either may be nil.
type partition struct{ bytes, rows *condition }

// partitionsOf gives the partitions of a target of which a size or a number of rows is told, the
// largest first.
func partitionsOf(t *detect.TargetView) []*partition {
	all := []*partition{}
	for _, c := range conditionsOf(t, ingest.PartitionBytes) {
		all = append(all, &partition{bytes: c})
	}
	for _, c := range conditionsOf(t, ingest.PartitionRows) {
		i := slices.IndexFunc(all, func(p *partition) bool {
			return p.bytes != nil && p.bytes.key == c.key && p.bytes.keyKnown == c.keyKnown
		})
		if i >= 0 {
			all[i].rows = c
		} else {
			all = append(all, &partition{rows: c})
		}
	}
	return all
}

// largePartitions judges the partitions of a CQL table.
func largePartitions(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	for _, p := range partitionsOf(t) {
		if f, ok := p.finding(v, t); ok {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b detect.Finding) int { return int(b.Severity) - int(a.Severity) })
	return found
}

func (p *partition) finding(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	byBytes, byRows := partitionLimits(v, t)
	fired, said := []string{}, false
	f := detect.Finding{}
	if c := p.rows; c != nil {
		f.Subject, f.Span = c.subject(t), c.span
		limit := byRows
		if c.said != nil {
			said, limit = true, c.limitOf(byRows)
		}
		f.Evidence = append(f.Evidence, c.evidence("rows", limit.Value, limit.Source))
		if c.size().low >= byRows.Value {
			fired = append(fired, fmt.Sprintf("%s, over %s", plural(c.best.Max, "row"), whole(byRows.Value)))
			f.Severity = detect.Low
		}
	}
	if c := p.bytes; c != nil {
		f.Subject, f.Span, f.Cost = c.subject(t), joined(f.Span, c.span), costOf(c.best.Max)
		limit := byBytes
		if c.said != nil {
			said, limit = true, c.limitOf(byBytes)
		}
		f.Evidence = append([]detect.Evidence{c.evidence("bytes", limit.Value, limit.Source)}, f.Evidence...)
		f.Severity = max(f.Severity, sizeSeverity(v, c.size().low, byBytes.Value))
		if c.size().low >= byBytes.Value {
			fired = append([]string{fmt.Sprintf("%s, over %s", sized(c.best.Max), sized(uint64(byBytes.Value/1000)))}, fired...)
		}
	}
	f.Message = p.message(fired)
	if !said {
		return settle(f, p.places()), f.Severity > 0
	}
	f.Severity = max(f.Severity, detect.Low)
	f.Evidence = append(f.Evidence, p.reported()...)
	return told(f, p.places()), true
}

// reported gives what the store's own lines tell, where other means tell of more.
func (p *partition) reported() []detect.Evidence {
	all := []detect.Evidence{}
	for _, c := range []*condition{p.bytes, p.rows} {
		if c == nil || c.said == nil || c.said.Max == c.best.Max {
			continue
		}
		name, unit := "reported_partition_bytes", "bytes"
		if c == p.rows {
			name, unit = "reported_partition_rows", "rows"
		}
		e := stored(exactly(c.said.Max), name, unit)
		e.Open = c.said.AtLeast
		all = append(all, e)
	}
	return all
}

// sizeSeverity gives the level of a size; 0 under the store's limit.
func sizeSeverity(v *detect.View, low, limit detect.Milli) detect.Severity {
	switch {
	case low < limit:
		return 0
	case low >= v.Limits.Of(detect.PartitionHighBytes).Value:
		return detect.High
	case low >= v.Limits.Of(detect.PartitionMediumBytes).Value:
		return detect.Medium
	}
	return detect.Low
}

// message says which limit fired, and what a size is not.
func (p *partition) message(fired []string) string {
	said, least := "", p.bytes != nil && p.bytes.best.AtLeast || p.bytes == nil && p.rows.best.AtLeast
	switch {
	case len(fired) > 0:
		said = "a partition has " + strings.Join(fired, ", and ")
	case p.bytes != nil && p.bytes.said != nil:
		said = fmt.Sprintf("the store reports a partition of %s as too large, by %s", sized(p.bytes.said.Max), p.bytes.whichLimit("its rows, perhaps: its size is under the usual limit"))
	case p.rows != nil && p.rows.said != nil:
		said = fmt.Sprintf("the store reports a partition of %s as too large, by %s", plural(p.rows.said.Max, "row"), p.rows.whichLimit("its own limit"))
	}
	of := "one SSTable or one write"
	if p.bytes == nil && p.rows.best.Source == ingest.SourceSampler {
		of = "one read"
	}
	if least {
		said += "; the record is of " + of + ", so it is at least so much"
	}
	if p.bytes != nil && !p.bytes.keyKnown || p.bytes == nil && !p.rows.keyKnown {
		said += "; which one is not told"
	}
	return said
}

// whichLimit says which limit a record of the store passed.
func (c *condition) whichLimit(instead string) string {
	switch {
	case c.said.Limit == 0:
		return instead
	case c.measure == ingest.PartitionBytes:
		return "a limit of " + sized(c.said.Limit) + " that it was given"
	}
	return "a limit of " + grouped(c.said.Limit) + " that it was given"
}

func (p *partition) places() []ingest.Position {
	at := []ingest.Position{}
	for _, c := range []*condition{p.bytes, p.rows} {
		if c == nil {
			continue
		}
		for _, x := range c.at {
			if !slices.Contains(at, x) {
				at = append(at, x)
			}
		}
	}
	return at
}
