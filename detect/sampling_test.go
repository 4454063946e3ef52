package detect

import (
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

func TestTracesAreASampleOfTheShareThatNodesTell(t *testing.T) {
	all, unknown := Rate{1, 1}, Rate{Den: 1}
	traces := Told(1 << ingest.Traces)
	says := func(node, value string) FactStats {
		return FactStats{Name: ingest.FactTraceProbability, Node: node, Value: value}
	}
	for _, c := range []struct {
		name  string
		said  Rate
		told  Told
		facts []FactStats
		want  Rate
	}{
		{"one node", all, traces, []FactStats{says("a", "0.001")}, Rate{1, 1000}},
		{"as Java prints small numbers", all, traces, []FactStats{says("a", "1.0E-4")}, Rate{1, 10_000}},
		{"nodes alike", all, traces, []FactStats{says("a", "0.2"), says("b", "0.2")}, Rate{2, 10}},
		{"nodes unlike", all, traces, []FactStats{says("a", "0.2"), says("b", "0.1")}, unknown},
		{"a node that tells two", all, traces, []FactStats{{Name: ingest.FactTraceProbability, Value: "0.2", Other: "0.1"}}, unknown},
		{"tracing is off by now", all, traces, []FactStats{says("a", "0.0")}, all},
		{"all is traced", all, traces, []FactStats{says("a", "1.0")}, all},
		{"no number", all, traces, []FactStats{says("a", "NaN")}, all},
		{"the user said it", Rate{1, 2}, traces, []FactStats{says("a", "0.2")}, Rate{1, 2}},
		{"an audit log is no sample", all, 1 << ingest.AuditLog, []FactStats{says("a", "0.2")}, all},
		{"traces and an audit log of other hours", all, traces | 1<<ingest.AuditLog, []FactStats{says("a", "0.2")}, all},
		{"nobody said it", all, traces, nil, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &View{Sampling: c.said, Facts: c.facts}
			if got := v.SamplingOf(&TargetView{Told: c.told}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
