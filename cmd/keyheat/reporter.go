package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/detect/rules"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// reportFlags are the flags of commands that print a report.
type reportFlags struct {
	judgeFlags
	showFlags
	format      value[string]
	outputs     values[output]
	failOn      value[detect.Severity]
	minSeverity value[detect.Severity]
	ignore      string
	limit       value[int]
	heatMap     value[string]
	ddl         bool
	all         *pflag.FlagSet // of the command; nil where it has no flags of a report
}

// judgeFlags are the flags of commands that look at keys.
type judgeFlags struct {
	limitsFile string
	rate       value[detect.Rate]
}

// showFlags are the flags of commands that show keys.
type showFlags struct {
	color value[string]
	mask  maskFlags
}

// An output is one more rendering of a report.
type output struct {
	renderer *render.Renderer
	file     string // "-" is stdout
}

// defaultKeys is the number of keys of each table in a report.
const defaultKeys = 20

func (f *judgeFlags) add(flags *pflag.FlagSet) {
	addLimitsFile(flags, &f.limitsFile)
	f.rate.add(flags, "sample-rate", "1", "`SHARE` of all requests that the input holds: 0.01, 1/100 or unknown", parseRate)
}

func (f *showFlags) add(flags *pflag.FlagSet) {
	f.color.add(flags, "color", "auto", "`WHEN` to colour text: auto, always or never; NO_COLOR means never where auto does", oneOf("auto", "always", "never"))
	f.mask.add(flags)
}

func (f *showFlags) fault() error { return errors.Join(f.color.fault(), f.mask.fault()) }

func (f *reportFlags) add(flags *pflag.FlagSet) {
	f.judgeFlags.add(flags)
	f.showFlags.add(flags)
	names := outputNames(render.Catalogue())
	f.format.add(flags, "format", names[0], "`FORMAT` of stdout: "+strings.Join(names, ", "), oneOf(names...))
	f.outputs.add(flags, "output", "`FORMAT=FILE`: one more rendering of the report; - is stdout (repeatable)", parseOutput)
	f.failOn.add(flags, "fail-on", "never", "`SEVERITY` from which a finding makes the exit status 1: never, low, medium, high, critical", parseSeverity)
	f.minSeverity.add(flags, "min-severity", "", "leave out findings below `SEVERITY`", parseSeverity)
	f.limit.add(flags, "limit", "0", "`NUMBER` of keys and patterns of each table; 0 is 20, and in text what fits a screen", parseCount(0))
	f.heatMap.add(flags, "heatmap", "", "draw in text when each key was busy, by `MEASURE`: "+strings.Join(measureNames(), ", "), oneOf(append(measureNames(), "")...))
	flags.Lookup("heatmap").NoOptDefVal = report.HeatRequests.String()
	f.all = flags
	flags.StringVar(&f.ignore, "ignore", "", "`FILE` of findings to leave out, a line each: rule table [key]  # reason")
}

// fault gives every fault of the flags.
func (f *reportFlags) fault() error {
	err := faults(&f.rate, &f.showFlags, &f.format, &f.outputs, &f.failOn, &f.minSeverity, &f.limit, &f.heatMap)
	toStdout := 0
	for _, o := range f.outputs.of {
		if o.file == "-" {
			toStdout++
		}
	}
	if toStdout > 1 || toStdout == 1 && f.format.given {
		err = errors.Join(err, errors.New("--output FORMAT=-: stdout takes one rendering"))
	}
	return err
}

func measureNames() []string {
	names := []string{}
	for m := range report.Measure(report.Measures) {
		names = append(names, m.String())
	}
	return names
}

// shaping are the flags that decide what a report says, and hold no secret.
var shaping = []string{"chunk", "exact", "heatmap", "ignore", "limit", "limits-file", "map", "mask-keys", "max-bad", "memory", "min-severity", "no-exact", "node", "pane",
	"sample-rate", "since", "table", "timezone", "until"}

// settings gives the flags that were given and shape the report, in order of their names.
func (f *reportFlags) settings() []report.Setting {
	if f.all == nil {
		return nil
	}
	var out []report.Setting
	f.all.Visit(func(flag *pflag.Flag) {
		if slices.Contains(shaping, flag.Name) {
			out = append(out, report.Setting{Name: flag.Name, Value: flag.Value.String()})
		}
	})
	return out
}

// toStdout gives the renderer of what goes to stdout, by --output FORMAT=- or --format.
func (f *reportFlags) toStdout() *render.Renderer {
	for _, o := range f.outputs.of {
		if o.file == "-" {
			return o.renderer
		}
	}
	return outputNamed(render.Catalogue(), f.format.of)
}

// terminalFault refuses bytes at a terminal, which would take them for commands.
func (f *reportFlags) terminalFault(e *env) error {
	if r := f.toStdout(); e.outTerminal && r != nil && r.Binary {
		return usage(fmt.Errorf("--format %s: would write bytes to the terminal: give --output %s=FILE, or a pipe", r.Name, r.Name))
	}
	return nil
}

// outputNames gives the names of renderers, the default first.
func outputNames[T any](all []*render.Output[T]) []string {
	names := []string{}
	for _, r := range all {
		names = append(names, r.Name)
	}
	return names
}

// outputNamed gives a renderer by its name, nil when there is none.
func outputNamed[T any](all []*render.Output[T], name string) *render.Output[T] {
	i := slices.IndexFunc(all, func(r *render.Output[T]) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

func parseOutput(text string) (output, error) {
	name, file, _ := strings.Cut(text, "=")
	r := outputNamed(render.Catalogue(), name)
	if r == nil || file == "" {
		return output{}, fmt.Errorf("must be FORMAT=FILE with a format of %s", strings.Join(outputNames(render.Catalogue()), ", "))
	}
	return output{r, file}, nil
}

// parseSeverity reads a severity; never and nothing are 0.
func parseSeverity(text string) (detect.Severity, error) {
	for s := detect.Low; s <= detect.Critical; s++ {
		if text == s.String() {
			return s, nil
		}
	}
	if text == "" || text == "never" {
		return 0, nil
	}
	return 0, errors.New("must be never, low, medium, high or critical")
}

// A reporter is reportFlags with their files read.
type reporter struct {
	env     *env
	flags   *reportFlags
	limits  *detect.Limits
	ignored []*suppression
	options render.Options
	note    string // on masks
}

// open reads the files that the flags name, before any input is read.
func (f *reportFlags) open(e *env) (*reporter, error) {
	limits, errLimits := loadLimits(e, f.limitsFile)
	ignored, errIgnore := loadIgnore(e, f.ignore)
	options, note, errShow := f.showFlags.options(e)
	options.MinSeverity, options.Limit, options.HeatMap = f.minSeverity.of, f.limit.of, f.heatMap.of
	return &reporter{e, f, limits, ignored, options, note}, errors.Join(errLimits, errIgnore, errShow, f.terminalFault(e))
}

// options gives the options of what goes to stdout, and a note on masks.
func (f *showFlags) options(e *env) (render.Options, string, error) {
	mask, note, err := f.mask.masker(e)
	colour := f.color.of == "always" ||
		f.color.of == "auto" && e.outTerminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
	return render.Options{Width: e.width, Color: colour, Mask: mask, Plain: !e.outTerminal}, note, err
}

// judge gives the report of a view. The parts hold what is known beside it.
func (r *reporter) judge(v *detect.View, parts report.Parts) *report.Report {
	found, missing := detect.Judge(v, rules.Catalogue(), propose.Catalogue())
	kept, notes := suppress(found, r.ignored, r.flags.ignore)
	parts.Version, parts.View, parts.Findings, parts.NotAssessed = version(r.env), v, kept, missing
	parts.Notes = append(parts.Notes, notes...)
	if r.note != "" {
		parts.Notes = append(parts.Notes, r.note)
	}
	parts.Limit, parts.Settings = cmp.Or(r.flags.limit.of, defaultKeys), r.flags.settings()
	return report.Build(&parts)
}

// report judges what was read and writes the report.
func (p *reporter) report(stdout io.Writer, r *reading, exact *detect.Exact) error {
	view := detect.NewView(r.profile, exact, p.limits, p.flags.rate.of)
	rep := p.judge(view, report.Parts{
		Problems: r.profile.Problems,
		Unread:   r.allUnread(),
		Notes:    r.remarks(),
		Partial:  strings.Join(r.partial, "; "),
	})
	if p.flags.ddl {
		addScripts(rep, view, r)
	}
	return errors.Join(p.write(stdout, rep), r.err(), p.fail(rep))
}

// write prints the report in every way that was asked for. The error joins what failed.
func (r *reporter) write(stdout io.Writer, rep *report.Report) error {
	outputs := slices.Clone(r.flags.outputs.of)
	if !slices.ContainsFunc(outputs, func(o output) bool { return o.file == "-" }) {
		outputs = append(outputs, output{r.flags.toStdout(), "-"})
	}
	errs := []error{}
	for _, o := range outputs {
		options := r.options
		if o.file != "-" {
			options.Color, options.Width = false, 0
		}
		if err := writeTo(r.env, stdout, o.file, func(w io.Writer) error { return o.renderer.Render(w, rep, options) }); err != nil {
			errs = append(errs, failed(fmt.Errorf("writing the %s report: %w", o.renderer.Name, err)))
		}
	}
	return errors.Join(errs...)
}

// writeTo hands what fill writes to a file, or to stdout for "-". Nothing is written, and no file made,
// when fill fails before it has written heldOutput.
func writeTo(e *env, stdout io.Writer, file string, fill func(io.Writer) error) error {
	w := &lateWriter{open: func() (io.WriteCloser, error) {
		if file == "-" {
			return stdoutWriter{stdout}, nil
		}
		return e.create(file)
	}}
	if err := fill(w); err != nil {
		return errors.Join(err, w.abandon())
	}
	return w.close()
}

// heldOutput is how much of an output is held before it is written, in bytes: all of a usual report, and
// not all of one that lists a hundred thousand inputs.
const heldOutput = 4 << 20

// A lateWriter opens where it writes to when there is something to write.
type lateWriter struct {
	open func() (io.WriteCloser, error)
	held bytes.Buffer
	to   io.WriteCloser // nil: not open yet
}

// Write holds p, or writes what is held and p.
func (w *lateWriter) Write(p []byte) (int, error) {
	if w.to == nil && w.held.Len()+len(p) <= heldOutput {
		return w.held.Write(p)
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

func (w *lateWriter) flush() (err error) {
	if w.to != nil {
		return nil
	}
	if w.to, err = w.open(); err != nil {
		return err
	}
	_, err = w.to.Write(w.held.Bytes())
	w.held = bytes.Buffer{}
	return err
}

func (w *lateWriter) close() error {
	if err := w.flush(); err != nil {
		return errors.Join(err, w.abandon())
	}
	return w.to.Close()
}

// abandon closes what is open.
func (w *lateWriter) abandon() error {
	if w.to == nil {
		return nil
	}
	return giveUp(w.to)
}

// A stdoutWriter is never closed.
type stdoutWriter struct{ io.Writer }

// Close does nothing.
func (stdoutWriter) Close() error { return nil }

// blindSpot is the one rule that never fails a run: it is about the input, not about the database.
const blindSpot = "blind-spot"

// fail gives the error of findings at or over --fail-on.
func (r *reporter) fail(rep *report.Report) error {
	n := 0
	for _, f := range rep.Findings {
		if r.flags.failOn.of > 0 && f.Severity >= r.flags.failOn.of && f.Rule != blindSpot {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return withCode(exitFindings, fmt.Errorf("findings at or over --fail-on %s: %d", r.flags.failOn.text, n))
}
