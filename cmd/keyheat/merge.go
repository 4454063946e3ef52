package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// mergeOptions are the flags of merge.
type mergeOptions struct {
	report   reportFlags
	to       string
	plan     string
	nominate bool
}

func newMerge(e *env) *cobra.Command {
	o := &mergeOptions{}
	cmd := &cobra.Command{
		Use:   "merge {PROFILE… | PARTS…}",
		Short: "make one report of many Profiles, or of the parts of a plan",
		Long: `merge joins Profiles that keyheat sketch wrote, in the order given, and prints one report of all of them. A folder
or a pattern, also of objects in S3, gives them in order of their names; one that is there twice counts once. Captures
of keyheat collect among them are read as well, behind the Profiles.
With --to it writes the joined Profile instead. Keys have bounds: there is no second pass.

Of the parts of a plan, which keyheat sketch --plan wrote into files, folders or stdin, in any order, it makes
the report of keyheat analyze --no-exact; with those of a second pass (--nominate, then sketch --count-keys) the
one of keyheat analyze. Parts that came twice count once; a missing or damaged one is named and fails.` + exitHelp,
		Example: `  keyheat merge node1.khp node2.khp
  keyheat merge --to day.khp hour-*.khp
  keyheat merge s3://traffic/2026-11-30
  keyheat merge --nominate parts/ > keys.txt
  keyheat merge parts/ counted/`,
		Args: args(1, -1, "at least one PROFILE, or a file or folder of parts"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := errors.Join(o.Validate(e), pipeFault(e, files)); err != nil {
				return usage(err)
			}
			switch parts, err := ofParts(e, o, files); {
			case err != nil:
				return failed(err)
			case parts:
				return runMergeParts(cmd.Context(), e, cmd.OutOrStdout(), o, files)
			}
			return runMerge(cmd.Context(), e, cmd.OutOrStdout(), o, files)
		},
	}
	o.report.add(cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "", "`FILE` for the joined Profile, or the keys, in place of a report; - is stdout")
	cmd.Flags().StringVar(&o.plan, "plan", "", "`FILE` of keyheat plan: names the splits of which nothing came")
	cmd.Flags().BoolVar(&o.nominate, "nominate", false, "print the keys that a second pass should count, in place of a report")
	return cmd
}

// Validate reports every fault of the flags.
func (o *mergeOptions) Validate(e *env) error {
	return errors.Join(faults(&o.report), o.terminalFault(e))
}

// terminalFault refuses to write a Profile to a terminal; keys are text.
func (o *mergeOptions) terminalFault(e *env) error {
	if o.nominate {
		return nil
	}
	return notToTerminal(e, o.to)
}

// pipeFault refuses pipes but stdin: a look at what they hold takes it away.
func pipeFault(e *env, files []string) error {
	var errs []error
	for _, file := range files {
		if info, err := e.files.Stat(file); file != "-" && err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			errs = append(errs, fmt.Errorf("%s: is no file but a pipe or device: give it as -, which is stdin", file))
		}
	}
	return errors.Join(errs...)
}

func runMerge(ctx context.Context, e *env, stdout io.Writer, o *mergeOptions, files []string) error {
	reporter, err := o.report.open(e)
	if err != nil {
		return err
	}
	joined := &joiner{env: e}
	profiles, captures := profileFiles(e, files)
	for i, file := range slices.Concat(profiles, captures) {
		if ctx.Err() != nil {
			joined.stop()
			break
		}
		if i < len(profiles) {
			joined.add(file)
		} else {
			joined.sketch(ctx, file)
		}
	}
	if joined.profile == nil {
		return errors.Join(joined.errs...)
	}
	if o.to != "" {
		return errors.Join(append(joined.errs, writeProfile(e, stdout, o.to, joined.profile))...)
	}
	profile := detect.JoinStores(joined.profile)
	view := detect.NewView(profile, nil, reporter.limits, o.report.rate.of)
	rep := reporter.judge(view, report.Parts{
		Problems: profile.Problems,
		Unread:   joined.unread,
		Notes:    append(collectedNotes(profile), joined.notes...),
		Partial:  strings.Join(joined.partial, "; "),
	})
	return errors.Join(reporter.write(stdout, rep), errors.Join(joined.errs...), reporter.fail(rep))
}

// A joiner merges Profiles in the order in which they come.
type joiner struct {
	env     *env
	fits    func(p *detect.Profile) error // says why a Profile is not wanted; nil: all are
	profile *detect.Profile               // nil before the first
	forms   map[[sha256.Size]byte]string  // files by what they hold
	unread  []report.Unread
	partial []string
	notes   []string
	errs    []error
}

// add merges the Profile of a file. One that cannot be read or does not fit is left out and said, and so is one
// that was there before under another name.
func (j *joiner) add(file string) {
	form, err := readWhole(j.env, file)
	sum := sha256.Sum256(form)
	if same, ok := j.forms[sum]; ok && err == nil {
		j.notes = append(j.notes, fmt.Sprintf("%s is the same Profile as %s: it counts once", file, same))
		return
	}
	if err == nil {
		err = j.merge(form)
	}
	if err != nil {
		j.leaveOut(file, err)
		return
	}
	if j.forms == nil {
		j.forms = map[[sha256.Size]byte]string{}
	}
	j.forms[sum] = file
}

func (j *joiner) leaveOut(file string, err error) {
	j.errs = append(j.errs, failed(fmt.Errorf("merging %s: %w", file, err)))
	j.unread = append(j.unread, report.Unread{Name: file, Why: err.Error()})
}

// sketch makes a Profile of a capture, with the settings of those before it, and merges that.
func (j *joiner) sketch(ctx context.Context, file string) {
	f, s := newNightlyFlags(j.env), detect.DefaultSettings()
	f.read.quiet = true
	if j.profile != nil {
		s = j.profile.Settings
	}
	r, err := readToMerge(ctx, j.env, &f.read, []string{file}, s)
	if err != nil {
		j.leaveOut(file, err)
		return
	}
	j.errs = append(j.errs, failed(errors.Join(r.failures()...)))
	j.unread, j.partial, j.notes = append(j.unread, r.unread...), append(j.partial, r.partial...), append(j.notes, r.notes...)
	if err := j.take(r.profile); err != nil {
		j.leaveOut(file, err)
	}
}

func (j *joiner) merge(form []byte) error {
	p, err := detect.ReadProfile(form)
	if err == nil && j.fits != nil {
		err = j.fits(p)
	}
	if err != nil {
		return err
	}
	return j.take(p)
}

func (j *joiner) take(p *detect.Profile) (err error) {
	if j.profile != nil {
		p, err = detect.Merge(j.profile, p)
	}
	if err == nil {
		j.profile = p
	}
	return err
}

func (j *joiner) stop() {
	const why = "interrupted: the Profiles merged until then are reported"
	j.errs = append(j.errs, withCode(exitInterrupted, errors.New(why)))
	j.partial = append(j.partial, why)
}

// maxProfile bounds what is read of a Profile: stdin may be anything.
const maxProfile = 1 << 30

// readWhole gives a file, or stdin for "-". What nightly packed is unpacked.
func readWhole(e *env, file string) ([]byte, error) {
	data, err := []byte(nil), error(nil)
	if file == "-" {
		data, err = io.ReadAll(io.LimitReader(e.stdin, maxProfile))
	} else {
		data, err = e.readFile(file)
	}
	if err != nil || !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(packed, maxProfile))
}

// writeProfile writes the binary form of p.
func writeProfile(e *env, stdout io.Writer, file string, p *detect.Profile) error {
	err := writeTo(e, stdout, file, func(w io.Writer) error {
		form, err := p.MarshalBinary()
		if err == nil {
			_, err = w.Write(form)
		}
		return err
	})
	if err != nil {
		return failed(fmt.Errorf("writing the Profile: %w", err))
	}
	return nil
}
