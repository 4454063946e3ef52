package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// collectOptions are the flags of collect.
type collectOptions struct {
	live      liveFlags
	to        string
	overwrite bool
	goOn      bool
	quiet     bool
}

func newCollect(e *env) *cobra.Command {
	o := &collectOptions{}
	cmd := &cobra.Command{
		Use:   "collect URL",
		Short: "record what a running database tells, to be analysed later",
		Long: `collect writes what analyze would read of a URL into a file, for the time that --for says, without it until
interrupted. Analysed later with --no-exact the file gives the report that the live run would have given; without it the
keys that matter are counted exactly. It is an Arrow stream (docs/capture.md), of which a killed collect loses the last
seconds. With --append it goes on with the file, where the source tells how far it was read (streams of DynamoDB): no
record is there twice, and none that can still be read is left out.` + exitHelp,
		Example: `  keyheat collect cassandra://reader@10.0.3.17/shop --for 5m --to capture.arrow
  keyheat analyze capture.arrow`,
		Args: args(1, 1, "one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runCollect(cmd.Context(), e, cmd.OutOrStdout(), o, args[0])
		},
	}
	o.live.add(cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "", "`FILE` for the records, which must not be there yet; - is stdout")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the file of --to when it is there")
	cmd.Flags().BoolVar(&o.goOn, "append", false, "go on with the file of --to when it is there")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "nothing on stderr but errors")
	return cmd
}

// Validate reports every fault of the flags.
func (o *collectOptions) Validate() error {
	err := o.live.fault()
	if o.to == "" {
		err = errors.Join(err, errors.New("--to FILE: is needed; - is stdout"))
	}
	if o.goOn && (o.overwrite || o.to == "-") {
		err = errors.Join(err, errors.New("--append: needs a file, and not --overwrite"))
	}
	return err
}

func runCollect(ctx context.Context, e *env, stdout io.Writer, o *collectOptions, text string) error {
	server, err := e.openServer(text, &o.live, ingest.DecodeOptions{Location: time.UTC})
	if err != nil {
		return err
	}
	out, before, err := openCapture(e, stdout, o, text)
	if err != nil {
		return err
	}
	writing, stop := context.WithCancel(ctx)
	defer stop()
	w, err := before.Continue(out, text, stop)
	if err != nil {
		return failed(errors.Join(fmt.Errorf("writing --to %s: %w", o.to, err), out.Close()))
	}
	e.announce(o.quiet, "recording", []string{text}, o.live.duration.of)
	parts := flushing(writing, w, func(ctx context.Context) error { return timed{server, o.live.duration.of}.Collect(ctx, w) })
	written := errors.Join(w.Close(parts), out.Close())
	if _, inputs := w.Records(); inputs == 0 && o.to != "-" { // nothing is in it that is worth keeping
		written = errors.Join(written, e.remove(o.to))
	}
	return o.tell(ctx, e, w, parts, written)
}

// openCapture makes the file of --to, or opens it where the capture of a source in it ends.
func openCapture(e *env, stdout io.Writer, o *collectOptions, source string) (io.WriteCloser, *capture.Before, error) {
	none := &capture.Before{}
	switch {
	case o.to == "-" && e.outTerminal:
		return nil, nil, usage(errors.New("--to -: would write bytes to the terminal: give --to FILE, or a pipe"))
	case o.to == "-":
		return stdoutWriter{&untilDone{func() error { return nil }, stdout}}, none, nil
	case o.overwrite:
		out, err := e.create(o.to)
		return out, none, failed(err)
	}
	out, err := e.createNew(o.to)
	switch {
	case errors.Is(err, fs.ErrExist) && o.goOn:
		return continued(e, o.to, source)
	case errors.Is(err, fs.ErrExist):
		return nil, nil, usage(fmt.Errorf("--to %s: is there already: give --append to go on with it, --overwrite to replace it", o.to))
	}
	return out, none, failed(err)
}

// continued opens a capture behind its last whole batch, and cuts off what follows that.
func continued(e *env, name, source string) (io.WriteCloser, *capture.Before, error) {
	file, err := e.update(name)
	if err != nil {
		return nil, nil, failed(err)
	}
	before, err := capture.ReadBefore(bufio.NewReader(file), source)
	if err == nil {
		err = file.Truncate(before.End)
	}
	if err == nil {
		_, err = file.Seek(before.End, io.SeekStart)
	}
	if err != nil {
		return nil, nil, failed(errors.Join(fmt.Errorf("--append --to %s: %w", name, err), file.Close()))
	}
	return file, before, nil
}

// flushEvery is how long a record waits at most until it is in the file.
const flushEvery = 5 * time.Second

// flushing writes what w holds again and again while collect runs.
func flushing(ctx context.Context, w *capture.Writer, collect func(context.Context) error) error {
	ended := make(chan struct{})
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		tick := time.NewTicker(flushEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.Flush()
			case <-ended:
				return
			}
		}
	}()
	err := collect(ctx)
	close(ended)
	<-flushed
	return err
}

// tell says what was recorded, and gives what went wrong.
func (o *collectOptions) tell(ctx context.Context, e *env, w *capture.Writer, parts, written error) error {
	records, inputs := w.Records()
	if !o.quiet {
		fmt.Fprintf(e.stderr, "keyheat: recorded %d records of %d inputs\n", records, inputs)
	}
	errs := []error{failed(parts)}
	switch {
	case errors.Is(written, errReaderGone):
	case written != nil:
		errs = append(errs, failed(fmt.Errorf("writing --to %s: %w", o.to, written)))
	case ctx.Err() != nil && o.live.duration.of > 0:
		errs = append(errs, withCode(exitInterrupted, errors.New("interrupted: what was recorded until then is in the file")))
	case inputs == 0 && parts == nil:
		errs = append(errs, failed(errors.New("nothing was recorded: see keyheat doctor")))
	}
	return errors.Join(errs...)
}
