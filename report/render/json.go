package render

import (
	"io"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// The doc types below are the contract keyheat.report/1: their fields are printed in this order. What
// each means stands in keyheat.report.1.schema.json and docs/report.md.

type docReport struct {
	Schema      string           `json:"schema"`
	Tool        docTool          `json:"tool"`
	Inputs      []docInput       `json:"inputs"`
	Nodes       int              `json:"nodes"`
	Span        *docSpan         `json:"span"`
	Pane        string           `json:"pane"`
	Panes       []docSpan        `json:"panes"`
	Partial     string           `json:"partial"`
	SecondPass  bool             `json:"second_pass"`
	Notes       []string         `json:"notes"`
	Tables      []docTable       `json:"tables"`
	Patterns    []docPattern     `json:"patterns"`
	Findings    []docFinding     `json:"findings"`
	LeftOut     int              `json:"findings_left_out"`
	NotAssessed []docNotAssessed `json:"not_assessed"`
	Problems    docProblems      `json:"problems"`
}

type docInput struct {
	Name       string            `json:"name"`
	Format     string            `json:"format"`
	Coverage   string            `json:"coverage"`
	Bytes      uint64            `json:"bytes"`
	Records    uint64            `json:"records"`
	Events     uint64            `json:"events"`
	States     uint64            `json:"states"`
	Facts      uint64            `json:"facts"`
	Points     uint64            `json:"points"`
	Skipped    uint64            `json:"skipped"`
	ByKind     map[string]uint64 `json:"skipped_by_kind,omitempty"`
	Problems   uint64            `json:"problems"`
	SampleRate *float64          `json:"sample_rate"`
	Node       string            `json:"node"`
	Unread     string            `json:"unread,omitempty"`
}

type docDistinct struct {
	docRange
	Exact bool `json:"exact"`
}

type docTable struct {
	Store     string       `json:"store"`
	Table     string       `json:"table"`
	Index     string       `json:"index"`
	Requests  *docRange    `json:"requests"`
	Reported  *uint64      `json:"reported"`
	Repeated  *docRange    `json:"repeated_records,omitempty"`
	Distinct  *docDistinct `json:"distinct_keys"`
	TopKeys   []docTopKey  `json:"top_keys"`
	Skew      *docSkew     `json:"skew"`
	PerPane   []uint64     `json:"requests_per_pane"`
	Checklist []docAnswer  `json:"checklist"`
	Stored    *docStored   `json:"stored"`
	// Partitions are an estimate.
	Partitions *docPartitions `json:"estimated_partitions"`
	Design     *docDesign     `json:"design,omitempty"`
}

type docDesign struct {
	Kinds    []string    `json:"kinds"`
	Entities []docEntity `json:"entities"`
}

type docEntity struct {
	Name     string `json:"name"`
	Items    uint64 `json:"items"`
	Bytes    uint64 `json:"bytes"`
	Requests uint64 `json:"requests"`
}

type docTopKey struct {
	Key        string     `json:"key"`
	Encoding   string     `json:"encoding"`
	Length     uint64     `json:"length"`
	Hash       string     `json:"hash"`
	Requests   docRange   `json:"requests"`
	Share      *docMilli  `json:"share"`
	Shares     *docAmount `json:"share_bounds,omitempty"`
	Peak       *uint64    `json:"peak_per_second"`
	Tombstones *docRange  `json:"tombstones,omitempty"`
	Certified  bool       `json:"certified"`
}

type docSkew struct {
	Top1      docMilli `json:"top1"`
	Top10     docMilli `json:"top10"`
	Effective docMilli `json:"effective_partitions"`
	Gini      docMilli `json:"gini"`
}

type docNotAssessed struct {
	Rule    string   `json:"rule"`
	Store   string   `json:"store"`
	Table   string   `json:"table"`
	Index   string   `json:"index"`
	Missing []string `json:"missing"`
	GetIt   string   `json:"get_it"`
}

type docProblems struct {
	Total   uint64     `json:"total"`
	ByCause []docCause `json:"by_cause"`
}

type docCause struct {
	Cause    string       `json:"cause"`
	Count    uint64       `json:"count"`
	Examples []docExample `json:"examples"`
}

type docExample struct {
	Position docPosition `json:"position"`
	Text     string      `json:"text"`
}

// SchemaName names the contract of the JSON report.
const SchemaName = "keyheat.report/1"

var jsonReport = &Renderer{
	Name:   "json",
	Title:  "everything in the report, for programs (" + SchemaName + ")",
	Doc:    "One JSON object whose field names are a contract: the schema is `report/render/keyheat.report.1.schema.json`, the meaning of each field stands in docs/report.md. Integers may exceed 2^53.",
	Render: renderJSON,
}

func renderJSON(w io.Writer, r *report.Report, o Options) error {
	return writeJSON(w, docOf(r.Masked(o.Mask), o))
}

func docOf(r *report.Report, o Options) *docReport {
	d := &docReport{
		Schema: SchemaName, Tool: docTool{"keyheat", orUnknown(r.Version)},
		Inputs: docInputs(r), Nodes: r.Nodes, Span: spanOf(r.Span), Pane: paneName(r.PaneSeconds),
		Partial: validText(r.Partial), SecondPass: r.Second,
		Notes:  each(r.Notes, func(n *string) string { return validText(*n) }),
		Panes:  each(r.Panes, func(p *detect.PaneSpan) docSpan { return docSpan{stamp(p.Start), stamp(p.End)} }),
		Tables: each(r.Tables, tableOf), Patterns: each(r.Patterns, patternOf),
		NotAssessed: each(r.NotAssessed, notAssessedOf),
		Problems:    docProblems{r.Problems.Total, each(r.Problems.Causes, causeOf)},
		Findings:    []docFinding{},
	}
	for i := range r.Findings {
		if r.Findings[i].Severity >= o.MinSeverity {
			d.Findings = append(d.Findings, findingOf(&r.Findings[i]))
		}
	}
	d.LeftOut = len(r.Findings) - len(d.Findings)
	return d
}

func docInputs(r *report.Report) []docInput {
	out := make([]docInput, 0, len(r.Inputs)+len(r.Unread))
	for i := range r.Inputs {
		in := &r.Inputs[i]
		out = append(out, docInput{
			Name: validText(in.Name), Format: in.Format, Coverage: in.Coverage.String(), Bytes: in.Bytes, Records: in.Records,
			Events: in.Events, States: in.States, Facts: in.Facts, Points: in.Points, Skipped: in.Skipped, ByKind: in.SkippedKind, Problems: in.Problems,
			SampleRate: rateOf(in.SampleRate), Node: validText(in.Node),
		})
	}
	for _, u := range r.Unread { // after all others, so that positions keep their input
		out = append(out, docInput{Name: validText(u.Name), Unread: validText(u.Why)})
	}
	return out
}

func tableOf(t *report.Table) docTable {
	traffic := t.Requests.High > 0
	d := docTable{Store: t.Target.Store.String(), Table: validText(t.Target.Table), Index: validText(t.Target.Index),
		PerPane:   each(t.PerPane, func(n *uint64) uint64 { return *n }),
		Checklist: answersOf(t), Stored: storedDocOf(t.Stored), Partitions: partitionsDocOf(t.Partitions),
		TopKeys: each(t.TopKeys, func(k *report.TopKey) docTopKey { return topKeyOf(k, traffic) }),
	}
	if traffic {
		d.Requests = countOf(t.Requests)
	}
	if x := t.Design; x != nil {
		d.Design = &docDesign{each(x.Kinds, func(k *string) string { return *k }), each(x.Entities, func(e *report.Entity) docEntity {
			return docEntity{validText(e.Name), e.Items, e.Bytes, e.Requests}
		})}
	}
	if c := t.Copies; c.Value > 0 {
		d.Repeated = &docRange{c.Value, c.Low, c.High}
	}
	if t.Reported > 0 {
		d.Reported = &t.Reported
	}
	if n := t.Distinct; n.High > 0 {
		d.Distinct = &docDistinct{docRange{n.Value, n.Low, n.High}, n.Exact}
	}
	if s := t.Skew; s.Known {
		d.Skew = &docSkew{docMilli(s.Top1.Value), docMilli(s.Top10.Value), docMilli(s.Effective), docMilli(s.Gini)}
	}
	return d
}

func topKeyOf(k *report.TopKey, traffic bool) docTopKey {
	name := nameKey(k.Key)
	d := docTopKey{Key: name.text, Encoding: name.encoding, Length: name.length, Hash: name.hash,
		Requests: *countOf(k.Requests), Certified: k.Certified}
	if traffic {
		share, bounds := docMilli(k.Share.Value), milliAmount(k.Share.Value, k.Share.Low, k.Share.High)
		d.Share, d.Shares = &share, &bounds
	}
	if k.PeakPerSecond > 0 {
		d.Peak = &k.PeakPerSecond
	}
	if k.Tombstones.High > 0 {
		d.Tombstones = countOf(k.Tombstones)
	}
	return d
}

func notAssessedOf(n *detect.NotAssessed) docNotAssessed {
	return docNotAssessed{n.Rule, n.Target.Store.String(), validText(n.Target.Table), validText(n.Target.Index),
		each(n.Missing, func(s *string) string { return *s }), validText(n.GetIt)}
}

func causeOf(c *detect.ProblemCause) docCause {
	return docCause{c.Cause, c.Count, each(c.Examples, func(p *ingest.Problem) docExample {
		return docExample{positionOf(&p.At), validText(p.Text)}
	})}
}
