package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/large-item.md
var largeItemDoc string

// LargeItem finds items, rows, cells and collections that are near or over their store's limit.
var LargeItem = detect.Rule{
	ID:    "large-item",
	Title: "An item, row, cell or collection is near or over its limit",
	Needs: "sizes of items, rows, cells or collections",
	Doc:   largeItemDoc,
	Judge: judgeLargeItem,
}

func judgeLargeItem(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found := []detect.Finding{}
	for _, t := range v.Targets {
		items := map[string]int{} // by key: place in large
		large := []detect.Finding{}
		for _, c := range conditionsOf(t, ingest.RowBytes, ingest.CellBytes, ingest.CollectionBytes, ingest.CollectionItems, ingest.ItemBytes, ingest.WriteBytes) {
			f, ok := itemFinding(v, t, c)
			if !ok {
				continue
			}
			id := fmt.Sprintf("%t %s", c.keyKnown, c.key)
			if i, twice := items[id]; twice {
				large[i] = sameItem(large[i], f)
				continue
			}
			items[id] = len(large)
			large = append(large, f)
		}
		slices.SortStableFunc(large, func(a, b detect.Finding) int { return int(b.Severity) - int(a.Severity) })
		if n := len(large) - maxLarge; n > 0 {
			large = large[:maxLarge]
			large[0].Message += fmt.Sprintf("; %s of the table likewise", plural(uint64(n), "more key"))
		}
		found = append(found, large...)
	}
	return found, nil
}

// sameItem joins what is told of parts of one partition: the worse one speaks, the other's measures are
// added.
func sameItem(a, b detect.Finding) detect.Finding {
	if b.Severity > a.Severity {
		a, b = b, a
	}
	for _, e := range b.Evidence {
		if !slices.ContainsFunc(a.Evidence, func(x detect.Evidence) bool { return x.Measure == e.Measure }) {
			a.Evidence = append(a.Evidence, e)
		}
	}
	return a
}

// An itemLimit is the limit on a measure in a store: a wall, or a line from which it complains.
type itemLimit struct {
	store   ingest.Store
	measure ingest.Measure
	id      detect.LimitID
	wall    bool
}

var itemLimits = []itemLimit{
	{ingest.DynamoDB, ingest.ItemBytes, detect.DynamoItemBytes, true},
	{ingest.Cassandra, ingest.CellBytes, detect.CassandraMutationBytes, true},
	{ingest.Cassandra, ingest.WriteBytes, detect.CassandraMutationBytes, true},
	{ingest.Scylla, ingest.RowBytes, detect.ScyllaRowBytes, false},
	{ingest.Scylla, ingest.CellBytes, detect.ScyllaCellBytes, false},
	{ingest.Scylla, ingest.CollectionItems, detect.ScyllaCollectionItems, false},
}

func itemFinding(v *detect.View, t *detect.TargetView, c *condition) (detect.Finding, bool) {
	f := detect.Finding{Subject: c.subject(t), Span: c.span, Cost: costOf(c.best.Max)}
	limit := detect.Limit{}
	said := ""
	i := slices.IndexFunc(itemLimits, func(l itemLimit) bool { return l.store == t.Target.Store && l.measure == c.measure })
	if i >= 0 {
		limit = v.Limits.Of(itemLimits[i].id)
		f.Severity = itemSeverity(v, c.size().low, &limit, itemLimits[i].wall)
	}
	if c.said != nil {
		if f.Severity == 0 {
			limit = c.limitOf(limit)
		}
		f.Severity = max(f.Severity, detect.Low)
		said = ", and the store reports it as too large"
	}
	if f.Severity == 0 {
		return f, false
	}
	unit := "bytes"
	size := sized(c.best.Max)
	if c.measure == ingest.CollectionItems {
		unit, size = "elements", plural(c.best.Max, "element")
	}
	f.Evidence = []detect.Evidence{c.evidence(unit, limit.Value, limit.Source)}
	f.Message = fmt.Sprintf("one %s has %s%s", itemName(c.measure), size, said)
	if c.best.AtLeast {
		f.Message = strings.Replace(f.Message, " has ", " has at least ", 1)
	}
	if c.said != nil {
		return told(f, c.at), true
	}
	return settle(f, c.at), true
}

// itemSeverity gives the level of a size; limit becomes the part of it that was reached.
func itemSeverity(v *detect.View, low detect.Milli, limit *detect.Limit, wall bool) detect.Severity {
	high, medium := limit.Value.Scaled(v.Limits.Of(detect.ItemHighShare).Value), limit.Value.Scaled(v.Limits.Of(detect.ItemMediumShare).Value)
	switch {
	case !wall && low >= limit.Value:
		return detect.Low
	case !wall:
		return 0
	case low >= high:
		limit.Value = high
		return detect.High
	case low >= medium:
		limit.Value = medium
		return detect.Medium
	}
	return 0
}

func itemName(m ingest.Measure) string {
	return map[ingest.Measure]string{
		ingest.RowBytes: "row", ingest.CellBytes: "cell", ingest.CollectionBytes: "collection",
		ingest.CollectionItems: "collection", ingest.ItemBytes: "item", ingest.WriteBytes: "write",
	}[m]
}
