package render

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

func TestJSONLooksAsReviewed(t *testing.T) {
	for name, r := range reports() {
		if name != "many" { // says nothing that the others do not
			golden(t, name+".json", rendered(t, jsonReport, r, Options{}))
		}
	}
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ReportSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(schema *jsonschema.Schema, page []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(page))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

func TestEveryReportFulfilsThePublishedSchema(t *testing.T) {
	schema := compiledSchema(t)
	for name, r := range reports() {
		if err := validate(schema, rendered(t, jsonReport, r, Options{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	seed := uint64(7)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		page := rendered(t, jsonReport, randomReport(rng), Options{MinSeverity: detect.Severity(rng.IntN(5))})
		if !utf8.Valid(page) || bytes.Contains(page, []byte(`\ufffd`)) {
			t.Fatalf("seed %d: the report holds replaced or invalid text", seed)
		}
		if err := validate(schema, page); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestTheSchemaRefusesBrokenReports(t *testing.T) {
	schema := compiledSchema(t)
	page := string(rendered(t, jsonReport, incident(), Options{}))
	for name, change := range map[string][2]string{
		"a field is missing":  {`"mechanism": "queue",`, ``},
		"an unknown severity": {`"severity": "critical"`, `"severity": "fatal"`},
		"a share over 1":      {`"top1": 0.63`, `"top1": 63`},
		"a local time":        {`"start": "2026-06-04T09:10:00Z"`, `"start": "2026-06-04T09:10:00+02:00"`},
		"a text for a count":  {`"records": 7000000`, `"records": "7000000"`},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(page, change[0], change[1], 1)
			if broken == page {
				t.Fatalf("the report does not hold %s", change[0])
			}
			if validate(schema, []byte(broken)) == nil {
				t.Error("the schema accepts it")
			}
		})
	}
}

// fields gives the names of all fields that any of the reports has, by path without indexes.
func fields(v any, path string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			into[path+"."+name] = true
			fields(x, path+"."+name, into)
		}
	case []any:
		for _, x := range v {
			fields(x, path, into)
		}
	}
}

func TestTheSchemaDescribesEveryField(t *testing.T) {
	known := map[string]bool{}
	var schema map[string]any
	if err := json.Unmarshal(ReportSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	describe(schema, schema["$defs"].(map[string]any), "", known)
	got := map[string]bool{}
	for _, r := range reports() {
		var doc any
		if err := json.Unmarshal(rendered(t, jsonReport, r, Options{}), &doc); err != nil {
			t.Fatal(err)
		}
		fields(doc, "", got)
	}
	for path := range got {
		if !known[path] {
			t.Errorf("the schema does not describe %s", path)
		}
	}
}

// describe gives the paths of all properties of a schema.
func describe(s, defs map[string]any, path string, into map[string]bool) {
	if ref, ok := s["$ref"].(string); ok {
		describe(defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), defs, path, into)
	}
	if either, ok := s["anyOf"].([]any); ok {
		for _, x := range either {
			describe(x.(map[string]any), defs, path, into)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		describe(items, defs, path, into)
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		for name, p := range properties {
			into[path+"."+name] = true
			describe(p.(map[string]any), defs, path+"."+name, into)
		}
	}
}

func TestJSONKeepsEveryCountExactly(t *testing.T) {
	r := quietNight()
	r.Tables[0].Requests = stored(1<<63 + 1)
	page := string(rendered(t, jsonReport, r, Options{}))
	if want := `"value": 9223372036854775809`; !strings.Contains(page, want) {
		t.Errorf("%s is not in the report", want)
	}
}

func TestJSONHoldsNothingThatIsNoPlainText(t *testing.T) {
	key := "\u009b31m \u202e \U000e0041 \x7f é 表 👍 <&>"
	r := quietNight()
	r.Tables[0].TopKeys[0].Key = []byte(key)
	page := rendered(t, jsonReport, r, Options{})
	for _, c := range string(page) {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Errorf("the report holds %U", c)
		}
	}
	if !bytes.Contains(page, []byte("é 表 👍 <&>")) {
		t.Error("plain text is escaped")
	}
	var doc docReportKeys
	if err := json.Unmarshal(page, &doc); err != nil || doc.Tables[0].TopKeys[0].Key != key {
		t.Errorf("key %q, %v, want %q", doc.Tables[0].TopKeys[0].Key, err, key)
	}
}

// docReportKeys are the keys of a report, as a reader of it sees them.
type docReportKeys struct {
	Tables []struct {
		TopKeys []struct{ Key string } `json:"top_keys"`
	}
}

func TestJSONLeavesOutSmallFindingsAndSaysSo(t *testing.T) {
	var doc struct {
		Findings []struct{ Severity string }
		LeftOut  int `json:"findings_left_out"`
	}
	if err := json.Unmarshal(rendered(t, jsonReport, incident(), Options{MinSeverity: detect.High}), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Findings) != 2 || doc.LeftOut != 2 {
		t.Errorf("%d findings and %d left out, want 2 and 2", len(doc.Findings), doc.LeftOut)
	}
}

func TestUnreadInputsStandAfterAllOthers(t *testing.T) {
	inputs := docOf(incident(), Options{}).Inputs
	got := make([]bool, len(inputs))
	for i := range inputs {
		got[i] = inputs[i].Unread != ""
	}
	if diff := cmp.Diff(got, []bool{false, false, true}); diff != "" {
		t.Errorf("unread (-got +want):\n%s", diff)
	}
}

func TestSampleRatesAreSharesOrNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name string
		rate detect.Rate
		want string
	}{
		{"none given", detect.Rate{}, "1"},
		{"one in a thousand", detect.Rate{Num: 1, Den: 1000}, "0.001"},
		{"no denominator", detect.Rate{Num: 1}, "null"},
		{"nothing", detect.Rate{Den: 5}, "null"},
		{"more than all", detect.Rate{Num: 3, Den: 2}, "null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(rateOf(tt.rate))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestPanesAreNamedAsPeopleSayThem(t *testing.T) {
	got := []string{}
	for _, w := range append([]uint32{0, 45}, detect.Widths...) {
		got = append(got, paneName(w))
	}
	want := []string{"", "45s", "1m", "2m", "4m", "12m", "1h", "3h", "6h", "12h", "24h", "7d", "28d", "364d"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestSeveralSubjectsHaveSeveralIdentities(t *testing.T) {
	ids := map[string]string{}
	for name, s := range map[string]detect.Subject{
		"table":              {Target: detect.Target{Table: "ab"}},
		"table and index":    {Target: detect.Target{Table: "a", Index: "b"}},
		"key":                {Key: []byte("ab"), HasKey: true},
		"empty key":          {HasKey: true},
		"no key":             {},
		"shape":              {Shape: "ab"},
		"node":               {Node: "ab"},
		"key named as shape": {Key: []byte("a"), HasKey: true, Shape: "b"},
	} {
		id := report.FindingID("hot-partition", s)
		if other, twice := ids[id]; twice {
			t.Errorf("%s and %s are both %s", name, other, id)
		}
		ids[id] = name
	}
}
