package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeOrdersAndCompletes(t *testing.T) {
	on := func(table, key string, s Severity, cost Milli) Finding {
		return Finding{Severity: s, Cost: cost, Subject: Subject{Target: Target{Table: table}, Key: []byte(key), HasKey: true}}
	}
	first := &Rule{ID: "first", Judge: func(*View) ([]Finding, []NotAssessed) {
		return []Finding{on("b", "k", Low, 9), on("a", "z", High, 1), on("a", "k", High, 1)},
			[]NotAssessed{{Target: Target{Table: "b"}, Missing: []string{"time"}}, {Target: Target{Table: "b"}, Missing: []string{"time"}}}
	}}
	second := &Rule{ID: "second", Judge: func(*View) ([]Finding, []NotAssessed) {
		return []Finding{on("b", "k", Low, 10), on("c", "k", Critical, 0)}, []NotAssessed{{Target: Target{Table: "a"}, Missing: []string{"key"}}}
	}}
	remedies := []*Remedy{
		{Kind: "one", Rules: []string{"first"}, Propose: func(_ *View, f *Finding) []Proposal {
			return []Proposal{{Kind: "one", Title: string(f.Subject.Key)}}
		}},
		{Kind: "two", Rules: []string{"first", "second"}, Propose: func(_ *View, f *Finding) []Proposal {
			if len(f.Proposals) > 0 {
				return nil
			}
			return []Proposal{{Kind: "two"}}
		}},
	}
	findings, missing := Judge(&View{}, []*Rule{first, second}, remedies)
	got := []string{}
	for _, f := range findings {
		line := f.Rule + " " + f.Severity.String() + " " + f.Subject.Target.Table + " " + string(f.Subject.Key)
		for _, p := range f.Proposals {
			line += " " + p.Kind
		}
		got = append(got, line)
	}
	want := []string{
		"second critical c k two",
		"first high a k one",
		"first high a z one",
		"second low b k two",
		"first low b k one",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("findings (-got +want):\n%s", diff)
	}
	wantMissing := []NotAssessed{
		{Rule: "first", Target: Target{Table: "b"}, Missing: []string{"time"}},
		{Rule: "second", Target: Target{Table: "a"}, Missing: []string{"key"}},
	}
	if diff := cmp.Diff(missing, wantMissing); diff != "" {
		t.Errorf("not assessed (-got +want):\n%s", diff)
	}
}

// The interval of repairs is the one that is not known until the user tells it.
func TestLimitsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range DefaultLimits().All() {
		if l.Name == "" || l.Value == 0 && l.Name != "gc-grace.repair-interval" || l.Unit == "" || l.About == "" || l.Source == "" || seen[l.Name] {
			t.Errorf("limit %+v is not complete, or there twice", l)
		}
		seen[l.Name] = true
	}
}
