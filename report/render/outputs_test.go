package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

func TestTheOutputsForOtherToolsLookAsReviewed(t *testing.T) {
	for _, o := range []struct {
		out *Renderer
		end string
	}{{markdownReport, "md"}, {sarifReport, "sarif"}, {csvReport, "csv"}, {prometheusReport, "prom"}} {
		for name, r := range reports() {
			if name != "many" {
				golden(t, name+"."+o.end, rendered(t, o.out, r, Options{}))
			}
		}
	}
}

// withoutAssets gives a page without what is the same in each: style, script and their hashes.
func withoutAssets(page []byte) []byte {
	policy := html.EscapeString(htmlPolicy(htmlStyle, htmlScript))
	return []byte(strings.NewReplacer(htmlStyle, "STYLE", htmlScript, "SCRIPT", policy, "POLICY", strings.ReplaceAll(policy, "+", "&#43;"), "POLICY").Replace(string(page)))
}

func TestThePageLooksAsReviewed(t *testing.T) {
	for name, r := range reports() {
		if name == "many" {
			continue
		}
		page := withoutAssets(rendered(t, htmlReport, r, Options{}))
		for _, want := range []string{"<style>STYLE</style>", "<script>SCRIPT</script>", `content="POLICY"`} {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("%s lacks %s: what the policy hashes is not what the page holds", name, want)
			}
		}
		golden(t, name+".html", page)
	}
}

func TestAPageStaysUnderAMegabyte(t *testing.T) {
	for name, r := range reports() {
		if n := len(rendered(t, htmlReport, r, Options{})); n > 1<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
	r := manyFindings()
	for i := range r.Tables { // every table has a map, every cell bounds of many digits
		series := make([]detect.Range, len(r.Panes))
		h := &report.HeatMap{}
		for at := range series {
			series[at] = detect.Range{Low: 1e18, High: 2e18}
		}
		for m := range h.Total {
			h.Total[m], h.Rest.Series[m] = make([]uint64, len(series)), series
		}
		for range 24 {
			h.Rows = append(h.Rows, report.HeatRow{Key: []byte("k"), Series: h.Rest.Series})
		}
		r.Tables[i].Heat = h
	}
	page := rendered(t, htmlReport, r, Options{})
	if n := len(page); n > 2<<20 {
		t.Errorf("the largest maps make %d bytes", n)
	}
	if !bytes.Contains(page, []byte("more heat maps left out")) {
		t.Error("it is not said that maps were left out")
	}
}

func TestThePageHoldsOutsideTextAsTextAlone(t *testing.T) {
	tags := regexp.MustCompile(`<[a-zA-Z/!][^<>]*>`)
	quiet := map[string]bool{}
	for _, tag := range tags.FindAllString(string(withoutAssets(rendered(t, htmlReport, incident(), Options{}))), -1) {
		quiet[strings.Fields(strings.Trim(tag, "<>/"))[0]] = true
	}
	seed := uint64(5)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 40 {
		r := hostileNight()
		if i > 0 {
			r = randomReport(rng)
		}
		for j := range r.Findings {
			evil := []string{"</script><script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "<!--", "</style>", "{{.}}", "javascript:alert(1)"}[rng.IntN(6)]
			r.Findings[j].Subject.Key, r.Findings[j].Subject.Shape, r.Findings[j].Message = []byte(evil), evil, evil
			r.Findings[j].Subject.Target.Table, r.Findings[j].Rule = evil, evil
		}
		page := withoutAssets(rendered(t, htmlReport, r, Options{}))
		for _, tag := range tags.FindAllString(string(page), -1) {
			name := strings.Fields(strings.Trim(tag, "<>/"))[0]
			if !quiet[name] || strings.Contains(tag, "onerror") || strings.Contains(tag, "javascript:") {
				t.Fatalf("seed %d: the page holds %s", seed, tag)
			}
		}
		if got := bytes.Count(page, []byte("<script")); got != 2 {
			t.Fatalf("seed %d: %d scripts, want the data and the script", seed, got)
		}
	}
}

// textual are the outputs that are text.
func textual() []*Renderer {
	return slices.DeleteFunc(Catalogue(), func(o *Renderer) bool { return o.Binary })
}

func TestNoTextualOutputHoldsWhatATerminalObeys(t *testing.T) {
	seed := uint64(3)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		r := randomReport(rng)
		for _, o := range textual() {
			page := rendered(t, o, r, Options{Mask: nil})
			if !utf8.Valid(page) {
				t.Fatalf("seed %d: %s is not valid UTF-8", seed, o.Name)
			}
			for _, c := range string(page) {
				if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
					t.Fatalf("seed %d: %s holds %U", seed, o.Name, c)
				}
			}
		}
	}
}

func TestEveryRenderingIsTheSameEachTime(t *testing.T) {
	if testing.Short() {
		t.Skip("renders everything twice")
	}
	for _, o := range Catalogue() {
		for name, r := range reports() {
			if !bytes.Equal(rendered(t, o, r, Options{}), rendered(t, o, r, Options{})) {
				t.Errorf("%s of %s differs from itself", o.Name, name)
			}
		}
	}
}

// sarifSchema is the official schema, as the npm package @microsoft/jest-sarif (MIT) ships it.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/sarif-2.1.0-rtm.5.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFFulfilsTheOfficialSchema(t *testing.T) {
	schema := sarifSchema(t)
	for name, r := range reports() {
		if err := validate(schema, rendered(t, sarifReport, r, Options{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	seed := uint64(11)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		if err := validate(schema, rendered(t, sarifReport, randomReport(rng), Options{})); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	broken := strings.Replace(string(rendered(t, sarifReport, incident(), Options{})), `"level": "error"`, `"level": "fatal"`, 1)
	if validate(schema, []byte(broken)) == nil {
		t.Error("the schema accepts an unknown level")
	}
}

func TestSARIFResultsLeadToTheirRulesAndRecords(t *testing.T) {
	var log struct {
		Runs []struct {
			Tool      sarifTool
			Artifacts []sarifArtifact
			Results   []struct {
				RuleID    string
				RuleIndex int
				Locations []sarifLocation
			}
		}
	}
	if err := json.Unmarshal(rendered(t, sarifReport, incident(), Options{MinSeverity: detect.High}), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if got := len(run.Results); got != 2 {
		t.Fatalf("%d results, want the 2 of severity high and over", got)
	}
	for _, r := range run.Results {
		if got := run.Tool.Driver.Rules[r.RuleIndex].ID; got != r.RuleID {
			t.Errorf("rule %d is %s, want %s", r.RuleIndex, got, r.RuleID)
		}
	}
	place := run.Results[0].Locations[0].Physical
	if got, want := place.Artifact.URI, "file:///var/log/cassandra/10.0.3.17/system.log"; got != want {
		t.Errorf("artifact %s, want %s", got, want)
	}
	if got := *place.Region.StartLine; got != 88213 {
		t.Errorf("line %d, want 88213", got)
	}
	for _, a := range run.Artifacts {
		if _, err := url.Parse(a.Location.URI); err != nil {
			t.Error(err)
		}
	}
}

func TestNoCellOfTheCSVIsAFormula(t *testing.T) {
	r := hostileNight()
	for i, sign := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"} {
		r.Findings[i].Subject.Key, r.Findings[i].Message, r.Findings[i].Subject.Node = []byte(sign), sign, sign
	}
	rows, err := csv.NewReader(bytes.NewReader(rendered(t, csvReport, r, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(rows), 1+len(r.Findings); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	for i, row := range rows {
		for _, cell := range row {
			if strings.ContainsAny(cell[:min(len(cell), 1)], "=+-@\t\r") || strings.HasPrefix(cell, "＝") {
				t.Errorf("row %d: a cell begins as a formula: %q", i, cell)
			}
		}
	}
}

func TestMarkdownTakesNoMarkupFromOutside(t *testing.T) {
	r := incident()
	for _, evil := range []string{"[x](http://a.example)", "<img src=x onerror=alert(1)>", "@everyone", "`", "a|b", "``` code", "![](x)", "# head", "<!-- hidden", "*b* _i_ ~s~"} {
		r.Findings[0].Subject.Key, r.Findings[0].Message, r.Tables[0].TopKeys[0].Key = []byte(evil), evil, []byte(evil)
		page := string(rendered(t, markdownReport, r, Options{}))
		prose := codeSpan.ReplaceAllString(page, "")
		for _, bad := range []string{"](http", "<img", "@everyone", "![", "<!--", "*b*", "_i_"} {
			if strings.Contains(prose, bad) {
				t.Errorf("%q reaches the prose of the page as %q", evil, bad)
			}
		}
	}
}

// codeSpan finds code spans: as many backticks as they begin with, and none more, end them.
var codeSpan = regexp.MustCompile("```[^\n]+?```|``[^\n]+?``|`[^`\n]+`")

func TestMetricsAreBounded(t *testing.T) {
	r := manyFindings()
	for i := range r.Findings {
		r.Findings[i].Subject.Key = []byte(strings.Repeat(string(r.Findings[i].Subject.Key), 100))
	}
	page := string(rendered(t, prometheusReport, r, Options{}))
	if got := strings.Count(page, "\nkeyheat_finding{"); got != metricFindings {
		t.Errorf("%d findings, want %d", got, metricFindings)
	}
	if got := strings.Count(page, "\nkeyheat_table_requests{"); got > metricTables {
		t.Errorf("%d tables, want at most %d", got, metricTables)
	}
	for line := range strings.Lines(page) {
		if w := widthOf(line); w > 900 {
			t.Errorf("a line has %d columns", w)
		}
	}
	if !strings.Contains(page, `keyheat_left_out{what="findings"} 100`) {
		t.Error("what was left out is not said")
	}
}

func TestAnOutputOfNothingIsWhole(t *testing.T) {
	for _, o := range Catalogue() {
		if len(rendered(t, o, &report.Report{}, Options{})) == 0 && o.Name != "csv" {
			t.Errorf("%s of an empty report is empty", o.Name)
		}
	}
}
