package browser

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

const (
	panes = 60
	start = 1780531200 // 2026-06-04 00:00 UTC
)

var orders = detect.Target{Store: ingest.DynamoDB, Table: "orders"}

// quiet has a table with a map of keys that are all a little busy.
func quiet(keys ...string) *report.Report {
	r := &report.Report{Version: "test", PaneSeconds: 60, Span: detect.Span{Start: start, End: start + 60*panes}}
	for i := range int64(panes) {
		r.Panes = append(r.Panes, detect.PaneSpan{Start: start + 60*i, End: start + 60*(i+1)})
	}
	h := &report.HeatMap{}
	h.Total[report.HeatRequests], h.Rest.Series[report.HeatRequests] = make([]uint64, panes), make([]detect.Range, panes)
	h.Total[report.HeatWrites], h.Rest.Series[report.HeatWrites] = make([]uint64, panes), make([]detect.Range, panes)
	table := report.Table{Target: orders, Requests: detect.Range{Low: 60_000, High: 60_000}, Distinct: detect.Distinct{Value: 400, Low: 390, High: 410}}
	for _, key := range keys {
		row := report.HeatRow{Key: ingest.AppendKey(nil, []byte(key))}
		row.Series[report.HeatRequests] = make([]detect.Range, panes)
		for i := range panes {
			row.Series[report.HeatRequests][i] = detect.Range{Low: 5, High: 5}
		}
		h.Rows = append(h.Rows, row)
		table.TopKeys = append(table.TopKeys, report.TopKey{Key: row.Key, Requests: detect.Range{Low: 300, High: 300}, Share: detect.ShareRange{Value: 5, Low: 5, High: 5}})
	}
	for i := range panes {
		h.Total[report.HeatRequests][i], h.Total[report.HeatWrites][i] = 1000, 2500
		h.Rest.Series[report.HeatRequests][i], h.Rest.Series[report.HeatWrites][i] = detect.Range{Low: 200, High: 300}, detect.Range{Low: 2500, High: 2500}
	}
	table.Heat = h
	r.Tables = []report.Table{table}
	r.Inputs = []report.Input{{InputStats: detect.InputStats{Name: "orders.ndjson", Format: "key-events-ndjson", Bytes: 1 << 20, Records: 60_000, Events: 60_000}}}
	return r
}

func found(key string, s detect.Severity) report.Finding {
	subject := detect.Subject{Target: orders, Key: ingest.AppendKey(nil, []byte(key)), HasKey: true}
	return report.Finding{ID: report.FindingID("hot-partition", subject), Finding: detect.Finding{
		Rule: "hot-partition", Severity: s, Confidence: detect.Sure, Subject: subject, Message: "one key takes more than its share",
		Span: detect.Span{Start: start + 60*20, End: start + 60*30}, Series: make([]uint64, panes), SeriesOf: "requests",
		Evidence:  []detect.Evidence{{Measure: "share", Unit: "share", Value: 630, Low: 610, High: 650, Limit: 200, LimitSource: "https://example.org/", How: detect.Estimated}},
		Proposals: []detect.Proposal{{Kind: "shard-suffix", Title: "spread the key", Change: "PK becomes PK#0 … PK#7", Steps: []string{"write to the shard"}, Verify: "look again"}},
	}}
}

// planted has a key that is hot from pane 20 to 29, with bounds there.
func planted() *report.Report {
	r := quiet("tenant-1", "tenant-42", "tenant-3", "tenant-4")
	series := r.Tables[0].Heat.Rows[1].Series[report.HeatRequests]
	f := found("tenant-42", detect.High)
	for i := 20; i < 30; i++ {
		series[i] = detect.Range{Low: 600, High: 640}
		f.Series[i] = 600
	}
	series[40] = detect.Range{Low: 0, High: 50}
	r.Findings = []report.Finding{f, found("tenant-3", detect.Low)}
	return r
}

// many has 200 findings.
func many() *report.Report {
	var keys []string
	for i := range 24 {
		keys = append(keys, fmt.Sprintf("tenant-%03d", i))
	}
	r := quiet(keys...)
	for i := range 200 {
		r.Findings = append(r.Findings, found(fmt.Sprintf("tenant-%03d", i), detect.Severity(4-i/50)))
	}
	return r
}

const evil = `</script><script>window.owned=1</script><img src=x onerror="window.owned=1">`

// hostile has keys, names and texts that try to break out of the page.
func hostile() *report.Report {
	keys := []string{evil, "\u202egnp.exe\u2066", strings.Repeat("x", 10<<10), strings.Repeat("ключ ", 2000), "\x1b[2J\x00\xff", "", `"><svg onload=owned=1>`, "{{.}}", "javascript:owned=1", "注文キュー二〇二六年"}
	r := quiet(keys...)
	for _, key := range keys {
		f := found(key, detect.High)
		f.Message, f.Subject.Shape, f.Subject.Node, f.Subject.Target.Table = evil+key, evil+key, evil+key, "orders"
		f.Evidence[0].Measure, f.Evidence[0].LimitSource, f.SeriesOf = evil, "javascript:owned=1", evil
		f.Proposals[0].Change, f.Proposals[0].Title = evil+key, evil
		r.Findings = append(r.Findings, f)
	}
	r.Partial, r.Notes = evil, []string{evil, "\u202e"}
	r.Inputs[0].Name = evil + strings.Repeat("y", 5000)
	r.Unread = []report.Unread{{Name: evil, Why: evil}}
	r.Problems = detect.Problems{Total: 1, Causes: []detect.ProblemCause{{Cause: evil, Count: 1, Examples: []ingest.Problem{{Text: evil}}}}}
	r.NotAssessed = []detect.NotAssessed{{Rule: evil, Missing: []string{evil}, GetIt: evil}}
	return r
}
