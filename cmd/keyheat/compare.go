package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	judge       judgeFlags
	show        showFlags
	format      value[string]
	failOn      value[detect.Severity]
	minSeverity value[detect.Severity]
	limit       value[int]
}

func newCompare(e *env) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "tell what is new, worse, better and gone between two reports",
		Long: `compare matches the findings of two reports by rule and subject. Each is a JSON report of keyheat analyze, or a
Profile of keyheat sketch, which is judged now. What the later report could not have found is unseen, not gone.
Masked reports compare when they were masked with the same secret.` + exitHelp,
		Example: "  keyheat compare monday.json tuesday.json\n  keyheat compare --fail-on high before.khp after.khp",
		Args:    args(2, 2, "BEFORE AFTER: JSON reports or Profiles"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.Validate(files); err != nil {
				return usage(err)
			}
			return runCompare(e, cmd.OutOrStdout(), o, files)
		},
	}
	flags := cmd.Flags()
	o.judge.add(flags)
	o.show.add(flags)
	names := outputNames(render.CompareCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, " or "), oneOf(names...))
	o.failOn.add(flags, "fail-on", "never", "`SEVERITY` from which a new or worse finding makes the exit status 1: never, low, medium, high, critical", parseSeverity)
	o.minSeverity.add(flags, "min-severity", "", "leave out findings below `SEVERITY`", parseSeverity)
	o.limit.add(flags, "limit", "0", "`NUMBER` of findings that text lists; 0 is all", parseCount(0))
	return cmd
}

// Validate reports every fault of the flags.
func (o *compareOptions) Validate(files []string) error {
	err := faults(&o.judge.rate, &o.show, &o.format, &o.failOn, &o.minSeverity, &o.limit)
	if files[0] == "-" && files[1] == "-" {
		err = errors.Join(err, errors.New("- -: stdin is one report only"))
	}
	return err
}

func runCompare(e *env, stdout io.Writer, o *compareOptions, files []string) error {
	reporter, err := (&reportFlags{judgeFlags: o.judge, showFlags: o.show}).open(e)
	if err != nil {
		return err
	}
	before, errBefore := reporter.digest(files[0])
	after, errAfter := reporter.digest(files[1])
	if err := errors.Join(errBefore, errAfter); err != nil {
		return err
	}
	c := report.Compare(before, after)
	c.Before.Name, c.After.Name = files[0], files[1]
	options := reporter.options
	options.MinSeverity, options.Limit = o.minSeverity.of, o.limit.of
	err = writeTo(e, stdout, "-", func(w io.Writer) error {
		return outputNamed(render.CompareCatalogue(), o.format.of).Render(w, c, options)
	})
	return errors.Join(failed(err), o.fail(c))
}

// digest reads a JSON report, or judges a Profile.
func (r *reporter) digest(file string) (*report.Digest, error) {
	text, err := readWhole(r.env, file)
	if err != nil {
		return nil, failed(fmt.Errorf("reading %s: %w", file, err))
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		d, err := report.ReadDigest(text)
		if err != nil {
			return nil, failed(fmt.Errorf("%s: %w", file, err))
		}
		return d, nil
	}
	p, err := detect.ReadProfile(text)
	if err != nil {
		return nil, failed(fmt.Errorf("%s is no JSON report, and no Profile: %w", file, err))
	}
	p = detect.JoinStores(p)
	view := detect.NewView(p, nil, r.limits, r.flags.rate.of)
	return r.judge(view, report.Parts{Problems: p.Problems}).Digest(), nil
}

// fail gives the error of new and worse findings at or over --fail-on.
func (o *compareOptions) fail(c *report.Comparison) error {
	n := 0
	for i := range c.Changes {
		f := &c.Changes[i]
		if o.failOn.of > 0 && f.Change <= report.Worse && f.Finding.Severity >= o.failOn.of && f.Finding.Rule != blindSpot {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return withCode(exitFindings, fmt.Errorf("new or worse findings at or over --fail-on %s: %d", o.failOn.text, n))
}
