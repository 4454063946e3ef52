package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/nightly"
	"github.com/keyheat/keyheat/report/render"
)

// nightlyOptions are the flags of nightly.
type nightlyOptions struct {
	config string
	jobs   values[string]
	dates  values[time.Time]
	quiet  bool
}

func newNightly(e *env) *cobra.Command {
	o := &nightlyOptions{}
	cmd := &cobra.Command{
		Use:   "nightly",
		Short: "run the jobs of a configuration, keep their reports, tell what changed",
		Long: `nightly makes the report of the last day that is over for each job of the configuration, and of days before
that were missed or failed. It keeps them in the state directory, prints what is new, worse, better and gone since
the night before, and tells those whom the configuration names. A run that finds its nights made does nothing.
A message that could not be sent makes the exit status 3; the report is kept, and the next run sends it again.` + exitHelp,
		Example: `  keyheat nightly -c keyheat.yaml
  keyheat nightly check -c keyheat.yaml
  keyheat nightly --job prod-eu --date 2026-06-04`,
		Args: args(0, 0, "no arguments, or check"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runNightly(cmd.Context(), e, cmd.OutOrStdout(), o)
		},
	}
	cmd.PersistentFlags().StringVarP(&o.config, "config", "c", "keyheat.yaml", "`FILE` with the jobs, see docs/nightly.md")
	flags := cmd.Flags()
	o.jobs.add(flags, "job", "run only the job `NAME` (repeatable)", parseText)
	o.dates.add(flags, "date", "make the night `DATE`, even when it was made before; nobody is told (repeatable)", parseDate)
	flags.BoolVar(&o.quiet, "quiet", false, "print nothing but errors")
	cmd.AddCommand(newNightlyCheck(e, o))
	return cmd
}

func newNightlyCheck(e *env, o *nightlyOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "say everything that is wrong with a configuration",
		Long: `check reads the configuration and the variables that it refers to, prints each fault with its line and column,
and runs nothing. Values of variables are never printed.` + exitHelp,
		Example: "  keyheat nightly check -c keyheat.yaml",
		Args:    args(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readNightlyConfig(e, o.config)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is well: jobs %d, places to notify %d\n", o.config, len(c.Jobs), len(c.Targets))
			return err
		},
	}
}

func parseDate(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, errors.New("must be a day like 2026-06-04")
	}
	return day, nil
}

// Validate reports every fault of the flags.
func (o *nightlyOptions) Validate() error { return faults(&o.jobs, &o.dates) }

// readNightlyConfig reads a configuration. Paths in it are relative to its place.
func readNightlyConfig(e *env, file string) (*nightly.Config, error) {
	text, err := e.readFile(file)
	if err != nil {
		return nil, failed(fmt.Errorf("reading the configuration: %w", err))
	}
	limits := []string{}
	for _, l := range detect.DefaultLimits().All() {
		limits = append(limits, l.Name)
	}
	c, err := nightly.ReadConfig(text, nightly.Known{Rules: ruleIDs(), Outputs: outputNames(render.Catalogue()), Limits: limits,
		Option: func(name, value string) error { return checkOption(e, name, value) }, Service: nightly.CheckService, Live: isURL, Getenv: e.getenv})
	var wrong nightly.Faults
	if errors.As(err, &wrong) {
		return nil, usage(inFile(file, wrong))
	}
	if err != nil {
		return nil, failed(err)
	}
	from := func(name string) string {
		if name == "" || filepath.IsAbs(name) || strings.Contains(name, "://") {
			return name
		}
		return filepath.Join(filepath.Dir(file), name)
	}
	c.State, c.Metrics = from(c.State), from(c.Metrics)
	for _, j := range c.Jobs {
		for i := range j.Inputs {
			j.Inputs[i] = from(j.Inputs[i])
		}
	}
	return c, nil
}

// inFile names the file of each fault.
func inFile(file string, wrong nightly.Faults) error {
	errs := []error{}
	for _, f := range wrong {
		errs = append(errs, fmt.Errorf("%s:%w", file, nightly.Faults{f}))
	}
	return errors.Join(errs...)
}

// nightlyFlags are the flags of analyze that a job may set.
type nightlyFlags struct {
	read  readFlags
	judge judgeFlags
	set   *pflag.FlagSet
}

// notForJobs are the flags that nightly sets itself.
var notForJobs = []string{"since", "until", "quiet", "limits-file"}

func newNightlyFlags(e *env) *nightlyFlags {
	f := &nightlyFlags{set: pflag.NewFlagSet("nightly", pflag.ContinueOnError)}
	f.read.add(e, f.set)
	f.read.live.add(f.set)
	f.judge.add(f.set)
	return f
}

func checkOption(e *env, name, value string) error {
	f := newNightlyFlags(e)
	if f.set.Lookup(name) == nil || slices.Contains(notForJobs, name) {
		names := []string{}
		f.set.VisitAll(func(p *pflag.Flag) {
			if !slices.Contains(notForJobs, p.Name) {
				names = append(names, p.Name)
			}
		})
		return fmt.Errorf("no option that a job may set%s", suggestion(name, "", names))
	}
	if err := f.set.Set(name, value); err != nil {
		return err
	}
	return faults(&f.read, &f.judge.rate)
}

func runNightly(ctx context.Context, e *env, stdout io.Writer, o *nightlyOptions) error {
	c, err := readNightlyConfig(e, o.config)
	if err != nil {
		return err
	}
	if err := o.unknownJobs(c); err != nil {
		return usage(err)
	}
	release, err := e.lock(c.State)
	if err != nil {
		return failed(fmt.Errorf("locking the state: %w", err))
	}
	dates := []time.Time{}
	for _, d := range o.dates.of {
		dates = append(dates, time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, c.Zone))
	}
	r := &nightly.Runner{Config: c, Disk: e.state, Now: e.now, Send: e.sender,
		Analyze: func(ctx context.Context, t *nightly.Task) (*nightly.Outcome, error) {
			return analyzeNight(ctx, e, c, t)
		}}
	if c.MaskSecret != "" {
		r.Mask = keyedMask([]byte(c.MaskSecret))
	}
	results, err := r.Run(ctx, o.jobs.of, dates)
	errs := []error{err, release()}
	for _, res := range results {
		errs = append(errs, res.Err, overFailOn(c, res))
	}
	if !o.quiet {
		errs = append(errs, printNights(stdout, results))
	}
	return errors.Join(errs...)
}

func (o *nightlyOptions) unknownJobs(c *nightly.Config) error {
	names := []string{}
	for _, j := range c.Jobs {
		names = append(names, j.Name)
	}
	errs := []error{}
	for _, name := range o.jobs.of {
		if !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("--job %s: there is no such job%s", name, suggestion(name, "", names)))
		}
	}
	return errors.Join(errs...)
}

// printNights prints what became of each night.
func printNights(w io.Writer, results []*nightly.Result) error {
	errs := []error{}
	for _, res := range results {
		text := ""
		switch {
		case res.Trend != nil:
			text = res.Trend.Text() + "report: " + visible(res.Dir) + "\n"
		case res.Night != nil:
			text = fmt.Sprintf("keyheat nightly · %s · %s · no report: %s\n", res.Night.Job, res.Night.Date, visible(res.Night.Failed))
		}
		_, err := io.WriteString(w, text)
		errs = append(errs, err)
	}
	if len(results) == 0 {
		_, err := io.WriteString(w, "keyheat nightly · nothing to do: each job has its last night\n")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// overFailOn gives the error of findings at or over the job's fail_on.
func overFailOn(c *nightly.Config, res *nightly.Result) error {
	if res.Trend == nil {
		return nil
	}
	n, least := 0, detect.Severity(0)
	for _, j := range c.Jobs {
		if j.Name == res.Night.Job {
			least = j.FailOn
		}
	}
	for _, f := range res.Night.Digest.Findings {
		if least > 0 && f.Severity >= least && f.Rule != blindSpot {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return withCode(exitFindings, fmt.Errorf("%s %s: findings at or over fail_on %s: %d", res.Night.Job, res.Night.Date, least, n))
}
