package render

import (
	"io"

	"github.com/keyheat/keyheat/report"
)

var compareJSON = &CompareRenderer{
	Name:   "json",
	Title:  "everything in the comparison, for programs (keyheat.comparison/1)",
	Doc:    "One JSON object: `counts` by kind of change, then `changes`, each with the finding as in keyheat.report/1 (without positions and proposals), `was_severity`, and the `measure` that shows the change in both reports. Field names are a contract, fields may be added.",
	Render: renderCompareJSON,
}

type docComparison struct {
	Schema  string         `json:"schema"`
	Before  docSide        `json:"before"`
	After   docSide        `json:"after"`
	Counts  map[string]int `json:"counts"`
	Notes   []string       `json:"notes"`
	Changes []docChanged   `json:"changes"`
}

type docSide struct {
	Name    string   `json:"name"`
	Span    *docSpan `json:"span"`
	Partial string   `json:"partial"`
}

type docChanged struct {
	Change      string     `json:"change"`
	Because     string     `json:"because,omitempty"`
	WasSeverity string     `json:"was_severity,omitempty"`
	Measure     *docShift  `json:"measure,omitempty"`
	Finding     docFinding `json:"finding"`
}

type docShift struct {
	Was docEvidence `json:"was"`
	Is  docEvidence `json:"is"`
}

func renderCompareJSON(w io.Writer, c *report.Comparison, o Options) error {
	d := docComparison{Schema: "keyheat.comparison/1", Before: sideOf(&c.Before), After: sideOf(&c.After), Counts: map[string]int{},
		Notes: each(c.Notes, func(n *string) string { return validText(*n) }), Changes: []docChanged{}}
	for of := report.New; of < report.Changes; of++ {
		d.Counts[of.String()] = c.Count(of)
	}
	for i := range c.Changes {
		if c.Changes[i].Finding.Severity >= o.MinSeverity {
			d.Changes = append(d.Changes, changedOf(&c.Changes[i], o.Mask))
		}
	}
	return writeJSON(w, d)
}

func sideOf(s *report.Side) docSide {
	return docSide{validText(s.Name), spanOf(s.Span), validText(s.Partial)}
}

func changedOf(c *report.Changed, mask report.Masker) docChanged {
	f := c.Finding
	if mask != nil && f.Subject.HasKey {
		f.Subject.Key = mask(f.Subject.Key)
		f.ID = report.FindingID(f.Rule, f.Subject)
	}
	d := docChanged{Change: c.Change.String(), Because: validText(c.Because), Finding: findingOf(&f)}
	if c.Was != nil {
		d.WasSeverity = c.Was.Severity.String()
	}
	if m := c.Measure; m != nil {
		d.Measure = &docShift{evidenceOf(&m.Was), evidenceOf(&m.Is)}
	}
	return d
}
