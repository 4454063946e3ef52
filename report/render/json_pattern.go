package render

import (
	"io"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

type docPatterns struct {
	Schema   string       `json:"schema"`
	Span     *docSpan     `json:"span"`
	Patterns []docPattern `json:"patterns"`
}

func renderPatternsJSON(w io.Writer, t *report.PatternTable, o Options) error {
	t = t.Masked(o.Mask)
	return writeJSON(w, docPatterns{"keyheat.patterns/1", spanOf(t.Span), each(t.Patterns, patternOf)})
}

type docPattern struct {
	Store    string      `json:"store"`
	Table    string      `json:"table"`
	Index    string      `json:"index"`
	Shape    string      `json:"shape"`
	Entity   string      `json:"entity,omitempty"`
	Parts    *[]string   `json:"key_parts,omitempty"`
	Requests *docRange   `json:"requests,omitempty"`
	Reported *uint64     `json:"reported,omitempty"`
	Mean     *docMilli   `json:"mean_per_second,omitempty"`
	Peak     *uint64     `json:"peak_per_second,omitempty"`
	Rows     *docAmount  `json:"rows,omitempty"`
	Bytes    *docMilli   `json:"bytes,omitempty"`
	Latency  *docLatency `json:"latency_ms,omitempty"`
	Served   string      `json:"served,omitempty"`
	Cost     *docMilli   `json:"share_of_cost,omitempty"`
	CostBy   string      `json:"cost_by,omitempty"`
}

func patternOf(p *report.Pattern) docPattern {
	d := docPattern{Store: p.Target.Store.String(), Table: validText(p.Target.Table), Index: validText(p.Target.Index), Shape: validText(p.Shape),
		Entity: validText(p.Entity), Served: p.Served, CostBy: p.CostBy}
	d.Mean = milliIf(p.RateKnown && !p.Selected, p.PerSecond)
	d.Bytes = milliIf(p.BytesKnown, p.Bytes)
	d.Cost = milliIf(p.CostBy != "", p.CostShare)
	if p.KeyParts != nil {
		parts := each(p.KeyParts, func(s *string) string { return validText(*s) })
		d.Parts = &parts
	}
	if p.Selected {
		d.Reported = &p.Requests.Low
	} else {
		d.Requests = countOf(p.Requests)
	}
	if p.Peak > 0 {
		d.Peak = &p.Peak
	}
	if p.RowsKnown {
		rows := milliAmount(p.Rows, p.Rows, p.Rows)
		d.Rows = &rows
	}
	if p.Timed {
		d.Latency = &docLatency{docMilli(p.P50), docMilli(p.P99)}
	}
	return d
}

// milliIf gives an amount, nil when it is not known.
func milliIf(known bool, m detect.Milli) *docMilli {
	if !known {
		return nil
	}
	d := docMilli(m)
	return &d
}
