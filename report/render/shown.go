package render

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// shown gives the findings that --min-severity leaves, worst first, and how many it leaves out.
func shown(r *report.Report, o Options) (kept []*report.Finding, left int) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity >= o.MinSeverity {
			kept = append(kept, f)
		}
	}
	return kept, len(r.Findings) - len(kept)
}

// positions gives the places of a finding's evidence, each once, in order.
func positions(f *report.Finding) []ingest.Position {
	var out []ingest.Position
	seen := map[ingest.Position]bool{}
	for i := range f.Evidence {
		for _, at := range f.Evidence[i].Positions {
			if !seen[at] {
				out = append(out, at)
			}
			seen[at] = true
		}
	}
	return out
}

// subjectText names what a finding is about, for people, in at most w columns a part.
func subjectText(s *detect.Subject, w int) string {
	text := orNoTable(tableName(s.Target))
	if s.HasKey {
		text += " key " + fit(visibleKey(s.Key), w)
	}
	if s.Node != "" {
		text += " node " + fit(visible(s.Node), w)
	}
	return text
}
