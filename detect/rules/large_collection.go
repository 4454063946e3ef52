package rules

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A collection is all items of one partition key of a DynamoDB table, as an export, a scan or the
// table's own metrics tell.
type collection struct {
	subject  detect.Subject
	bytes    measure
	items    measure // zero: not known
	local    measure // bytes of entries in local indexes; zero: not known
	stated   bool    // the store told its size, which it does under a local index only
	open     bool
	span     detect.Span
	at       []ingest.Position
	howBytes detect.How
}

// collectionsOf gives the item collections whose sizes are known.
func collectionsOf(t *detect.TargetView) []collection {
	all := []collection{}
	for _, c := range conditionsOf(t, ingest.PartitionBytes) {
		all = append(all, collection{
			subject: c.subject(t), bytes: c.size(), stated: true, open: c.best.AtLeast, span: c.span, at: c.at, howBytes: detect.Stored,
		})
	}
	for i := range t.Stored.Collections {
		c := &t.Stored.Collections[i]
		how, bytes := detect.Counted, c.Storage
		if bytes.High == 0 {
			bytes = c.Bytes
		}
		if !bytes.Exact() {
			how = detect.Estimated
		}
		all = append(all, collection{
			subject: detect.Subject{Target: t.Target, Key: c.Key, HasKey: true},
			bytes:   ranged(bytes), items: ranged(c.Items), local: ranged(c.Local), at: c.At, howBytes: how,
		})
	}
	return all
}

// largeCollections judges item collections: under a local secondary index 10 GiB are a wall, without one
// they are a sign.
func largeCollections(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	wall := v.Limits.Of(detect.DynamoPartitionBytes)
	for _, c := range collectionsOf(t) {
		local, known := localIndex(v, t, c.stated)
		severity, limit := detect.Severity(0), wall
		switch {
		case local && c.bytes.low >= v.Limits.Of(detect.CollectionCriticalBytes).Value:
			severity, limit = detect.Critical, v.Limits.Of(detect.CollectionCriticalBytes)
		case local && c.bytes.low >= v.Limits.Of(detect.CollectionHighBytes).Value:
			severity, limit = detect.High, v.Limits.Of(detect.CollectionHighBytes)
		case c.bytes.low >= wall.Value:
			severity = detect.Low
		}
		if severity == 0 {
			continue
		}
		e := c.bytes.against("collection_bytes", "bytes", limit.Value, limit.Source)
		e.How, e.Open = c.howBytes, c.open
		f := detect.Finding{
			Severity: severity, Subject: c.subject, Span: c.span, Cost: costOf(uint64(c.bytes.value / 1000)),
			Evidence: []detect.Evidence{e}, Message: collectionMessage(&c, local, known, wall),
		}
		if c.items.value > 0 {
			f.Evidence = append(f.Evidence, c.items.evidence("collection_items", "items"))
		}
		if c.local.value > 0 {
			f.Evidence = append(f.Evidence, c.local.evidence("local_index_bytes", "bytes"))
		}
		found = append(found, settle(f, c.at))
	}
	return found
}

// localIndex reports whether a table has a local secondary index, and whether that is known.
func localIndex(v *detect.View, t *detect.TargetView, stated bool) (local, known bool) {
	if stated {
		return true, true // DynamoDB gives sizes of item collections under a local index only
	}
	value, ok := v.Fact(t.Target, ingest.FactLocalIndex)
	_, described := v.Fact(t.Target, ingest.FactPartitionKey)
	return ok && value != "", ok || described
}

func collectionMessage(c *collection, local, known bool, wall detect.Limit) string {
	size := sized(uint64(c.bytes.low / 1000))
	limit := sized(uint64(wall.Value / 1000))
	switch {
	case local:
		return fmt.Sprintf("an item collection holds at least %s of the %s that it may have under a local secondary index; beyond, writes that grow it are refused", size, limit)
	case known:
		return fmt.Sprintf("an item collection holds at least %s; without a local secondary index it may grow on, but it is as large as a whole partition", size)
	}
	return fmt.Sprintf("an item collection holds at least %s, more than a partition; if the table has a local secondary index, the limit is %s", size, limit)
}
