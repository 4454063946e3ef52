package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/parts"
)

// planFault reports flags that do not go with --plan: the plan holds what they say.
func (o *sketchOptions) planFault(cmd *cobra.Command, inputs []string) error {
	var errs []error
	if o.plan == "" {
		if o.countKeys != "" {
			errs = append(errs, errors.New("--count-keys: needs --plan, the one of the first pass"))
		}
		if len(inputs) == 0 {
			errs = append(errs, errors.New("0 arguments given: want at least one INPUT: a file, a directory, a glob or -"))
		}
		return errors.Join(errs...)
	}
	if len(inputs) > 0 {
		errs = append(errs, fmt.Errorf("unexpected argument %q: the inputs stand in the plan", inputs[0]))
	}
	allowed := []string{"plan", "count-keys", "to", "workers", "quiet"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(allowed, f.Name) {
			errs = append(errs, fmt.Errorf("--%s: give it to keyheat plan, whose head tells it to every sketch", f.Name))
		}
	})
	return errors.Join(errs...)
}

// A splitReading makes the parts of splits.
type splitReading struct {
	*reading
	plan *parts.Plan
	out  *parts.Writer
}

// runSketchPlan writes the parts of the splits in a plan. An input that fails is told in the end mark of its
// split, and by the error.
func runSketchPlan(ctx context.Context, e *env, stdout io.Writer, o *sketchOptions) error {
	plan, err := readPlan(e, o.plan)
	if err != nil {
		return failed(fmt.Errorf("reading the plan: %w", err))
	}
	r, _, err := readingOf(e, &plan.Head)
	if err != nil {
		return failed(fmt.Errorf("reading the plan: %w", err))
	}
	learnt := sharedLearning{}
	if err := json.Unmarshal(plan.Head.Learnt, &learnt); err != nil {
		return failed(fmt.Errorf("reading the plan: %w", err))
	}
	learnt.apply(&r.options.Decode)
	o.read.memory.of = plan.Head.Settings.Memory
	e.limitMemory(int64(o.read.memory.of / 10 * 8))
	r.quiet, r.options.Workers = o.read.quiet, o.read.fittingWorkers()
	head := parts.PartHead{Head: plan.Head}
	nominees, err := keysToCount(e, o.countKeys, &head)
	if err != nil {
		return failed(fmt.Errorf("reading --count-keys %s: %w", o.countKeys, err))
	}
	if nominees != nil {
		r.options.Decode.Columns = nominees.Columns
	}
	err = writeStream(e, stdout, o.to, "the parts", func(w io.Writer) error {
		out, err := parts.NewWriter(w, head)
		if err != nil {
			return err
		}
		return (&splitReading{r, plan, out}).run(ctx, nominees)
	})
	return failedOrStopped(ctx, err)
}

// readPlan reads a plan from a file or stdin.
func readPlan(e *env, file string) (*parts.Plan, error) {
	if file == "-" {
		return parts.ReadPlan(e.stdin)
	}
	f, err := e.files.Open(file)
	if err != nil {
		return nil, err
	}
	plan, err := parts.ReadPlan(f)
	return plan, errors.Join(err, f.Close())
}

// keysToCount reads the keys of a second pass and notes them in the head; without a file there are none.
func keysToCount(e *env, file string, h *parts.PartHead) (*detect.Nominees, error) {
	if file == "" {
		return nil, nil
	}
	f, err := e.files.Open(file)
	if err != nil {
		return nil, err
	}
	form, digest, err := parts.ReadKeys(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	h.Keys = digest
	return detect.ReadNominees(form)
}

func (r *splitReading) run(ctx context.Context, n *detect.Nominees) error {
	for i := range r.plan.Splits {
		s := &r.plan.Splits[i]
		r.sources = append(r.sources, ingest.Source{Name: s.Name, Path: s.Name, Size: s.Size, Named: s.Named, Split: &s.Split})
	}
	give := func(c ingest.Chunk, st ingest.ChunkStats, form []byte) {
		r.out.Part(&r.plan.Splits[c.Input.ID.File], c.Input.ID.Member, c.Index, st.Sum, form)
	}
	var h ingest.Handler = detect.NewPartMaker(r.plan.Head.Settings, give)
	if n != nil {
		h = detect.NewCountMaker(r.plan.Head.Settings, n, give)
	}
	result, err := r.pass(ctx, h, r.options, "reading")
	if err != nil {
		return err
	}
	var errs []error
	for i := range result.Sources {
		s := &r.plan.Splits[i]
		outcome, err := outcomeOf(&result.Sources[i])
		r.out.End(s, outcome)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s, err))
		}
	}
	return errors.Join(r.out.Err(), errors.Join(errs...))
}

// outcomeOf tells what became of a source, and what failed.
func outcomeOf(s *ingest.SourceResult) (parts.Outcome, error) {
	o := parts.Outcome{More: s.SkippedMore, DamagedMore: s.DamagedMore}
	failing := &reading{}
	failing.failAll(s.Source.Name, s.Err)
	for i, u := range failing.unread {
		o.Errors = append(o.Errors, parts.Fault{Text: []byte(failing.errs[i].Error()), Why: []byte(u.Why)})
	}
	errs := failing.errs
	for _, name := range s.Damaged {
		o.Damaged = append(o.Damaged, []byte(name))
		errs = append(errs, damaged(name))
	}
	for i, in := range s.Inputs {
		o.Members = append(o.Members, partsOf(in))
		if in.Err != nil {
			o.Ended = append(o.Ended, parts.Ended{Member: i, Text: []byte(in.Err.Error())})
			errs = append(errs, in.Err)
		}
	}
	for _, k := range s.Skipped {
		o.Skipped = append(o.Skipped, parts.Skipped{Name: []byte(k.Name), Why: []byte(k.Why)})
	}
	return o, errors.Join(errs...)
}

// partsOf gives the number of parts that come of an input: one of all inputs of a Live, which is of the first.
func partsOf(in ingest.InputResult) int {
	switch {
	case in.Input.Live == nil:
		return in.Chunks
	case *in.Input.Live == in.Input.ID:
		return 1
	}
	return 0
}

// writeStream hands a file, or stdout for "-", to fill, which writes more than is held in memory.
func writeStream(e *env, stdout io.Writer, file, what string, fill func(io.Writer) error) error {
	to := stdout
	var f io.WriteCloser
	if file != "-" {
		var err error
		if f, err = e.create(file); err != nil {
			return fmt.Errorf("writing %s: %w", what, err)
		}
		to = f
	}
	w := bufio.NewWriterSize(to, 256<<10)
	err := errors.Join(fill(w), w.Flush())
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return err
}
