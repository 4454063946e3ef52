// Package readers gives reports to the programs that people will open them with: pyarrow, pandas, DuckDB
// and the parsers of Prometheus. It knows no renderer's insides.
package readers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// python gives a Python that has the readers: of KEYHEAT_PYTHON, else of the folder that .ci/run makes.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Python")
	}
	path := os.Getenv("KEYHEAT_PYTHON")
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(cache, "keyheat", "readers", "bin", "python")
	}
	if err := exec.CommandContext(t.Context(), path, "-c", "import pyarrow, pandas, duckdb, prometheus_client").Run(); err != nil {
		const missing = "no readers: python3 -m venv ~/.cache/keyheat/readers && ~/.cache/keyheat/readers/bin/pip install pyarrow pandas duckdb prometheus-client"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return path
}

// run gives what a program of Python prints; a report's rendering is its first argument.
func run(t *testing.T, r *report.Report, format, program string) string {
	t.Helper()
	path := python(t)
	file := filepath.Join(t.TempDir(), "report."+format)
	if err := os.WriteFile(file, rendered(t, r, format), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "-c", program, file)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	return strings.TrimSpace(string(out))
}

func rendered(t *testing.T, r *report.Report, format string) []byte {
	t.Helper()
	for _, out := range render.Catalogue() {
		if out.Name == format {
			var b bytes.Buffer
			if err := out.Render(&b, r, render.Options{}); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
	}
	t.Fatalf("no renderer %s", format)
	return nil
}

const start = 1780531200 // 2026-06-04 00:00 UTC

// hostile is the name of a table that tries to break every format.
const hostile = "t\"\\\n{},= \u202e"

// sample has two findings, and a heat map of two keys and three panes.
func sample() *report.Report {
	orders := detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	r := &report.Report{Version: "test", PaneSeconds: 60, Span: detect.Span{Start: start, End: start + 180}}
	for i := range int64(3) {
		r.Panes = append(r.Panes, detect.PaneSpan{Start: start + 60*i, End: start + 60*(i+1)})
	}
	exact := func(n ...uint64) []detect.Range {
		out := make([]detect.Range, len(n))
		for i := range n {
			out[i] = detect.Range{Low: n[i], High: n[i]}
		}
		return out
	}
	h := &report.HeatMap{Rows: []report.HeatRow{{Key: []byte("CUSTOMER#42")}, {Key: []byte("\xff\x00")}}}
	h.Total[report.HeatRequests] = []uint64{100, 200, 1 << 60}
	h.Rows[0].Series[report.HeatRequests] = exact(60, 150, 1<<60-1)
	h.Rows[1].Series[report.HeatRequests] = []detect.Range{{Low: 1, High: 5}, {}, {Low: 0, High: 1}}
	h.Rest.Series[report.HeatRequests] = []detect.Range{{Low: 35, High: 39}, {Low: 50, High: 50}, {Low: 0, High: 1}}
	r.Tables = []report.Table{
		{Target: orders, Requests: detect.Range{Low: 1 << 60, High: 1 << 60}, Distinct: detect.Distinct{Value: 7, Low: 7, High: 7, Exact: true}, Heat: h,
			TopKeys: []report.TopKey{{Key: []byte("CUSTOMER#42"), Share: detect.ShareRange{Value: 406, Low: 406, High: 406}, PeakPerSecond: 1840}}},
		{Target: detect.Target{Table: hostile}, Requests: detect.Range{Low: 5, High: 5}},
	}
	found := func(key string, s detect.Severity, open bool) report.Finding {
		subject := detect.Subject{Target: orders, Key: []byte(key), HasKey: true}
		return report.Finding{ID: report.FindingID("hot-partition", subject), Finding: detect.Finding{Rule: "hot-partition", Severity: s, Subject: subject, Message: "hot",
			Span:     detect.Span{Start: start, End: start + 120},
			Evidence: []detect.Evidence{{Measure: "write_units_per_second", Unit: "WCU/s", Value: 1_840_500, Low: 1_840_500, High: 1_840_500, Open: open, Limit: 1_000_000}}}}
	}
	r.Findings = []report.Finding{found("CUSTOMER#42", detect.High, false), found("\xff\x00", detect.Low, true)}
	r.Findings = append(r.Findings, report.Finding{ID: "none", Finding: detect.Finding{Rule: "blind-spot", Severity: detect.Low}})
	return r
}

const wantFindings = `[('hot-partition', 'high', 'orders', b'CUSTOMER#42', 'CUSTOMER#42', 1840.5, 1840.5, 1000.0, '2026-06-04 00:00:00'), ` +
	`('hot-partition', 'low', 'orders', b'\xff\x00', 'ff00', 1840.5, None, 1000.0, '2026-06-04 00:00:00'), ` +
	`('blind-spot', 'low', '', None, '', None, None, None, None)]`

func TestDuckDBReadsTheFindings(t *testing.T) {
	program := `
import duckdb, sys, pyarrow.feather
source = sys.argv[1]
if source.endswith('.arrow'):
    report = pyarrow.feather.read_table(source)
    source = 'report'
else:
    source = f"'{source}'"
con = duckdb.connect()
con.execute("SET TimeZone='UTC'")
print(con.sql(f"""SELECT rule, severity, "table", key, key_text, value, high, "limit", strftime(start::TIMESTAMP, '%Y-%m-%d %H:%M:%S') FROM {source}""").fetchall())`
	for _, format := range []string{"parquet", "arrow"} {
		if diff := cmp.Diff(run(t, sample(), format, program), wantFindings); diff != "" {
			t.Errorf("%s (-got +want):\n%s", format, diff)
		}
	}
}

const wantPanes = `CUSTOMER#42 False 2026-06-04 00:00:00+00:00 60 60
CUSTOMER#42 False 2026-06-04 00:01:00+00:00 150 150
CUSTOMER#42 False 2026-06-04 00:02:00+00:00 1152921504606846975 1152921504606846975
ff00 False 2026-06-04 00:00:00+00:00 1 5
ff00 False 2026-06-04 00:02:00+00:00 0 1
 True 2026-06-04 00:00:00+00:00 35 39
 True 2026-06-04 00:01:00+00:00 50 50
 True 2026-06-04 00:02:00+00:00 0 1
dtype of a measure that nobody has: all null True
schema keyheat.panes/1 test`

func TestPandasReadsTheHeatMaps(t *testing.T) {
	program := `
import sys, pandas, pyarrow.parquet, pyarrow.feather
file = sys.argv[1]
table = (pyarrow.parquet if 'parquet' in file else pyarrow.feather).read_table(file)
frame = pandas.read_parquet(file) if 'parquet' in file else pandas.read_feather(file)
for r in frame.itertuples():
    print(r.key_text, r.others, r.start, r.requests_low, r.requests_high)
print('dtype of a measure that nobody has: all null', frame.tombstones_low.isna().all())
meta = table.schema.metadata
print('schema', meta[b'schema'].decode(), meta[b'keyheat'].decode())`
	for _, format := range []string{"parquet-panes", "arrow-panes"} {
		if diff := cmp.Diff(run(t, sample(), format, program), strings.TrimSpace(wantPanes)); diff != "" {
			t.Errorf("%s (-got +want):\n%s", format, diff)
		}
	}
}

func TestAnEmptyReportIsReadAsNoRows(t *testing.T) {
	for _, format := range []string{"parquet", "parquet-panes", "arrow", "arrow-panes"} {
		program := `
import sys, pyarrow.parquet, pyarrow.feather
file = sys.argv[1]
table = (pyarrow.parquet if 'parquet' in file else pyarrow.feather).read_table(file)
print(table.num_rows, 'table' in table.column_names)`
		if got, want := run(t, &report.Report{}, format, program), "0 True"; got != want {
			t.Errorf("%s: rows and columns %s, want %s", format, got, want)
		}
	}
}

func TestPrometheusAndOpenMetricsParseTheMetrics(t *testing.T) {
	program := `
import sys
from prometheus_client.parser import text_string_to_metric_families as text
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
page = open(sys.argv[1], newline='').read()
def values(parse):
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for f in parse(page) for s in f.samples}
a, b = values(text), values(openmetrics)
assert a == b, (a, b)
print(a[('keyheat_findings', (('severity', 'high'),))], a[('keyheat_findings', (('severity', 'critical'),))])
print(a[('keyheat_table_requests', (('store', 'dynamodb'), ('table', 'orders')))])
print([dict(l)['table'] for n, l in a if n == 'keyheat_table_requests' and 'store' not in dict(l)])
print(a[('keyheat_table_top_key_ratio', (('store', 'dynamodb'), ('table', 'orders')))])`
	want := "1 0\n1152921504606846976\n" + `['t"\\\\n{},= \\u202e']` + "\n0.406"
	if diff := cmp.Diff(run(t, sample(), "prometheus", program), want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}
