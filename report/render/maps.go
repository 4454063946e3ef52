package render

import (
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// mapped gives the tables with a heat map: those of the worst findings first, then as in the list of tables.
func (p *page) mapped() []*report.Table {
	var out []*report.Table
	listed := map[detect.Target]bool{}
	add := func(t *report.Table) {
		if t.Heat != nil && !listed[t.Target] {
			listed[t.Target] = true
			out = append(out, t)
		}
	}
	for i := range p.r.Findings {
		for j := range p.r.Tables {
			if p.r.Tables[j].Target == p.r.Findings[i].Subject.Target {
				add(&p.r.Tables[j])
			}
		}
	}
	for _, t := range p.busiest() {
		add(t)
	}
	return out
}

// found reports whether a finding is about the table.
func (p *page) found(t detect.Target) bool {
	return slices.ContainsFunc(p.r.Findings, func(f report.Finding) bool { return f.Subject.Target == t })
}

// measureUnit gives the noun of a measure's amounts.
func measureUnit(h *report.HeatMap, m report.Measure) string {
	switch {
	case m == report.HeatReads:
		return "read units"
	case m == report.HeatWrites:
		return "write units"
	case m == report.HeatCost && h.Bytes:
		return "bytes"
	case m == report.HeatCost:
		return "units (3 × write + read)"
	}
	return m.String()
}
