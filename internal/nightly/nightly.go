// Package nightly runs the named jobs of a configuration, keeps what each night found, tells what
// changed since the nights before, and whom to tell. It is handed the disk, the clock, the analysis and
// the way to send messages: it knows no format, no rule, no renderer, no terminal and no exit code.
package nightly

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// A Runner runs jobs. All of its fields must be set.
type Runner struct {
	Config  *Config
	Disk    Disk
	Now     func() time.Time
	Analyze func(ctx context.Context, t *Task) (*Outcome, error)
	Send    Sender
	Mask    report.Masker // of keys in messages; nil: #### stands for each
}

// A Task is one night of one job.
type Task struct {
	Job      *Job
	Night    time.Time // the beginning of the day
	Inputs   []string
	Suppress []Suppression // those of the job that hold
}

// Until gives the end of the day.
func (t *Task) Until() time.Time { return t.Night.AddDate(0, 0, 1) }

// stale tells of suppressions whose time is over.
func (t *Task) stale() []string {
	out := []string{}
	for _, s := range t.Job.Suppress {
		if !s.holds(t.Night) {
			out = append(out, "the suppression of "+s.name()+" was until "+s.Until+": "+s.Reason)
		}
	}
	return out
}

func (s *Suppression) holds(night time.Time) bool { return night.Format(time.DateOnly) <= s.Until }

func (s *Suppression) name() string { return strings.TrimSpace(s.Rule + " " + s.Table + " " + s.Key) }

// An Outcome is what the analysis of a night gave.
type Outcome struct {
	Report  *report.Report
	Profile *detect.Profile
	Limits  *detect.Limits
	Files   map[string][]byte // renderings of the report, by name
	Unused  []int             // of Task.Suppress: those that fit no finding
	Notes   []string          // on what was recorded twice or is missing, which the report tells too
	// Err is what went wrong though there is a report: inputs that failed, too many bad records.
	Err error
}

// A Result is what became of one night of one job.
type Result struct {
	Night *Night
	Trend *Trend // nil when the night failed
	Dir   string // of its report
	Err   error  // of its analysis, of keeping it, of telling of it
}

// Run makes the nights that are due of the named jobs, of all when none is named; with dates, those
// nights, whether they were made or not. The error says that the state cannot be used. The caller holds
// the lock of the state directory.
func (r *Runner) Run(ctx context.Context, jobs []string, dates []time.Time) ([]*Result, error) {
	store, err := Open(r.Disk, r.Config.State)
	if err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	out := []*Result{}
	for _, j := range r.Config.Jobs {
		if len(jobs) > 0 && !slices.Contains(jobs, j.Name) {
			continue
		}
		results, err := r.job(ctx, store, j, dates)
		if out = append(out, results...); err != nil {
			return out, fmt.Errorf("%s: %w", j.Name, err)
		}
	}
	if err := r.metrics(store); err != nil {
		return out, fmt.Errorf("writing the metrics: %w", err)
	}
	return out, ctx.Err()
}

func failedAt(kept []*Night, day time.Time) bool {
	return slices.ContainsFunc(kept, func(n *Night) bool { return n.Date == day.Format(time.DateOnly) && n.Failed != "" })
}

// job makes the nights of a job, in order of date.
func (r *Runner) job(ctx context.Context, store *Store, j *Job, dates []time.Time) ([]*Result, error) {
	kept, err := store.Nights(j.Name)
	out := []*Result{}
	if err != nil { // one damaged night does not hold up the others
		out = append(out, &Result{Err: err})
	}
	asked := len(dates) > 0
	if !asked {
		dates = due(j, kept, nightOf(r.Now(), r.Config.Zone), r.Config.CatchUp)
	}
	if !asked && len(kept) > 0 && !kept[len(kept)-1].notified { // told nobody: killed, or the service was down
		if err := r.tell(ctx, store, j, kept); err != nil {
			out = append(out, &Result{Err: err})
		}
	}
	for _, day := range dates {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		res, nights, err := r.night(ctx, store, j, day, failedAt(kept, day))
		if err != nil {
			return out, err
		}
		if !asked { // a night that is made again on request is no news
			res.Err = errors.Join(res.Err, r.tell(ctx, store, j, nights))
		}
		out = append(out, res)
	}
	if err := store.prune(j.Name, r.Config.Keep); err != nil {
		return out, err
	}
	return out, r.page(store, j)
}

// night makes one night and gives those up to it. An analysis that fails is kept as a night without
// report; one that was interrupted is not kept.
func (r *Runner) night(ctx context.Context, store *Store, j *Job, day time.Time, again bool) (*Result, []*Night, error) {
	t, err := newTask(j, day)
	if err != nil {
		return nil, nil, err
	}
	o, errAnalyze := r.Analyze(ctx, t)
	if ctx.Err() != nil {
		return nil, nil, errors.Join(ctx.Err(), errAnalyze)
	}
	n := newNight(t, r.Now(), o)
	res := &Result{Night: n, Err: errAnalyze}
	if o == nil {
		n.Failed, n.Again = firstLine(errAnalyze), again
	}
	if err := r.keep(store, n, o); err != nil {
		return nil, nil, fmt.Errorf("keeping the night %s: %w", n.Date, err)
	}
	res.Dir = store.Dir(n)
	nights, err := store.Nights(j.Name)
	nights = through(nights, n.Date)
	if o != nil {
		res.Trend = trendOf(j, nights)
		res.Err = errors.Join(errAnalyze, o.Err)
	}
	res.Err = errors.Join(res.Err, err)
	return res, nights, nil
}

func newTask(j *Job, day time.Time) (*Task, error) {
	t := &Task{Job: j, Night: day}
	for _, in := range j.Inputs {
		name, err := expand(in, day)
		if err != nil {
			return nil, err
		}
		t.Inputs = append(t.Inputs, name)
	}
	for _, s := range j.Suppress {
		if s.holds(day) {
			t.Suppress = append(t.Suppress, s)
		}
	}
	return t, nil
}

func (r *Runner) keep(store *Store, n *Night, o *Outcome) error {
	if o == nil {
		return store.Put(n, nil, nil)
	}
	profile, err := o.Profile.MarshalBinary()
	if err != nil {
		return err
	}
	return store.Put(n, o.Files, profile)
}

// through gives the nights up to a date.
func through(nights []*Night, date string) []*Night {
	for i, n := range nights {
		if n.Date > date {
			return nights[:i]
		}
	}
	return nights
}

// firstLine gives the first line of an error, bounded.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return clip(line, 300)
}
