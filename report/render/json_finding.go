package render

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

type docFinding struct {
	ID                  string        `json:"id"`
	Rule                string        `json:"rule"`
	Severity            string        `json:"severity"`
	Confidence          string        `json:"confidence"`
	Subject             docSubject    `json:"subject"`
	Mechanism           string        `json:"mechanism"`
	MechanismConfidence string        `json:"mechanism_confidence"`
	MechanismPositions  []docPosition `json:"mechanism_positions,omitempty"`
	Span                *docSpan      `json:"span"`
	Message             string        `json:"message"`
	Evidence            []docEvidence `json:"evidence"`
	Series              *docSeries    `json:"series,omitempty"`
	Proposals           []docProposal `json:"proposals"`
}

type docSubject struct {
	Store      string         `json:"store"`
	Table      string         `json:"table"`
	Index      string         `json:"index"`
	Key        string         `json:"key"`
	Components []docComponent `json:"components"`
	Encoding   string         `json:"encoding"`
	Length     *uint64        `json:"length"`
	Hash       *string        `json:"hash"`
	Shape      string         `json:"shape"`
	Node       string         `json:"node"`
}

type docComponent struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Encoding string `json:"encoding"`
}

type docEvidence struct {
	Measure     string        `json:"measure"`
	Unit        string        `json:"unit"`
	Value       docMilli      `json:"value"`
	Low         docMilli      `json:"low"`
	High        *docMilli     `json:"high"`
	Limit       *docMilli     `json:"limit"`
	LimitSource *string       `json:"limit_source"`
	How         string        `json:"how"`
	Positions   []docPosition `json:"positions"`
}

type docSeries struct {
	Of     string   `json:"of"`
	Values []uint64 `json:"values"`
}

type docProposal struct {
	Kind    string      `json:"kind"`
	Title   string      `json:"title"`
	Shards  *uint64     `json:"shards"`
	Bucket  string      `json:"bucket"`
	Change  string      `json:"change"`
	Effects []docEffect `json:"effects"`
	Basis   string      `json:"basis"`
	Costs   []string    `json:"costs"`
	Risks   []string    `json:"risks"`
	Steps   []string    `json:"steps"`
	Script  string      `json:"script,omitempty"`
	Verify  string      `json:"verify"`
}

type docEffect struct {
	Measure string    `json:"measure"`
	Unit    string    `json:"unit"`
	Before  docMilli  `json:"before"`
	After   docMilli  `json:"after"`
	Low     docMilli  `json:"low"`
	High    *docMilli `json:"high"`
	How     string    `json:"how"`
}

func findingOf(f *report.Finding) docFinding {
	d := docFinding{
		ID: f.ID, Rule: f.Rule, Severity: f.Severity.String(), Confidence: f.Confidence.String(), Subject: subjectOf(&f.Subject),
		Mechanism: f.Mechanism, MechanismConfidence: f.MechanismConfidence, Span: spanOf(f.Span), Message: validText(f.Message),
		Evidence: each(f.Evidence, evidenceOf), Proposals: each(f.Proposals, proposalOf),
	}
	if len(f.MechanismAt) > 0 {
		d.MechanismPositions = each(f.MechanismAt, func(p *ingest.Position) docPosition { return positionOf(p) })
	}
	if len(f.Series) > 0 {
		d.Series = &docSeries{f.SeriesOf, f.Series}
	}
	return d
}

func subjectOf(s *detect.Subject) docSubject {
	d := docSubject{Store: s.Target.Store.String(), Table: validText(s.Target.Table), Index: validText(s.Target.Index),
		Shape: validText(s.Shape), Node: validText(s.Node), Components: []docComponent{}}
	if !s.HasKey {
		return d
	}
	name := nameKey(s.Key)
	d.Key, d.Encoding, d.Length, d.Hash = name.text, name.encoding, &name.length, &name.hash
	for _, p := range name.parts { // without a schema a component has no name
		d.Components = append(d.Components, docComponent{Value: p.value, Encoding: p.encoding})
	}
	return d
}

func evidenceOf(e *detect.Evidence) docEvidence {
	d := docEvidence{Measure: e.Measure, Unit: e.Unit, Value: docMilli(e.Value), Low: docMilli(e.Low), How: e.How.String(),
		Positions: each(e.Positions, func(p *ingest.Position) docPosition { return positionOf(p) })}
	if !e.Open {
		high := docMilli(e.High)
		d.High = &high
	}
	if e.Limit > 0 {
		limit := docMilli(e.Limit)
		d.Limit, d.LimitSource = &limit, &e.LimitSource
	}
	return d
}

func proposalOf(p *detect.Proposal) docProposal {
	text := func(s *string) string { return validText(*s) }
	d := docProposal{Script: validText(p.Script), Kind: p.Kind, Title: validText(p.Title), Bucket: p.Bucket, Change: validText(p.Change),
		Effects: each(p.Effects, effectOf), Basis: validText(p.Basis), Costs: each(p.Costs, text), Risks: each(p.Risks, text), Steps: each(p.Steps, text),
		Verify: validText(p.Verify)}
	if p.Shards > 0 {
		d.Shards = &p.Shards
	}
	return d
}

func effectOf(e *detect.Effect) docEffect {
	d := docEffect{Measure: e.Measure, Unit: e.Unit, Before: docMilli(e.Before), After: docMilli(e.After), Low: docMilli(e.Low), How: e.How.String()}
	if !e.Open {
		high := docMilli(e.High)
		d.High = &high
	}
	return d
}
