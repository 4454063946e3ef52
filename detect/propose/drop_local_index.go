package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// DropLocalIndex rebuilds a table without its local secondary indexes, which hold collections under 10 GiB.
var DropLocalIndex = detect.Remedy{
	Kind:  "drop-local-index",
	Title: "Rebuild the table without local secondary indexes",
	Rules: []string{"large-partition"},
	Doc: `Under a local secondary index an item collection may have 10 GiB, and lives in one partition. Without one it may have any
size, and is split for heat. A local index cannot be removed: the table is built anew, with a global index in its place.

**Gate.** A certain finding about the size of an item collection, and a local index of the table is told.

**Formula.** Share of the 10 GiB that is used, before: as measured; after: 0, since there is no limit. The copy: a write unit for
each KiB of the table, an export reads for none. Source: AWS, "Item collections in local secondary indexes".

**Caveats.** A global index is eventually consistent, and has capacity of its own. Reads that need the local index's consistency
must read the table.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := measured(f, "collection_bytes")
		if f.Confidence != detect.Sure || f.Severity < detect.Medium || f.Subject.Target.Store != ingest.DynamoDB || !ok {
			return nil
		}
		names, told := v.Fact(f.Subject.Target, ingest.FactLocalIndex)
		if _, described := v.Fact(f.Subject.Target, ingest.FactPartitionKey); !told && !described {
			return lacking("tell whether the collection meets a wall", "whether the table has a local secondary index, which holds it under 10 GiB", describeTable(f))
		}
		if names == "" {
			return nil
		}
		used := detect.Ratio(uint64(e.Value), uint64(v.Limits.Of(detect.DynamoPartitionBytes).Value))
		p := detect.Proposal{
			Kind:    "drop-local-index",
			Title:   fmt.Sprintf("build the table anew without local indexes: %d.%d %% of what a collection may have is used", used/10, used%10),
			Change:  "a new table with the same key, and a global secondary index in place of each local one: " + word(names, "see describe-table"),
			Effects: []detect.Effect{settled("collection_limit_used", "share", used, 0)},
			Costs:   []string{"both tables are stored and written while it is copied", "a write to each global index for each item that has its key"},
			Risks:   []string{"a global index is eventually consistent", "writes that grow the collection are refused once it is full: begin before"},
			Steps: []string{
				"make the new table; write both from the application or from the stream",
				"export the old table and import or write it, with a condition that leaves newer items alone",
				"compare counts and a sample, switch reads, then writes; undo until the old table is deleted: switch back",
			},
			Verify: "writes of that key are no longer refused; ItemCollectionMetrics is absent",
		}
		if bytes := number(v, f.Subject.Target, ingest.FactTableBytes); bytes > 0 {
			p.Costs = append(p.Costs, fmt.Sprintf("the copy writes about %d write units once", ceilDiv(bytes, 1024)))
			p.Effects = append(p.Effects, settled("stored_bytes", "bytes", detect.Whole(bytes), detect.Whole(2*bytes)))
		}
		return []detect.Proposal{p}
	},
}
