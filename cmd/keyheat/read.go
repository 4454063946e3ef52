package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/report"
)

// A reading is what the first pass over the inputs gave.
type reading struct {
	profile *detect.Profile
	unread  []report.Unread
	partial []string // why less was read than was asked
	notes   []string
	left    []string // those of notes on Profiles that are there twice
	skipped []ingest.Skipped
	// skippedMore is the number of skipped files beyond those.
	skippedMore int
	endedEarly  int   // inputs that could not be read to their end
	damaged     int   // files with another MD5 than their manifest says
	bad         error // more bad records than --max-bad
	// errs are what made inputs fail; a report of the others goes on.
	errs        []error
	interrupted bool
	timed       bool // a live source was to be read for a time

	env     *env
	sources []ingest.Source
	// profiles are the names of inputs that are Profiles, where those are looked for.
	profiles []string
	// statements are the CREATE statements of the tables in options.Decode.Schema that a text told.
	statements map[*cql.Table]string

	columns []string // further fields of key events, the likeliest to spread a key first
	options ingest.Options
	wanted  *wanted
	result  *ingest.Result
	quiet   bool
	twice   bool // objects in S3 are read a second time as well
}

// readTraffic reads the inputs into a Profile that is ready to be judged. The error says that nothing was
// recognised, or that the flags do not fit the inputs.
func readTraffic(ctx context.Context, e *env, f *readFlags, inputs []string, s detect.Settings) (*reading, error) {
	r, err := readToMerge(ctx, e, f, inputs, s)
	if err == nil {
		r.profile = detect.JoinStores(r.profile)
	}
	return r, err
}

// readToMerge is readTraffic for a Profile that is to be merged with others before it is judged.
func readToMerge(ctx context.Context, e *env, f *readFlags, inputs []string, s detect.Settings) (*reading, error) {
	r, err := prepare(ctx, e, f, inputs)
	if err != nil {
		return nil, err
	}
	return r, r.sketch(ctx, f, s)
}

// sketch reads the sources into a Profile. The error says that nothing was recognised.
func (r *reading) sketch(ctx context.Context, f *readFlags, s detect.Settings) error {
	collector := detect.NewCollector(s)
	if err := r.read(ctx, collector); err != nil {
		return err
	}
	r.profile = collector.Profile()
	r.judgeBad(f.maxBad.of)
	return nil
}

// prepare finds the sources and the bounds of time, and sets the process's memory limit.
func prepare(ctx context.Context, e *env, f *readFlags, inputs []string) (*reading, error) {
	e.limitMemory(int64(f.memory.of / 10 * 8))
	r := &reading{env: e, quiet: f.quiet, twice: f.twice, timed: f.live.duration.of > 0}
	urls, files := splitURLs(inputs)
	live, err := e.openLive(urls, &f.live, f.decode())
	if err != nil {
		return nil, err
	}
	e.announce(f.quiet, "reading", urls, f.live.duration.of)
	sources, err := ingest.Expand(slices.Concat(files, f.schemas.of), e.files)
	r.failAll("", err)
	if f.profiles {
		sources = r.withoutProfiles(sources)
	}
	r.sources = append(sources, live...) // last: what the files came to need not wait for them
	if len(r.sources)+len(r.profiles) == 0 {
		return nil, r.nothing()
	}
	r.options = ingest.Options{
		Formats: allFormats(),
		Decode:  f.decode(),
		Files:   e.files,
		Stdin:   e.stdin,
		Chunk:   int64(f.chunk.of),
		Workers: f.fittingWorkers(),
		Sums:    !f.once,
		Stamp:   e.stamp,
	}
	if err := r.learn(ctx, f.schemas.of); err != nil {
		return nil, failed(err)
	}
	r.wanted = &wanted{tables: f.tables.of, nodes: f.nodes.of}
	r.wanted.window, err = r.window(ctx, f)
	return r, err
}

// failAll notes each of the errors joined in err as an input that gave nothing.
func (r *reading) failAll(name string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			r.failAll(name, one)
		}
		return
	}
	if err != nil {
		r.errs = append(r.errs, err)
		var part *ingest.PartError
		if errors.As(err, &part) {
			name = part.Source
		}
		name = cmp.Or(name, nameIn(err))
		r.unread = append(r.unread, report.Unread{Name: name, Why: whyOf(name, err)})
	}
}

// nameIn gives the file that an error of the file system is about.
func nameIn(err error) string {
	var told *toldError
	if errors.As(err, &told) {
		return told.name
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Path
	}
	name, _, _ := strings.Cut(err.Error(), ":")
	return name
}

// whyOf gives the first line of an error about a file, without the file's name.
func whyOf(name string, err error) string {
	var told *toldError
	if errors.As(err, &told) {
		return told.why
	}
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == name {
		return path.Err.Error()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(line, name+": ")
}

// maxListed bounds the failed and skipped inputs that errors and reports list: a folder may hold
// a hundred thousand.
const maxListed = 100

// nothing is the error of a run that recognised nothing.
func (r *reading) nothing() error {
	errs := r.failures()
	for _, s := range r.skipped[:min(len(r.skipped), maxListed)] {
		errs = append(errs, fmt.Errorf("%s: skipped: %s", s.Name, s.Why))
	}
	if more := len(r.skipped) + r.skippedMore - maxListed; more > 0 {
		errs = append(errs, fmt.Errorf("more skipped: %d", more))
	}
	return failed(errors.Join(append(errs, errors.New("nothing was recognised: see keyheat formats"))...))
}

// failures gives the first of the errors of inputs, and the number of the others.
func (r *reading) failures() []error {
	errs := slices.Clone(r.errs[:min(len(r.errs), maxListed)])
	if more := len(r.errs) - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("more inputs that failed: %d", more))
	}
	return errs
}

// window resolves --since and --until; relative ones take a look at the end of the inputs.
func (r *reading) window(ctx context.Context, f *readFlags) (ingest.Window, error) {
	end := time.Time{}
	if f.since.of.ago > 0 || f.until.of.ago > 0 {
		nanos, ok, err := ingest.Latest(ctx, r.sources, r.options)
		switch {
		case errors.Is(err, ingest.ErrLatestOfStream):
			return ingest.Window{}, usage(err)
		case err != nil:
			return ingest.Window{}, failed(fmt.Errorf("finding the end of the input: %w", err))
		case !ok:
			return ingest.Window{}, failed(errors.New("finding the end of the input: no record has a time"))
		}
		end = time.Unix(0, nanos)
	}
	w := ingest.Window{Since: f.since.of.nanos(f.zone.of, end), Until: f.until.of.nanos(f.zone.of, end)}
	if w.Since != 0 && w.Until != 0 && w.Since >= w.Until {
		return w, usage(fmt.Errorf("--until %s: must be later than --since %s", f.until.text, f.since.text))
	}
	return w, nil
}

// nanos gives the bound in Unix nanoseconds, 0 for none. end is the time of the last event.
func (b bound) nanos(zone *time.Location, end time.Time) int64 {
	if b.text == "" {
		return 0
	}
	if b.ago > 0 {
		return end.Add(-b.ago).UnixNano()
	}
	t, _ := b.timeIn(zone)
	return t.UnixNano()
}

// read is the first pass. Its error says that nothing was recognised.
func (r *reading) read(ctx context.Context, h ingest.Handler) error {
	result, err := r.pass(ctx, h, r.options, "reading")
	if err != nil && ctx.Err() == nil {
		return failed(err)
	}
	if ctx.Err() != nil && (err != nil || r.timed) {
		r.interrupted = true
		r.partial = append(r.partial, "interrupted: what was read until then is reported")
	}
	return r.takeAll(result)
}

// takeAll notes what became of each source. Its error says that nothing was recognised.
func (r *reading) takeAll(result *ingest.Result) error {
	r.result = result
	recognised := false
	for i := range result.Sources {
		recognised = r.take(&result.Sources[i]) || recognised
	}
	if !recognised {
		return r.nothingRead()
	}
	if r.endedEarly > 0 {
		r.partial = append(r.partial, fmt.Sprintf("inputs not read to their end: %d", r.endedEarly))
	}
	if r.damaged > 0 {
		r.partial = append(r.partial, fmt.Sprintf("data files of exports that are not as their manifest says: %d", r.damaged))
	}
	if n := len(r.unread); n > 0 {
		r.partial = append(r.partial, fmt.Sprintf("inputs that failed and gave nothing: %d", n))
	}
	return nil
}

// pass reads the inputs once, with progress on the terminal.
func (r *reading) pass(ctx context.Context, h ingest.Handler, o ingest.Options, doing string) (*ingest.Result, error) {
	progress := newProgress(r.env, r.quiet, doing)
	o.Progress = progress.show
	defer progress.end()
	return ingest.Read(ctx, r.sources, o, r.wanted.over(h))
}

// nothingRead is nothing, and interrupted when that is why.
func (r *reading) nothingRead() error {
	if r.interrupted {
		return withCode(exitInterrupted, errors.New("interrupted before anything was recognised"))
	}
	return r.nothing()
}

// take notes what became of a source and reports whether something of it was recognised.
func (r *reading) take(s *ingest.SourceResult) bool {
	if !errors.Is(s.Err, context.Canceled) {
		r.failAll(s.Source.Name, s.Err)
	}
	r.notes = append(r.notes, s.Notes...)
	for _, name := range s.Damaged {
		r.errs = append(r.errs, damaged(name))
	}
	r.damaged += len(s.Damaged) + s.DamagedMore
	r.skipped, r.skippedMore = append(r.skipped, s.Skipped...), r.skippedMore+s.SkippedMore
	for _, in := range s.Inputs {
		if in.Err != nil && !errors.Is(in.Err, context.Canceled) {
			r.errs = append(r.errs, in.Err)
			r.endedEarly++
		}
	}
	return len(s.Inputs) > 0
}

// judgeBad compares the problems of the inputs with --max-bad.
func (r *reading) judgeBad(most badLimit) {
	records := uint64(0)
	for _, in := range r.profile.Inputs {
		records += in.Records
	}
	if bad := r.profile.Problems.Total; !most.allows(bad, records) {
		r.bad = fmt.Errorf("%d of %d records could not be read, more than --max-bad allows", bad, records)
		r.partial = append(r.partial, r.bad.Error())
	}
}

// err gives what the run failed with, beside the report: failed inputs, bad records, an interrupt.
func (r *reading) err() error {
	errs := []error{failed(errors.Join(r.failures()...)), withCode(exitBadRecords, r.bad)}
	if r.interrupted {
		errs = append(errs, withCode(exitInterrupted, errors.New("interrupted: what was read until then is reported")))
	}
	return errors.Join(errs...)
}

// allUnread gives the first of the inputs that gave nothing, those that failed before those that were
// skipped.
func (r *reading) allUnread() []report.Unread {
	all := slices.Clone(r.unread)
	for _, s := range r.skipped {
		all = append(all, report.Unread{Name: s.Name, Why: s.Why})
	}
	return all[:min(len(all), maxListed)]
}

// remarks gives what a reader of the report must know of the reading.
func (r *reading) remarks() []string {
	notes := slices.Clone(r.notes)
	if more := len(r.unread) + len(r.skipped) + r.skippedMore - maxListed; more > 0 {
		notes = append(notes, fmt.Sprintf("more files that gave nothing: %d", more))
	}
	if len(r.wanted.nodes) == 0 {
		notes = append(notes, collectedNotes(r.profile)...)
	}
	if len(r.wanted.tables) > 0 {
		notes = append(notes, fmt.Sprintf("only --table %s was read; records of other tables: %d", strings.Join(r.wanted.tables, ", "), r.skippedAs(skipTable)))
	}
	if len(r.wanted.nodes) > 0 {
		notes = append(notes, "only --node "+strings.Join(r.wanted.nodes, ", ")+" was read")
	}
	if w := r.wanted.window; w.Since != 0 {
		notes = append(notes, "only times from "+moment(w.Since)+" on were read")
	}
	if w := r.wanted.window; w.Until != 0 {
		notes = append(notes, "only times before "+moment(w.Until)+" were read")
	}
	return notes
}

func moment(nanos int64) string { return time.Unix(0, nanos).UTC().Format(time.RFC3339Nano) }

// skippedAs gives the number of records that were skipped for a reason.
func (r *reading) skippedAs(kind string) uint64 {
	n := uint64(0)
	for i := range r.profile.Inputs {
		n += r.profile.Inputs[i].SkippedKind[kind]
	}
	return n
}

// print writes what a command is about to stdout, with the remarks beside it on stderr. The error is also that of
// inputs that failed.
func (r *reading) print(stdout io.Writer, render func(w io.Writer) error) error {
	err := writeTo(r.env, stdout, "-", render)
	r.warn()
	return errors.Join(failed(err), r.err())
}

// warn prints the remarks and what is partial to stderr, for outputs that have no place for them.
func (r *reading) warn() {
	if r.quiet {
		return
	}
	for _, note := range append(r.remarks(), r.partial...) {
		fmt.Fprintf(r.env.stderr, "keyheat: note: %s\n", visible(note))
	}
}
