package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var prometheusReport = &Renderer{
	Name:  "prometheus",
	Title: "gauges for Prometheus' text file collector, valid as OpenMetrics too",
	Doc: "Findings by severity and by rule, the worst findings with their subject, the busiest tables, and how much was read. All are gauges of the last run. " +
		"There are at most 100 findings and 200 tables, and a label has at most 128 columns; `keyheat_left_out` says what that left out.",
	Render: renderPrometheus,
}

// Bounds of what a report may cost the store of metrics.
const (
	metricFindings = 100
	metricTables   = 200
	metricLabel    = 128 // columns of a label's value
)

// A metrics is a text in the exposition format, version 0.0.4, and of OpenMetrics: gauges alone are
// the same in both.
// https://prometheus.io/docs/instrumenting/exposition_formats/
type metrics struct {
	strings.Builder
	series map[string]bool // names with labels: each may stand once
}

func renderPrometheus(w io.Writer, r *report.Report, o Options) error {
	p := newPage(r, Options{Mask: o.Mask, MinSeverity: o.MinSeverity, Limit: metricTables})
	m := &metrics{series: map[string]bool{}}
	m.family("keyheat_info", "The version of keyheat.")
	m.gauge("keyheat_info", "1", "version", orUnknown(p.r.Version))
	kept, _ := shown(p.r, o)
	m.counts(kept)
	leftFindings := m.findings(kept)
	leftTables := m.tables(p)
	m.input(p)
	m.family("keyheat_left_out", "Findings and tables that have no series of their own.")
	m.gauge("keyheat_left_out", strconv.Itoa(leftFindings), "what", "findings")
	m.gauge("keyheat_left_out", strconv.Itoa(leftTables), "what", "tables")
	m.WriteString("# EOF\n")
	_, err := io.WriteString(w, m.String())
	return err
}

func (m *metrics) family(name, help string) {
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

// gauge writes a value with its labels, names and values in turn; empty ones are left out. It reports
// whether these labels are new.
func (m *metrics) gauge(name, value string, labels ...string) bool {
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		if labels[i+1] != "" {
			pairs = append(pairs, labels[i]+`="`+labelValue(labels[i+1])+`"`)
		}
	}
	series := name
	if len(pairs) > 0 {
		series += "{" + strings.Join(pairs, ",") + "}"
	}
	if m.series[series] {
		return false
	}
	m.series[series] = true
	fmt.Fprintf(m, "%s %s\n", series, value)
	return true
}

func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(fit(visible(s), metricLabel))
}

// counts gives the number of findings, of each severity even when there are none.
func (m *metrics) counts(kept []*report.Finding) {
	severities, rules := map[detect.Severity]int{}, map[string]int{}
	var names []string
	for _, f := range kept {
		severities[f.Severity]++
		if rules[f.Rule]++; rules[f.Rule] == 1 {
			names = append(names, f.Rule)
		}
	}
	m.family("keyheat_findings", "Findings by severity.")
	for s := detect.Low; s <= detect.Critical; s++ {
		m.gauge("keyheat_findings", strconv.Itoa(severities[s]), "severity", s.String())
	}
	m.family("keyheat_rule_findings", "Findings by rule.")
	for _, name := range names {
		m.gauge("keyheat_rule_findings", strconv.Itoa(rules[name]), "rule", name)
	}
}

// findings gives the worst findings, and how many others there are.
func (m *metrics) findings(kept []*report.Finding) int {
	m.family("keyheat_finding", "A finding: 1 low, 2 medium, 3 high, 4 critical.")
	given := 0
	for _, f := range kept[:min(len(kept), metricFindings)] {
		s, key := &f.Subject, ""
		if s.HasKey {
			key = visibleKey(s.Key)
		}
		if m.gauge("keyheat_finding", strconv.Itoa(int(f.Severity)), "id", f.ID, "rule", f.Rule, "severity", f.Severity.String(), "confidence", f.Confidence.String(),
			"store", s.Target.Store.String(), "table", s.Target.Table, "index", s.Target.Index, "key", key, "node", s.Node) {
			given++
		}
	}
	return len(kept) - given
}

// tables gives the traffic of the busiest tables, and how many others there are.
func (m *metrics) tables(p *page) int {
	busiest := p.busiest()
	left := len(p.r.Tables) - len(busiest)
	one := func(name, help string, value func(*report.Table) string) (twice int) {
		m.family(name, help)
		for _, t := range busiest {
			if v := value(t); v != "" && !m.gauge(name, v, "store", t.Target.Store.String(), "table", t.Target.Table, "index", t.Target.Index) {
				twice++
			}
		}
		return twice
	}
	left += one("keyheat_table_requests", "Requests of a table that were seen.", func(t *report.Table) string { return strconv.FormatUint(t.Requests.Middle(), 10) })
	one("keyheat_table_distinct_keys", "Different partition keys of a table.", func(t *report.Table) string { return emptyZero(t.Distinct.Value) })
	one("keyheat_table_top_key_ratio", "Share of a table's requests that its busiest key takes.", func(t *report.Table) string {
		if len(t.TopKeys) == 0 || t.Requests.High == 0 {
			return ""
		}
		return decimal(t.TopKeys[0].Share.Value)
	})
	one("keyheat_table_top_key_peak_per_second", "Requests of a table's busiest key in its busiest second, at least.", func(t *report.Table) string {
		if len(t.TopKeys) == 0 {
			return ""
		}
		return emptyZero(t.TopKeys[0].PeakPerSecond)
	})
	return left
}

// input gives how much was read, and whether it was all.
func (m *metrics) input(p *page) {
	bytes, records := uint64(0), uint64(0)
	for i := range p.r.Inputs {
		bytes, records = bytes+p.r.Inputs[i].Bytes, records+p.r.Inputs[i].Records
	}
	partial := "0"
	if p.r.Partial != "" {
		partial = "1"
	}
	for _, g := range []struct{ name, help, value string }{
		{"keyheat_input_bytes", "Bytes that were read.", strconv.FormatUint(bytes, 10)},
		{"keyheat_input_records", "Records that were recognised.", strconv.FormatUint(records, 10)},
		{"keyheat_input_problems", "Records that could not be read.", strconv.FormatUint(p.r.Problems.Total, 10)},
		{"keyheat_inputs_unread", "Inputs that gave nothing.", strconv.Itoa(len(p.r.Unread))},
		{"keyheat_rules_not_assessed", "Rules that the input was not enough for.", strconv.Itoa(p.unassessedRules())},
		{"keyheat_partial", "1 when the report covers less than was asked.", partial},
		{"keyheat_span_start_timestamp_seconds", "First request, Unix time.", strconv.FormatInt(p.r.Span.Start, 10)},
		{"keyheat_span_end_timestamp_seconds", "Last request, Unix time.", strconv.FormatInt(p.r.Span.End, 10)},
	} {
		m.family(g.name, g.help)
		m.gauge(g.name, g.value)
	}
}
