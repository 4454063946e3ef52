package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

type htmlFinding struct {
	Number                         int
	ID, Rule, Severity, Confidence string
	Table, Message, Since          string
	Key, KeyCut, Query, Node, Why  string
	HasKey, HasMap, Open           bool
	Spark                          *htmlSparkline
	Evidence                       []htmlEvidence
	Proposals                      []htmlProposal
	Places                         []string
	MorePlaces                     string
}

type htmlEvidence struct{ Measure, Amount, Limit, Source, How string }

type htmlProposal struct {
	Title, Change, Effects, Basis, Price, Verify, Script string
	Steps                                                []string
}

func (p *page) htmlFinding(f *report.Finding, number int) htmlFinding {
	s := &f.Subject
	out := htmlFinding{
		Number: number, ID: f.ID, Rule: visible(f.Rule), Severity: f.Severity.String(), Confidence: f.Confidence.String(),
		Table: orNoTable(tableName(s.Target)), Message: visible(f.Message), Since: p.since(f.Span),
		Query: fit(visible(s.Shape), htmlKey), Node: fit(visible(s.Node), htmlKey), Why: p.mechanism(f), HasKey: s.HasKey,
		Open: number < htmlOpen && f.Severity > detect.Low,
	}
	if s.HasKey {
		out.Key = fit(visibleKey(s.Key), htmlKey)
		if n := nameKey(s.Key); n.cut {
			out.KeyCut = fmt.Sprintf("the first 1 KiB of %s bytes; hash %s", grouped(n.length), n.hash)
		}
	}
	if len(f.Series) > 0 {
		out.Spark = sparkOf(f.Series, visible(f.SeriesOf)+", at most "+count(slices.Max(f.Series))+p.aPane())
	}
	for i := range f.Evidence {
		out.Evidence = append(out.Evidence, htmlEvidenceOf(&f.Evidence[i]))
	}
	for i := range f.Proposals {
		out.Proposals = append(out.Proposals, htmlProposalOf(&f.Proposals[i]))
	}
	at := positions(f)
	for _, at := range at[:min(len(at), 2*cardPositions)] {
		out.Places = append(out.Places, p.place(at))
	}
	if n := len(at) - len(out.Places); n > 0 {
		out.MorePlaces = fmt.Sprintf("… %d more", n)
	}
	return out
}

func htmlEvidenceOf(e *detect.Evidence) htmlEvidence {
	out := htmlEvidence{Measure: measureWords(e.Measure, e.Unit), Amount: bounded{e.Value, e.Low, e.High, e.Open, e.Unit}.String(), How: e.How.String()}
	if e.Limit > 0 {
		out.Limit = inUnit(e.Limit, e.Unit)
		if strings.HasPrefix(e.LimitSource, "https://") {
			out.Source = e.LimitSource
		}
	}
	switch {
	case e.How == detect.Stored:
		out.How = "the store said so"
	case e.How == detect.Counted && e.Low == e.High && !e.Open:
		out.How = "counted exactly"
	}
	return out
}

func htmlProposalOf(do *detect.Proposal) htmlProposal {
	return htmlProposal{Title: visible(do.Title), Change: visible(do.Change), Effects: effectsText(do.Effects), Basis: visible(do.Basis), Verify: visible(do.Verify), Script: strings.Join(scriptLines(do.Script), "\n"),
		Price: visible(strings.Join(slices.Concat(do.Costs, do.Risks), "; ")),
		Steps: each(do.Steps, func(s *string) string { return visible(*s) })}
}
