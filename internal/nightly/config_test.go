package nightly

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
)

func known() Known {
	vars := map[string]string{"TOKEN": "s3cret", "CHAT": "generic+http://127.0.0.1:1/s3cret"}
	return Known{
		Rules: []string{"hot-partition"}, Outputs: []string{"text", "json"}, Limits: []string{"hot-partition.share"},
		Option: func(name, value string) error {
			if name != "max-bad" && name != "for" || value == "x" {
				return errors.New("no such option")
			}
			return nil
		},
		Service: CheckService, Live: func(input string) bool { return strings.HasPrefix(input, "live://") }, Getenv: func(name string) string { return vars[name] },
	}
}

const minimal = "version: 1\nstate: s\njobs:\n  a: {inputs: [x]}\n"

func TestEveryFaultOfAConfigurationHasItsPlace(t *testing.T) {
	tests := map[string]struct {
		text string
		want string
	}{
		"a minimal one has none":                {minimal, ""},
		"broken YAML":                           {"a: [1\nb: 2\n", "2:1: ',' or ']' must be specified"},
		"a key twice":                           {minimal + "state: t\n", `5:1: mapping key "state" already defined at [2:1]`},
		"an anchor":                             {minimal + "timezone: &a UTC\n", "5:11: timezone: anchor is not supported: write the value itself"},
		"an empty file":                         {"", "1:1: must be one YAML document, not 1"},
		"an unknown key":                        {minimal + "jbos: {}\n", "5:1: jbos: is not known here"},
		"what lacks":                            {"version: 1\n", "1:1: lacks state, jobs"},
		"a wrong type":                          {minimal + "keep: many\n", "5:7: keep: got string, want integer"},
		"a name with capitals":                  {strings.Replace(minimal, " a:", " A:", 1), "4:3: jobs.A: a name has lower-case letters, digits, - and _ only, at most 64"},
		"an unknown zone":                       {minimal + "timezone: Mars\n", `5:11: timezone: "Mars": must be a zone like UTC or Europe/Lisbon`},
		"a variable that is not set":            {minimal + "mask_secret: ${NOPE}\n", `5:14: mask_secret: the environment has no variable "NOPE", or it is empty`},
		"an unknown service is named alone":     {minimal + "notify: {x: {url: \"foo://${TOKEN}\"}}\n", `5:19: notify.x.url: there is no service "foo"`},
		"a URL that its service does not take":  {minimal + "notify: {x: {url: \"slack://${TOKEN}\"}}\n", `5:19: notify.x.url: is no URL that the service "slack" takes`},
		"a wrong date pattern":                  {strings.Replace(minimal, "[x]", "[x, '%H']", 1), `4:19: jobs.a.inputs[1]: "%H": after % must stand Y, m, d, j or %`},
		"a live source for some time":           {strings.Replace(minimal, "[x]", "['live://host', x], options: {for: 5m}", 1), ""},
		"a live source without an end":          {strings.Replace(minimal, "[x]", "[x, 'live://host']", 1), "4:19: jobs.a.inputs[1]: a live source is read until an end: set options: {for: 5m}"},
		"a live source of a day before":         {strings.Replace(minimal, "[x]", "['live://host'], window: day, options: {for: 5m}", 1), "4:16: jobs.a.inputs[0]: a live source tells of now: give it a job of its own, without window: day and dated inputs"},
		"a live source beside dated files":      {strings.Replace(minimal, "[x]", "['live://host', 'x-%d'], options: {for: 5m}", 1), "4:16: jobs.a.inputs[0]: a live source tells of now: give it a job of its own, without window: day and dated inputs"},
		"an unknown limit":                      {strings.Replace(minimal, "[x]", "[x], limits: {foo: 1}", 1), "4:34: jobs.a.limits.foo: there is no such limit: see keyheat limits"},
		"a limit with too many decimals":        {strings.Replace(minimal, "[x]", "[x], limits: {hot-partition.share: 0.0001}", 1), "4:50: jobs.a.limits.hot-partition.share: 0.0001: must be a number of 0 or more with at most three decimals"},
		"an option's fault":                     {strings.Replace(minimal, "[x]", "[x], options: {max-bad: x}", 1), "4:39: jobs.a.options.max-bad: no such option"},
		"an unknown output":                     {strings.Replace(minimal, "[x]", "[x], outputs: [pdf]", 1), `4:30: jobs.a.outputs[0]: "pdf": must be one of text, json`},
		"an unknown place to notify":            {strings.Replace(minimal, "[x]", "[x], notify: [chat]", 1), `4:29: jobs.a.notify[0]: "chat": must be one of those under notify`},
		"a suppression lacks reason and expiry": {strings.Replace(minimal, "[x]", "[x], suppress: [{rule: hot-partition, table: t}]", 1), "4:31: jobs.a.suppress[0]: lacks reason, until"},
		"all faults at once, in order": {"version: 2\nstate: ''\nkeep: 1\njobs:\n  a:\n    inputs: []\n    fail_on: bad\n    suppress:\n      - {rule: nope, table: t, reason: r, until: 2026-13-01}\n",
			`1:10: version: value must be 1
2:8: state: must not be empty
3:7: keep: minimum: got 1, want 2
6:13: jobs.a.inputs: must not be empty
7:14: jobs.a.fail_on: value must be one of 'low', 'medium', 'high', 'critical'
9:16: jobs.a.suppress[0].rule: there is no rule "nope": see keyheat rules
9:50: jobs.a.suppress[0].until: "2026-13-01": must be a day like 2026-12-31`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := ReadConfig([]byte(tc.text), known())
			got := ""
			if err != nil {
				got = err.Error()
			}
			if d := cmp.Diff(got, tc.want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
			if (c == nil) != (tc.want != "") || strings.Contains(got, "s3cret") {
				t.Errorf("config %v, error %q", c, got)
			}
		})
	}
}

func TestAConfigurationIsReadWhole(t *testing.T) {
	c, err := ReadConfig([]byte(`
version: 1
state: /var/lib/keyheat
timezone: Europe/Lisbon
keep: 30
catch_up: 0
mask_secret: ${TOKEN}
metrics: k.prom
notify:
  second: {url: "${CHAT}", min_severity: high, show_keys: true}
jobs:
  z:
    inputs: ["a-%Y"]
    window: day
    options: {max-bad: [1%, 2%]}
    limits: {hot-partition.share: 0.25}
    suppress: [{rule: hot-partition, table: t/i, key: k, reason: known, until: 2026-12-31}]
    outputs: [text]
    fail_on: critical
    notify: [second]
    owners: [{owner: shop, tables: ["shop.*"], notify: [second]}]
  a: {inputs: [b]}
`), known())
	if err != nil {
		t.Fatal(err)
	}
	chat := &Target{Name: "second", URL: "generic+http://127.0.0.1:1/s3cret", MinSeverity: detect.High, ShowKeys: true}
	want := &Config{State: "/var/lib/keyheat", Zone: c.Zone, Keep: 30, CatchUp: 0, MaskSecret: "s3cret", Metrics: "k.prom", Targets: []*Target{chat},
		Jobs: []*Job{
			{Name: "z", Inputs: []string{"a-%Y"}, DayOnly: true, Options: []Option{{"max-bad", "1%"}, {"max-bad", "2%"}}, Limits: map[string]detect.Milli{"hot-partition.share": 250},
				Suppress: []Suppression{{"hot-partition", "t/i", "k", "known", "2026-12-31"}}, Outputs: []string{"text"}, FailOn: detect.Critical,
				Notify: []*Target{chat}, Owners: []Owner{{"shop", []string{"shop.*"}, []*Target{chat}}}},
			{Name: "a", Inputs: []string{"b"}, Options: []Option{}, Limits: map[string]detect.Milli{}, Notify: []*Target{}},
		}}
	if d := cmp.Diff(c, want, cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); d != "" || c.Zone.String() != "Europe/Lisbon" {
		t.Errorf("zone %s; got (-), want (+):\n%s", c.Zone, d)
	}
}

func TestTheSchemaDescribesEveryKey(t *testing.T) {
	doc := map[string]any{}
	if err := json.Unmarshal(Schema, &doc); err != nil {
		t.Fatal(err)
	}
	walkSchema(t, "", doc)
}

// walkSchema wants every object to be closed and its own keys at the top to be described.
func walkSchema(t *testing.T, path string, s map[string]any) {
	t.Helper()
	properties, _ := s["properties"].(map[string]any)
	if properties != nil && s["additionalProperties"] != false {
		t.Errorf("%s takes unknown keys", path)
	}
	for name, p := range properties {
		p := p.(map[string]any)
		if path == "" && name != "$defs" && p["description"] == nil {
			t.Errorf("%s is not described", name)
		}
		walkSchema(t, path+"/"+name, p)
	}
	for _, inner := range []string{"additionalProperties", "items"} {
		if p, ok := s[inner].(map[string]any); ok {
			walkSchema(t, path+"/"+inner, p)
		}
	}
	defs, _ := s["$defs"].(map[string]any)
	for name, p := range defs {
		walkSchema(t, path+"/$defs/"+name, p.(map[string]any))
	}
}
