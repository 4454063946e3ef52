package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/screen"
	"github.com/keyheat/keyheat/internal/watch"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// Times of top. A judgement may take a twentieth of the time at most.
const (
	lookEvery    = 500 * time.Millisecond // between two looks at what grows
	firstJudge   = time.Second
	judgeEvery   = 10 * time.Second
	judgePart    = 20
	defaultWidth = 80
)

// A topRun reads, watches and judges.
type topRun struct {
	env       *env
	o         *topOptions
	r         *reading
	reporter  *reporter
	title     string
	watch     *watch.Watch
	collector *detect.Collector
	handler   *watch.Handler
	caughtUp  chan struct{} // closed when all that was there at the start is read
	ended     chan struct{} // closed when nothing more comes
	catching  sync.Once

	mu       sync.Mutex
	failure  error
	progress ingest.Progress
	view     *detect.View // of the last judgement; nil: none yet
	report   *report.Report
	judged   uint64 // records seen then
	program  *screen.Program
}

func newTopRun(e *env, o *topOptions, r *reading, reporter *reporter, inputs []string) *topRun {
	t := &topRun{
		env: e, o: o, r: r, reporter: reporter, title: titleOf(inputs),
		watch: watch.New(o.window.of), collector: detect.NewCollector(o.read.settings()),
		caughtUp: make(chan struct{}), ended: make(chan struct{}),
	}
	t.handler = t.watch.Over(t.collector, func(in *ingest.Input) bool { return r.sources[in.ID.File].Live != nil })
	t.watch.Tick(e.now())
	return t
}

// lastToEnd puts what does not end behind what does: the Profile holds back what comes after it.
func lastToEnd(a, b ingest.Source) int {
	rank := func(s ingest.Source) int {
		switch {
		case s.Live != nil:
			return 2
		case s.Named:
			return 1
		}
		return 0
	}
	return cmp.Compare(rank(a), rank(b))
}

// start reads and judges until the context ends; wait waits for both.
func (t *topRun) start(ctx context.Context) (wait func()) {
	var both sync.WaitGroup
	both.Go(func() { t.read(ctx) })
	both.Go(func() { t.judgeAll(ctx) })
	return both.Wait
}

func (t *topRun) read(ctx context.Context) {
	options := t.r.options
	options.Sums = false
	options.Progress = func(p ingest.Progress) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.progress = p
	}
	if !t.o.noFollow {
		options.Follow = func(ctx context.Context) {
			t.catchUp()
			wait(ctx, lookEvery)
		}
	}
	if !t.ends() {
		t.catchUp()
	}
	result, err := ingest.Read(ctx, t.r.sources, options, t.r.wanted.over(t.handler))
	if err != nil && ctx.Err() != nil {
		err = nil // the end that top has
	}
	if err == nil && result != nil && ctx.Err() == nil {
		err = t.r.takeAll(result)
	}
	t.mu.Lock()
	t.failure = errors.Join(failed(err), t.failure)
	t.mu.Unlock()
	t.watch.Ended()
	close(t.ended)
	t.catchUp() // behind it: whoever waited for this sees the end
}

// ends reports whether any source is one of those that are first read to an end.
func (t *topRun) ends() bool {
	for _, s := range t.r.sources {
		if s.Live == nil {
			return true
		}
	}
	return false
}

func (t *topRun) catchUp() {
	t.catching.Do(func() {
		t.watch.Tick(t.env.now())
		t.watch.CaughtUp()
		close(t.caughtUp)
	})
}

func (t *topRun) hasEnded() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// err gives why the run failed.
func (t *topRun) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure
}

// judgeAll judges what was read so far again and again.
func (t *topRun) judgeAll(ctx context.Context) {
	for next := firstJudge; ; {
		t.pause(ctx, t.ended, next)
		if ctx.Err() != nil {
			return
		}
		ended, begun := t.hasEnded(), t.env.now()
		t.judge()
		if ended {
			return
		}
		next = max(judgeEvery, judgePart*t.env.now().Sub(begun))
	}
}

// judge judges what was read so far, unless nothing came since the last time.
func (t *topRun) judge() {
	seen := t.watch.Seen()
	t.mu.Lock()
	same := t.view != nil && seen == t.judged
	t.mu.Unlock()
	if same {
		return
	}
	view, rep := t.snapshot()
	t.mu.Lock()
	t.view, t.report, t.judged = view, rep, seen
	program := t.program
	t.mu.Unlock()
	if program != nil {
		program.Send(t.findings())
	}
}

// snapshot judges all that was read so far.
func (t *topRun) snapshot() (*detect.View, *report.Report) {
	t.handler.Cut()
	profile := detect.JoinStores(t.collector.Snapshot())
	view := detect.NewView(profile, nil, t.reporter.limits, t.o.report.rate.of)
	partial := "saved while it was read: what came until " + moment(t.env.now().UnixNano())
	if t.hasEnded() {
		partial = strings.Join(t.r.partial, "; ")
	}
	seen := *t.r
	seen.profile = profile
	return view, t.reporter.judge(view, report.Parts{
		Problems: profile.Problems, Unread: seen.allUnread(), Notes: seen.remarks(), Partial: partial,
	})
}

// findings gives what the last judgement found, a line each.
func (t *topRun) findings() screen.Findings {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := screen.Findings{}
	if t.report == nil {
		return out
	}
	for _, f := range t.report.Findings {
		text := f.Rule + since(f.Span) + ": " + f.Message
		if len(f.Proposals) > 0 {
			text += " → " + f.Proposals[0].Title
		}
		out = append(out, screen.Finding{Target: f.Subject.Target, Key: f.Subject.Key, HasKey: f.Subject.HasKey, Severity: f.Severity, Text: visible(text)})
	}
	return out
}

// since tells the beginning of a finding: the time alone when it is of the day of its end. Nothing is told of
// unknown times.
func since(s detect.Span) string {
	if s.Start == 0 && s.End == 0 {
		return ""
	}
	begin, form := time.Unix(s.Start, 0).UTC(), "15:04"
	if begin.Format(time.DateOnly) != time.Unix(s.End, 0).UTC().Format(time.DateOnly) {
		form = "2006-01-02 15:04"
	}
	return " since " + begin.Format(form)
}

// options are those of the screen.
func (t *topRun) options() screen.Options {
	write, read := t.reporter.limits.Of(detect.PartitionWriteUnits).Value, t.reporter.limits.Of(detect.PartitionReadUnits).Value
	return screen.Options{
		Title: t.title, Color: t.reporter.options.Color, Table: ofTarget, Key: t.keyName,
		WriteLimit: write, ReadLimit: read, Page: t.page, Save: t.save,
	}
}

func (t *topRun) keyName(key []byte) string {
	if mask := t.reporter.options.Mask; mask != nil {
		key = mask(key)
	}
	return render.VisibleKey(key)
}

// page gives what the last judgement tells of a key.
func (t *topRun) page(target detect.Target, key []byte, width int) []string {
	t.mu.Lock()
	view, rep := t.view, t.report
	t.mu.Unlock()
	if view == nil {
		return []string{"not judged yet"}
	}
	k, ok := report.BuildKey(view, rep, target, key, panesOf)
	if !ok {
		return []string{"not judged yet"}
	}
	options := t.reporter.options
	options.Width, options.Color = max(width, render.MinWidth), false
	var text bytes.Buffer
	if err := outputNamed(render.KeyCatalogue(), "text").Render(&text, k, options); err != nil {
		return []string{visible(err.Error())}
	}
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
}

// save writes the reports that were asked for, and says what became of them.
func (t *topRun) save() string {
	_, rep := t.snapshot()
	outputs := t.o.report.outputs.of
	if len(outputs) == 0 {
		name := "keyheat-top-" + t.env.now().UTC().Format("20060102-150405") + ".html"
		outputs = []output{{outputNamed(render.Catalogue(), "html"), name}}
	}
	options, said := t.reporter.options, []string{}
	options.Color, options.Width = false, 0
	for _, out := range outputs {
		err := writeTo(t.env, io.Discard, out.file, func(w io.Writer) error { return out.renderer.Render(w, rep, options) })
		if err != nil {
			said = append(said, fmt.Sprintf("writing %s: %v", out.file, err))
			continue
		}
		said = append(said, "saved "+out.file)
	}
	return visible(strings.Join(said, "; "))
}

// status tells how far reading is.
func (t *topRun) status() string {
	if t.hasEnded() {
		return "ended"
	}
	select {
	case <-t.caughtUp:
		if len(t.r.errs) > 0 {
			return fmt.Sprintf("%d inputs failed", len(t.r.errs))
		}
		return ""
	default:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.progress.Total == 0 {
		return "reading"
	}
	return fmt.Sprintf("reading %d %%", 100*t.progress.Bytes/t.progress.Total)
}

// plain gives one plain picture.
func (t *topRun) plain() string {
	t.watch.Tick(t.env.now())
	return screen.Plain(t.watch, t.options(), t.findings(), t.status(), cmp.Or(t.env.width, defaultWidth), t.o.limit.of)
}

// show runs the screen until its end.
func (t *topRun) show(ctx context.Context) error {
	keys, err := t.keys()
	if err != nil {
		return failed(fmt.Errorf("opening the terminal for keys: %w", err))
	}
	if keys != t.env.stdin {
		defer keys.(io.Closer).Close()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := screen.New(ctx, t.watch, t.options(), keys, t.env.screen, t.env.environ())
	t.mu.Lock()
	t.program = program
	t.mu.Unlock()
	var refreshed sync.WaitGroup
	refreshed.Go(func() { t.refresh(ctx, cancel, program) })
	interrupted, err := program.Run()
	stopped := ctx.Err() != nil && t.err() == nil
	cancel()
	refreshed.Wait()
	switch {
	case interrupted || stopped:
		return errTopStopped
	case t.err() != nil:
		return nil // that is told
	}
	return failed(err)
}

// keys gives where keys are typed.
func (t *topRun) keys() (io.Reader, error) {
	for _, s := range t.r.sources {
		if s.Stdin {
			return t.env.terminal()
		}
	}
	if !t.env.inTerminal {
		return t.env.terminal()
	}
	return t.env.stdin, nil
}

// refresh has the screen drawn again and again, and ended when nothing could be read.
func (t *topRun) refresh(ctx context.Context, end func(), program *screen.Program) {
	for ctx.Err() == nil {
		t.watch.Tick(t.env.now())
		program.Send(screen.Status(t.status()))
		program.Send(screen.Refresh{})
		if t.hasEnded() && t.err() != nil {
			end()
			return
		}
		wait(ctx, t.o.every.of)
	}
}
