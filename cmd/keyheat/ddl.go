package main

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/ddl"
	"github.com/keyheat/keyheat/report"
)

// rekeyed are the kinds of proposals that give a table another partition key.
var rekeyed = map[string]bool{"shard-suffix": true, "time-bucket": true, "queue-buckets": true, "read-copies": true}

// altered are the kinds of proposals that set an option of a table.
var altered = map[string]bool{"time-window": true, "unchecked-compaction": true, "gc-grace": true}

// addScripts gives the proposals of a report the text to paste, where there is one.
func addScripts(rep *report.Report, v *detect.View, r *reading) {
	for i := range rep.Findings {
		f := &rep.Findings[i].Finding
		for j := range f.Proposals {
			f.Proposals[j].Script = script(f, &f.Proposals[j], v, r)
		}
	}
}

func script(f *detect.Finding, p *detect.Proposal, v *detect.View, r *reading) string {
	target := f.Subject.Target
	switch {
	case target.Store == ingest.DynamoDB:
		return ddl.AWS(target.Table, target.Index, p.Change, p.Verify, p.Steps)
	case !rekeyed[p.Kind] && !altered[p.Kind]:
		return ""
	case r.options.Decode.Schema == nil && altered[p.Kind]:
		return "-- The options that the table has are kept, and its undo written, from its schema: give it with --schema FILE, as cqlsh -e 'DESCRIBE KEYSPACE …' prints it."
	case r.options.Decode.Schema == nil:
		return "-- The new table is written from the schema of the old one: give it with --schema FILE, as cqlsh -e 'DESCRIBE KEYSPACE …' prints it."
	}
	keyspace, name, ok := strings.Cut(target.Table, ".")
	if !ok {
		keyspace, name = "", target.Table
	}
	table := r.options.Decode.Schema.Table(keyspace, name)
	if table == nil {
		return "-- The schemas that were given do not hold the table: give it with --schema FILE."
	}
	if altered[p.Kind] {
		text, err := ddl.Alter(table, r.statements[table], p.Change, p.Verify)
		if err != nil {
			return fmt.Sprintf("-- %v", err)
		}
		return text
	}
	change := ddl.Change{Shards: p.Shards, Bucket: p.Bucket, RowsPerSecond: pace(v, target)}
	if p.Kind == "read-copies" {
		change.Shards, change.Copies = 0, p.Shards
	}
	if f.Rule == "moving-hot-key" {
		change.Bucket = "" // the time is in the key already
	}
	var views []ddl.View
	for _, t := range r.options.Decode.Schema.Tables() {
		if t.Base == table.Name && t.Keyspace == table.Keyspace {
			views = append(views, ddl.View{Table: t, Statement: r.statements[t]})
		}
	}
	text, err := ddl.CQL(table, r.statements[table], views, change)
	if err != nil {
		return fmt.Sprintf("-- %v", err)
	}
	return text
}

// pace gives a tenth of the requests a second of a table's busiest pane: how fast rows may be copied beside
// them.
func pace(v *detect.View, target detect.Target) uint64 {
	most := uint64(0)
	for _, t := range v.Targets {
		for i := range t.Panes {
			if t.Target == target && v.Width > 0 {
				most = max(most, t.Panes[i].Totals[detect.PaneRequests]/uint64(v.Width))
			}
		}
	}
	return most / 10
}
