package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A truth is one case of a truth.json: what a report of an input must, may and must not find. Every
// finding that is neither asked for nor allowed is one too many.
type truth struct {
	Case    string
	Args    []string
	Format  string // of every input; "join" is of several
	Must    []expected
	MustNot []forbidden `json:"must_not"`
	May     []expected
	Facts   facts
	Note    string
	File    string          // ".": the case's folder
	Tables  json.RawMessage // counts by table, which a report rounds and shortens
}

// facts are figures of the whole report; nil ones are not checked.
type facts struct {
	Events          *uint64
	ProblemsAtMost  *uint64 `json:"problems_at_most"`
	ProblemsAtLeast *uint64 `json:"problems_at_least"`
	SkippedAtLeast  *uint64 `json:"skipped_at_least"`
	FindingsAtMost  *int    `json:"findings_at_most"` // without blind spots
}

// expected describes findings; members that are absent fit any.
type expected struct {
	Rule            words
	Table           *string // without keyspace it fits any keyspace; "" is no table
	Index           *string
	Key             *key // "" is no key
	Node            *string
	SeverityAtLeast string `json:"severity_at_least"`
	SeverityAtMost  string `json:"severity_at_most"`
	Confidence      string
	Mechanism       words
	Evidence        []expectedEvidence
}

type expectedEvidence struct {
	MeasureContains words      `json:"measure_contains"`
	ValueAny        []float64  `json:"value_any"` // one of which the value is, or its narrow bounds hold
	Between         [2]float64 // bounds of the value
	Tolerance       float64    // of ValueAny, as a share
	// AtLeast is what the lower bound reaches, where the input shows no upper one.
	AtLeast *float64 `json:"at_least"`
}

// forbidden is a rule, or a rule at a place; "*" is every rule.
type forbidden struct{ expected }

func (f *forbidden) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		f.Rule = make(words, 1)
		return json.Unmarshal(data, &f.Rule[0])
	}
	return strict(data, &f.expected)
}

// words are one string or a list.
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*w = make(words, 1)
		return json.Unmarshal(data, &(*w)[0])
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// key is one value, or a list of components.
type key []string

func (k *key) UnmarshalJSON(data []byte) error { return (*words)(k).UnmarshalJSON(data) }

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// A readReport is what the check reads of keyheat.report/1.
type readReport struct {
	Inputs []struct {
		Name, Format              string
		Events, Problems, Skipped uint64
	}
	Findings []readFinding
}

type readFinding struct {
	Rule, Severity, Confidence, Mechanism string
	Subject                               struct {
		Table, Index, Key, Node string
		Components              []struct{ Value string }
	}
	Evidence []struct {
		Measure    string
		Value, Low float64
		High       *float64
	}
}

func (f *readFinding) String() string {
	s := fmt.Sprintf("%s (%s, %s) of table %q key %q", f.Rule, f.Severity, f.Confidence, f.Subject.Table, f.Subject.Key)
	for _, e := range f.Evidence {
		s += fmt.Sprintf(" %s=%g", e.Measure, e.Value)
	}
	return s
}

// wrong says what of a report contradicts the truth: what is missing, what is one too many, which
// fact is another.
func (tr *truth) wrong(r *readReport) []string {
	bad := []string{}
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for i := range tr.Must {
		if !slices.ContainsFunc(r.Findings, func(f readFinding) bool { return tr.Must[i].fits(&f) }) {
			say("missing: %s", asJSON(tr.Must[i]))
		}
	}
	spots := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		fits := func(e expected) bool { return e.fits(f) }
		wanted := slices.ContainsFunc(tr.Must, fits) || slices.ContainsFunc(tr.May, fits)
		if f.Rule == blindSpot && !wanted {
			spots++
		}
		switch no := slices.IndexFunc(tr.MustNot, func(n forbidden) bool { return n.fits(f) }); {
		case no >= 0 && !(wanted && slices.Equal(tr.MustNot[no].Rule, words{"*"})):
			say("forbidden: %s", f)
		case !wanted && f.Rule != blindSpot:
			say("surplus: %s", f)
		}
	}
	if spots > 5 {
		say("surplus: %d blind spots", spots)
	}
	return append(bad, tr.wrongFacts(r, len(r.Findings)-spots)...)
}

func (tr *truth) wrongFacts(r *readReport, findings int) []string {
	bad := []string{}
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	events, problems, skipped := uint64(0), uint64(0), uint64(0)
	for _, in := range r.Inputs {
		events, problems, skipped = events+in.Events, problems+in.Problems, skipped+in.Skipped
		if tr.Format != "" && tr.Format != "join" && in.Format != tr.Format {
			say("%s was read as %s, is %s", in.Name, in.Format, tr.Format)
		}
	}
	f := &tr.Facts
	if f.Events != nil && events != *f.Events {
		say("%d events, truth is %d", events, *f.Events)
	}
	if f.ProblemsAtMost != nil && problems > *f.ProblemsAtMost || f.ProblemsAtLeast != nil && problems < *f.ProblemsAtLeast {
		say("%d problems", problems)
	}
	if f.SkippedAtLeast != nil && skipped < *f.SkippedAtLeast {
		say("%d skipped, at least %d are", skipped, *f.SkippedAtLeast)
	}
	if f.FindingsAtMost != nil && findings > *f.FindingsAtMost {
		say("%d findings, at most %d are right", findings, *f.FindingsAtMost)
	}
	return bad
}

func (e *expected) fits(f *readFinding) bool {
	s := &f.Subject
	mechanism := f.Mechanism
	if mechanism == "" {
		mechanism = "unknown"
	}
	return (slices.Contains(e.Rule, f.Rule) || slices.Equal(e.Rule, words{"*"}) && f.Rule != blindSpot) &&
		(e.Table == nil || s.Table == *e.Table || *e.Table != "" && strings.HasSuffix(s.Table, "."+*e.Table)) &&
		(e.Index == nil || s.Index == *e.Index) &&
		(e.Node == nil || s.Node == *e.Node) &&
		(e.Key == nil || e.Key.fits(f)) &&
		(e.SeverityAtLeast == "" || rank(f.Severity) >= rank(e.SeverityAtLeast)) &&
		(e.SeverityAtMost == "" || rank(f.Severity) <= rank(e.SeverityAtMost)) &&
		(e.Confidence == "" || e.Confidence == f.Confidence) &&
		(e.Mechanism == nil || slices.Contains(e.Mechanism, mechanism)) &&
		!slices.ContainsFunc(e.Evidence, func(w expectedEvidence) bool { return !w.fits(f) })
}

func rank(severity string) int {
	return slices.Index([]string{"low", "medium", "high", "critical"}, severity)
}

func (k *key) fits(f *readFinding) bool {
	if len(*k) == 1 {
		return f.Subject.Key == (*k)[0]
	}
	parts := key{}
	for _, c := range f.Subject.Components {
		parts = append(parts, c.Value)
	}
	return slices.Equal(parts, *k)
}

// fits reports whether an evidence of f has one of the words in its measure and a right value. Bounds
// are narrow when the upper is at most twice the lower plus ten.
func (w *expectedEvidence) fits(f *readFinding) bool {
	for _, e := range f.Evidence {
		if !slices.ContainsFunc(w.MeasureContains, func(word string) bool { return strings.Contains(e.Measure, word) }) {
			continue
		}
		if w.Between[1] > 0 && w.Between[0] <= e.Value && e.Value <= w.Between[1] {
			return true
		}
		for _, v := range w.ValueAny {
			near := math.Abs(e.Value-v) <= w.Tolerance*v
			if near && (w.AtLeast == nil || e.Low >= *w.AtLeast) || e.High != nil && e.Low <= v && v <= *e.High && *e.High <= 2*e.Low+10 {
				return true
			}
		}
	}
	return false
}

func asJSON(e expected) string {
	text, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestTheCheckOfAReportFindsWhatContradictsTheTruth(t *testing.T) {
	const report = `{"inputs":[{"name":"a","format":"f","events":10,"problems":1,"skipped":2}],"findings":[
		{"rule":"hot-partition","severity":"high","confidence":"certain","subject":{"table":"ks.t","key":"k","components":[{"value":"a"},{"value":"b"}]},
		 "evidence":[{"measure":"share","value":0.4,"low":0.4,"high":0.5},{"measure":"rate","value":5,"low":5,"high":null}]}]}`
	tests := map[string]struct {
		truth string
		want  []string // beginnings
	}{
		"what is asked for":                   {`{"must":[{"rule":"hot-partition","table":"t","key":"k","severity_at_least":"low","confidence":"certain","mechanism":"unknown","evidence":[{"measure_contains":"share","value_any":[0.45]}]}],"facts":{"events":10,"problems_at_most":1,"findings_at_most":1}}`, nil},
		"what is allowed":                     {`{"may":[{"rule":["skewed-key","hot-partition"],"key":["a","b"]}]}`, nil},
		"what is allowed though all is quiet": {`{"may":[{"rule":"hot-partition"}],"must_not":["*"]}`, nil},
		"surplus":                             {`{}`, []string{"surplus: hot-partition"}},
		"surplus at another place":            {`{"may":[{"rule":"hot-partition","table":"u"}]}`, []string{"surplus"}},
		"more severe than allowed":            {`{"may":[{"rule":"hot-partition","severity_at_most":"medium"}]}`, []string{"surplus"}},
		"forbidden":                           {`{"must_not":["hot-partition"],"may":[{"rule":"hot-partition"}]}`, []string{"forbidden"}},
		"forbidden at a place":                {`{"must_not":[{"rule":"hot-partition","key":"k"}]}`, []string{"forbidden"}},
		"not quiet":                           {`{"must_not":["*"]}`, []string{"forbidden"}},
		"another key":                         {`{"must":[{"rule":"hot-partition","key":"x"}]}`, []string{"missing", "surplus"}},
		"a key where none may be":             {`{"must":[{"rule":"hot-partition","key":""}]}`, []string{"missing", "surplus"}},
		"not severe enough":                   {`{"must":[{"rule":"hot-partition","severity_at_least":"critical"}]}`, []string{"missing", "surplus"}},
		"another value":                       {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"share","value_any":[0.2]}]}]}`, []string{"missing", "surplus"}},
		"a lower bound":                       {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"rate","value_any":[5],"at_least":5}]}]}`, nil},
		"a lower bound that is too low":       {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"rate","value_any":[5],"at_least":6}]}]}`, []string{"missing", "surplus"}},
		"a value without an upper bound":      {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"rate","value_any":[6]}]}]}`, []string{"missing", "surplus"}},
		"a value out of its range":            {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"rate","between":[6,7]}]}]}`, []string{"missing", "surplus"}},
		"no such measure":                     {`{"must":[{"rule":"hot-partition","evidence":[{"measure_contains":"rows","between":[0,7]}]}]}`, []string{"missing", "surplus"}},
		"other facts":                         {`{"may":[{"rule":"hot-partition"}],"format":"g","facts":{"events":9,"problems_at_most":0,"skipped_at_least":3,"findings_at_most":0}}`, []string{"a was read as f", "10 events", "1 problems", "2 skipped", "1 findings"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var tr truth
			if err := strict([]byte(tc.truth), &tr); err != nil {
				t.Fatal(err)
			}
			var r readReport
			if err := json.Unmarshal([]byte(report), &r); err != nil {
				t.Fatal(err)
			}
			begins := cmp.Comparer(func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) })
			if d := cmp.Diff(tr.wrong(&r), tc.want, begins, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}
