package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// SmallerPage reads a wide partition in smaller pages.
var SmallerPage = detect.Remedy{
	Kind:  "smaller-page",
	Title: "Read a wide partition in smaller pages",
	Rules: []string{"large-partition"},
	Doc: `Reads that take thousands of rows of one partition at once cost heap and time on the replica. Smaller pages, a bound on
the clustering columns and the columns that are needed make each of them small.

**Gate.** A certain finding of at least *medium*, in CQL, and a statement of the table is seen whose reads give at least
smaller-page.rows rows each on average.

**Formula.** Rows a request: before, the mean of the statement with most; after, smaller-page.page. Requests for all of them: ceil(rows /
page). Source: DataStax, "Paging through results"; Apache Cassandra documentation, "native_transport page size".

**Caveats.** The partition stays as large as it is.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		if !worthIt(f) || !isCQL(f.Subject.Target.Store) {
			return nil
		}
		rows, unknown := widestRead(v, f)
		if unknown {
			return lacking("read it in smaller pages", "how many rows its reads give", "nodetool settraceprobability 0.001 on two nodes for ten minutes, then 0, and a copy of system_traces: cqlsh -e 'SELECT * FROM system_traces.events'")
		}
		page := v.Limits.Of(detect.PageRows).Value
		if rows < v.Limits.Of(detect.PageFromRows).Value || rows <= page {
			return nil
		}
		requests := ceilDiv(uint64(rows), uint64(page))
		return []detect.Proposal{{
			Kind:    "smaller-page",
			Title:   fmt.Sprintf("read %s rows at a time in place of %s", amount(page), amount(rows)),
			Change:  fmt.Sprintf("page size %s in the driver; AND clustering column > ? AND clustering column < ?; only the columns that are needed", amount(page)),
			Effects: []detect.Effect{settled("rows_per_request", "rows", rows, page)},
			Costs:   []string{fmt.Sprintf("all of it takes %d requests in place of 1", requests)},
			Risks:   []string{"the partition stays as large as it is"},
			Steps:   []string{"find the statement: keyheat patterns names it, with its rows", "set the page size there, and bound it by time or clustering column; undo by setting it back"},
			Verify:  "run keyheat patterns on traffic after the change: rows of the statement should be about " + amount(page),
		}}
	},
}
