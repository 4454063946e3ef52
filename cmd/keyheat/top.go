package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/watch"
)

// topOptions are the flags of top.
type topOptions struct {
	read     readFlags
	report   reportFlags
	window   value[time.Duration]
	every    value[time.Duration]
	count    value[int]
	limit    value[int]
	plain    bool
	noFollow bool
}

// Bounds of --window: a slot is a second at least, and the window is no day.
const (
	minWindow = watch.Slots * time.Second
	maxWindow = 24 * time.Hour
)

func newTop(e *env) *cobra.Command {
	o := &topOptions{}
	cmd := &cobra.Command{
		Use:   "top INPUT…",
		Short: "show the last minutes of traffic by table and key, as they pass",
		Long: `top shows which keys are busy now: reads, writes, tombstones, bytes and throttled requests a second, how near a key is
to what one partition can serve, and what the rules say of it. Tables, then the keys of one, then one key; ? lists the keys.

Files that are named are followed as tail -F does, through rotation and truncation; URLs and - (stdin) are read as they
come; what is compressed, archived or found in a directory is read once. Time is that of the records: a log that has
ended shows its last minutes. The w key writes a report of all that was read, as analyze would without a second pass.

Where the terminal cannot draw (TERM=dumb), or stdout is a pipe, the tables and the busiest keys are printed again and
again as plain text; of an input that is read once, at its end.` + exitHelp,
		Example: `  keyheat top dynamodb://orders
  keyheat top /var/log/cassandra/system.log
  kubectl logs -f scylla-0 | keyheat top -
  keyheat top --plain --count 1 events.ndjson`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob, a URL or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runTop(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.read.live.add(flags)
	o.report.judgeFlags.add(flags)
	o.report.showFlags.add(flags)
	flags.StringVar(&o.report.ignore, "ignore", "", "`FILE` of findings to leave out, a line each: rule table [key]  # reason")
	o.report.outputs.add(flags, "output", "`FORMAT=FILE` that the w key writes (repeatable); default html=keyheat-top-TIME.html", parseOutput)
	o.window.add(flags, "window", "10m", "`TIME` that is shown; rates are of its last tenth", parseWindow)
	o.every.add(flags, "every", "1s", "`TIME` between two pictures", parseSpan)
	o.count.add(flags, "count", "0", "end after this `NUMBER` of plain pictures; 0 is never", parseCount(0))
	o.limit.add(flags, "limit", "10", "`NUMBER` of tables, and of keys of each, in plain pictures", parseCount(1))
	flags.BoolVar(&o.plain, "plain", false, "print plain text, also on a terminal")
	flags.BoolVar(&o.noFollow, "no-follow", false, "read files once, to their end")
	return cmd
}

func parseWindow(text string) (time.Duration, error) {
	d, err := parseAgo(text)
	if err != nil || d < minWindow || d > maxWindow {
		return 0, errors.New("must be a duration from 2m to 24h")
	}
	return d, nil
}

// Validate reports every fault of the flags.
func (o *topOptions) Validate() error {
	err := faults(&o.read, &o.report.rate, &o.report.showFlags, &o.report.outputs, &o.window, &o.every, &o.count, &o.limit)
	if slices.ContainsFunc(o.report.outputs.of, func(out output) bool { return out.file == "-" }) {
		err = errors.Join(err, errors.New("--output FORMAT=-: stdout is the screen: give a file"))
	}
	return err
}

func runTop(ctx context.Context, e *env, stdout io.Writer, o *topOptions, inputs []string) error {
	reporter, err := o.report.open(e)
	if err != nil {
		return err
	}
	o.read.quiet = true // the screen tells
	r, err := prepare(ctx, e, &o.read, inputs)
	if err != nil {
		return err
	}
	slices.SortStableFunc(r.sources, lastToEnd)
	t := newTopRun(e, o, r, reporter, inputs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait := t.start(ctx)
	if o.plain || !e.draws() {
		err = t.printPlain(ctx, stdout)
	} else {
		err = t.show(ctx)
	}
	cancel()
	wait()
	return errors.Join(err, t.err())
}

// draws reports whether the terminal can do more than show line after line.
func (e *env) draws() bool {
	term := e.getenv("TERM")
	return e.outTerminal && term != "" && term != "dumb"
}

// printPlain prints a picture again and again, and once more at the end of what is read once.
func (t *topRun) printPlain(ctx context.Context, stdout io.Writer) error {
	t.pause(ctx, t.caughtUp, 0)
	if t.watch.Seen() == 0 {
		t.pause(ctx, t.ended, t.o.every.of) // it only begins
	}
	for n := 1; ; n++ {
		ended := t.hasEnded()
		if ended {
			t.judge()
		}
		switch {
		case ctx.Err() != nil:
			return errTopStopped
		case ended && t.err() != nil:
			return nil // that is told
		}
		if _, err := io.WriteString(stdout, t.plain()); err != nil || ended || n == t.o.count.of {
			return failed(err)
		}
		t.pause(ctx, t.ended, t.o.every.of)
		if _, err := io.WriteString(stdout, "\n"); err != nil {
			return failed(err)
		}
	}
}

// errTopStopped is the end by Ctrl-C or a signal.
var errTopStopped = withCode(exitInterrupted, errors.New("interrupted"))

// pause ends with the context, when done is closed, or after d; d 0 is never.
func (t *topRun) pause(ctx context.Context, done <-chan struct{}, d time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-done:
		case <-ctx.Done():
		}
		cancel()
	}()
	if d == 0 {
		<-ctx.Done()
		return
	}
	wait(ctx, d)
}

// titleOf names the inputs in a few words.
func titleOf(inputs []string) string {
	shown := []string{}
	for _, in := range inputs {
		shown = append(shown, withoutSecrets(in))
	}
	return visible(strings.Join(shown, " "))
}

// ofTarget is a detect.Target for people.
func ofTarget(t detect.Target) string {
	name := targetName(t)
	if name == "" {
		name = "(no table)"
	}
	if store := t.Store.String(); store != "" {
		name += fmt.Sprintf(" (%s)", store)
	}
	return visible(name)
}
