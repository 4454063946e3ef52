package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/detect/rules"
	"github.com/keyheat/keyheat/internal/nightly"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// analyzeNight is analyze for one night of a job.
func analyzeNight(ctx context.Context, e *env, c *nightly.Config, t *nightly.Task) (*nightly.Outcome, error) {
	f, err := flagsOf(e, c, t)
	if err != nil {
		return nil, err
	}
	limits := detect.DefaultLimits()
	if err := limits.Override(t.Job.Limits); err != nil {
		return nil, err
	}
	r, err := readNight(ctx, e, &f.read, t.Inputs)
	if err != nil {
		return nil, err
	}
	view := detect.NewView(r.profile, r.exact(ctx, nil), limits, f.judge.rate.of)
	o := &nightly.Outcome{Profile: r.profile, Limits: limits, Err: r.err(), Notes: slices.Concat(collectedNotes(r.profile), r.left)}
	o.Report, o.Unused = judgeNight(e, view, r, t)
	o.Files, err = renderNight(o.Report, t.Job.Outputs)
	return o, err
}

// flagsOf sets the flags of analyze as the job's options say.
func flagsOf(e *env, c *nightly.Config, t *nightly.Task) (*nightlyFlags, error) {
	f := newNightlyFlags(e)
	options := append([]nightly.Option{{Name: "timezone", Value: c.Zone.String()}}, t.Job.Options...)
	if t.Job.DayOnly {
		options = append(options, nightly.Option{Name: "since", Value: t.Night.Format(time.RFC3339)},
			nightly.Option{Name: "until", Value: t.Until().Format(time.RFC3339)})
	}
	for _, o := range options {
		if err := f.set.Set(o.Name, o.Value); err != nil {
			return nil, err
		}
	}
	f.read.quiet = true
	return f, faults(&f.read, &f.judge.rate)
}

// judgeNight gives the report without the findings that are suppressed, and the suppressions that fit none.
func judgeNight(e *env, v *detect.View, r *reading, t *nightly.Task) (*report.Report, []int) {
	found, missing := detect.Judge(v, rules.Catalogue(), propose.Catalogue())
	list := []*suppression{}
	for _, s := range t.Suppress {
		list = append(list, &suppression{rule: s.Rule, table: s.Table, key: s.Key})
	}
	kept := slices.DeleteFunc(slices.Clone(found), func(f detect.Finding) bool { return suppressed(&f, list) })
	notes := r.remarks()
	if n := len(found) - len(kept); n > 0 {
		notes = append(notes, fmt.Sprintf("findings left out by suppressions: %d", n))
	}
	unused := []int{}
	for i, s := range list {
		if !s.used {
			unused = append(unused, i)
		}
	}
	return report.Build(&report.Parts{Version: version(e), View: v, Findings: kept, NotAssessed: missing, Problems: r.profile.Problems,
		Unread: r.allUnread(), Notes: notes, Partial: strings.Join(r.partial, "; "), Limit: defaultKeys}), unused
}

// extensions are the ends of the names of reports that are not called as their format.
var extensions = map[string]string{"text": "txt", "markdown": "md", "prometheus": "prom"}

// renderNight gives the report as JSON and in the formats that the job names.
func renderNight(rep *report.Report, formats []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	errs := []error{}
	for _, name := range append([]string{"json"}, formats...) {
		end := name
		if other, ok := extensions[name]; ok {
			end = other
		}
		var out bytes.Buffer
		errs = append(errs, outputNamed(render.Catalogue(), name).Render(&out, rep, render.Options{}))
		files["report."+end] = out.Bytes()
	}
	return files, errors.Join(errs...)
}
