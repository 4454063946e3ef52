package detect

import (
	"bytes"
	"cmp"
	"slices"
)

// Judge runs the rules over the view and asks the remedies for proposals. Findings stand in order of
// severity, then cost, then subject; what could not be judged in order of rule and target, once each.
func Judge(v *View, rules []*Rule, remedies []*Remedy) ([]Finding, []NotAssessed) {
	findings, missing := []Finding{}, []NotAssessed{}
	v, cut := v.whole()
	for _, r := range rules {
		found, not := r.Judge(v)
		for i := range found {
			found[i].Rule = r.ID
			if r.counted(&found[i]) {
				v.Doubt(&found[i])
			}
			propose(v, &found[i], remedies)
		}
		if cut {
			not = append(not, NotAssessed{Missing: []string{"all requests of each table"}, GetIt: "there are too many tables to hold: keyheat analyze --table TABLE INPUT"})
		}
		for i := range not {
			not[i].Rule = r.ID
		}
		findings, missing = append(findings, found...), append(missing, not...)
	}
	slices.SortStableFunc(findings, compareFindings)
	slices.SortStableFunc(missing, compareNotAssessed)
	return findings, slices.CompactFunc(missing, func(a, b NotAssessed) bool { return compareNotAssessed(a, b) == 0 })
}

// whole gives the view without the targets of which requests were missed: what share a key has of such a
// one, nobody can tell. cut says that there are any.
func (v *View) whole() (whole *View, cut bool) {
	w := *v
	w.Targets = slices.DeleteFunc(slices.Clone(v.Targets), func(t *TargetView) bool { return t.Missed > 0 })
	return &w, len(w.Targets) < len(v.Targets)
}

// propose asks the remedies in order of their catalogue: a later one sees what earlier ones proposed.
func propose(v *View, f *Finding, remedies []*Remedy) {
	for _, r := range remedies {
		if slices.Contains(r.Rules, f.Rule) {
			f.Proposals = append(f.Proposals, r.Propose(v, f)...)
		}
	}
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity),
		cmp.Compare(b.Cost, a.Cost),
		a.Subject.compare(&b.Subject),
		cmp.Compare(a.Mechanism, b.Mechanism),
		cmp.Compare(a.Rule, b.Rule),
	)
}

func (s *Subject) compare(o *Subject) int {
	return cmp.Or(
		s.Target.Compare(o.Target),
		bytes.Compare(s.Key, o.Key),
		cmp.Compare(s.Shape, o.Shape),
		cmp.Compare(s.Node, o.Node),
	)
}

func compareNotAssessed(a, b NotAssessed) int {
	return cmp.Or(
		cmp.Compare(a.Rule, b.Rule),
		a.Target.Compare(b.Target),
		slices.Compare(a.Missing, b.Missing),
		cmp.Compare(a.GetIt, b.GetIt),
	)
}
